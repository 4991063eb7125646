package claims

import (
	"slices"

	"dejavu/results"
)

// paper lists what the paper says: Zhao, Li, Zhu, Zhan, Research on deduplication based on Bloom filters, 2016.
func paper() []Claim { return slices.Concat(paperSingle(), paperChain()) }

func paperSingle() []Claim {
	return []Claim{
		// Sections 3 to 5: the queue, the equations and the single filter.
		{
			ID: "P1", Section: "§3", Says: "500 IDs of 8 bytes take 4000 bytes a user",
			Quantity: "payload per user", Unit: results.Bytes, Stated: results.Num(4000),
			Rule: rule(equal(4000), counted, measured("table1: payload per user of queue")),
		},
		{
			ID: "P2", Section: "§3", Says: "the queues of ten million users take 40 GB",
			Quantity: "payload of all", Unit: results.Bytes, Stated: results.Num(4e10),
			Rule: rule(printed(4e10, 1e9),
				"two digits are printed: a unit of the last; by construction, for all have 500 here, as §3 says not all do",
				measured("table1: payload total of queue").among(10_000_000)),
		},
		{
			ID: "P43", Section: "§1, §3", Says: "a request decodes the queue into a map or hash table",
			Quantity: "time over a single filter's, 40 candidates", Unit: Times,
			Rule: rule(anything, "a way to do it, without a time",
				measured("latency: time ratio of queue-map at candidates=40, history=hot, over=single")),
		},
		{
			ID: "P3", Section: "§5", Says: "10^6 users times 500 IDs of 8 bytes are about 40 GB",
			Reading: "as printed", Quantity: "product", Unit: results.Bytes, Stated: results.Num(4e10),
			Rule: rule(about(4e10), roughly, theory("arithmetic: bytes of paper at structure=queue, users=1000000")),
			Slip: amend("10^7 users for 10^6",
				rule(about(4e10), roughly, theory("arithmetic: bytes of paper at structure=queue, users=10000000"))),
		},
		{
			ID: "P4a", Section: "§5", Says: "10^6 users times 500 bytes are about 5 GB",
			Reading: "as printed", Quantity: "product", Unit: results.Bytes, Stated: results.Num(5e9),
			Rule: rule(about(5e9), roughly, theory("arithmetic: bytes of paper at structure=filter, users=1000000")),
			Slip: amend("10^7 users for 10^6",
				rule(about(5e9), roughly, theory("arithmetic: bytes of paper at structure=filter, users=10000000"))),
		},
		{
			ID: "P4b", Section: "§5", Says: "the filters of ten million users take about 5 GB",
			Quantity: "payload of all", Unit: results.Bytes, Stated: results.Num(5e9),
			Rule: rule(about(5e9), roughly, measured("table1: payload total of single").among(10_000_000)),
		},
		{
			ID: "P32", Section: "§5", Says: "filters take about 5 GB where queues take about 40",
			Quantity: "payload of queue over filter", Unit: Times, Stated: results.Num(8),
			Rule: rule(about(8), roughly,
				measured("table1: payload per user of queue").over(measured("table1: payload per user of single"))),
		},
		{
			ID: "P5", Section: "Table 1", Says: "the queue has no false positives: f = 0",
			Quantity: "false positive rate at 500", Unit: results.Ratio, Stated: results.Num(0),
			Rule: rule(atMost(0.00005), "0 beside rates of four decimals: what rounds to it; theory says 500 in 2^64",
				measured("fpr: fpr of queue at articles=500")),
		},
		{
			ID: "P33", Section: "§4 eq. 1", Says: "f = (1 − e^(−kn/m))^k",
			Reading: "as printed, with =", Quantity: "eq. 1 over the exact rate", Unit: Times, Stated: results.Num(1),
			Rule: rule(printed(1, 0.000001), "equal, to the digits that rows keep",
				textbook("single at articles=500"), textbook("chain at articles=100")),
			Slip: amend("≈ for =",
				rule(about(1), roughly, textbook("single at articles=500"), textbook("chain at articles=100"))),
		},
		{
			ID: "P6", Section: "§4 eq. 2", Says: "at k = (m/n) ln 2 the least rate is (1/2)^k",
			Quantity: "eq. 1 at that k, and at 1 to 12, over (1/2)^k", Unit: Times, Stated: results.Num(1),
			Rule: rule(atLeast(1), "a least value: that k reaches it, and no k is below it, to the digits that rows keep",
				each(theory, "arithmetic: fpr of paper at bits=8.128, formula=asymptotic, hashes=%v", "best", 1, 2, 3,
					4, 5, 6, 7, 8, 9, 10, 11, 12).over(
					theory("arithmetic: fpr of paper at bits=8.128, formula=half to the hashes"))...),
		},
		{
			ID: "P7a", Section: "§4 eq. 3", Says: "500 articles at 2 % need at least 2822 bits",
			Reading: "endless catalogue", Quantity: "n log2(1/ε)", Unit: results.Bits, Stated: results.Num(2822),
			Rule: rule(printed(2822, 1), closedForm, theory("arithmetic: bits of paper at formula=eq. 3")),
		},
		{
			ID: "P7b", Section: "§4 eq. 3", Says: "500 articles at 2 % need at least 2822 bits",
			Reading:  "a catalogue with an end",
			Quantity: "eq. 3 before its limit, 10,000 articles", Unit: results.Bits, Stated: results.Num(2822),
			Rule: rule(anything, "the paper names no size of the catalogue; eq. 3 ends in its limit",
				theory("arithmetic: bits of paper at catalogue=10000, formula=eq. 3")),
			Remedy: amend("2822 bits from a catalogue of %s articles on",
				rule(printed(2822, 1), closedForm,
					theory("arithmetic: bits of paper at catalogue=10000000, formula=eq. 3")),
				theory("arithmetic: articles of paper at formula=eq. 3")),
		},
		{
			ID: "P8", Section: "§4 eq. 4", Says: "with the best k a filter needs 1.44 times the bound of eq. 3",
			Quantity: "log2 e", Unit: Times, Stated: results.Num(1.44),
			Rule: rule(printed(1.44, 0.01), closedForm,
				theory("arithmetic: bits ratio of paper at formula=eq. 4 over eq. 3")),
		},
		{
			ID: "P9a", Section: "§4", Says: "1.44 times 2822 are 4064 bits",
			Quantity: "product", Unit: results.Bits, Stated: results.Num(4064),
			Rule: rule(printed(4064, 1), closedForm, theory("arithmetic: bits of paper at formula=eq. 4 rounded")),
		},
		{
			ID: "P10a", Section: "§4", Says: "8 ln 2 is 5.633 hashes",
			Reading: "as printed", Quantity: "product", Stated: results.Num(5.633),
			Rule: rule(printed(5.633, 0.001), closedForm, theory("arithmetic: hashes of paper at bits=8, formula=best")),
			Slip: amend("4064/500 for 8",
				rule(printed(5.633, 0.001), closedForm,
					theory("arithmetic: hashes of paper at bits=8.128, formula=best"))),
		},
		{
			ID: "P10b", Section: "§4", Says: "for 4064 bits 6 hashes are the best whole number",
			Quantity: "exact rate at 5 or 7 over that at 6", Unit: Times,
			Rule: rule(atLeast(1), "a minimum: neither neighbour is lower",
				each(theory, "arithmetic: fpr of paper at hashes=%v", 5, 7).over(
					theory("arithmetic: fpr of paper at hashes=6"))...),
		},
		{
			ID: "P11a", Section: "§4", Says: "4064 bits are about 500 bytes",
			Quantity: "bytes of the array", Unit: results.Bytes, Stated: results.Num(500),
			Rule: rule(about(500), roughly, measured("table1: payload per user of single")),
		},
		{
			ID: "P11b", Section: "§7", Says: "812 bits are about 100 bytes",
			Quantity: "bytes of the array", Unit: results.Bytes, Stated: results.Num(100),
			Rule: rule(about(100), roughly, arrays("chain", 100)...),
		},
		{
			ID: "P12", Section: "§5", Says: "500 articles in 4064 bits with 6 hashes: f = 0.0156",
			Quantity: "false positive rate at 500", Unit: results.Ratio, Stated: results.Num(0.0156),
			Rule:   rule(printed(0.0156, 0.0001), fourDigits, measured("fpr: fpr of single at articles=500")),
			Remedy: sized("%s bits and %s hashes", "arithmetic: %s of 500 articles at target=0.0156", 0.0156),
		},
		{
			ID: "P13", Section: "§4", Says: "so designed, a filter has a rate of at most ε = 0.02",
			Quantity: "false positive rate at 500", Unit: results.Ratio, Stated: results.Num(0.02),
			Rule: rule(upTo(0.02), aBound+"; eq. 4 itself asks for 4071 bits, before it is rounded",
				measured("fpr: fpr of single at articles=500")),
			Remedy: sized("%s bits and %s hashes", "sizing: %s of exact at target=0.02", 0.02),
		},
		{
			ID: "P14", Section: "§5", Says: "up to 500 articles the rate is 0.0156, at most",
			Quantity: "false positive rate, 50 to 500", Unit: results.Ratio, Stated: results.Num(0.0156),
			Rule: rule(upTo(0.0156), aBound,
				each(measured, "fpr: fpr of single at articles=%v", 50, 100, 150, 200, 250, 300, 350, 400, 450, 500)...),
			Remedy: amend("up to %s articles",
				rule(atMost(0.0156), "the last point of the grid before", measured("fpr: fpr of single at articles=450")),
				theory("arithmetic: articles of paper at statistic=most, target=0.0156")),
		},
		{
			ID: "P15", Section: "§5", Says: "at 500 articles nearly all bits are set",
			Quantity: "fill at 500", Unit: results.Ratio, Stated: results.Num(1),
			Rule: rule(atLeast(0.9), "'nearly all': nine in ten at least",
				measured("fill: fill of single at articles=500")),
			Remedy: amend("%s articles for nine set bits in ten",
				rule(atLeast(0.9), "the next point of the grid", theory("fill: fill of single at articles=1600")),
				theory("arithmetic: articles of paper at statistic=least, structure=fill, target=0.9")),
		},
		{
			ID: "P16", Section: "§5", Says: "after the 500th, every new article is a false positive",
			Quantity: "false positive rate, 501 to 2000", Unit: results.Ratio, Stated: results.Num(1),
			Rule: rule(atLeast(0.99), "'any new article': all but one in a hundred",
				each(measured, "fpr: fpr of single at articles=%v", 501, 600, 1000, 1500, 2000)...),
			Remedy: amend("after %s articles",
				rule(atLeast(0.99), exactFormula, theory("arithmetic: fpr of paper at target=0.99")),
				theory("arithmetic: articles of paper at statistic=least, target=0.99")),
		},
		{
			ID: "P39", Section: "§5", Says: "eqs. 2 and 3 give the hashes and the bits for ε = 0.02",
			Reading: "as printed", Quantity: "exact rate at 500", Unit: results.Ratio, Stated: results.Num(0.02),
			Rule: rule(about(0.02), designed, theory("arithmetic: fpr of paper at bits=2822, formula=eq. 3")),
			Slip: amend("eq. 4 for eq. 3, by which §4 comes to 4064 bits",
				rule(about(0.02), designed, theory("arithmetic: fpr of paper at bits=4064"))),
		},
		{
			ID: "P40", Section: "§5, step 3", Says: "what passes the filter is recorded",
			Reading:  "as printed, shown or not",
			Quantity: "rate of what passed and was not shown", Unit: results.Ratio, Stated: results.Num(0.02),
			Rule: rule(about(0.02),
				"who was not shown an article may be: it is reported as seen about as often as any other, at ε",
				measured(
					"proposals: fpr of recording: all that passes the filter at articles=500, of=passed and not shown")),
			Slip: amend("what is shown for what passes, as §2 has it",
				rule(about(0.02), "what is not recorded is an unseen article like another",
					theory("fpr: fpr of single at articles=500, formula=exact"))),
		},
		{
			ID: "P34a", Section: "§1, §8", Says: "past its 500 articles the single filter fails",
			Quantity: "rate past 500 over that at 500", Unit: Times,
			Rule: rule(anything, "a rate that grows is no failure by itself; P16 has what would be one",
				each(measured, "fpr: fpr of single at articles=%v", 600, 1000, 2000).over(
					measured("fpr: fpr of single at articles=500"))...),
		},
	}
}
