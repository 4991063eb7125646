package results

// The experiments of this module, which name their files.
const (
	FPR        = "fpr"        // false positives by articles shown
	Fill       = "fill"       // set bits in the array by articles shown
	Window     = "window"     // what is still remembered, by age
	Memory     = "memory"     // bytes by articles shown and by users
	Daily      = "daily"      // a day of reading by a heavy-tailed population
	Latency    = "latency"    // time of a request by number of candidates
	Serve      = "serve"      // requests from many goroutines at once
	Extend     = "extend"     // the window grows from 500 to 1000 while in use
	Sizing     = "sizing"     // how large a filter must be for a target rate
	Hashes     = "hashes"     // how probes are derived, and what that costs
	Table1     = "table1"     // the paper's comparison of strategies, measured
	Tradeoff   = "tradeoff"   // every structure at one window and rate, and at one length
	Proposals  = "proposals"  // what the sources advise beside a filter, tried
	Month      = "month"      // several thousand articles a month, forgotten day by day
	Popularity = "popularity" // false positives by article, where some are popular
	Ship       = "ship"       // a user's history sent to the recall server, or candidates to the history
	Snapshot   = "snapshot"   // histories backed up, and a restart from there
	Pipeline   = "pipeline"   // what was shown reaches the history late
	Peers      = "peers"      // ours beside other filter libraries; measured by a program of its own
)

// Beyond begins the names of the strategies that the paper did not try.
const Beyond = "beyond/"

// Units.
const (
	Ratio       = "ratio" // a share or probability, in [0, 1]; or a quotient
	Bytes       = "B"
	Bits        = "bit"
	Nanoseconds = "ns"
)

// Quantities of fpr; x is the number of articles shown. QFPR serves extend (x
// counts from the change of the window) and hashes (x is the number of bits) too.
const (
	QFPR              = "fpr"                  // share of unseen articles reported as seen; theory is the exact formula
	QFPRExact         = "fpr exact"            // the exact formula alone, densely
	QFPRAsymptotic    = "fpr asymptotic"       // the textbook approximation alone, densely
	QFPRDropAndRecord = "fpr drop-then-record" // as QFPR, where only what passed the filter is recorded
)

// Quantities of fill and window.
const (
	QFill      = "fill"      // share of set bits in the array that answers; x is the articles shown
	QRetention = "retention" // chance that an article is recognised; x is how many articles ago it was shown

	QNewestMean = "newest 100 not recognised, mean" // of a user, where no window is guaranteed
	QNewestMost = "newest 100 not recognised, most"
)

// Quantities of memory, in bytes. The first has x = articles shown, the others
// x = users, all of them full.
const (
	QBytesPerUser  = "bytes per user"
	QPayloadTotal  = "payload total"  // the histories
	QResidentTotal = "resident total" // the process, as the system sees it; depends on the machine
	QTimePerUser   = "time per user"  // to simulate so many users, all processors at work; depends on the machine
	QTotalTheory   = "total theory"   // theory alone, up to more users than one machine holds
	QParts         = "parts"          // in which they were alive; depends on the machine, as the next
	QResidentOver  = "resident over payload and 12 B a user"
)

// Quantities of memory over several days of the daily population, of as many
// users as count says; x is the days gone by. Growth has no x: it is by how much
// the memory grew at most after the fifth day, when the histories have settled,
// beyond what they still did. Slabs, resident memory and growth depend on the
// machine.
const (
	QAliveAtMidnight    = "users alive at midnight"
	QPayloadAtMidnight  = "payload at midnight"
	QSlabsAtMidnight    = "slabs at midnight" // the memory that the histories lie in
	QResidentAtMidnight = "resident at midnight"
	QSlabsGrowth        = "slabs growth"
	QResidentGrowth     = "resident growth"
)

