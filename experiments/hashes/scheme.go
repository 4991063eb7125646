package hashes

import (
	"cmp"
	"context"
	"strconv"

	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/measure"
	"dejavu/strategies"
)

// Scheme is the false positive rate of a probe scheme: independent filters of
// these numbers, each filled with items articles and asked for queries fresh ones. A filter counts as a user.
func Scheme(ctx context.Context, o measure.Options, s schemes.Scheme, g bloom.Geometry,
	items, queries int, filters measure.Range, seed uint64,
) (measure.Rate, error) {
	type counter struct {
		rate measure.Rate
		err  error
	}
	workers, err := measure.Each(ctx, o, filters, func() *counter { return new(counter) }, func(w *counter, filter int) {
		hits, _, err := schemes.Measure(s, g, items, queries, filter, filter+1, seed)
		w.rate.Add(queries, int(hits))
		w.err = cmp.Or(w.err, err)
	})
	var total measure.Rate
	for _, w := range workers {
		measure.Sum(&total, w.rate)
		err = cmp.Or(w.err, err)
	}
	return total, err
}

// Digest is the false positive rate of the suite's own probes on the digests of
// real keys, URLs that share a prefix and count up: independent filters of
// these numbers, each filled with items articles and asked for queries fresh ones.
func Digest(ctx context.Context, o measure.Options, digest func(key []byte) strategies.ID, g bloom.Geometry,
	items, queries int, filters measure.Range,
) (measure.Rate, error) {
	lane, err := bloom.NewLanes(g, 1)
	if err != nil {
		return measure.Rate{}, err
	}
	type counter struct {
		rate  measure.Rate
		array []byte
		key   []byte
		ids   []strategies.ID
		seen  []bool
	}
	workers, err := measure.Each(ctx, o, filters, func() *counter {
		return &counter{
			array: make([]byte, lane.Bytes()), ids: make([]strategies.ID, items+queries), seen: make([]bool, queries),
		}
	}, func(w *counter, filter int) {
		for i := range w.ids {
			w.key = strconv.AppendInt(append(w.key[:0], "https://news.example/articles/"...), int64(filter*len(w.ids)+i), 10)
			w.ids[i] = digest(w.key)
		}
		clear(w.array)
		bloom.Insert(lane, w.array, 1, w.ids[:items])
		bloom.Query(lane, w.array, 1, w.ids[items:], w.seen)
		w.rate.Add(queries, measure.Count(w.seen, true))
	})
	var total measure.Rate
	for _, w := range workers {
		measure.Sum(&total, w.rate)
	}
	return total, err
}
