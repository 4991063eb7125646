package claims

import "dejavu/results"

func paperChain() []Claim {
	fiveLinks := sized("0.0156 with links of %s bits and %s hashes", "arithmetic: %s of five links at target=0.0156", 0.0156)
	return []Claim{
		// Section 6: the dual filter.
		{
			ID: "P17a", Section: "§6", Says: "at the switch the new master holds the last 200 articles",
			Quantity: "articles remembered, at least", Stated: results.Num(200),
			Rule: rule(equal(200), counted, measured("table1: guaranteed window of dual at statistic=least")),
		},
		{
			ID: "P17b", Section: "§6", Says: "at the switch the new master holds the last 200 articles",
			Reading: "no repeat", Quantity: "repeats shown", Stated: results.Num(0),
			Rule: rule(equal(0), noRepeat, measured("window: repeats shown inside the window of dual")),
		},
		{
			ID: "P18", Section: "§6, §7", Says: "at the switch the dual filter keeps only the last 200",
			Quantity: "articles remembered, at least", Stated: results.Num(200),
			Rule: rule(upTo(200), aBound, measured("table1: guaranteed window of dual at statistic=least")),
		},
		{
			ID: "P34b", Section: "§6, §8", Says: "the dual filter cures what a full filter suffers from",
			Quantity: "rate in later cycles over the first, at 450 of 500", Unit: Times,
			Rule: rule(noMore, growsNoMore,
				each(measured, "fpr: fpr of dual at articles=%v", 750, 1350, 1950).over(
					measured("fpr: fpr of dual at articles=450"))...),
		},
		{
			ID: "P19a", Section: "Table 1", Says: "the dual filter's rate is about 0.0156",
			Reading: "the whole, mean", Quantity: "false positive rate", Unit: results.Ratio, Stated: results.Num(0.0156),
			Rule: rule(anything, oneArray, measured("table1: fpr of dual at statistic=mean")),
		},
		{
			ID: "P19b", Section: "Table 1", Says: "the dual filter's rate is about 0.0156",
			Reading:  "one array, full",
			Quantity: "exact rate of 499 articles", Unit: results.Ratio, Stated: results.Num(0.0156),
			Rule:   rule(about(0.0156), roughly, theory("arithmetic: fpr of paper at articles=499, formula=exact")),
			Remedy: sized("%s bits and %s hashes", "arithmetic: %s of 500 articles at target=0.0156", 0.0156),
		},
		{
			ID: "P20a", Section: "§6", Says: "below the threshold 500 bytes are enough",
			Quantity: "bytes of the arrays at 200", Unit: results.Bytes, Stated: results.Num(500),
			Rule: rule(about(500), roughly, arrays("dual", 200)...),
		},
		{
			ID: "P20b", Section: "§6", Says: "beyond the threshold 1000 bytes are taken",
			Quantity: "bytes of the arrays at 400", Unit: results.Bytes, Stated: results.Num(1000),
			Rule: rule(about(1000), roughly, arrays("dual", 400)...),
		},
		{
			ID: "P20c", Section: "§7", Says: "the dual filter takes at least 500 bytes a user",
			Quantity: "bytes of the arrays, 50 to 450", Unit: results.Bytes, Stated: results.Num(500),
			Rule: rule(fromOn(500), aBound, arrays("dual", 50, 200, 450)...),
		},
		{
			ID: "P20d", Section: "§7", Says: "the dual filter takes 1000 bytes when the arrays change places",
			Quantity: "bytes of the arrays at 450", Unit: results.Bytes, Stated: results.Num(1000),
			Rule: rule(about(1000), roughly, arrays("dual", 450)...),
		},
		{
			ID: "P42", Section: "§6", Says: "the second array begins at a threshold, for example 60 % of N",
			Quantity: "articles remembered at 50 % over 60 %, at least", Unit: Times,
			Rule: rule(anything, "an example, without a reason",
				theory("arithmetic: guaranteed window of dual at share=0.5, statistic=least").over(
					theory("arithmetic: guaranteed window of dual at share=0.6, statistic=least"))),
			Remedy: amend("a threshold of 50 %% leaves %s articles at %s bytes on average", Rule{},
				theory("arithmetic: guaranteed window of dual at share=0.5, statistic=least"),
				theory("arithmetic: payload per user of dual at share=0.5, statistic=mean")),
		},
		{
			ID: "P41", Section: "§1, §8", Says: "the dual filter cannot be extended dynamically",
			Reading: "N from 500 to 1000", Quantity: "articles retained, mean", Stated: results.Num(0),
			Rule: rule(atMost(1), "extended if an article stays, on average; the old arrays live to their end, none repeats",
				measured("extend: articles retained of dual, array by array").upTo(500)),
		},

		// Section 7 and Table 1: the chain. The table's f is the rate of one array, which P21 judges; P23 shows the chain's
		// own rate beside it. Section 7, "one node stores, the others deduplicate", has two readings: a working system
		// queries the active link too.
		{
			ID: "P21", Section: "§7", Says: "a link, 100 articles in 812 bits, still has f = 0.0156",
			Quantity: "false positive rate at 100", Unit: results.Ratio, Stated: results.Num(0.0156),
			Rule:   rule(printed(0.0156, 0.0001), fourDigits, measured("fpr: fpr of chain at articles=100")),
			Remedy: sized("%s bits and %s hashes", "arithmetic: %s of 100 articles at target=0.0156", 0.0156),
		},
		{
			ID: "P22a", Section: "§7", Says: "when link i is full, link i mod 5 + 1 can be cleared",
			Reading: "ahead, as worded", Quantity: "repeats shown", Stated: results.Num(0),
			Rule: rule(equal(0), "clearing any but the oldest would show one; 400 articles remain",
				measured("window: repeats shown inside the window of chain-eager")),
		},
		{
			ID: "P22b", Section: "§7", Says: "when link i is full, link i mod 5 + 1 can be cleared",
			Reading: "when an article needs room", Quantity: "repeats shown", Stated: results.Num(0),
			Rule: rule(equal(0), "clearing any but the oldest would show one; 401 articles remain, in all other claims too",
				measured("window: repeats shown inside the window of chain")),
		},
		{
			ID: "P23a", Section: "Table 1", Says: "the chain's rate is about 0.0156",
			Reading:  "the whole, head queried",
			Quantity: "false positive rate, mean", Unit: results.Ratio, Stated: results.Num(0.0156),
			Rule:   rule(anything, oneArray, measured("table1: fpr of chain at statistic=mean")),
			Remedy: fiveLinks,
		},
		{
			ID: "P23b", Section: "Table 1", Says: "the chain's rate is about 0.0156",
			Reading:  "the whole, literal reading",
			Quantity: "false positive rate, mean", Unit: results.Ratio, Stated: results.Num(0.0156),
			Rule:   rule(anything, oneArray, measured("table1: fpr of chain-literal at statistic=mean")),
			Remedy: fiveLinks,
		},
		{
			ID: "P23c", Section: "Table 1", Says: "the chain's rate is about 0.0156",
			Reading:  "the whole, at 500",
			Quantity: "false positive rate at 500", Unit: results.Ratio, Stated: results.Num(0.0156),
			Rule:   rule(anything, oneArray, measured("fpr: fpr of chain at articles=500")),
			Remedy: fiveLinks,
		},
		{
			ID: "P35", Section: "§7", Says: "five filters of 100 articles serve in place of one of 500",
			Quantity: "rate of the chain over the single filter's, 500 articles", Unit: Times, Stated: results.Num(1),
			Rule: rule(noMore, inPlaceOf,
				measured("fpr: fpr of chain at articles=500").over(measured("fpr: fpr of single at articles=500"))),
			Remedy: amend("with links sized for their union",
				rule(noMore, inPlaceOf,
					measured("fpr: fpr of chain-sized at articles=500").over(
						measured("fpr: fpr of single at articles=500")))),
		},
		{
			ID: "P36a", Section: "Table 1", Says: "the chain keeps to its ε = 0.02",
			Reading:  "one link, full",
			Quantity: "false positive rate at 100", Unit: results.Ratio, Stated: results.Num(0.02),
			Rule:   rule(upTo(0.02), aBound, measured("fpr: fpr of chain at articles=100")),
			Remedy: sized("%s bits and %s hashes", "arithmetic: %s of 100 articles at target=0.02", 0.02),
		},
		{
			ID: "P36b", Section: "Table 1", Says: "the chain keeps to its ε = 0.02",
			Reading:  "the whole, at 500",
			Quantity: "false positive rate at 500", Unit: results.Ratio, Stated: results.Num(0.02),
			Rule:   rule(anything, oneArray+"; P35 judges the whole", measured("fpr: fpr of chain at articles=500")),
			Remedy: sized("with links of %s bits and %s hashes", "arithmetic: %s of five links at target=0.02", 0.02),
		},
		{
			ID: "P37", Section: "abstract", Says: "the chain reduces memory greatly",
			Reading: "against the queue", Quantity: "payload of queue over chain", Unit: Times,
			Rule: rule(greatly, "greatly: to less than half",
				measured("table1: payload per user of queue").over(measured("table1: payload per user of chain"))),
		},
		{
			ID: "P24a", Section: "§7", Says: "a rotation leaves the last 400 articles",
			Quantity: "articles remembered, at least", Stated: results.Num(400),
			Rule: rule(fromOn(400), aBound,
				each(measured, "table1: guaranteed window of %v at statistic=least", "chain", "chain-eager")...),
		},
		{
			ID: "P24c", Section: "§7", Says: "the chain keeps 400 where the dual filter keeps 200",
			Quantity: "articles remembered over dual's, at least", Unit: Times, Stated: results.Num(2),
			Rule: rule(fromOn(2), aBound,
				measured("table1: guaranteed window of chain at statistic=least").over(
					measured("table1: guaranteed window of dual at statistic=least"))),
		},
		{
			ID: "P25a", Section: "§7", Says: "one link stores, the others filter repeats",
			Reading: "literal reading", Quantity: "missed among the newest 100, mean",
			Rule: rule(anything, "how the chain works; that no article may be missed is not said here",
				measured("window: newest missed of chain-literal at statistic=mean").upTo(100)),
			Remedy: amend("none with the active link queried too, as everywhere else",
				rule(equal(0), noRepeat, measured("window: repeats shown inside the window of chain"))),
		},
		{
			ID: "P26a", Section: "§7", Says: "the chain takes 100 bytes at least",
			Quantity: "bytes of the arrays at 50", Unit: results.Bytes, Stated: results.Num(100),
			Rule: rule(about(100), roughly, arrays("chain", 50)...),
		},
		{
			ID: "P26b", Section: "§7", Says: "the chain takes 500 bytes at most",
			Quantity: "payload per user", Unit: results.Bytes, Stated: results.Num(500),
			Rule: rule(upTo(500), aBound+"; by construction, for all links of all users are in use",
				measured("table1: payload per user of chain")),
		},
		{
			ID: "P27a", Section: "§7", Says: "the chain takes less memory than the dual filter",
			Reading: "as sized", Quantity: "payload over dual's", Unit: Times,
			Rule: rule(less, isLess,
				measured("table1: payload per user of chain").over(measured("table1: payload per user of dual"))),
		},
		{
			ID: "P27b", Section: "§7", Says: "the chain takes less memory than the dual filter",
			Reading: "sized for a true 2 %", Quantity: "payload over dual's", Unit: Times,
			Rule: rule(less, isLess,
				measured("table1: payload per user of chain-sized").over(measured("table1: payload per user of dual"))),
		},
		{
			ID: "P28a", Section: "§7", Says: "from N = 500 to 1000 the old links go on being used",
			Reading: "no repeat", Quantity: "repeats shown", Stated: results.Num(0),
			Rule: rule(equal(0), noRepeat+"; by construction, for nothing clears the old links",
				measured("extend: repeats shown inside the window of chain")),
		},
		{
			ID: "P28b", Section: "§7", Says: "from N = 500 to 1000 the old links go on being used",
			Reading: "what they hold", Quantity: "articles retained, mean",
			Rule: rule(fromOn(400), "what a chain holds at least", measured("extend: articles retained of chain").upTo(500)),
		},
		{
			ID: "P28c", Section: "§7", Says: "five more links are all that N = 1000 takes",
			Reading: "the false positive rate", Quantity: "rate 500 articles later over before", Unit: Times,
			Rule: rule(anything, "the paper does not say what becomes of the rate",
				measured("extend: fpr of chain at since=500").over(measured("table1: fpr of chain at statistic=mean"))),
			Remedy: sized("2 %% with ten links of %s bits and %s hashes", "arithmetic: %s of ten links at target=0.02",
				0.02),
		},
		{
			ID: "P34c", Section: "§7, §8", Says: "the chain cures what a full filter suffers from",
			Quantity: "rate of full links later over the first time", Unit: Times,
			Rule: rule(noMore, growsNoMore,
				each(measured, "fpr: fpr of chain at articles=%v", 600, 1000, 2000).over(
					measured("fpr: fpr of chain at articles=500"))...),
		},
		{
			ID: "P31a", Section: "§6, §7", Says: "the chain takes a change of N better than the dual filter",
			Reading: "its arrays go over in turn", Quantity: "articles retained over dual's", Unit: Times,
			Rule: rule(more, "better is a tenth more; the dual filter changes places as in §6 and does not begin anew",
				measured("extend: articles retained of chain").upTo(500).over(
					measured("extend: articles retained of dual, array by array").upTo(500))),
		},
		{
			ID: "P31b", Section: "§6, §7", Says: "the dual filter is complex to write, the chain simple",
			Silent: "a judgement on code; ours is of one size",
		},

		// Sections 1 and 2, and Table 1: a whole service.
		{
			ID: "P29", Section: "Table 1", Says: "the methods differ in time",
			Remedy: amend("measured here, ns a request of 40: queue %s, single %s, dual %s, chain %s", Rule{},
				measured("latency: request time of queue at candidates=40, history=hot, statistic=p50"),
				measured("latency: request time of single at candidates=40, history=hot, statistic=p50"),
				measured("latency: request time of dual at candidates=40, history=hot, statistic=p50"),
				measured("latency: request time of chain at candidates=40, history=hot, statistic=p50")),
			Silent: "the cells with the times are missing from the copy at hand",
		},
		{
			ID: "P30a", Section: "§2", Says: "clearing a buffer after 24 idle hours saves memory",
			Quantity: "payload with the rule over without", Unit: results.Ratio,
			Rule: rule(less, isLess, each(measured, "daily: payload kept of %v", "queue", "single", "dual", "chain")...),
		},
		{
			ID: "P30b", Section: "§2", Says: "whatever a user is shown is new",
			Reading:  "always, 24 h rule",
			Quantity: "repeats per article shown", Unit: results.Ratio, Stated: results.Num(0),
			Rule: rule(atMost(0.001),
				"refuted by construction, for a cleared buffer knows nothing; how many repeat depends on users' habits",
				each(measured, "daily: repeats per article shown of %v at rule=24h", "queue", "single", "dual",
					"chain")...),
		},
		{
			ID: "P30d", Section: "§1, §2", Says: "whatever a user is shown is new",
			Reading: "of what the buffer holds, 24 h", Quantity: "repeats of what the buffer holds", Stated: results.Num(0),
			Rule: rule(equal(0), noRepeat,
				each(measured, "daily: repeats shown inside the window of %v at rule=24h", "queue", "single", "dual",
					"chain")...),
		},
		{
			ID: "P30c", Section: "§1, §2", Says: "whatever a user is shown is new",
			Reading: "a filter never cleared", Quantity: "repeats of what was ever shown", Stated: results.Num(0),
			Rule: rule(equal(0), noRepeat, measured("daily: repeats shown inside the window of single at rule=none")),
		},
	}
}
