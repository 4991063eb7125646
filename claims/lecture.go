package claims

import "dejavu/results"

// lectureClaims are those of the lecture, its slides and the notes.
func lectureClaims() []Claim {
	sum := func(quantity string) Ref { return theory(results.Arithmetic, "lecture", quantity) }
	sent := func(history string, candidates float64) Evidence {
		return over(measured(results.Ship, history, results.QShippedBytes).at(candidates), measured(results.Ship, history, results.QAskedBytes).at(candidates))
	}
	modelled := func(network string) Evidence {
		return over(theory(results.Ship, "single", results.QShippedModel+network).at(4000), theory(results.Ship, "single", results.QAskedModel+network).at(4000))
	}
	expired := func(way string) Ref { return measured(results.Month, way, results.QExpired).at(61) }
	monthly := func(way string) Ref { return measured(results.Month, way, results.QFPR).at(61) }
	byHashes := func(k float64) Ref { return theory(results.Arithmetic, "paper", results.QFPRByHashes).at(k) }
	var misses []Ref
	for _, rate := range []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1} {
		misses = append(misses, theory(results.Sizing, "lecture", results.QMiss).at(rate))
	}
	approximation := func(strategy string, shown float64) Rule {
		return Rule{overExact(strategy, shown), about(1), withAbout}
	}
	const notAgain = "what was shown is certainly filtered, no user sees it again"
	again := func(quantity string, delay float64) Ref {
		return measured(results.Pipeline, "single", quantity).at(delay)
	}
	outage := measured(results.Pipeline, "single", results.QAgainOutage+results.CaughtUpAt(2))
	const noTime = "no network is named, and no gain in time"
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
			ID: "L1c", Source: Lecture, Section: "text", Says: "brute-force comparison computes too much, so a filter is used", Reading: "n = r = 3000",
			Quantity: "probes of a filter over comparisons", Unit: Times,
			Rule: Rule{
				[]Evidence{over(sum(results.QProbesRecalled).at(3000), sum(results.QPairs).at(3000))},
				atMost(0.1),
				"too much is ten times a filter's steps at least; latency has hashed lookup, which is no brute force",
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
			Rule: Rule{each(sum(results.QPerNatM)), about(2), withAbout},
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
			Rule: Rule{each(sum(results.QFPRAtBits).at(10)), atMost(0.01), bound},
		},
		{
			ID: "L10", Source: Lecture, Section: "slides", Says: "too few hashes are bad, and so are too many",
			Quantity: "exact rate at 1 or 12 over that at 6", Unit: Times,
			Rule: Rule{[]Evidence{over(byHashes(1), byHashes(6)), over(byHashes(12), byHashes(6))}, atLeast(1), "a minimum lies between"},
		},
		{
			ID: "L11", Source: Lecture, Section: "slides", Says: "the more articles, the more false positives",
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
				equal(0), noRepeat + ": after delays of a minute and of ten, once every record is written, and without delay",
			},
		},
		{
			ID: "L6b", Source: Lecture, Section: "text", Says: notAgain, Reading: "a stream of 5 s",
			Quantity: "repeats per article shown", Unit: results.Ratio, Stated: results.Num(0),
			Rule: Rule{each(again(results.QAgain, 5)), atMost(0.001), "one article in a thousand; none cannot be promised, as a session may follow another at once"},
		},
		{
			ID: "L6c", Source: Lecture, Section: "text", Says: "a stream that is very late brings repeats", Reading: "one to ten minutes",
			Quantity: "repeats",
			Rule: Rule{
				each(again(results.QAgainCount, 60), again(results.QAgainCount, 120), again(results.QAgainCount, 300), again(results.QAgainCount, 600)),
				atLeast(1), "what was just seen appears again: once at least; on time it never does",
			},
		},
		{
			ID: "L6d", Source: Lecture, Section: "text", Says: "a stream that is down brings repeats", Reading: "an outage of half an hour",
			Quantity: "repeats by its fault",
			Rule:     Rule{each(outage), atLeast(1), "what was just seen appears again: once at least"},
		},
		{
			ID: "L7", Source: Lecture, Section: "text", Says: "what is older than a month must go, but a filter cannot delete",
			Quantity: "older articles recognised", Unit: results.Ratio, Stated: results.Num(1),
			Rule: Rule{each(expired("one filter, never rebuilt")), atLeast(0.99), "what cannot be deleted is recognised for ever; a hundredth for chance"},
		},
		{
			ID: "L8", Source: Lecture, Section: "text", Says: "without the old articles the rate is lower", Reading: "rebuilt, after two months",
			Quantity: "rate over that of a filter never rebuilt", Unit: Times,
			Rule: Rule{[]Evidence{over(monthly("one filter, rebuilt nightly"), monthly("one filter, never rebuilt"))}, atMost(1), "lower is less than the same"},
		},
		{
			ID: "L9a", Source: Lecture, Section: "text", Says: "the user's bits are sent to the recall server and tested there", Reading: "it works",
			Quantity: "answers that differ, 4000 candidates", Stated: results.Num(0),
			Rule: Rule{each(measured(results.Ship, "single", results.QAnswersApart).at(4000)), equal(0), "tested elsewhere, the bits say the same"},
		},
		{
			ID: "L9b", Source: Lecture, Section: "text", Says: "the user's bits are sent to the recall server and tested there", Reading: "bytes, 4000 candidates",
			Quantity: "bytes over those of sending candidates", Unit: Times,
			Rule: Rule{[]Evidence{sent("single", 4000)}, atMost(1), "of several thousand candidates: worth it if it takes no more than sending them"},
		},
		{
			ID: "L9c", Source: Lecture, Section: "text", Says: "the user's bits are sent to the recall server and tested there", Reading: "time in one machine, 4000",
			Quantity: "time of sending candidates over it", Unit: Times,
			Rule: Rule{each(measured(results.Ship, "single", results.QAskedOver).at(4000)), anything(), noTime},
		},
		{
			ID: "L9d", Source: Lecture, Section: "text", Says: "the user's bits are sent to the recall server and tested there", Reading: "time at 10 Gbit/s and 0.5 ms",
			Quantity: "time over that of sending candidates, modelled", Unit: Times,
			Rule: Rule{[]Evidence{modelled(", 10 Gbit/s and 0.5 ms")}, anything(), noTime},
			Remedy: instead("at 1 Gbit/s and 0.1 ms, where bytes tell, a tenth less at least",
				Rule{[]Evidence{modelled(", 1 Gbit/s and 0.1 ms")}, atMost(0.9), "a round trip and the bytes"}),
		},
	}
}
