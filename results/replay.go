package results

// What is found of a real exposure log.
const (
	Replay   = "replay"   // strategies over the log, the exact truth beside them
	Describe = "describe" // what the log is like
)

// Quantities of replay alone. Rows without a strategy are of the log.
const (
	QExposures    = "exposures"                  // articles put to the histories
	QRequests     = "requests"                   // in which they were
	QSuppressed   = "wrongly suppressed per 100" // articles never shown to the user before, of 100 exposures
	QRepeatsShown = "repeats shown"              // and not recognised
	QShown        = "articles recorded"
	QFaults       = "lines that cannot be read"
	QTruth        = "exact truth total" // bytes of the sets of articles; depends on the machine
	QSeconds      = "seconds"           // of the whole replay; depends on the machine
)

// A Log is a log that was read instead of a population simulated.
type Log struct {
	Files     []string `json:"files"` // as they were named
	Format    string   `json:"format"`
	Lines     int64    `json:"lines"` // Faults, Passed and Blank among them
	Faults    int64    `json:"faults"`
	Passed    int64    `json:"passed"`
	Blank     int64    `json:"blank"`
	Events    int64    `json:"events"`
	Exposures int64    `json:"exposures"` // events but those twice in a request, acts that are no exposures, and strayed ones
	Twice     int64    `json:"twice"`
	NotShown  int64    `json:"not_shown"`
	Strayed   int64    `json:"strayed"` // more than 68 years from the first
	First     string   `json:"first"`   // RFC 3339
	Last      string   `json:"last"`
	Order     string   `json:"order"`            // of the requests: by time, or as they lie in the files
	Idle      string   `json:"idle,omitempty"`   // after which a history is forgotten
	Record    string   `json:"record,omitempty"` // what is recorded of a request
	Asked     string   `json:"asked,omitempty"`  // the flags that change what comes out, as they were given

	Layout     string `json:"layout,omitempty"` // how the files were read: delimiter, columns and clock, as they were found out
	OutOfOrder int64  `json:"out_of_order"`     // events earlier than one before them in their file
}
