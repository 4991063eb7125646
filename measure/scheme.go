package measure

import (
	"context"

	"dejavu/bloom"
	"dejavu/bloom/schemes"
)

// Scheme is the false positive rate of a probe scheme: so many independent
// filters, numbered from 0, each filled with items articles and asked for
// queries fresh ones. A filter counts as a user.
func Scheme(ctx context.Context, o Options, s schemes.Scheme, g bloom.Geometry,
	items, queries, filters int, seed uint64,
) (Rate, error) {
	type counter struct {
		hits, squared int64
		err           error
	}
	workers := make([]*counter, o.workers())
	for i := range workers {
		workers[i] = new(counter)
	}
	err := each(ctx, o, workers, 0, filters, func(w *counter, filter int) {
		hits, squared, err := schemes.Measure(s, g, items, queries, filter, filter+1, seed)
		w.hits, w.squared = w.hits+hits, w.squared+squared
		if err != nil {
			w.err = err
		}
	})
	total := Rate{
		Users: int64(filters), Queries: int64(filters) * int64(queries),
		QueriesQueries: int64(filters) * int64(queries) * int64(queries),
	}
	for _, w := range workers {
		if w.err != nil {
			return total, w.err
		}
		total.Hits += w.hits
		total.HitsHits += w.squared
	}
	total.HitsQueries = total.Hits * int64(queries)
	return total, err
}
