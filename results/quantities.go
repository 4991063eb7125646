package results

// Quantities name what a row's value is, each in one unit; package by has the conditions under which it was found.
const (
	// Of what a structure answers.
	QFPR               = "fpr"                             // share of unseen articles reported as seen
	QFPRByArticle      = "fpr by article"                  // share of its unseen audience lost; count is the articles
	QRetention         = "retention"                       // chance that an article is recognised, by age
	QRecognised        = "recognised"                      // share of the articles shown
	QExpired           = "expired recognised"              // share of the articles older than the month
	QDeletedRecognised = "deleted recognised"              // share of the articles taken back
	QWindow            = "guaranteed window"               // articles that are certainly remembered
	QCapacity          = "capacity"                        // articles; only of what never forgets
	QFill              = "fill"                            // share of set bits in the array that answers
	QExcess            = "excess"                          // measured rate over exact rate, less one
	QMiss              = "miss"                            // rate reached over rate wanted
	QArticlesLost      = "articles lost"                   // that are no longer recognised
	QArticlesRetained  = "articles retained"               // still recognised just after the window grew
	QNewestMissed      = "newest missed"                   // of the newest 100 of a user, if no window is guaranteed
	QInside            = "repeats shown inside the window" // which must be 0

	// Of repeats and a stream that is late.
	QRepeats     = "repeats"                   // articles shown that were shown before
	QRepeatRate  = "repeats per article shown" // share of the articles shown that are repeats
	QListBytes   = "list bytes"                // of a user's exact list
	QUntilNormal = "minutes until normal"      // from the stream's return to the last repeat that is its fault

	// Of bytes.
	QBytes           = "bytes"                 // of an array, or of a message
	QBytesPerUser    = "bytes per user"        // of a history
	QPayloadPerUser  = "payload per user"      // of a history, without its header
	QHeaderPerUser   = "header per user"       // counts and such, which the paper's account leaves out
	QPayloadTotal    = "payload total"         // of all histories
	QPayloadKept     = "payload kept"          // with the 24 h rule over without; ratio
	QStoreTotal      = "store total"           // slabs and index of the store
	QResidentTotal   = "resident total"        // of the process, as the system sees it
	QLongest         = "longest history"       // of a strategy that never forgets, after a window of articles
	QBytesOverSingle = "bytes over single"     // times a single filter's bytes
	QSnapshotBytes   = "snapshot bytes"        // on the disk
	QObjectsPerUser  = "heap objects per user" // that the collector has to look at

	// Of geometry and arithmetic.
	QMebibytes   = "mebibytes"   // bytes of the array over 2^20
	QBits        = "bits"        // of the array
	QBitsRatio   = "bits ratio"  // of two bounds
	QHashes      = "hashes"      // probes per article
	QProbes      = "probes"      // of a query
	QComparisons = "comparisons" // of candidates with articles seen
	QArticles    = "articles"    // that a structure holds, or that a number was measured of
	QBreakEven   = "break-even"  // candidates from which shipping a history takes fewer bytes than asking

	// Of times.
	QRequestTime     = "request time"     // ns for a request's candidates
	QTimeRatio       = "time ratio"       // a time over another's in the same turn
	QQueryNanos      = "ns per candidate" // of a request
	QRecordNanosEach = "ns per record"    // and article
	QNanosPerItem    = "ns per item"      // to derive the probes of an article
	QNanosPerKey     = "ns per key"       // to digest a key
	QDayEnd          = "day end time"     // what it costs to forget a day
	QSnapshotTime    = "snapshot time"    // ns, of all histories together

	// Of users and histories.
	QExposures     = "exposures"      // articles put to the histories
	QRepeatsShown  = "repeats shown"  // and not recognised
	QUsers         = "users"          // simulated, read of a log, or of a bin
	QUsersAlive    = "users alive"    // with a history
	QHistoriesLost = "histories lost" // or changed by the restart
	QDiffering     = "differing"      // answers or histories that are not what they should be
	QForgotten     = "forgotten"      // share of the articles shown since the backup
	QForgottenEach = "forgotten each" // articles of a user, of those shown since the backup
)
