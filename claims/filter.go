package claims

import "dejavu/results"

// statedFPR is the f of every filter in §5, §7 and Table 1: (1/2)^6, printed.
const (
	statedFPR  = 0.0156
	lastOfFPR  = 0.0001 // a unit of its last digit
	statedGoal = 0.02   // ε
)

// filterClaims are those of the paper's §3 to §5: the queue, the equations and
// the single filter.
func filterClaims() []Claim {
	sum := func(quantity string) Ref { return theory(results.Arithmetic, "paper", quantity) }
	tenMillion := func(strategy string) Ref {
		return measured(results.Table1, strategy, results.QPayloadTotal).among(10_000_000)
	}
	eq1 := append(overExact("single", 500), overExact("chain", 100)...)
	sized := func(quantity string) Ref { return theory(results.Sizing, "exact", quantity).at(statedGoal) }
	return []Claim{
		{
			ID: "P1", Source: Paper, Section: "§3", Says: "500 IDs of 8 bytes take 4000 bytes a user",
			Quantity: "payload per user", Unit: results.Bytes, Stated: results.Num(4000),
			Rule: Rule{each(payloadOf("queue")), equal(4000), counted},
		},
		{
			ID: "P2", Source: Paper, Section: "§3", Says: "the queues of ten million users take 40 GB",
			Quantity: "payload of all", Unit: results.Bytes, Stated: results.Num(40e9),
			Rule: Rule{each(tenMillion("queue")), printed(40e9, 1e9), "two digits are printed: a unit of the last"},
		},
		{
			ID: "P3", Source: Paper, Section: "§5", Says: "10^6 users times 500 IDs of 8 bytes are about 40 GB", Reading: "as printed",
			Quantity: "product", Unit: results.Bytes, Stated: results.Num(40e9),
			Rule: Rule{each(sum(results.QQueuesBytes).at(1e6)), about(40e9), withAbout},
			Slip: instead("10^7 users for 10^6", Rule{each(sum(results.QQueuesBytes).at(1e7)), about(40e9), withAbout}),
		},
		{
			ID: "P4a", Source: Paper, Section: "§5", Says: "10^6 users times 500 bytes are about 5 GB", Reading: "as printed",
			Quantity: "product", Unit: results.Bytes, Stated: results.Num(5e9),
			Rule: Rule{each(sum(results.QFiltersBytes).at(1e6)), about(5e9), withAbout},
			Slip: instead("10^7 users for 10^6", Rule{each(sum(results.QFiltersBytes).at(1e7)), about(5e9), withAbout}),
		},
		{
			ID: "P4b", Source: Paper, Section: "§5", Says: "the filters of ten million users take about 5 GB",
			Quantity: "payload of all", Unit: results.Bytes, Stated: results.Num(5e9),
			Rule: Rule{each(tenMillion("single")), about(5e9), withAbout},
		},
		{
			ID: "P32", Source: Paper, Section: "§5", Says: "filters take about 5 GB where queues take about 40",
			Quantity: "payload of queue over filter", Unit: Times, Stated: results.Num(8),
			Rule: Rule{[]Evidence{over(payloadOf("queue"), payloadOf("single"))}, about(8), withAbout},
		},
		{
			ID: "P5", Source: Paper, Section: "Table 1", Says: "the queue has no false positives: f = 0",
			Quantity: "false positive rate at 500", Unit: results.Ratio, Stated: results.Num(0),
			Rule: Rule{
				each(measured(results.Table1, "queue", results.QFPRAt500)), atMost(lastOfFPR / 2),
				"0 beside rates of four decimals: what rounds to it; theory says 500 in 2^64",
			},
		},
		{
			ID: "P33", Source: Paper, Section: "§4 eq. 1", Says: "f = (1 − e^(−kn/m))^k", Reading: "as printed, with =",
			Quantity: "eq. 1 over the exact rate", Unit: Times, Stated: results.Num(1),
			Rule: Rule{eq1, printed(1, 1e-6), "equal, to the digits that rows keep"},
			Slip: instead("≈ for =", Rule{eq1, about(1), withAbout}),
		},
		{
			ID: "P6", Source: Paper, Section: "§4 eq. 2", Says: "at k = (m/n) ln 2 the least rate is (1/2)^k",
			Quantity: "eq. 1 over (1/2)^k", Unit: Times, Stated: results.Num(1),
			Rule: Rule{[]Evidence{over(sum(results.QAsymptoticBest).at(8.128), sum(results.QHalves).at(8.128))}, printed(1, 1e-6), "an identity, to the digits that rows keep"},
		},
		{
			ID: "P7a", Source: Paper, Section: "§4 eq. 3", Says: "500 articles at 2 % need at least 2822 bits", Reading: "endless catalogue",
			Quantity: "n log2(1/ε)", Unit: results.Bits, Stated: results.Num(2822),
			Rule: Rule{each(sum(results.QBitsEq3)), printed(2822, 1), closedForm},
		},
		{
			ID: "P7b", Source: Paper, Section: "§4 eq. 3", Says: "500 articles at 2 % need at least 2822 bits", Reading: "a catalogue with an end",
			Quantity: "eq. 3 before its limit, 10,000 articles", Unit: results.Bits, Stated: results.Num(2822),
			Rule: Rule{each(sum(results.QBitsEq3).at(1e4)), anything(), "the paper names no size of the catalogue; eq. 3 ends in its limit"},
			Remedy: instead("2822 bits from a catalogue of %s articles on",
				Rule{each(sum(results.QBitsEq3).at(1e7)), printed(2822, 1), closedForm}, sum(results.QCatalogue)),
		},
		{
			ID: "P8", Source: Paper, Section: "§4 eq. 4", Says: "with the best k a filter needs 1.44 times the bound of eq. 3",
			Quantity: "log2 e", Unit: Times, Stated: results.Num(1.44),
			Rule: Rule{each(sum(results.QFactorEq4)), printed(1.44, 0.01), closedForm},
		},
		{
			ID: "P9a", Source: Paper, Section: "§4", Says: "1.44 times 2822 are 4064 bits",
			Quantity: "product", Unit: results.Bits, Stated: results.Num(4064),
			Rule: Rule{each(sum(results.QBitsPrinted)), printed(4064, 1), closedForm},
		},
		{
			ID: "P9b", Source: Paper, Section: "§4", Says: "4064 bits satisfy eq. 4", Reading: "nothing rounded",
			Quantity: "bits by eq. 4", Unit: results.Bits, Stated: results.Num(4064),
			Rule: Rule{each(sum(results.QBitsEq4)), atMost(4064), bound},
			Remedy: instead("%s bits, which meet ε exactly",
				Rule{[]Evidence{over(sized(results.QBits), sum(results.QBitsEq4))}, atLeast(1), bound}, sized(results.QBits)),
		},
		{
			ID: "P10a", Source: Paper, Section: "§4", Says: "8 ln 2 is 5.633 hashes", Reading: "as printed",
			Quantity: "product", Stated: results.Num(5.633),
			Rule: Rule{each(bestHashes.at(8)), printed(5.633, 0.001), closedForm},
			Slip: instead("4064/500 for 8", Rule{each(bestHashes.at(8.128)), printed(5.633, 0.001), closedForm}),
		},
		{
			ID: "P10b", Source: Paper, Section: "§4", Says: "for 4064 bits 6 hashes are the best whole number",
			Quantity: "exact rate at 5 or 7 over that at 6", Unit: Times,
			Rule: Rule{[]Evidence{
				over(sum(results.QFPRByHashes).at(5), sum(results.QFPRByHashes).at(6)),
				over(sum(results.QFPRByHashes).at(7), sum(results.QFPRByHashes).at(6)),
			}, atLeast(1), "a minimum: neither neighbour is lower"},
		},
		{
			ID: "P11a", Source: Paper, Section: "§4", Says: "4064 bits are about 500 bytes",
			Quantity: "bytes of the array", Unit: results.Bytes, Stated: results.Num(500),
			Rule: Rule{each(payloadOf("single")), about(500), withAbout},
		},
		{
			ID: "P11b", Source: Paper, Section: "§7", Says: "812 bits are about 100 bytes",
			Quantity: "bytes of the array", Unit: results.Bytes, Stated: results.Num(100),
			Rule: Rule{[]Evidence{arrays("chain", 100)}, about(100), withAbout},
		},
		{
			ID: "P12", Source: Paper, Section: "§5", Says: "500 articles in 4064 bits with 6 hashes: f = 0.0156",
			Quantity: "false positive rate at 500", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule:   Rule{each(singleAt500), printed(statedFPR, lastOfFPR), fourDigits},
			Remedy: smallest("%s bits and %s hashes", "500 articles", statedFPR),
		},
		{
			ID: "P13", Source: Paper, Section: "§4", Says: "so designed, a filter has a rate of at most ε = 0.02",
			Quantity: "false positive rate at 500", Unit: results.Ratio, Stated: results.Num(statedGoal),
			Rule: Rule{each(singleAt500), atMost(statedGoal), bound},
			Remedy: instead("%s bits and %s hashes",
				Rule{each(sized(results.QFPRReached)), atMost(statedGoal), "the exact formula"}, sized(results.QBits), sized(results.QHashes)),
		},
		{
			ID: "P14", Source: Paper, Section: "§5", Says: "up to 500 articles the rate is 0.0156, at most",
			Quantity: "false positive rate, 50 to 500", Unit: results.Ratio, Stated: results.Num(statedFPR),
			Rule: Rule{untilFull(), atMost(statedFPR + lastOfFPR), fourDigits},
			Remedy: instead("up to %s articles",
				Rule{each(fprOf("single", 450)), atMost(statedFPR), "the last point of the grid before"}, sum(results.QHeldAtMost).at(statedFPR)),
		},
		{
			ID: "P15", Source: Paper, Section: "§5", Says: "at 500 articles nearly all bits are set",
			Quantity: "fill at 500", Unit: results.Ratio, Stated: results.Num(1),
			Rule: Rule{each(measured(results.Fill, "single", results.QFill).at(500)), atLeast(0.9), "'nearly all': nine in ten at least"},
			Remedy: instead("%s articles for nine set bits in ten",
				Rule{each(theory(results.Fill, "single", results.QFill).at(1600)), atLeast(0.9), "the next point of the grid"}, sum(results.QFilledAt).at(0.9)),
		},
		{
			ID: "P16", Source: Paper, Section: "§5", Says: "after the 500th, every new article is a false positive",
			Quantity: "false positive rate, 501 to 2000", Unit: results.Ratio, Stated: results.Num(1),
			Rule: Rule{
				each(fprOf("single", 501), fprOf("single", 600), fprOf("single", 1000), fprOf("single", 1500), fprOf("single", 2000)),
				atLeast(0.99), "'any new article': all but one in a hundred",
			},
			Remedy: instead("after %s articles",
				Rule{each(sum(results.QFPRReached).at(0.99)), atLeast(0.99), "the exact formula"}, sum(results.QHeldAtLeast).at(0.99)),
		},
		{
			ID: "P34a", Source: Paper, Section: "§1, §8", Says: "past its 500 articles the single filter fails",
			Quantity: "rate past 500 over that at 500", Unit: Times,
			Rule: Rule{
				[]Evidence{pastFull("single", 600, "single"), pastFull("single", 1000, "single"), pastFull("single", 2000, "single")},
				atLeast(stillFull), "it fails if the rate goes on growing: by more than a tenth",
			},
		},
	}
}

// stillFull is how many times the rate of a full filter a rate may be that no longer
// grows.
const stillFull = 1.1

// pastFull is a strategy's rate after so many articles, over what one has that holds
// the 500 it is made for.
func pastFull(strategy string, shown float64, full string) Evidence {
	return over(fprOf(strategy, shown), fprOf(full, 500))
}

// untilFull is the single filter's rate on the way to 500 articles.
func untilFull() []Evidence {
	var refs []Ref
	for shown := 50.; shown <= 500; shown += 50 {
		refs = append(refs, fprOf("single", shown))
	}
	return each(refs...)
}
