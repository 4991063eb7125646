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

// metrics counts what the step does.
type metrics struct {
	exposures, candidates, fresh, forgotten beam.Counter
	bytes                                   beam.Distribution
}

func newMetrics() metrics {
	return metrics{
		exposures:  beam.NewCounter(Namespace, Exposures),
		candidates: beam.NewCounter(Namespace, Candidates),
		fresh:      beam.NewCounter(Namespace, Fresh),
		forgotten:  beam.NewCounter(Namespace, Forgotten),
		bytes:      beam.NewDistribution(Namespace, HistoryBytes),
	}
}
