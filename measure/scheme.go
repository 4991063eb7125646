package measure

import (
	"context"
	"strconv"

	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/strategies"
)

// Scheme is the false positive rate of a probe scheme: independent filters of
// these numbers, each filled with items articles and asked for queries fresh ones. A filter counts as a user.
func Scheme(ctx context.Context, o Options, s schemes.Scheme, g bloom.Geometry,
	items, queries int, filters Range, seed uint64,
) (Rate, error) {
	type counter struct {
		hits, squared int64
		err           error
	}
	workers := make([]*counter, o.workers())
	for i := range workers {
		workers[i] = new(counter)
	}
	err := each(ctx, o, workers, filters, func(w *counter, filter int) {
		hits, squared, err := schemes.Measure(s, g, items, queries, filter, filter+1, seed)
		w.hits, w.squared = w.hits+hits, w.squared+squared
		if err != nil {
			w.err = err
		}
	})
	total := Rate{
		Users: int64(filters.Len()), Queries: int64(filters.Len()) * int64(queries),
		QueriesQueries: int64(filters.Len()) * int64(queries) * int64(queries),
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

// Digest is the false positive rate of the suite's own probes on the digests of
// real keys, URLs that share a prefix and count up: independent filters of
// these numbers, each filled with items articles and asked for queries fresh ones.
func Digest(ctx context.Context, o Options, digest func(key []byte) strategies.ID, g bloom.Geometry,
	items, queries int, filters Range,
) (Rate, error) {
	if err := g.Validate(); err != nil {
		return Rate{}, err
	}
	lane := bloom.Lanes{Geometry: g, Count: 1}
	type counter struct {
		Rate
		array []byte
		key   []byte
		ids   []strategies.ID
		seen  []bool
	}
	workers := make([]*counter, o.workers())
	for i := range workers {
		workers[i] = &counter{
			array: make([]byte, lane.Bytes()), ids: make([]strategies.ID, items+queries), seen: make([]bool, queries),
		}
	}
	err := each(ctx, o, workers, filters, func(w *counter, filter int) {
		for i := range w.ids {
			w.key = strconv.AppendInt(append(w.key[:0], "https://news.example/articles/"...), int64(filter*len(w.ids)+i), 10)
			w.ids[i] = digest(w.key)
		}
		clear(w.array)
		bloom.Insert(lane, w.array, 1, w.ids[:items])
		bloom.Query(lane, w.array, 1, w.ids[items:], w.seen)
		w.Add(queries, count(w.seen, true))
	})
	var total Rate
	for _, w := range workers {
		total = total.Plus(w.Rate)
	}
	return total, err
}
