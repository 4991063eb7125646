package claims

import "dejavu/results"

// articleClaims are those of the article on recommenders; its sections are
// numbered as there.
func articleClaims() []Claim {
	sum := func(quantity string, n float64) Ref { return theory(results.Arithmetic, "article", quantity).at(n) }
	urls := func(digest string, bits float64) Ref {
		return measured(results.Hashes, "digits, URLs by "+digest, results.QFPR).at(bits)
	}
	exact := urls("xxhash", 4064)
	exact.Theory = true
	proposed := func(what, quantity string) Ref { return measured(results.Proposals, what, quantity) }
	grown := func(read float64) Ref { return proposed("growing: twenty times", results.QFPR).at(read) }
	layers := func(way string) Ref { return measured(results.Month, way, results.QFPR).at(30) }
	stage := func(read float64) Ref { return proposed(results.Beyond+"scalable", results.QFPR).at(read) }
	const (
		spreadOut = "growing: each bit to both of its places"
		counting  = results.Beyond + "counting"
		second    = "second check: "
	)
	restarted := func(strategy, quantity string) Ref { return measured(results.Snapshot, strategy, quantity) }
	probes := func(held float64) Ref { return sum(results.QProbes, held) }
	return []Claim{
		{
			ID: "R1", Source: Article, Section: "§2", Says: "10^9 IDs take about 1 GB at 1 %",
			Quantity: "bytes of the array", Unit: results.Bytes, Stated: results.Num(1e9),
			Rule: Rule{each(sum(results.QBytesAt1, 1e9)), about(1e9, 0.05, 0.5), "one digit and 'about': half a unit of the digit"},
		},
		{
			ID: "R2a", Source: Article, Section: "§3", Says: "10^8 IDs at 1 % take 958,505,792 bits",
			Quantity: "bits", Unit: results.Bits, Stated: results.Num(958_505_792),
			Rule: Rule{
				each(sum(results.QBitsAt1, 1e8)),
				Region{0.99 * 958_505_792, 1.01 * 958_505_792, 958_505_791, 958_505_793},
				"nine digits behind a '≈': as stated to the last, else within a hundredth",
			},
		},
		{
			ID: "R2b", Source: Article, Section: "§3", Says: "which are about 114 MB", Reading: "as printed",
			Quantity: "bytes", Unit: results.Bytes, Stated: results.Num(114e6),
			Rule: Rule{each(sum(results.QBytesAt1, 1e8)), printed(114e6, 1e6), "three digits are printed: a unit of the last"},
			Slip: instead("MiB for MB",
				Rule{each(sum(results.QBytesAt1, 1e8)), printed(114<<20, 1<<20), "three digits are printed: a unit of the last"}),
		},
		{
			ID: "R2c", Source: Article, Section: "§3", Says: "with 7 hashes",
			Quantity: "(m/n) ln 2", Stated: results.Num(7),
			Rule: Rule{each(sum(results.QHashesAt1, 1e8)), interval(6.5, 7.5), "what rounds to it"},
		},
		{
			ID: "R2d", Source: Article, Section: "§3", Says: "and err at 1 %",
			Quantity: "eq. 1 at 7 hashes", Unit: results.Ratio, Stated: results.Num(0.01),
			Rule: Rule{each(sum(results.QFPRAt1, 1e8)), roughly(0.01), "one digit: a twentieth; within a hundredth as stated"},
		},
		{
			ID: "R3", Source: Article, Section: "§3", Says: "each reader keeps a filter, to save memory", Reading: "sized as in its example",
			Quantity: "bytes over those of a queue of 500", Unit: Times,
			Rule: Rule{
				[]Evidence{over(sum(results.QBytesAt1, 1e8), payloadOf("queue"))},
				atMost(1),
				"saved is what the IDs themselves would not take; no reader reads 10^8 articles",
			},
			Remedy: instead("sized for one reader: %s bytes",
				Rule{[]Evidence{over(payloadOf("single"), payloadOf("queue"))}, atMost(1), counted}, payloadOf("single")),
		},
		{
			ID: "R4a", Source: Article, Section: "§2", Says: "a query costs k probes, however many articles are held", Reading: "probes",
			Quantity: "probes of an unseen article", Stated: results.Num(6),
			Rule: Rule{each(probes(500), probes(2000), probes(10_000), probes(1_000_000)), atMost(6), "k is the most that a query can probe"},
		},
		{
			ID: "R4b", Source: Article, Section: "§2", Says: "a query costs k probes, however many articles are held", Reading: "time",
			Quantity: "time at 500, 2000 over 100 held", Unit: Times, Stated: results.Num(1),
			Rule: Rule{
				each(measured(results.Latency, "single", results.QHotByHeld).at(500), measured(results.Latency, "single", results.QHotByHeld).at(2000)),
				interval(0.5, 2), "constant: within twice the time for twenty times the articles",
			},
		},
		{
			ID: "R5a", Source: Article, Section: "§2", Says: "what was seen is never taken for new", Reading: "a filter never cleared",
			Quantity: "repeats shown", Stated: results.Num(0),
			Rule: Rule{each(repeatsOf("single"), measured(results.Daily, "single", results.QInside+", no rule")), equal(0), "one repeat would refute it"},
		},
		{
			ID: "R5b", Source: Article, Section: "§2", Says: "what was seen is never taken for new", Reading: "filters that take turns",
			Quantity: "recognised after 501 to 510 articles", Unit: results.Ratio, Stated: results.Num(1),
			Rule: Rule{
				each(measured(results.Window, "dual", results.QRetention).at(505.5), measured(results.Window, "chain", results.QRetention).at(505.5)),
				atLeast(0.9999), "never: at most one in ten thousand, which these rows could show",
			},
		},
		{
			ID: "R6a", Source: Article, Section: "§4", Says: "layers for a day, a week and all time keep old data from disturbing", Reading: "every article in all three",
			Quantity: "rate over that of one filter of the same bytes", Unit: Times,
			Rule: Rule{[]Evidence{over(layers("beyond/layered"), layers("one filter, as long as the layers"))}, atMost(1), "'new' needs the consent of all three layers, whichever is asked first"},
			Remedy: instead("one filter",
				Rule{each(layers("one filter, as long as the layers")), atMost(0.01), "what each layer is made for"}),
		},
		{
			ID: "R6b", Source: Article, Section: "§4", Says: "layers for a day, a week and all time keep old data from disturbing", Reading: "an article in one, by its age",
			Quantity: "rate at the rate each is made for, 1 %", Unit: results.Ratio, Stated: results.Num(0.01),
			Rule: Rule{each(layers("beyond/layered-moved")), atMost(0.01), "a layer's own rate"},
		},
		{
			ID: "R7a", Source: Article, Section: "§4", Says: "a full filter moves into a larger one bit by bit", Reading: "each bit as it stands",
			Quantity: "articles recognised there", Unit: results.Ratio, Stated: results.Num(1),
			Rule: Rule{each(proposed("growing: bits copied as they stand", results.QRecognised)), atLeast(0.99), "data that have moved are there; a hundredth for chance"},
			Remedy: instead("each bit to both places it may be from, and errors with it",
				Rule{each(proposed(spreadOut, results.QRecognised)), atLeast(0.99), "data that have moved are there; a hundredth for chance"}),
		},
		{
			ID: "R7b", Source: Article, Section: "§4", Says: "a full filter moves into a larger one bit by bit", Reading: "each bit to both of its places",
			Quantity: "rate over that of a filter so large from the first", Unit: Times, Stated: results.Num(1),
			Rule: Rule{
				[]Evidence{over(proposed(spreadOut, results.QFPRAt1000), proposed("growing: made for 1000 from the first", results.QFPRAt1000))},
				atMost(1.1), "a larger filter is for its lower rate: within a tenth",
			},
			Remedy: instead("stages beside each other: scalable filters",
				Rule{each(stage(775), stage(1575)), atMost(0.02), "the rate that it is made for"}),
		},
		{
			ID: "R7c", Source: Article, Section: "§4", Says: "scalable filters grow stage by stage", Reading: "at the rate they are made for",
			Quantity: "rate when a stage is full", Unit: results.Ratio, Stated: results.Num(0.02),
			Rule: Rule{each(stage(25), stage(375), stage(1575)), atMost(0.02), "a bound holds or not"},
		},
		{
			ID: "R7d", Source: Article, Section: "§4", Says: "scalable filters grow stage by stage", Reading: "twenty times, from one article",
			Quantity: "rate when a stage is full", Unit: results.Ratio, Stated: results.Num(0.05),
			Rule: Rule{each(grown(1), grown(1023), grown(1_048_575), grown(2_097_151)), atMost(0.05), "a bound holds or not"},
		},
		{
			ID: "R8a", Source: Article, Section: "§4, §6", Says: "counting filters allow deletion", Reading: "of what was shown",
			Quantity: "deleted articles recognised", Unit: results.Ratio,
			Rule: Rule{each(proposed(counting, results.QDeletedRecognised)), atMost(0.0205), "no more often than a fresh article of a full filter"},
		},
		{
			ID: "R8b", Source: Article, Section: "§4, §6", Says: "counting filters allow deletion", Reading: "others stay",
			Quantity: "others lost", Stated: results.Num(0),
			Rule: Rule{each(proposed(counting, results.QOthersLost)), equal(0), "one lost would refute it"},
		},
		{
			ID: "R8c", Source: Article, Section: "§4, §6", Says: "counting filters allow deletion", Reading: "of what seems to be there",
			Quantity: "articles lost by a deletion", Stated: results.Num(0),
			Rule: Rule{each(proposed(counting, results.QLostByFalse)), atMost(0.5), "nothing is lost: less than half an article"},
			Remedy: instead("only what is known to have been shown",
				Rule{each(proposed(counting, results.QOthersLost)), equal(0), "one lost would refute it"}),
		},
		{
			ID: "R8d", Source: Article, Section: "§4, §6", Says: "counting filters allow deletion", Reading: "at the same memory",
			Quantity: "bytes over a filter's", Unit: Times, Stated: results.Num(1),
			Rule: Rule{each(proposed(counting, results.QBytesOverSingle)), atMost(1.01), "the article names no price"},
			Remedy: instead("%s times the memory",
				Rule{each(proposed(counting, results.QBytesOverSingle)), equal(4), counted}, proposed(counting, results.QBytesOverSingle)),
		},
		{
			ID: "R9a", Source: Article, Section: "§4", Says: "with the bits backed up, a restart loses nothing", Reading: "of what was backed up",
			Quantity: "histories lost, repeats let through", Stated: results.Num(0),
			Rule: Rule{
				each(restarted("single", results.QHistoriesLost), restarted("chain", results.QHistoriesLost), restarted("single", results.QInside), restarted("chain", results.QInside)),
				equal(0), "one lost would refute it",
			},
		},
		{
			ID: "R9b", Source: Article, Section: "§4", Says: "with the bits backed up, a restart loses nothing", Reading: "of what was shown",
			Quantity: "articles forgotten of 10 shown since", Stated: results.Num(0),
			Rule: Rule{each(restarted("single", results.QForgottenEach), restarted("chain", results.QForgottenEach)), equal(0), "backups are from time to time; one forgotten would refute it"},
			Remedy: instead("with what was shown since recorded again, from a log",
				Rule{each(restarted("single", results.QHistoriesDiffer), restarted("chain", results.QHistoriesDiffer)), equal(0), "one history that is not what it was would refute it"}),
		},
		{
			ID: "R10a", Source: Article, Section: "§6", Says: "without a collision-resistant hash the error rate rises", Reading: "xxhash64 for MD5",
			Quantity: "rate over that with MD5", Unit: Times,
			Rule: Rule{
				[]Evidence{over(urls("xxhash", 812), urls("md5", 812)), over(urls("xxhash", 4064), urls("md5", 4064))},
				atLeast(1.02), "a rise worth the name: a fiftieth, half of what double hashing costs at 812 bits",
			},
		},
		{
			ID: "R10b", Source: Article, Section: "§5", Says: "hashes like Murmur and City spread evenly", Reading: "xxhash64, of their kind",
			Quantity: "rate over exact theory", Unit: Times,
			Rule: Rule{[]Evidence{over(urls("xxhash", 4064), exact)}, about(1, 0.01, 0.02), "uneven would be a fiftieth more errors than theory"},
		},
		{
			ID: "R11a", Source: Article, Section: "§3", Says: "a cache of recent behaviour checks hits again", Reading: "seen is what both have: errors",
			Quantity: "rate", Unit: results.Ratio,
			Rule: Rule{each(proposed(second+"both", results.QFPR)), atMost(0.01), "errors are mitigated: of the filter's 2 %, half are gone at least"},
		},
		{
			ID: "R11b", Source: Article, Section: "§3", Says: "a cache of recent behaviour checks hits again", Reading: "seen is what both have: memory",
			Quantity: "articles recognised that the cache has no more", Unit: results.Ratio, Stated: results.Num(1),
			Rule: Rule{each(proposed(second+"both", results.QRecognised)), atLeast(0.99), "what was seen must not come back (§1); a hundredth for chance"},
			Remedy: instead("seen is what either has",
				Rule{each(proposed(second+"ahead", results.QRecognised)), atLeast(0.99), "what was seen must not come back (§1); a hundredth for chance"}),
		},
		{
			ID: "R11c", Source: Article, Section: "§3", Says: "a cache of recent behaviour checks hits again", Reading: "seen is what either has",
			Quantity: "rate over that without", Unit: Times,
			Rule: Rule{[]Evidence{over(proposed(second+"beside", results.QFPR), proposed(second+"none", results.QFPR))}, atMost(0.9), "errors are mitigated: by a tenth at least"},
			Remedy: instead("the newest in the cache alone, and in the filter later",
				Rule{[]Evidence{over(proposed(second+"ahead", results.QFPR), proposed(second+"none", results.QFPR))}, atMost(0.9), "errors are mitigated: by a tenth at least"}),
		},
		{
			ID: "R12a", Source: Article, Section: "§5", Says: "each reader's filter is sized by activity", Reading: "memory",
			Quantity: "bytes over those of one size for all", Unit: Times,
			Rule: Rule{
				[]Evidence{over(proposed("activity: classes, by what is read", results.QBytesPerUser), proposed("activity: one size for all", results.QBytesPerUser))},
				atMost(0.9), "less is a tenth less at least",
			},
		},
		{
			ID: "R12b", Source: Article, Section: "§5", Says: "each reader's filter is sized by activity", Reading: "errors, sorted with hindsight",
			Quantity: "rate, classes being made for 2 %", Unit: results.Ratio,
			Rule: Rule{each(proposed("activity: classes, by what is read", results.QFPR)), atMost(0.02), "the rate that classes are made for"},
		},
		{
			ID: "R12c", Source: Article, Section: "§5", Says: "each reader's filter is sized by activity", Reading: "errors, sorted by yesterday",
			Quantity: "rate, classes being made for 2 %", Unit: results.Ratio,
			Rule: Rule{each(proposed("activity: classes, by the first day's reading", results.QFPR)), atMost(0.02), "the rate that classes are made for"},
			Remedy: instead("sorted by what will be read",
				Rule{each(proposed("activity: classes, by what is read", results.QFPR)), atMost(0.02), "the rate that classes are made for"}),
		},
		{
			ID: "R13", Source: Article, Section: "§5", Says: "YouTube filters watched videos in this way",
			Silent: "no evidence is given, and the lecture says that long videos have no such filter",
		},
	}
}
