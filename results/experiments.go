package results

// The experiments of this module, which name their files.
const (
	FPR        = "fpr"        // false positives by articles shown
	Fill       = "fill"       // set bits in the array by articles shown
	Window     = "window"     // what is still remembered, by age
	Memory     = "memory"     // bytes by articles shown and by users
	Daily      = "daily"      // a day of reading by a heavy-tailed population
	Latency    = "latency"    // time of a request by number of candidates
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
	Arithmetic = "arithmetic" // the sources' own sums again; theory alone
	Peers      = "peers"      // ours beside other filter libraries; measured by a program of its own
	Replay     = "replay"     // strategies over a real exposure log, the exact truth beside them
	Describe   = "describe"   // what such a log is like

	// Claims names the files of the ledger, claims.csv and claims.timing.csv: verdicts, which ReadDir skips.
	Claims = "claims"
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

// Values of the dimension by.Formula: rows with only an expected value, from a closed form.
const (
	ExactFormula      = "exact"      // the structure's own theory, densely
	AsymptoticFormula = "asymptotic" // the textbook approximation
)

// A Log describes a log that was read instead of a simulated population.
type Log struct {
	Files     []string `json:"files"` // as they were named
	Format    string   `json:"format"`
	Lines     int64    `json:"lines"` // Faults, Passed, LeftOut and Blank among them
	Faults    int64    `json:"faults"`
	Passed    int64    `json:"passed"`
	Blank     int64    `json:"blank"`
	Events    int64    `json:"events"`
	Exposures int64    `json:"exposures"` // without articles named twice in a request, and strayed ones
	Twice     int64    `json:"twice"`
	Strayed   int64    `json:"strayed"` // more than 68 years from the first
	First     string   `json:"first"`   // RFC 3339
	Last      string   `json:"last"`
	Order     string   `json:"order"`           // of the requests: by time, or as they lie in the files
	Idle      string   `json:"idle,omitempty"`  // after which a history is forgotten
	Asked     string   `json:"asked,omitempty"` // the flags that change results, as given

	Layout       string   `json:"layout,omitempty"` // delimiter, columns and clock of the files, as detected
	OutOfOrder   int64    `json:"out_of_order"`     // events earlier than one before them in their file
	LeftOut      int64    `json:"left_out,omitempty"`
	Warnings     []string `json:"warnings,omitempty"`      // what may be wrong with the log
	Said         []string `json:"first_events,omitempty"`  // in words
	OtherMethods int64    `json:"other_methods,omitempty"` // requests of an access log other than GET
}