// Quantities of daily, thirty days of reading by as many users as QDailyUsers says.
// Those by activity have x = the lower edge of a bin of users, by articles recorded over
// the run, in powers of two; quantiles have x in (0, 1); those by day have x = days gone
// by, and bytes are then of a user of the population, also of those who have no history.
// The others have no x: bytes and users at the end, rates of the last seven days. Two
// populations are compared: one whose idle members are forgotten after 24 hours, and one
// that never forgets.
const (
	QDailyUsers      = "users simulated"
	QUsers           = "users"
	QFPRByActivity   = "fpr by activity"
	QBytesByActivity = "bytes by activity"
	QFPRQuantile     = "fpr quantile"   // over users, of the expected rate
	QBytesQuantile   = "bytes quantile" // over users

	QPayloadRule   = "payload total, 24 h rule"
	QPayloadNoRule = "payload total, no rule"
	QAliveRule     = "users alive, 24 h rule"
	QAliveNoRule   = "users alive, no rule"
	QFPRRule       = "fpr, 24 h rule"
	QFPRNoRule     = "fpr, no rule"
	QRepeatsRule   = "repeats per article shown, 24 h rule"
	QRepeatsNoRule = "repeats per article shown, no rule"

	QBytesByDayRule     = "bytes by day, 24 h rule"
	QBytesByDayNoRule   = "bytes by day, no rule"
	QRepeatsByDayRule   = "repeats per article shown by day, 24 h rule"
	QRepeatsByDayNoRule = "repeats per article shown by day, no rule"
	QFPRByDayRule       = "fpr by day, 24 h rule"
	QFPRByDayNoRule     = "fpr by day, no rule"

	QKept      = "payload with the 24 h rule over without"
	QKeptByDay = "payload with the 24 h rule over without, by day"
)

// Quantities of daily where users differ from the population's in one habit. x is the
// share of candidates that come back, or the mean pause between refreshes in seconds;
// shares and repeats are as QKept and QRepeatsRule.
const (
	QKeptByShare    = "payload with the 24 h rule over without, by share of repeats"
	QRepeatsByShare = "repeats per article shown, by share of repeats"
	QKeptByPause    = "payload with the 24 h rule over without, by pause"
	QRepeatsByPause = "repeats per article shown, by pause"
)

// QArticlesRetained is the quantity of extend, beside QFPR: how many articles are
// still recognised just after the window grew. It has no x.
const QArticlesRetained = "articles retained"

// Quantities of sizing; x is the false-positive rate wanted, the strategy column
// holds the method.
const (
	QBits       = "bits"        // of the array
	QHashes     = "hashes"      // probes per article
	QSizedBytes = "bytes"       // the array, rounded up
	QFPRReached = "fpr reached" // by the exact formula
	QMiss       = "miss"        // rate reached over rate wanted
)

// Quantities of hashes, beside QFPR; the strategy column holds the scheme.
const (
	QExcess       = "excess"      // measured rate over exact rate, less one; x is the bits
	QNanosPerItem = "ns per item" // to derive the probes of an article
	QNanosPerKey  = "ns per key"  // to digest a key
)

// Quantities of table1, without x. It repeats QPayloadTotal and QResidentTotal.
const (
	QPayloadPerUser = "payload per user"
	QHeaderPerUser  = "header per user"         // counts and such, which the paper's account leaves out
	QStoreTotal     = "store total"             // slabs and index; depends on the machine
	QFPRAt500       = "fpr at 500"              // once 500 articles have been shown
	QFPRSteady      = "fpr steady"              // mean over a whole cycle after the 500th, and at its worst moment QFPRWorst
	QFPRByLife      = "fpr by lifetime"         // of what never forgets and has neither; x is articles shown
	QWindowLeast    = "guaranteed window"       // articles guaranteed to be remembered, at worst
	QWindowMean     = "guaranteed window, mean" // and on average
	QRetainedAt1000 = "articles retained when N grows to 1000"
	QRequestP50     = "request p50" // time of a request; depends on the machine
)

// Quantities of latency, in nanoseconds per request; x is the number of
// candidates. Hot asks one user again and again, cold a random one of all.
const (
	QHotP50   = "hot p50"
	QHotP99   = "hot p99 of batches"
	QHotP999  = "hot p99.9 of batches"
	QColdP50  = "cold p50"
	QColdP99  = "cold p99 of batches"
	QColdP999 = "cold p99.9 of batches"

	QHotOverSingle = "hot p50 over single"
	QUsersCold     = "users alive when cold"

	QTogetherP50 = "cold together p50" // many random users at once
	QTogetherP99 = "cold together p99 of batches"
	QTouchP50    = "cold touch p50" // the histories' memory alone

	QHotOverFloor      = "hot p50 over floor"                             // six loads to known places
	QTogetherOverFloor = "cold together over the larger of hot and touch" // what no filter does without
)

