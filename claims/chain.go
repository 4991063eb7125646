package claims

import "dejavu/results"

// The readings of §7, "one node stores, the others deduplicate": a working
// system asks the head too.
const (
	headAsked  = "head queried"
	headSilent = "literal reading"
)

// chainClaims are those of the paper's §7 and of Table 1. The table's f is that of one
// array, which P21 judges; P23 shows the chain's own beside it.
func chainClaims() []Claim {
	of := func(strategy, quantity string) Ref { return measured(results.Table1, strategy, quantity) }
	extended := func(since float64) Ref { return measured(results.Extend, "chain", results.QFPR).at(since) }
	larger := smallest("0.0156 with links of %s bits and %s hashes", "five links", statedFPR)
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
			Rule: Rule{each(repeatsOf("chain")), equal(0), "clearing any but the oldest would show one"},
		},
		{
			ID: "P23a", Source: Paper, Section: "Table 1", Says: "the chain's rate is about 0.0156", Reading: "the whole, " + headAsked,
			Quantity: "false positive rate, mean", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule: Rule{each(of("chain", results.QFPRSteady)), anything(), ofOneArray}, Remedy: larger,
		},
		{
			ID: "P23b", Source: Paper, Section: "Table 1", Says: "the chain's rate is about 0.0156", Reading: "the whole, " + headSilent,
			Quantity: "false positive rate, mean", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule: Rule{each(of("chain-literal", results.QFPRSteady)), anything(), ofOneArray}, Remedy: larger,
		},
		{
			ID: "P23c", Source: Paper, Section: "Table 1", Says: "the chain's rate is about 0.0156", Reading: "the whole, at 500",
			Quantity: "false positive rate at 500", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule: Rule{each(of("chain", results.QFPRAt500)), anything(), ofOneArray}, Remedy: larger,
		},
		{
			ID: "P24a", Source: Paper, Section: "§7", Says: "a rotation leaves the last 400 articles",
			Quantity: "articles remembered, at least", Stated: results.Num(400),
			Rule: Rule{each(of("chain", results.QWindowLeast)), atLeast(400), counted},
		},
		{
			ID: "P24c", Source: Paper, Section: "§7", Says: "the chain keeps 400 where the dual filter keeps 200",
			Quantity: "articles remembered over dual's, at least", Unit: Times, Stated: results.Num(2),
			Rule: Rule{[]Evidence{over(of("chain", results.QWindowLeast), of("dual", results.QWindowLeast))}, atLeast(2), counted},
		},
		{
			ID: "P25a", Source: Paper, Section: "§7", Says: "one link stores, the others filter repeats", Reading: headSilent,
			Quantity: "repeats among the newest 100", Stated: results.Num(0),
			Rule: Rule{each(measured(results.Window, "chain-literal", results.QNewestMean)), equal(0), noRepeat},
			Remedy: instead("the head queried too",
				Rule{each(repeatsOf("chain")), equal(0), noRepeat}),
		},
		{
			ID: "P25b", Source: Paper, Section: "§7", Says: "one link stores, the others filter repeats", Reading: headAsked,
			Quantity: "repeats shown", Stated: results.Num(0),
			Rule: Rule{each(repeatsOf("chain")), equal(0), noRepeat},
		},
		{
			ID: "P26a", Source: Paper, Section: "§7", Says: "the chain takes 100 bytes at least",
			Quantity: "bytes of the arrays at 50", Unit: results.Bytes, Stated: results.Num(100),
			Rule: Rule{[]Evidence{arrays("chain", 50)}, about(100), withAbout},
		},
		{
			ID: "P26b", Source: Paper, Section: "§7", Says: "the chain takes 500 bytes at most",
			Quantity: "payload per user", Unit: results.Bytes, Stated: results.Num(500),
			Rule: Rule{each(payloadOf("chain")), about(500), withAbout},
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
			ID: "P28a", Source: Paper, Section: "§7", Says: "from N = 500 to 1000 the old links go on being used", Reading: "no repeat",
			Quantity: "repeats shown", Stated: results.Num(0),
			Rule: Rule{each(measured(results.Extend, "chain", results.QInside)), equal(0), noRepeat},
		},
		{
			ID: "P28b", Source: Paper, Section: "§7", Says: "from N = 500 to 1000 the old links go on being used", Reading: "what they hold",
			Quantity: "articles retained, mean",
			Rule:     Rule{each(measured(results.Extend, "chain", results.QArticlesRetained)), atLeast(400), "what a chain holds at least"},
		},
		{
			ID: "P28c", Source: Paper, Section: "§7", Says: "five more links are all that N = 1000 takes", Reading: "the false positive rate",
			Quantity: "rate 500 articles later over before", Unit: Times,
			Rule:   Rule{[]Evidence{over(extended(500), extended(-50))}, anything(), "the paper does not say what becomes of the rate"},
			Remedy: smallest("2 %% with ten links of %s bits and %s hashes", "ten links", statedGoal),
		},
		{
			ID: "P34c", Source: Paper, Section: "§7, §8", Says: "the chain cures what a full filter suffers from",
			Quantity: "rate past 500 over that at 500", Unit: Times,
			Rule: Rule{
				[]Evidence{pastFull("chain", 600, "chain"), pastFull("chain", 1000, "chain"), pastFull("chain", 2000, "chain")},
				atMost(stillFull), "cured if the rate no longer grows: full links, a tenth at most above the first time",
			},
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
