package claims

import (
	"slices"

	"dejavu/results"
)

// articleClaims are those of the article on recommenders; its sections are
// numbered as there.
func articleClaims() []Claim {
	sum := func(quantity string, n float64) Ref { return theory(results.Arithmetic, "article", quantity).at(n) }
	urls := func(digest string, bits float64) Ref {
		return measured(results.Hashes, "digits, URLs by "+digest, results.QFPR).at(bits)
	}
	exact := urls("xxhash", 4064)
	exact.Theory = true
	weak := func(scheme string) (evidence []Evidence) {
		for _, bits := range []float64{812, 4064} {
			evidence = append(evidence, over(measured(results.Hashes, scheme, results.QFPR).at(bits), theory(results.Hashes, scheme, results.QFPR).at(bits)))
		}
		return evidence
	}
	proposed := func(what, quantity string) Ref { return measured(results.Proposals, what, quantity) }
	grown := func(read float64) Ref { return proposed("growing: twenty times", results.QFPR).at(read) }
	layers := func(way string) Ref { return measured(results.Month, way, results.QFPR).at(30) }
	stage := func(read float64) Ref { return proposed(results.Beyond+"scalable", results.QFPR).at(read) }
	const (
		migrated = "growing: data migrated from a log"
		counting = results.Beyond + "counting"
		second   = "second check: "
	)
	restarted := func(strategy, quantity string) Ref { return measured(results.Snapshot, strategy, quantity) }
	probes := func(held float64) Ref { return sum(results.QProbes, held) }
	return []Claim{
		{
			ID: "R1", Source: Article, Section: "§2", Says: "10^9 IDs take about 1 GB at 1 %",
			Quantity: "bytes of the array", Unit: results.Bytes, Stated: results.Num(1e9),
			Rule: Rule{each(sum(results.QBytesAt1, 1e9)), about(1e9), withAbout},
		},
		{
			ID: "R2a", Source: Article, Section: "§3", Says: "10^8 IDs at 1 % take 958,505,792 bits",
			Quantity: "bits", Unit: results.Bits, Stated: results.Num(958_505_792),
			Rule: Rule{each(sum(results.QBitsAt1, 1e8)), about(958_505_792), withAbout},
		},
		{
			ID: "R2b", Source: Article, Section: "§3", Says: "958,505,792 bits are about 114 MB",
			Quantity: "bytes", Unit: results.Bytes, Stated: results.Num(114e6),
			Rule: Rule{each(sum(results.QBytesAt1, 1e8)), about(114e6), withAbout},
		},
		{
			ID: "R2c", Source: Article, Section: "§3", Says: "10^8 IDs at 1 % take about 7 hashes",
			Quantity: "(m/n) ln 2", Stated: results.Num(7),
			Rule: Rule{each(sum(results.QHashesAt1, 1e8)), about(7), withAbout},
		},
		{
			ID: "R2d", Source: Article, Section: "§3", Says: "so sized, a filter has a rate of 1 %",
			Quantity: "eq. 1 at 7 hashes", Unit: results.Ratio, Stated: results.Num(0.01),
			Rule: Rule{each(sum(results.QFPRAt1, 1e8)), about(0.01), withAbout},
		},
		{
			ID: "R3", Source: Article, Section: "§3", Says: "each user keeps a filter, to save memory", Reading: "sized as in its example",
			Quantity: "bytes over those of a queue of 500", Unit: Times,
			Rule: Rule{
				[]Evidence{over(sum(results.QBytesAt1, 1e8), payloadOf("queue"))},
				anything(),
				"it names no size for one user; its example is of 10^8 records, which no user reads",
			},
			Remedy: instead("sized for one user: %s bytes",
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
			ID: "R5", Source: Article, Section: "§1, §2", Says: "what was seen is never reported as new",
			Quantity: "repeats shown", Stated: results.Num(0),
			Rule: Rule{each(repeatsOf("single"), measured(results.Daily, "single", results.QInside+", no rule")), equal(0), noRepeat},
		},
		{
			ID: "R6", Source: Article, Section: "§4", Says: "layers for a day, a week and all time avoid interference", Reading: "at the same bytes",
			Quantity: "rate over that of one filter", Unit: Times,
			Rule: Rule{
				[]Evidence{over(layers("beyond/layered"), layers("one filter, as long as the layers"))},
				anything(),
				"what old data disturb, and by how much, is not said; 'new' needs the consent of all three layers",
			},
		},
		{
			ID: "R7a", Source: Article, Section: "§4", Says: "a full filter's data can move step by step into a larger one", Reading: "from a log of IDs",
			Quantity: "repeats, all the while", Stated: results.Num(0),
			Rule: Rule{each(proposed(migrated, results.QInside)), equal(0), "moved data stay recognised; " + noRepeat},
		},
		{
			ID: "R7b", Source: Article, Section: "§4", Says: "a full filter's data can move step by step into a larger one", Reading: "from a log of IDs: the rate",
			Quantity: "rate over that of one so large from the first", Unit: Times, Stated: results.Num(1),
			Rule: Rule{
				[]Evidence{over(proposed(migrated, results.QFPRAt1000), proposed("growing: made for 1000 from the first", results.QFPRAt1000))},
				atMost(1.1), "a larger filter is built for a lower rate: within a tenth",
			},
		},
		{
			ID: "R7c", Source: Article, Section: "§4", Says: "scalable filters grow stage by stage", Reading: "at the rate they are made for",
			Quantity: "rate when a stage is full", Unit: results.Ratio, Stated: results.Num(0.02),
			Rule: Rule{each(stage(25), stage(375), stage(1575)), atMost(0.02), bound},
		},
		{
			ID: "R7d", Source: Article, Section: "§4", Says: "scalable filters grow stage by stage", Reading: "twenty times, from one article",
			Quantity: "rate when a stage is full", Unit: results.Ratio, Stated: results.Num(0.05),
			Rule: Rule{each(grown(1), grown(1023), grown(1_048_575), grown(2_097_151)), atMost(0.05), bound},
		},
		{
			ID: "R8a", Source: Article, Section: "§4, §6", Says: "counting filters allow deletion", Reading: "of what was shown",
			Quantity: "deleted articles recognised", Unit: results.Ratio,
			Rule: Rule{each(proposed(counting, results.QDeletedRecognised)), atMost(0.0205), "no more often than an unseen article of a full filter"},
		},
		{
			ID: "R8b", Source: Article, Section: "§4, §6", Says: "counting filters allow deletion", Reading: "others stay",
			Quantity: "others lost", Stated: results.Num(0),
			Rule: Rule{each(proposed(counting, results.QOthersLost)), equal(0), "one lost would refute it"},
		},
		{
			ID: "R9a", Source: Article, Section: "§4", Says: "with periodic backups of the bits a restart loses no data", Reading: "what was backed up",
			Quantity: "histories lost, repeats shown", Stated: results.Num(0),
			Rule: Rule{
				each(restarted("single", results.QHistoriesLost), restarted("chain", results.QHistoriesLost), restarted("single", results.QInside), restarted("chain", results.QInside)),
				equal(0), "one lost would refute it",
			},
		},
		{
			ID: "R9b", Source: Article, Section: "§4", Says: "with periodic backups of the bits a restart loses no data", Reading: "what was shown since",
			Quantity: "articles forgotten of 10 shown since",
			Rule:     Rule{each(restarted("single", results.QForgottenEach)), anything(), "how often 'periodic' is, and so what a restart may lose, is not said"},
			Remedy: instead("none with what was shown since recorded again, from a log",
				Rule{each(restarted("single", results.QHistoriesDiffer), restarted("chain", results.QHistoriesDiffer)), equal(0), "one history that is not what it was would refute it"}),
		},
		{
			ID: "R10a", Source: Article, Section: "§6", Says: "IDs that hash to the same positions raise the rate", Reading: "weak derivations",
			Quantity: "rate over exact theory", Unit: Times,
			Rule: Rule{
				slices.Concat(weak("double hashing"), weak("double hashing, 32-bit halves")), atLeast(1),
				"a rise at both sizes; MD5 and xxhash64, with good derivations, are level",
			},
		},
		{
			ID: "R10b", Source: Article, Section: "§5", Says: "hashes like Murmur and City spread evenly", Reading: "xxhash64, of their kind",
			Quantity: "rate over exact theory", Unit: Times,
			Rule: Rule{[]Evidence{over(urls("xxhash", 4064), exact)}, interval(0.98, 1.02), "uneven would be a fiftieth off theory"},
		},
		{
			ID: "R11a", Source: Article, Section: "§3", Says: "a cache of recent behaviour checks hits again", Reading: "seen is what both have",
			Quantity: "false positive rate", Unit: results.Ratio,
			Rule: Rule{each(proposed(second+"both", results.QFPR)), atMost(0.01), "false positives are mitigated: of the filter's 2 %, half are gone at least"},
		},
		{
			ID: "R11b", Source: Article, Section: "§3", Says: "a cache of recent behaviour checks hits again", Reading: "older articles",
			Quantity: "articles recognised, older than the cache", Unit: results.Ratio,
			Rule: Rule{each(proposed(second+"both", results.QRecognised)), anything(), "what becomes of hits older than the cache is not said"},
			Remedy: instead("all, at a rate of %s, if the newest are in the cache alone, in the filter later",
				Rule{each(proposed(second+"ahead", results.QRecognised)), atLeast(0.99), "what was seen must not be shown again (§1); a hundredth for chance"}, proposed(second+"ahead", results.QFPR)),
		},
		{
			ID: "R12a", Source: Article, Section: "§5", Says: "each user's filter is sized by activity", Reading: "memory",
			Quantity: "bytes over those of one size for all", Unit: Times,
			Rule: Rule{
				[]Evidence{over(proposed("activity: classes, by what is read", results.QBytesPerUser), proposed("activity: one size for all", results.QBytesPerUser))},
				atMost(0.9), "less is a tenth less at least",
			},
		},
		{
			ID: "R12b", Source: Article, Section: "§5", Says: "each user's filter is sized by activity", Reading: "rate, sorted with hindsight",
			Quantity: "rate, classes being made for 2 %", Unit: results.Ratio,
			Rule: Rule{each(proposed("activity: classes, by what is read", results.QFPR)), atMost(0.02), "the rate that classes are made for"},
		},
		{
			ID: "R12c", Source: Article, Section: "§5", Says: "each user's filter is sized by activity", Reading: "rate, sorted by yesterday",
			Quantity: "rate, classes being made for 2 %", Unit: results.Ratio,
			Rule: Rule{each(proposed("activity: classes, by the first day's reading", results.QFPR)), atMost(0.02), "the rate that classes are made for"},
			Remedy: instead("sorted by what will be read",
				Rule{each(proposed("activity: classes, by what is read", results.QFPR)), atMost(0.02), "the rate that classes are made for"}),
		},
		{
			ID: "R13", Source: Article, Section: "§5", Says: "YouTube filters watched videos in this way",
			Silent: "no evidence is given, and Wang's lecture says that long videos have no such filter",
		},
	}
}