// Quantities of tradeoff; behind each but the last stands what all structures have
// alike, AtRate or InBytes. Of the times, x is the candidates of a request or the
// articles recorded at once.
const (
	QLongest         = "longest history" // in bytes; of what never forgets, after as many articles as the window has
	QMeanBytes       = "bytes"           // of a history, over a cycle
	QFPRWorst        = "fpr worst"       // of the moment when theory is worst
	QFPRMean         = "fpr mean"        // over a cycle
	QFixedCapacity   = "fixed capacity"  // articles; only of what never forgets
	QQueryNanos      = "ns per candidate"
	QRecordNanosEach = "ns per record"
	QLongestByRate   = "longest history by rate" // x is the false positive rate; the strategy may be a bound

	QInside = "repeats shown inside the window" // here and elsewhere

	AtRate  = ", window 400 at 2 %"
	InBytes = ", window 400 in 512 B"
)

// Quantities of month, beside QFPR, QFPRExact, QBytesPerUser and QInside; x is the days gone
// by. Of the times, QQueryNanos and its quotients, x is the candidates of a
// request; the end of a day is one.
const (
	QExpired = "expired recognised" // share of the articles older than the month
	QDayEnd  = "end of a day"       // what it costs to forget a day
	QOver    = " over "             // behind a quantity, before a strategy: the quotient within a turn
)

// Quantities of proposals, beside QFPR, QBytesPerUser and QInside; the strategy
// column holds what was tried. Of QFPRByClass and QBytesByClass, x is the articles
// that a class is for; of QFPR and QBytesPerUser of a filter that grows, those read.
const (
	QRecognised        = "recognised"         // share of the articles shown
	QFPRAt1000         = "fpr at 1000"        // after twice the articles that the filter was made for
	QFPRBound          = "fpr bound"          // that stages keep together, however many
	QDeletedRecognised = "deleted recognised" // share of the articles taken back
	QOthersLost        = "others lost"        // articles that no longer are recognised, though nobody took them back
	QLostByFalse       = "lost by taking a false positive back"
	QBytesOverSingle   = "bytes over single"
	QNewestLost        = "newest lost" // of the articles in a list of the newest
	QFPRByClass        = "fpr by class"
	QBytesByClass      = "bytes by class"
)

// Quantities of popularity, beside QFPR and QUsers; x is the exponent of Zipf's law. Behind
// each stands Salted where users have salts of their own, and behind that the number of
// articles where it is not the headline's. QFPR is of candidates drawn by popularity; of
// the others, the false positive rate of an article is the share of its unseen audience
// that it loses: of the users it was not shown to, those to whom it is wrongly reported as
// seen. Count is the articles that it was measured of.
const (
	QArticleMean   = "fpr by article, mean"
	QArticleP90    = "fpr by article, 90th percentile"
	QArticleP99    = "fpr by article, 99th percentile"
	QArticleWorst  = "fpr by article, worst"
	QArticlesLose  = "articles that lose a tenth"              // or more; share of the articles
	QArticleFPR    = "fpr by article, sorted"                  // x is the share of the articles that have as much, or more
	QArticleFit    = "fpr by article, correlation with theory" // over the articles
	QArticlesAsked = "articles measured"                       // by all users; without a strategy, as the next
	QUnseenLeast   = "users not shown an article, least"       // of these articles
	QUnseenMean    = "users not shown an article, mean"

	Salted = ", salted"

	// ByCatalogue is behind QArticleP99 and QArticleWorst where x is the number of a
	// catalogue of the headline's law, and 0 is the headline's own; behind that one of
	// the next where it is the least, the mean or the most of these, count is how many.
	ByCatalogue = ", by catalogue"
	Least       = ", least"
	Mean        = ", mean"
	Most        = ", most"
)

