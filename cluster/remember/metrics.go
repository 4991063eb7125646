package remember

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The names under which a runner shows what was counted, in the namespace Namespace.
const (
	Namespace    = "dejavu/remember"
	Exposures    = "exposures"     // articles recorded
	Candidates   = "candidates"    // candidates looked at
	Fresh        = "fresh"         // candidates let through
	Forgotten    = "forgotten"     // histories that a timer cleared
	HistoryBytes = "history bytes" // distribution of the lengths written
)

// metrics counts what the step does.
type metrics struct {
	exposures, candidates, fresh, forgets beam.Counter
	bytes                                 beam.Distribution
}

func newMetrics() metrics {
	return metrics{
		exposures:  beam.NewCounter(Namespace, Exposures),
		candidates: beam.NewCounter(Namespace, Candidates),
		fresh:      beam.NewCounter(Namespace, Fresh),
		forgets:    beam.NewCounter(Namespace, Forgotten),
		bytes:      beam.NewDistribution(Namespace, HistoryBytes),
	}
}

func (m metrics) recorded(ctx context.Context, shown, bytes int) {
	m.exposures.Inc(ctx, int64(shown))
	m.bytes.Update(ctx, int64(bytes))
}

func (m metrics) answered(ctx context.Context, candidates, fresh int) {
	m.candidates.Inc(ctx, int64(candidates))
	m.fresh.Inc(ctx, int64(fresh))
}

func (m metrics) forgotten(ctx context.Context) { m.forgets.Inc(ctx, 1) }
