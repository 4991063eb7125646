package claims

import "dejavu/results"

// lecture lists what the lecture says: Wang on the exposure filter, its slides and a listener's notes.
func lecture() []Claim {
	return []Claim{
		{
			ID: "L1a", Section: "slides", Says: "comparing n seen with r recalled takes nr comparisons",
			Reading: "n = r = 3000", Quantity: "pairs", Stated: results.Num(9_000_000),
			Rule: rule(equal(9_000_000), counted, theory("arithmetic: comparisons of lecture at candidates=3000")),
		},
		{
			ID: "L1b", Section: "text", Says: "comparing n seen with r recalled takes 2n",
			Reading: "as printed, n = r = 3000", Quantity: "pairs", Stated: results.Num(6000),
			Rule: rule(equal(6000), counted, theory("arithmetic: comparisons of lecture at candidates=3000")),
			Slip: amend("nr for 2n, as the slides have it",
				rule(equal(9_000_000), counted, theory("arithmetic: comparisons of lecture at candidates=3000"))),
		},
		{
			ID: "L1c", Section: "text", Says: "brute-force comparison computes too much, so a filter is used",
			Reading: "n = r = 3000", Quantity: "probes of a filter over comparisons", Unit: Times,
			Rule: rule(atMost(0.1),
				"too much is ten times a filter's steps at least; latency has hashed lookup, which is no brute force",
				theory("arithmetic: probes of lecture at candidates=3000").over(
					theory("arithmetic: comparisons of lecture at candidates=3000"))),
		},
		{
			ID: "L2a", Section: "slides", Says: "δ ≈ (1 − e^(−kn/m))^k",
			Reading: "4064 bits", Quantity: "approximation over exact", Unit: Times, Stated: results.Num(1),
			Rule: rule(about(1), roughly, textbook("single at articles=500")),
		},
		{
			ID: "L2b", Section: "slides", Says: "δ ≈ (1 − e^(−kn/m))^k",
			Reading: "812 bits", Quantity: "approximation over exact", Unit: Times, Stated: results.Num(1),
			Rule: rule(about(1), roughly, textbook("chain at articles=100")),
		},
		{
			ID: "L3", Section: "slides", Says: "the best k is 1.44 ln(1/δ)",
			Quantity: "1/ln 2", Stated: results.Num(1.44),
			Rule: rule(printed(1.44, 0.01), closedForm, theory("arithmetic: hashes of lecture at formula=per nat")),
		},
		{
			ID: "L4a", Section: "slides", Says: "the best m is 2n ln(1/δ)",
			Reading: "the factor", Quantity: "1/(ln 2)^2", Stated: results.Num(2),
			Rule: rule(about(2), roughly, theory("arithmetic: bits of lecture at formula=per nat")),
		},
		{
			ID: "L4b", Section: "slides", Says: "the best m is 2n ln(1/δ)",
			Reading: "δ is met, at 1 %", Quantity: "rate reached over δ", Unit: Times, Stated: results.Num(1),
			Rule: rule(upTo(1), aBound+"; 1 % is the lecture's example", theory("sizing: miss of lecture at target=0.01")),
			Remedy: amend("%s bits for 500 articles at 2 %%",
				rule(atMost(1), exactFormula, theory("sizing: miss of exact at target=0.02")),
				theory("sizing: bits of exact at target=0.02")),
		},
		{
			ID: "L5", Section: "text", Says: "10 bits an article bring the rate below 1 %",
			Quantity: "exact rate, 500 articles", Unit: results.Ratio, Stated: results.Num(0.01),
			Rule: rule(upTo(0.01), aBound, theory("arithmetic: fpr of lecture at bits=10, formula=bits an article")),
		},
		{
			ID: "L10", Section: "slides", Says: "too few hashes are bad, and so are too many",
			Quantity: "exact rate at 1 or 12 over that at 6", Unit: Times,
			Rule: rule(more, "bad is a tenth more at least",
				each(theory, "arithmetic: fpr of paper at hashes=%v", 1, 12).over(
					theory("arithmetic: fpr of paper at hashes=6"))...),
		},
		{
			ID: "L11", Section: "slides", Says: "the more articles, the more false positives",
			Quantity: "rate over that of 500 articles fewer", Unit: Times,
			Rule: rule(more, "more is a tenth more at least, at every step",
				measured("fpr: fpr of single at articles=1000").over(measured("fpr: fpr of single at articles=500")),
				measured("fpr: fpr of single at articles=1500").over(measured("fpr: fpr of single at articles=1000")),
				measured("fpr: fpr of single at articles=2000").over(measured("fpr: fpr of single at articles=1500"))),
		},
		{
			ID: "L12", Section: "slides", Says: "the longer the vector, the fewer collisions",
			Quantity: "exact rate over that at half the bits", Unit: Times,
			Rule: rule(less, isLess+", at every step",
				theory("arithmetic: fpr of paper at bits=4064").over(theory("arithmetic: fpr of paper at bits=2032")),
				theory("arithmetic: fpr of paper at bits=8128").over(theory("arithmetic: fpr of paper at bits=4064"))),
		},
		{
			ID: "L6a", Section: "text", Says: "what was shown is certainly filtered, no user sees it again",
			Reading: "by then the filter knows", Quantity: "repeats", Stated: results.Num(0),
			Rule: rule(equal(0),
				noRepeat+": after delays of a minute and of ten, once every record is written, and without delay",
				measured("pipeline: repeats of single at cause=other than delay, delay=60"),
				measured("pipeline: repeats of single at cause=other than delay, delay=600"),
				measured("pipeline: repeats of single at delay=0")),
		},
		{
			ID: "L6b", Section: "text", Says: "what was shown is certainly filtered, no user sees it again",
			Reading:  "a stream of 5 s on average",
			Quantity: "repeats per article shown", Unit: results.Ratio, Stated: results.Num(0),
			Rule: rule(atMost(0.001),
				"one article in a thousand; delays are exponential, for pauses of users are 10 s at least, "+
					"and a constant 5 s could bring none",
				measured("pipeline: repeats per article shown of single at delay=5, law=exponential")),
		},
		{
			ID: "L6c", Section: "text", Says: "a stream that is very late brings repeats",
			Reading: "one to ten minutes", Quantity: "repeats",
			Rule: rule(atLeast(1), "what was just seen appears again: once at least; on time it never does",
				each(measured, "pipeline: repeats of single at delay=%v", 60, 120, 300, 600)...),
		},
		{
			ID: "L6d", Section: "text", Says: "a stream that is down brings repeats",
			Reading: "an outage of half an hour", Quantity: "repeats by its fault",
			Rule: rule(atLeast(1), "what was just seen appears again: once at least",
				measured("pipeline: repeats of single at cause=outage, speed=2")),
		},
		{
			ID: "L14", Section: "text", Says: "a stream changes the user's filter seconds after the exposure",
			Silent: "measured apart, by live and by cluster on Flink, which are modules of their own",
			Remedy: amend("live answers once a record is durable, after milliseconds (docs/live-inside.md); "+
				"on Flink bundles wait 0.2 s at most, and checkpoints come each second (cluster/README.md)", Rule{}),
		},
		{
			ID: "L15", Section: "text", Says: "experiments show that repeats hurt users",
			Silent: "the experiments are not shown, and simulated users feel nothing",
		},
		{
			ID: "L16", Section: "text", Says: "recommenders basically all filter by Bloom filters",
			Silent: "a survey of services would answer it",
		},
		{
			ID: "L7", Section: "text", Says: "what is older than a month must go, but a filter cannot delete",
			Quantity: "older articles recognised", Unit: results.Ratio, Stated: results.Num(1),
			Rule: rule(atLeast(0.99),
				"what cannot be deleted is recognised for ever; a hundredth for chance; "+
					"what was shown more than a month ago was published before that",
				measured("month: expired recognised of one filter, never rebuilt at day=61")),
		},
		{
			ID: "L8", Section: "text", Says: "without the old articles the rate is lower",
			Reading: "by publication, after 2 months", Quantity: "rate over that of a filter never rebuilt", Unit: Times,
			Rule: rule(less,
				isLess+"; by the exact formula, for of what is left a run counts hardly a false positive",
				each(theory, "month: fpr of one filter, rebuilt nightly by publication%v at day=61", ", read evenly",
					", read lately").over(
					theory("month: fpr of one filter, never rebuilt at day=61"))...),
		},
		{
			ID: "L13", Section: "text", Says: "setting one article's bits to 0 removes others",
			Quantity: "others lost",
			Rule: rule(atLeast(1), "others are at least one, on average, of 499",
				measured("proposals: articles lost of zeroing: the bits of one article at of=others")),
		},
		{
			ID: "L9a", Section: "text", Says: "the user's bits are sent to the recall server and tested there",
			Reading: "it works", Quantity: "answers that differ, 4000 candidates", Stated: results.Num(0),
			Rule: rule(equal(0), "tested elsewhere, the bits say the same",
				measured("ship: differing of single at candidates=4000")),
		},
		{
			ID: "L9b", Section: "text", Says: "the user's bits are sent to the recall server and tested there",
			Reading: "bytes, 4000 candidates", Quantity: "bytes over those of sending candidates", Unit: Times,
			Rule: rule(noMore, "of several thousand candidates: worth it if it takes no more than sending them",
				measured("ship: bytes of single at candidates=4000, way=shipped").over(
					measured("ship: bytes of single at candidates=4000, way=asked"))),
		},
		{
			ID: "L9c", Section: "text", Says: "the user's bits are sent to the recall server and tested there",
			Reading: "time in one machine, 4000", Quantity: "time of sending candidates over it", Unit: Times,
			Rule: rule(anything, noGainInTime, measured("ship: time ratio of single at candidates=4000")),
		},
		{
			ID: "L9d", Section: "text", Says: "the user's bits are sent to the recall server and tested there",
			Reading:  "time at 10 Gbit/s and 0.5 ms",
			Quantity: "time over that of sending candidates, modelled", Unit: Times,
			Rule: rule(anything, noGainInTime,
				theory("ship: request time of single at candidates=4000, network=10 Gbit/s and 0.5 ms, way=shipped").over(
					theory("ship: request time of single at candidates=4000, network=10 Gbit/s and 0.5 ms, way=asked"))),
			Remedy: amend("at 1 Gbit/s and 0.1 ms, where bytes tell, a tenth less at least",
				rule(less, "a round trip and the bytes",
					theory(
						"ship: request time of single at candidates=4000, network=1 Gbit/s and 0.1 ms, way=shipped").over(
						theory("ship: request time of single at candidates=4000, network=1 Gbit/s and 0.1 ms, way=asked")))),
		},
	}
}