// Quantities of snapshot, beside QPayloadTotal and QInside; none has x, and count
// is the histories. Each time was taken once, of all of them together.
const (
	QBackedUp         = "histories backed up"
	QHistoriesLost    = "histories lost"                              // or changed by the restart
	QForgotten        = "forgotten"                                   // share of the articles shown since the backup
	QForgottenEach    = "articles forgotten of 10 shown since"        // by a user, on average
	QHistoriesDiffer  = "histories that differ with the log replayed" // not what they were as the process ended
	QSnapshotBytes    = "snapshot bytes"
	QSave             = "save" // until it is on the disk
	QLoad             = "load" // every history validated
	QLoadTrusted      = "load, checksums alone"
	QSavedPerSecond   = "bytes saved a second"
	QLoadedPerSecond  = "bytes loaded a second"
	QTrustedPerSecond = "bytes loaded a second, checksums alone"
)

// Quantities of ship; x is the candidates of a request, but for QBreakEven and
// QRoundTrip, which have none. Shipped, the history travels to the server that has the
// candidates; asked, the candidates travel to the history. Modelled is arithmetic:
// behind it stand the bandwidth and the round trip.
const (
	QShippedBytes = "bytes, shipped" // of request and answer, without the network's own headers
	QAskedBytes   = "bytes, asked"
	QBreakEven    = "candidates from which shipping takes fewer bytes"
	QAnswersApart = "answers that differ" // of as many candidates as count says
	QShipped      = "request, shipped"    // over the machine's own network
	QAsked        = "request, asked"
	QInProcess    = "request, in the process" // without any network
	QRoundTrip    = "round trip"              // of a request for nothing
	QAskedOver    = "asked over shipped"      // within a turn
	QShippedModel = "shipped, modelled"
	QAskedModel   = "asked, modelled"
)

// Ship for real, by the exposure service of the module live and its clients: behind
// QShippedBytes, QAskedBytes, QShipped and QAsked, and behind P99, stands the way.
const (
	ByConnect = ", Connect"
	ByGRPC    = ", gRPC"
	ByRedis   = ", Redis" // the history fetched from there, without the service
	P99       = ", 99th percentile"
)

// Quantities of serve; x is the number of goroutines, but for QObjectsPerUser,
// which has none.
const (
	QRequestsPerSecond = "requests per second"
	QFairness          = "least served over most" // of the goroutines
	QCollections       = "collections"            // of garbage, while serving
	QPause             = "pause"                  // of all goroutines for these, in sum
	QCollectShare      = "gc cpu"                 // share of the processors' time while serving; count is the collections
	QForcedCPU         = "cpu of a collection"    // forced, on all processors
	QForcedPause       = "gc pause"               // all the time that a forced collection stops the program
	QAllocated         = "heap bytes per request" // which the collector will have to look after
	QObjectsPerUser    = "heap objects per user"
)

// Quantities of peers, beside QBytesPerUser, QObjectsPerUser, QCollectShare,
// QForcedCPU and QForcedPause. Of the first five, x is the candidates of a request
// or the articles of an update; of those about a filter, its bits; of the others
// the users alive.
const (
	QFreshNanos      = "ns per candidate, fresh"
	QSeenNanos       = "ns per candidate, seen"
	QMixedNanos      = "ns per candidate, mixed"    // half and half, in any order
	QRecordNanos     = "ns per record"              // and article, ten at once
	QRecordManyNanos = "ns per record, 500 at once" // and article
	OverOurs         = ", over dejavu"              // behind one of the above: the quotient within a turn

	QGoalPerUser   = "memory goal per user"  // up to where garbage may pile up before a collection, everything included
	QCollectNanos  = "gc ns per request"     // QCollectShare's time by request: a slow library does not make it look small
	QRequestServed = "ns per request served" // of a random user, with what is allocated for it

	QFPROf  = "fpr, "  // and one of KeyShapes: of a filter of 500 articles; theory is that of the bits it really has
	QLost   = "lost"   // share of the articles shown that the filter denies
	QStatic = "static" // 1 where a filter cannot be added to

	QLanguage = "language, "     // and its name: 1 for a library of another language than Go
	QMissing  = "missing tool, " // and its name: 1 for a library that was not measured for want of it
)

// KeyShapes are the kinds of keys that false positives are measured on: weak
// hashes show on some and not on others.
var KeyShapes = []string{"random", "sequential", "decimal", "URL"}
