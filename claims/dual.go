package claims

import "dejavu/results"

// dualClaims are those of the paper's §6.
func dualClaims() []Claim {
	table1 := func(quantity string) Ref { return measured(results.Table1, "dual", quantity) }
	return []Claim{
		{
			ID: "P17a", Source: Paper, Section: "§6", Says: "at the switch the new master holds the last 200 articles",
			Quantity: "articles remembered, at least", Stated: results.Num(200),
			Rule: Rule{each(table1(results.QWindowLeast)), equal(200), counted},
		},
		{
			ID: "P17b", Source: Paper, Section: "§6", Says: "at the switch the new master holds the last 200 articles", Reading: "no repeat",
			Quantity: "repeats shown", Stated: results.Num(0),
			Rule: Rule{each(repeatsOf("dual")), equal(0), noRepeat},
		},
		{
			ID: "P18", Source: Paper, Section: "§6, §7", Says: "at the switch the dual filter keeps only the last 200",
			Quantity: "articles remembered, at least", Stated: results.Num(200),
			Rule: Rule{each(table1(results.QWindowLeast)), atMost(200), counted},
		},
		{
			ID: "P34b", Source: Paper, Section: "§6, §8", Says: "the dual filter cures what a full filter suffers from",
			Quantity: "rate past 500 over a full filter's", Unit: Times,
			Rule: Rule{
				[]Evidence{pastFull("dual", 750, "single"), pastFull("dual", 1350, "single"), pastFull("dual", 1950, "single")},
				atMost(stillFull), "cured if the rate no longer grows: the fullest of each cycle, a tenth at most above a full filter's",
			},
		},
		{
			ID: "P19a", Source: Paper, Section: "Table 1", Says: "the dual filter's rate is about 0.0156", Reading: "the whole, mean",
			Quantity: "false positive rate", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule: Rule{each(table1(results.QFPRSteady)), anything(), ofOneArray},
		},
		{
			ID: "P19b", Source: Paper, Section: "Table 1", Says: "the dual filter's rate is about 0.0156", Reading: "one array, full",
			Quantity: "exact rate of 499 articles", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule:   Rule{each(theory(results.Arithmetic, "paper", results.QFPRExact).at(499)), about(statedFPR), withAbout},
			Remedy: smallest("%s bits and %s hashes", "500 articles", statedFPR),
		},
		{
			ID: "P20a", Source: Paper, Section: "§6", Says: "below the threshold 500 bytes are enough",
			Quantity: "bytes of the arrays at 200", Unit: results.Bytes, Stated: results.Num(500),
			Rule: Rule{[]Evidence{arrays("dual", 200)}, about(500), withAbout},
		},
		{
			ID: "P20b", Source: Paper, Section: "§6", Says: "beyond the threshold 1000 bytes are taken",
			Quantity: "bytes of the arrays at 400", Unit: results.Bytes, Stated: results.Num(1000),
			Rule: Rule{[]Evidence{arrays("dual", 400)}, about(1000), withAbout},
		},
		{
			ID: "P20c", Source: Paper, Section: "§7", Says: "the dual filter takes at least 500 bytes a user",
			Quantity: "bytes of the arrays, 50 to 450", Unit: results.Bytes, Stated: results.Num(500),
			Rule: Rule{[]Evidence{arrays("dual", 50), arrays("dual", 200), arrays("dual", 450)}, atLeast(500), bound},
		},
		{
			ID: "P20d", Source: Paper, Section: "§7", Says: "the dual filter takes 1000 bytes when the arrays change places",
			Quantity: "bytes of the arrays at 450", Unit: results.Bytes, Stated: results.Num(1000),
			Rule: Rule{[]Evidence{arrays("dual", 450)}, about(1000), withAbout},
		},
	}
}

// ofOneArray is why Table 1 states no rate of the dual filter and the chain as wholes.
const ofOneArray = "the table computes f 'of a single' array; no rate of the whole is stated"
