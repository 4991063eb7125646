package claims

import "dejavu/results"

// lectureClaims are those of the lecture, its slides and the notes.
func lectureClaims() []Claim {
	sum := func(quantity string) Ref { return theory(results.Arithmetic, "lecture", quantity) }
	curve := func(strategy, quantity string, shown float64) Ref {
		return theory(results.FPR, strategy, quantity).at(shown)
	}
	const (
		lanes  = results.Beyond + "daily"
		wide   = ", 10 Gbit/s and 0.5 ms"
		narrow = ", 1 Gbit/s and 0.1 ms"
	)
	sent := func(history string, candidates float64) Evidence {
		return over(measured(results.Ship, history, results.QShippedBytes).at(candidates), measured(results.Ship, history, results.QAskedBytes).at(candidates))
	}
	even := func(history string) Ref { return theory(results.Ship, history, results.QBreakEven) }
	timed := func(history string) Ref { return measured(results.Ship, history, results.QAskedOver).at(4000) }
	modelled := func(history, network string) Evidence {
		return over(theory(results.Ship, history, results.QShippedModel+network).at(4000), theory(results.Ship, history, results.QAskedModel+network).at(4000))
	}
	expired := func(way string) Ref { return measured(results.Month, way, results.QExpired).at(61) }
	monthly := func(way string) Ref { return measured(results.Month, way, results.QFPR).at(61) }
	byHashes := func(k float64) Ref { return theory(results.Arithmetic, "paper", results.QFPRByHashes).at(k) }
	var misses []Ref
	for _, rate := range []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1} {
		misses = append(misses, theory(results.Sizing, "lecture", results.QMiss).at(rate))
	}
	approximation := func(strategy string, shown float64) Rule {
		return Rule{
			[]Evidence{over(curve(strategy, results.QFPRAsymptotic, shown), curve(strategy, results.QFPRExact, shown))},
			about(1, 0.001, 0.01), "a formula behind '≈': within a hundredth; within a thousandth it needs no '≈'",
		}
	}
	const notAgain = "what was shown is certainly filtered, no reader sees it again"
	again := func(quantity string, delay float64) Ref {
		return measured(results.Pipeline, "single", quantity).at(delay)
	}
	outage := func(list string) Ref {
		return measured(results.Pipeline, "single", results.QAgainOutage+results.CaughtUpAt(2)+list)
	}
	return []Claim{
		{
			ID: "L1a", Source: Lecture, Section: "slides", Says: "comparing n seen with r recalled takes nr comparisons", Reading: "n = r = 3000",
			Quantity: "pairs", Stated: results.Num(9e6),
			Rule: Rule{each(sum(results.QPairs).at(3000)), equal(9e6), counted},
		},
		{
			ID: "L1b", Source: Lecture, Section: "text", Says: "comparing n seen with r recalled takes 2n", Reading: "as printed, n = r = 3000",
			Quantity: "pairs", Stated: results.Num(6000),
			Rule: Rule{each(sum(results.QPairs).at(3000)), equal(6000), counted},
			Slip: instead("nr for 2n, as the slides have it", Rule{each(sum(results.QPairs).at(3000)), equal(9e6), counted}),
		},
		{
			ID: "L1c", Source: Lecture, Section: "text", Says: "exact comparison is too slow, so a filter is used", Reading: "hashed, 4000 recalled",
			Quantity: "time of the queue over a filter's", Unit: Times,
			Rule: Rule{
				each(measured(results.Latency, "queue", "hot p50 over single").at(4000)), atLeast(2),
				"too slow is twice the time at least; hashing takes n + r steps, not nr",
			},
		},
		{
			ID: "L2a", Source: Lecture, Section: "slides", Says: "δ ≈ (1 − e^(−kn/m))^k", Reading: "4064 bits",
			Quantity: "approximation over exact", Unit: Times, Stated: results.Num(1), Rule: approximation("single", 500),
		},
		{
			ID: "L2b", Source: Lecture, Section: "slides", Says: "δ ≈ (1 − e^(−kn/m))^k", Reading: "812 bits",
			Quantity: "approximation over exact", Unit: Times, Stated: results.Num(1), Rule: approximation("chain", 100),
		},
		{
			ID: "L3", Source: Lecture, Section: "slides", Says: "the best k is 1.44 ln(1/δ)",
			Quantity: "1/ln 2", Stated: results.Num(1.44),
			Rule: Rule{each(sum(results.QPerNatK)), printed(1.44, 0.01), closedForm},
		},
		{
			ID: "L4a", Source: Lecture, Section: "slides", Says: "the best m is 2n ln(1/δ)", Reading: "the factor",
			Quantity: "1/(ln 2)^2", Stated: results.Num(2),
			Rule: Rule{each(sum(results.QPerNatM)), roughly(2), "one digit: a twentieth; within a hundredth as stated"},
		},
		{
			ID: "L4b", Source: Lecture, Section: "slides", Says: "the best m is 2n ln(1/δ)", Reading: "δ is met",
			Quantity: "rate reached over δ, 0.1 % to 10 %", Unit: Times, Stated: results.Num(1),
			Rule: Rule{each(misses...), atMost(1), "a tolerated rate is met or not"},
			Remedy: instead("%s bits for 500 articles at 2 %%",
				Rule{each(theory(results.Sizing, "exact", results.QMiss).at(statedGoal)), atMost(1), "a tolerated rate is met or not"}, theory(results.Sizing, "exact", results.QBits).at(statedGoal)),
		},
		{
			ID: "L5", Source: Lecture, Section: "text", Says: "10 bits an article bring the rate below 1 %",
			Quantity: "exact rate, 500 articles", Unit: results.Ratio, Stated: results.Num(0.01),
			Rule: Rule{each(sum(results.QFPRAtBits).at(10)), atMost(0.01), "a bound holds or not"},
		},
		{
			ID: "L10", Source: Lecture, Section: "slides", Says: "too few hashes are bad, and so are too many",
			Quantity: "exact rate at 1 or 12 over that at 6", Unit: Times,
			Rule: Rule{[]Evidence{over(byHashes(1), byHashes(6)), over(byHashes(12), byHashes(6))}, atLeast(1), "a minimum lies between"},
		},
		{
			ID: "L11", Source: Lecture, Section: "slides", Says: "the more articles, the more errors",
			Quantity: "rate over that of 500 articles fewer", Unit: Times,
			Rule: Rule{[]Evidence{
				over(fprOf("single", 1000), fprOf("single", 500)), over(fprOf("single", 1500), fprOf("single", 1000)),
				over(fprOf("single", 2000), fprOf("single", 1500)),
			}, atLeast(1), "growth at every step"},
		},
		{
			ID: "L6a", Source: Lecture, Section: "text", Says: notAgain, Reading: "by then the filter knows",
			Quantity: "repeats", Stated: results.Num(0),
			Rule: Rule{
				each(again(results.QAgainSettled, 60), again(results.QAgainSettled, 600), again(results.QAgainCount, 0)),
				equal(0), "never is not once: refreshes with every record written, delays of a minute and of ten, and none",
			},
		},
		{
			ID: "L6b", Source: Lecture, Section: "text", Says: notAgain, Reading: "a stream of 5 s",
			Quantity: "repeats per article shown", Unit: results.Ratio, Stated: results.Num(0),
			Rule: Rule{each(again(results.QAgain, 5)), atMost(0.001), "one article in a thousand; none cannot be promised, as a session may follow another at once"},
		},
		{
			ID: "L6c", Source: Lecture, Section: "text", Says: notAgain, Reading: "a stream of a minute",
			Quantity: "repeats", Stated: results.Num(0),
			Rule: Rule{each(again(results.QAgainCount, 60)), equal(0), "never is not once"},
			Remedy: instead("an exact list of the last 2 min beside it, %s bytes a reader on average, %s at most",
				Rule{each(again(results.QAgainCount+results.EdgeLists[3], 60)), equal(0), "never is not once"}, again(results.QListMean+results.EdgeLists[3], 60), again(results.QListLongest+results.EdgeLists[3], 60)),
		},
		{
			ID: "L6d", Source: Lecture, Section: "text", Says: notAgain, Reading: "an outage of half an hour",
			Quantity: "repeats by its fault", Stated: results.Num(0),
			Rule: Rule{each(outage("")), equal(0), "never is not once"},
			Remedy: instead("an exact list of the last hour beside it",
				Rule{each(outage(results.EdgeLists[4])), equal(0), "never is not once"}),
		},
		{
			ID: "L7a", Source: Lecture, Section: "text", Says: "what is older than a month must go, but a filter cannot delete", Reading: "one filter",
			Quantity: "older articles recognised", Unit: results.Ratio, Stated: results.Num(1),
			Rule: Rule{each(expired("one filter, never rebuilt")), atLeast(0.99), "what cannot be deleted is recognised for ever; a hundredth for chance"},
		},
		{
			ID: "L7b", Source: Lecture, Section: "text", Says: "what is older than a month must go, but a filter cannot delete", Reading: "lanes by the day",
			Quantity: "older articles recognised", Unit: results.Ratio, Stated: results.Num(1),
			Rule: Rule{each(expired(results.Beyond + "daily")), atLeast(0.99), "what cannot be deleted is recognised for ever; a hundredth for chance"},
			Remedy: instead("one filter; lanes forget a day in one pass",
				Rule{each(expired("one filter, never rebuilt")), atLeast(0.99), "what cannot be deleted is recognised for ever; a hundredth for chance"}),
		},
		{
			ID: "L8a", Source: Lecture, Section: "text", Says: "without the old articles the error rate is lower", Reading: "rebuilt, after two months",
			Quantity: "rate over that of a filter never rebuilt", Unit: Times,
			Rule: Rule{[]Evidence{over(monthly("one filter, rebuilt nightly"), monthly("one filter, never rebuilt"))}, atMost(1), "lower is less than the same"},
		},
		{
			ID: "L8b", Source: Lecture, Section: "text", Says: "without the old articles the error rate is lower", Reading: "lanes, after forty days",
			Quantity: "rate over that of a filter never rebuilt", Unit: Times,
			Rule: Rule{
				[]Evidence{over(measured(results.Month, results.Beyond+"daily", results.QFPR).at(40), measured(results.Month, "one filter, never rebuilt", results.QFPR).at(40))},
				atMost(1), "lower is less than the same; lanes buy their forgetting with errors",
			},
			Remedy: instead("after two months",
				Rule{[]Evidence{over(monthly(results.Beyond+"daily"), monthly("one filter, never rebuilt"))}, atMost(1), "lower is less than the same"}),
		},
		{
			ID: "L9a", Source: Lecture, Section: "text", Says: "the reader's bits are sent to the recall server and tested there", Reading: "bytes, 4000 candidates",
			Quantity: "bytes over those of asking", Unit: Times,
			Rule: Rule{[]Evidence{sent("single", 4000), sent("chain", 4000), sent("queue", 4000), sent(lanes, 4000)}, atMost(1), "worth it if it takes no more than sending the candidates"},
		},
		{
			ID: "L9b", Source: Lecture, Section: "text", Says: "the reader's bits are sent to the recall server and tested there", Reading: "bytes, 40 candidates",
			Quantity: "bytes over those of asking", Unit: Times,
			Rule: Rule{[]Evidence{sent("single", 40), sent("chain", 40), sent("queue", 40), sent(lanes, 40)}, atMost(1), "worth it if it takes no more than sending the candidates"},
			Remedy: instead("from %s candidates on for one filter, %s for a month of lanes",
				Rule{[]Evidence{sent("single", 4000), sent(lanes, 4000)}, atMost(1), "worth it if it takes no more than sending the candidates"}, even("single"), even(lanes)),
		},
		{
			ID: "L9c", Source: Lecture, Section: "text", Says: "the reader's bits are sent to the recall server and tested there", Reading: "time in one machine, 4000",
			Quantity: "time of asking over it", Unit: Times,
			Rule: Rule{each(timed("single"), timed("chain"), timed("queue"), timed(lanes)), atLeast(1), "worth it if it takes no longer; between two processes, no network"},
		},
		{
			ID: "L9d", Source: Lecture, Section: "text", Says: "the reader's bits are sent to the recall server and tested there", Reading: "time at 10 Gbit/s and 0.5 ms",
			Quantity: "time over that of asking, modelled", Unit: Times,
			Rule: Rule{[]Evidence{modelled("single", wide), modelled(lanes, wide)}, atMost(0.9), "an advantage is a tenth at least; a round trip and the bytes"},
			Remedy: instead("at 1 Gbit/s and 0.1 ms, where bytes tell",
				Rule{[]Evidence{modelled("single", narrow), modelled(lanes, narrow)}, atMost(0.9), "an advantage is a tenth at least; a round trip and the bytes"}),
		},
	}
}
