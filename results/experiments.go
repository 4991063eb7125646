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

// Arithmetic is the experiment that does the sources' own sums again. It is theory alone.
const Arithmetic = "arithmetic"

// Claims names the files of the ledger, claims.csv and claims.timing.csv. They hold
// verdicts, not rows, and ReadDir passes them over.
const Claims = "claims"

// Values of the dimension by.Formula: closed forms that rows carry alone, without a
// measurement.
const (
	ExactFormula      = "exact"      // the structure's own theory, densely
	AsymptoticFormula = "asymptotic" // the textbook approximation
)
