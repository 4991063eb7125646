package claims

import "dejavu/results"

// The readings of §7, "one node stores, the others deduplicate": a working
// system asks the head too.
const (
	headAsked  = "head queried"
	headSilent = "to the letter"
)

// chainClaims are those of the paper's §7 and of Table 1. The table's f stands
// beside the size of one array; P21 is that reading, P23 the chain's own.
func chainClaims() []Claim {
	of := func(strategy, quantity string) Ref { return measured(results.Table1, strategy, quantity) }
	extended := func(since float64) Ref { return measured(results.Extend, "chain", results.QFPR).at(since) }
	larger := smallest("links of %s bits and %s hashes", "five links", statedFPR)
	return []Claim{
		{
			ID: "P21", Source: Paper, Section: "§7", Says: "a link, 100 articles in 812 bits, still has f = 0.0156",
			Quantity: "false positive rate at 100", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule:   Rule{each(fprOf("chain", 100)), printed(statedFPR, lastOfFPR), fourDigits},
			Remedy: smallest("%s bits and %s hashes", "100 articles", statedFPR),
		},
		{
			ID: "P22", Source: Paper, Section: "§7", Says: "when link i is full, link i mod 5 + 1 can be cleared", Reading: headAsked,
			Quantity: "repeats shown", Stated: results.Num(0),
			Rule: Rule{each(repeatsOf("chain")), equal(0), "clearing any but the oldest would let one through"},
		},
		{
			ID: "P23a", Source: Paper, Section: "Table 1", Says: "the chain errs at about 0.0156", Reading: "the whole, " + headAsked,
			Quantity: "false positive rate, mean", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule: Rule{each(of("chain", results.QFPRSteady)), roughly(statedFPR), withAbout}, Remedy: larger,
		},
		{
			ID: "P23b", Source: Paper, Section: "Table 1", Says: "the chain errs at about 0.0156", Reading: "the whole, " + headSilent,
			Quantity: "false positive rate, mean", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule: Rule{each(of("chain-literal", results.QFPRSteady)), roughly(statedFPR), withAbout}, Remedy: larger,
		},
		{
			ID: "P23c", Source: Paper, Section: "Table 1", Says: "the chain errs at about 0.0156", Reading: "the whole, at 500",
			Quantity: "false positive rate at 500", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule: Rule{each(of("chain", results.QFPRAt500)), roughly(statedFPR), withAbout}, Remedy: larger,
		},
		{
			ID: "P24a", Source: Paper, Section: "§7", Says: "a rotation leaves the last 400 articles", Reading: headAsked,
			Quantity: "articles remembered, at least", Stated: results.Num(400),
			Rule: Rule{each(of("chain", results.QWindowLeast)), atLeast(400), counted},
		},
		{
			ID: "P24b", Source: Paper, Section: "§7", Says: "a rotation leaves the last 400 articles", Reading: headSilent,
			Quantity: "articles remembered, at least", Stated: results.Num(400),
			Rule: Rule{each(of("chain-literal", results.QWindowLeast)), atLeast(400), counted},
			Remedy: instead("the head queried too: %s",
				Rule{each(of("chain", results.QWindowLeast)), atLeast(400), counted}, of("chain", results.QWindowLeast)),
		},
		{
			ID: "P24c", Source: Paper, Section: "§7", Says: "that is twice what the dual filter remembers",
			Quantity: "articles remembered over dual's, at least", Unit: Times, Stated: results.Num(2),
			Rule: Rule{[]Evidence{over(of("chain", results.QWindowLeast), of("dual", results.QWindowLeast))}, atLeast(2), counted},
		},
		{
			ID: "P25a", Source: Paper, Section: "§7", Says: "one link stores, the others keep repeats away", Reading: headSilent,
			Quantity: "of the newest 100, let through", Stated: results.Num(0),
			Rule: Rule{each(measured(results.Window, "chain-literal", results.QNewestMean)), equal(0), "one repeat would refute it"},
			Remedy: instead("the head queried too",
				Rule{each(repeatsOf("chain")), equal(0), "one repeat would refute it"}),
		},
		{
			ID: "P25b", Source: Paper, Section: "§7", Says: "one link stores, the others keep repeats away", Reading: headAsked,
			Quantity: "repeats shown", Stated: results.Num(0),
			Rule: Rule{each(repeatsOf("chain")), equal(0), "one repeat would refute it"},
		},
		{
			ID: "P26a", Source: Paper, Section: "§7", Says: "the chain takes 100 bytes at least",
			Quantity: "bytes of the arrays at 50", Unit: results.Bytes, Stated: results.Num(100),
			Rule: Rule{[]Evidence{arrays("chain", 50)}, roughly(100), withAbout},
		},
		{
			ID: "P26b", Source: Paper, Section: "§7", Says: "the chain takes 500 bytes at most",
			Quantity: "payload a reader", Unit: results.Bytes, Stated: results.Num(500),
			Rule: Rule{each(payloadOf("chain")), roughly(500), withAbout},
		},
		{
			ID: "P27a", Source: Paper, Section: "§7", Says: "the chain takes less memory than the dual filter", Reading: "as sized",
			Quantity: "payload over dual's", Unit: Times,
			Rule: Rule{[]Evidence{over(payloadOf("chain"), payloadOf("dual"))}, atMost(1), counted},
		},
		{
			ID: "P27b", Source: Paper, Section: "§7", Says: "the chain takes less memory than the dual filter", Reading: "sized for a true 2 %",
			Quantity: "payload over dual's", Unit: Times,
			Rule: Rule{[]Evidence{over(payloadOf("chain-sized"), payloadOf("dual"))}, atMost(1), counted},
		},
		{
			ID: "P28a", Source: Paper, Section: "§7", Says: "from N = 500 to 1000 the old links go on being used", Reading: "none comes back",
			Quantity: "repeats shown", Stated: results.Num(0),
			Rule: Rule{each(measured(results.Extend, "chain", results.QInside)), equal(0), "one repeat would refute it"},
		},
		{
			ID: "P28b", Source: Paper, Section: "§7", Says: "from N = 500 to 1000 the old links go on being used", Reading: "what they hold",
			Quantity: "articles retained, mean",
			Rule:     Rule{each(measured(results.Extend, "chain", results.QArticlesRetained)), atLeast(400), "what a chain holds at least"},
		},
		{
			ID: "P28c", Source: Paper, Section: "§7", Says: "five more links are all that N = 1000 takes", Reading: "at the same error rate",
			Quantity: "rate 500 articles later over before", Unit: Times,
			Rule: Rule{
				[]Evidence{over(extended(500), extended(-50))},
				atMost(1.05),
				"no worse than before: a twentieth is what a reader may miss",
			},
			Remedy: smallest("ten links of %s bits and %s hashes", "ten links", statedGoal),
		},
		{
			ID: "P31a", Source: Paper, Section: "§6, §7", Says: "the chain takes a change of N better than the dual filter",
			Quantity: "articles retained, more than dual",
			Rule: Rule{
				[]Evidence{less(measured(results.Extend, "chain", results.QArticlesRetained), measured(results.Extend, "dual", results.QArticlesRetained))},
				atLeast(1), "better is one article more, whatever the code behind it",
			},
		},
		{
			ID: "P31b", Source: Paper, Section: "§6, §7", Says: "the dual filter is complex to write, the chain simple",
			Silent: "a judgement on code; ours is of one size",
		},
	}
}
