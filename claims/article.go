package claims

import "dejavu/results"

// articleClaims are those of the article on recommenders; its sections are
// numbered as there.
func articleClaims() []Claim {
	sum := func(quantity string, n float64) Ref { return theory(results.Arithmetic, "article", quantity).at(n) }
	urls := func(digest string, bits float64) Ref {
		return measured(results.Hashes, "multiply-shift, URLs by "+digest, results.QFPR).at(bits)
	}
	exact := urls("xxhash", 4064)
	exact.Theory = true
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
			Slip: &Amendment{
				Says: "MiB for MB",
				Rule: Rule{each(sum(results.QBytesAt1, 1e8)), printed(114<<20, 1<<20), "three digits are printed: a unit of the last"},
			},
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
			Remedy: &Amendment{
				Says: "sized for one reader: %s bytes", Shows: []Ref{payloadOf("single")},
				Rule: Rule{[]Evidence{over(payloadOf("single"), payloadOf("queue"))}, atMost(1), counted},
			},
		},
		{
			ID: "R4a", Source: Article, Section: "§2", Says: "a query costs k probes, however many articles are held", Reading: "probes",
			Quantity: "probes of a fresh article", Stated: results.Num(6),
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
			Quantity: "repeats let through", Stated: results.Num(0),
			Rule: Rule{each(repeatsOf("single"), measured(results.Daily, "single", repeatsInside+", no rule")), equal(0), "one repeat would refute it"},
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
			ID: "R6", Source: Article, Section: "§4", Says: "layers for a day, a week and all time, the latest first",
			Waits: "layered filters as a strategy",
		},
		{
			ID: "R7", Source: Article, Section: "§4", Says: "a full filter moves into a larger one bit by bit",
			Waits: "growing filters as a strategy",
		},
		{
			ID: "R8", Source: Article, Section: "§4, §6", Says: "counting filters allow deletion",
			Waits: "counting filters as a strategy",
		},
		{
			ID: "R9", Source: Article, Section: "§4", Says: "with the bits backed up, a restart loses nothing",
			Waits: "snapshots, and a test that crashes",
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
			ID: "R11", Source: Article, Section: "§3", Says: "a cache of recent behaviour checks hits again",
			Waits: "an exact recent list beside the filter",
		},
		{
			ID: "R12", Source: Article, Section: "§5", Says: "each reader's filter is sized by activity",
			Waits: "filters by classes of readers",
		},
		{
			ID: "R13", Source: Article, Section: "§5", Says: "YouTube filters watched videos in this way",
			Silent: "no evidence is given, and the lecture says that long videos have no such filter",
		},
	}
}
