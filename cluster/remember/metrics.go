package remember

import "github.com/apache/beam/sdks/v2/go/pkg/beam"

// The names under which a runner shows what was counted, in the namespace Namespace.
const (
	Namespace    = "dejavu/remember"
	Exposures    = "exposures"     // articles recorded
	Candidates   = "candidates"    // candidates looked at
	Fresh        = "fresh"         // candidates reported as unseen
	Forgotten    = "forgotten"     // histories that a timer cleared
	HistoryBytes = "history bytes" // distribution of the lengths written
)

// What the step counts.
var (
	exposures    = beam.NewCounter(Namespace, Exposures)
	candidates   = beam.NewCounter(Namespace, Candidates)
	fresh        = beam.NewCounter(Namespace, Fresh)
	forgotten    = beam.NewCounter(Namespace, Forgotten)
	historyBytes = beam.NewDistribution(Namespace, HistoryBytes)
)
