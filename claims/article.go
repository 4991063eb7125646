package claims

import "dejavu/results"

// article lists what the article on recommenders says: Bloom filters in recommender systems, 2025, with its sections.
func article() []Claim {
	return []Claim{
		{
			ID: "R1", Section: "§2", Says: "10^9 IDs take about 1 GB at 1 %",
			Quantity: "bytes of the array", Unit: results.Bytes, Stated: results.Num(1e9),
			Rule: rule(about(1e9), roughly, theory("arithmetic: bytes of article at articles=1000000000, target=0.01")),
		},
		{
			ID: "R14", Section: "§2", Says: "a filter takes far less than the IDs themselves",
			Reading: "10^9 IDs of 8 bytes, at 1 %", Quantity: "bytes of the IDs over the filter's", Unit: Times,
			Rule: rule(greatly, "far below: less than half",
				theory("arithmetic: bytes of article at articles=1000000000, structure=raw IDs").over(
					theory("arithmetic: bytes of article at articles=1000000000, target=0.01"))),
		},
		{
			ID: "R2a", Section: "§3", Says: "10^8 IDs at 1 % take 958,505,792 bits",
			Quantity: "bits", Unit: results.Bits, Stated: results.Num(958_505_792),
			Rule: rule(about(958_505_792), roughly,
				theory("arithmetic: bits of article at articles=100000000, target=0.01")),
		},
		{
			ID: "R2b", Section: "§3", Says: "958,505,792 bits are about 114 MB",
			Reading: "MB of 2^20 bytes", Quantity: "bytes over 2^20", Stated: results.Num(114),
			Rule: rule(printed(114, 1), closedForm,
				theory("arithmetic: mebibytes of article at articles=100000000, target=0.01")),
		},
		{
			ID: "R2c", Section: "§3", Says: "10^8 IDs at 1 % take about 7 hashes",
			Quantity: "(m/n) ln 2", Stated: results.Num(7),
			Rule: rule(printed(7, 1), "hashes are a whole number: a unit of its last digit",
				theory("arithmetic: hashes of article at articles=100000000, target=0.01")),
		},
		{
			ID: "R2d", Section: "§3", Says: "so sized, a filter has a rate of 1 %",
			Quantity: "eq. 1 at 7 hashes", Unit: results.Ratio, Stated: results.Num(0.01),
			Rule: rule(about(0.01), roughly, theory("arithmetic: fpr of article at articles=100000000, target=0.01")),
		},
		{
			ID: "R3", Section: "§3", Says: "a filter for each user keeps users from interfering with each other",
			Quantity: "rate of articles shown to others over unseen ones", Unit: Times,
			Rule: rule(noMore, "no more often than an unseen article, both at 500; a filter in common reports all",
				measured("proposals: fpr of users: a filter each at of=shown to others").over(
					theory("fpr: fpr of single at articles=500, formula=exact"))),
		},
		{
			ID: "R4a", Section: "§2", Says: "a query costs k probes, however many articles are held",
			Reading: "probes", Quantity: "probes of an unseen article", Stated: results.Num(6),
			Rule: rule(upTo(6), "k is the most that a query can probe",
				each(theory, "arithmetic: probes of article at articles=%v", 500, 2000, 10000, 1000000)...),
		},
		{
			ID: "R4b", Section: "§2", Says: "a query costs k probes, however many articles are held",
			Reading: "time", Quantity: "time at 500, 2000 over 100 held", Unit: Times, Stated: results.Num(1),
			Rule: rule(interval(0.25, 4), "constant: within four times the time for twenty times the articles",
				each(measured, "latency: time ratio of single at articles=%v, history=hot, over=100 articles", 500,
					2000)...),
		},
		{
			ID: "R5", Section: "§1, §2", Says: "what was seen is never reported as new",
			Quantity: "repeats shown", Stated: results.Num(0),
			Rule: rule(equal(0), noRepeat, measured("window: repeats shown inside the window of single"),
				measured("daily: repeats shown inside the window of single at rule=none")),
		},
		{
			ID: "R6", Section: "§4", Says: "layers for a day, a week and all time avoid interference",
			Reading: "same bytes, after a month", Quantity: "rate over that of one filter", Unit: Times,
			Rule: rule(anything, "no rate is promised, at equal bytes or others; 'new' needs the consent of all three",
				measured("month: fpr of beyond/layered at day=30").over(
					measured("month: fpr of one filter, as long as the layers at day=30"))),
		},
		{
			ID: "R16", Section: "§4", Says: "layers make each array shorter",
			Quantity: "the longest layer over all three", Unit: Times,
			Rule: rule(less, isLess+"; by construction of any layers",
				theory("arithmetic: bits of layered at statistic=most").over(
					theory("arithmetic: bits of layered at statistic=all"))),
		},
		{
			ID: "R7a", Section: "§4", Says: "a full filter's data can move step by step into a larger one",
			Reading: "from a log of IDs", Quantity: "repeats, all the while", Stated: results.Num(0),
			Rule: rule(equal(0), movedStays,
				measured("proposals: repeats shown inside the window of growing: data migrated from a log")),
		},
		{
			ID: "R7b", Section: "§4", Says: "a full filter's data can move step by step into a larger one",
			Reading:  "from a log of IDs: the rate",
			Quantity: "rate over that of one so large from the first", Unit: Times, Stated: results.Num(1),
			Rule: rule(noMore, lowerRate,
				measured("proposals: fpr of growing: data migrated from a log at articles=1000").over(
					measured("proposals: fpr of growing: made for 1000 from the first at articles=1000"))),
		},
		{
			ID: "R7c", Section: "§4", Says: "scalable filters grow stage by stage",
			Reading:  "at the rate they are made for",
			Quantity: "rate when a stage is full", Unit: results.Ratio, Stated: results.Num(0.02),
			Rule: rule(upTo(0.02), aBound,
				each(measured, "proposals: fpr of beyond/scalable at articles=%v", 25, 375, 1575)...),
		},
		{
			ID: "R7d", Section: "§4", Says: "scalable filters grow stage by stage",
			Reading:  "twenty times, from one article",
			Quantity: "rate when a stage is full", Unit: results.Ratio, Stated: results.Num(0.05),
			Rule: rule(upTo(0.05), aBound,
				each(measured, "proposals: fpr of growing: twenty times at articles=%v", 1, 1023, 1048575, 2097151)...),
		},
		{
			ID: "R8a", Section: "§4, §6", Says: "counting filters allow deletion",
			Reading: "of what was shown", Quantity: "deleted articles recognised", Unit: results.Ratio,
			Rule: rule(upTo(0.02), "no more often than the 2 % of unseen articles, by a quarter",
				measured("proposals: deleted recognised of beyond/counting")),
		},
		{
			ID: "R8b", Section: "§4, §6", Says: "counting filters allow deletion",
			Reading: "others stay", Quantity: "others lost", Stated: results.Num(0),
			Rule: rule(equal(0), oneLost, measured("proposals: articles lost of beyond/counting at of=others")),
		},
		{
			ID: "R8c", Section: "§4, §6", Says: "counting filters allow deletion",
			Reading: "of what only seemed shown", Quantity: "others lost for each",
			Rule: rule(anything,
				"it speaks of articles that were read; what becomes of others when an unseen one is taken back is not said",
				measured("proposals: articles lost of beyond/counting at of=deleted false positives")),
		},
		{
			ID: "R15", Section: "§4, §6", Says: "counting filters can stand in for filters where articles are deleted",
			Reading: "their memory", Quantity: "bytes over a filter's", Unit: Times,
			Rule: rule(anything, "what counters cost is not said",
				measured("proposals: bytes over single of beyond/counting")),
		},

		{
			ID: "R9a", Section: "§4", Says: "with backups of the bits to a database or HDFS a restart loses no data",
			Reading: "what was backed up, to a file", Quantity: "histories lost, repeats shown", Stated: results.Num(0),
			Rule: rule(equal(0), oneLost, measured("snapshot: histories lost of single"),
				measured("snapshot: histories lost of chain"),
				measured("snapshot: repeats shown inside the window of single"),
				measured("snapshot: repeats shown inside the window of chain")),
		},
		{
			ID: "R9b", Section: "§4", Says: "with backups of the bits to a database or HDFS a restart loses no data",
			Reading: "what was shown since", Quantity: "articles forgotten of 10 shown since",
			Rule: rule(anything, "how often, and so what a restart may lose, is not said",
				measured("snapshot: forgotten each of single")),
			Remedy: amend("none with what was shown since recorded again, from a log",
				rule(equal(0), "one history that is not what it was would refute it",
					each(measured, "snapshot: differing of %v", "single", "chain")...)),
		},
		{
			ID: "R9c", Section: "§4", Says: "with backups of the bits to a database or HDFS a restart loses no data",
			Reading: "what was backed up, as worded",
			Silent:  "PostgreSQL was measured once, by a program that is no longer here (b7e4a8c1); HDFS was not",
			Remedy: amend("200,000 histories in PostgreSQL: the saving process was killed at four points, then the database; "+
				"each time the last whole backup was there, to the byte", Rule{}),
		},
		{
			ID: "R10a", Section: "§6", Says: "a hash under which IDs collide raises the rate",
			Reading: "by chance: Adler-32 of URLs", Quantity: "rate over exact theory", Unit: Times,
			Rule: rule(atLeast(1.02),
				"it names Murmur and City, which resist no attack: collisions by chance; a rise is a fiftieth, as in R10b",
				overTheory("hashes: fpr of digits, URLs by adler-32 at bits=812"),
				overTheory("hashes: fpr of digits, URLs by adler-32 at bits=4064")),
		},
		{
			ID: "R10b", Section: "§5", Says: "MurmurHash and CityHash spread evenly",
			Quantity: "rate over exact theory", Unit: Times,
			Rule: rule(interval(0.98, 1.02), "uneven would be a fiftieth off theory",
				overTheory("hashes: fpr of digits, URLs by murmur3 at bits=4064"),
				overTheory("hashes: fpr of digits, URLs by cityhash at bits=4064")),
		},
		{
			ID: "R10c", Section: "§5", Says: "MurmurHash and CityHash are computed fast",
			Quantity: "time of a URL over MD5's", Unit: Times,
			Rule: rule(less, "faster than a cryptographic hash, the other choice: a tenth less at least",
				each(measured, "hashes: ns per key of %v", "murmur3", "cityhash").over(
					measured("hashes: ns per key of md5"))...),
		},
		{
			ID: "R11a", Section: "§3", Says: "a cache of recent behaviour checks hits again",
			Reading: "seen is what both have", Quantity: "false positive rate", Unit: results.Ratio,
			Rule: rule(atMost(0.01), "false positives are mitigated: of the filter's 2 %, half are gone at least",
				measured("proposals: fpr of second check: both")),
		},
		{
			ID: "R11b", Section: "§3", Says: "a cache of recent behaviour checks hits again",
			Reading: "older articles", Quantity: "articles recognised, older than the cache", Unit: results.Ratio,
			Rule: rule(anything, "what becomes of hits older than the cache is not said",
				measured("proposals: recognised of second check: both")),
			Remedy: amend("all, at a rate of %s, if the newest are in the cache alone, in the filter later",
				rule(atLeast(0.99), "what was seen must not be shown again (§1); a hundredth for chance",
					measured("proposals: recognised of second check: ahead")),
				measured("proposals: fpr of second check: ahead")),
		},
		{
			ID: "R12c", Section: "§5", Says: "each user's filter is sized by activity",
			Reading: "rate, resized as users read", Quantity: "rate, made for 2 %", Unit: results.Ratio,
			Rule: rule(upTo(0.02), "the rate that they are made for, with a log of IDs and without one",
				measured("proposals: fpr of activity: classes, remade from a log as users read"),
				measured("proposals: fpr of activity: a stage more for who reads more")),
		},
		{
			ID: "R12d", Section: "§5", Says: "each user's filter is sized by activity",
			Reading: "memory, resized as users read", Quantity: "bytes over those of one size for all", Unit: Times,
			Rule: rule(less, isLess,
				measured("proposals: bytes per user of activity: classes, remade from a log as users read").over(
					measured("proposals: bytes per user of activity: one size for all")),
				measured("proposals: bytes per user of activity: a stage more for who reads more").over(
					measured("proposals: bytes per user of activity: one size for all"))),
		},
		{
			ID: "R17", Section: "§1", Says: "a false positive now and then is tolerable: users hardly notice",
			Reading: "the article's side", Quantity: "readers from whom one popular article is hidden", Unit: results.Ratio,
			Rule: rule(anything, "what users notice is not said; without a salt the same article is hidden from many",
				measured("popularity: fpr by article of single at catalogue=5000, exponent=1, salt=none, statistic=worst")),
			Remedy: amend("a share of %s at worst, with a salt for each user", Rule{},
				measured("popularity: fpr by article of single at catalogue=5000, exponent=1, salt=user, statistic=worst")),
		},
		{
			ID: "R18", Section: "§1", Says: "a request must be answered within milliseconds",
			Reading: "the filter's share of it", Quantity: "ns for 40 candidates, 999 of 1000 requests",
			Rule: rule(atMost(1e6), "one millisecond at most",
				measured("latency: request time of single at candidates=40, history=hot, statistic=p99.9")),
		},
		{
			ID: "R19", Section: "§6", Says: "strict services need a lower p",
			Quantity: "bits at 0.1 % over bits at 2 %", Unit: Times,
			Rule: rule(anything, "'strict' has no bound; a lower p hides fewer articles, and no article repeats at any p (R5)",
				theory("sizing: bits of exact at target=0.001").over(theory("sizing: bits of exact at target=0.02"))),
		},
		{
			ID: "R13", Section: "§5", Says: "YouTube filters watched videos in this way",
			Silent: "no evidence is given, and Wang's lecture says that long videos have no such filter",
		},
	}
}
