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
			ID: "P17b", Source: Paper, Section: "§6", Says: "at the switch the new master holds the last 200 articles", Reading: "none comes back",
			Quantity: "repeats shown", Stated: results.Num(0),
			Rule: Rule{each(repeatsOf("dual")), equal(0), "one repeat would refute it"},
		},
		{
			ID: "P18", Source: Paper, Section: "§6", Says: "the dual filter remembers the last 200 articles", Reading: "at every moment",
			Quantity: "articles remembered, mean", Stated: results.Num(200),
			Rule: Rule{each(table1(results.QWindowMean)), roughly(200), withAbout},
		},
		{
			ID: "P19a", Source: Paper, Section: "Table 1", Says: "the dual filter errs at about 0.0156", Reading: "the whole, mean",
			Quantity: "false positive rate", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule: Rule{each(table1(results.QFPRSteady)), roughly(statedFPR), withAbout},
		},
		{
			ID: "P19b", Source: Paper, Section: "Table 1", Says: "the dual filter errs at about 0.0156", Reading: "one array, full",
			Quantity: "exact rate of 499 articles", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule:   Rule{each(theory(results.Arithmetic, "paper", results.QFPRExact).at(499)), roughly(statedFPR), withAbout},
			Remedy: smallest("%s bits and %s hashes", "500 articles", statedFPR),
		},
		{
			ID: "P20a", Source: Paper, Section: "§6", Says: "below the threshold 500 bytes are enough",
			Quantity: "bytes of the arrays at 200", Unit: results.Bytes, Stated: results.Num(500),
			Rule: Rule{[]Evidence{arrays("dual", 200)}, roughly(500), withAbout},
		},
		{
			ID: "P20b", Source: Paper, Section: "§6", Says: "beyond the threshold 1000 bytes are taken",
			Quantity: "bytes of the arrays at 400", Unit: results.Bytes, Stated: results.Num(1000),
			Rule: Rule{[]Evidence{arrays("dual", 400)}, roughly(1000), withAbout},
		},
		{
			ID: "P20c", Source: Paper, Section: "§7", Says: "it takes 500 bytes, and 1000 while the arrays change places", Reading: "otherwise 500",
			Quantity: "payload a reader, mean", Unit: results.Bytes, Stated: results.Num(500),
			Rule: Rule{each(payloadOf("dual")), roughly(500), withAbout},
			Remedy: instead("from the threshold on, as §6 says: %s bytes on average",
				Rule{[]Evidence{arrays("dual", 400)}, roughly(1000), withAbout}, theory(results.Table1, "dual", results.QPayloadPerUser)),
		},
	}
}
