// Package hashes is how probes are derived, and what that costs: the bias of each
// probe scheme against the exact rate at the paper's two geometries, that of the
// suite's own probes on digests of URLs, and the time of schemes and digests, taken
// in turns.
package hashes

import (
	"context"
	"fmt"
	"slices"

	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
)

// Experiment is hashes.
var Experiment = experiment.Experiment{
	Name: results.Hashes, About: "digests and probe schemes: bias at 812 and 4064 bits, and time",
	Needs: func(engine.Scope) []engine.Task {
		return []engine.Task{biases.Task(), digestBiases.Task(), times.Task()}
	},
	Dimensions: []results.Dimension{by.Bits},
	Rows:       rows, Figures: Figures, Tables: []text.Table{biased, timings, digesting},
}

// shapes are the filters of the comparison: the paper's two, each asked for some
// hundred unseen articles.
var shapes = []struct {
	geometry       bloom.Geometry
	items, queries int
}{
	{bloom.Geometry{Bits: 812, Hashes: 6}, 100, 300},
	{bloom.Geometry{Bits: 4064, Hashes: 6}, 500, 700},
}

// filters is how many filters of each shape a scheme fills: one for 1000 users, at
// least 1000. Half as many hold digests of URLs: an MD5 is slow.
func filters(s engine.Scope) int { return max(1000, s.Users/1000) }

func digestFilters(s engine.Scope) int { return max(1000, filters(s)/2) }

// digests are the ways to make an ID of a key.
var digests = []struct {
	name   string
	digest func(key []byte) strategies.ID
}{
	{"md5", strategies.MD5},
	{"xxhash", strategies.XXHash},
}

// rates are by scheme, or digest, and then by shape.
type rates = [][]measure.Rate

// biases is every scheme at every shape.
var biases = engine.Measurement[rates]{
	Name: "hashes", Users: filters, Cost: 10 * 2 * 12,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) (all rates, err error) {
		r.Expect(users.Len() * len(schemes.All) * len(shapes))
		for _, scheme := range schemes.All {
			var of []measure.Rate
			for i, shape := range shapes {
				rate, err := Scheme(ctx, r.Options, scheme, shape.geometry, shape.items, shape.queries, users, r.Seed+uint64(i))
				if err != nil {
					return nil, err
				}
				of = append(of, rate)
			}
			all = append(all, of)
		}
		return all, nil
	},
}

// digestBiases is the suite's own probes on digests of URLs.
var digestBiases = engine.Measurement[rates]{
	Name: "hashes-digests", Users: digestFilters, Cost: 2 * 2 * 100,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) (all rates, err error) {
		r.Expect(users.Len() * len(digests) * len(shapes))
		for _, d := range digests {
			var of []measure.Rate
			for _, shape := range shapes {
				rate, err := Digest(ctx, r.Options, d.digest, shape.geometry, shape.items, shape.queries, users)
				if err != nil {
					return nil, err
				}
				of = append(of, rate)
			}
			all = append(all, of)
		}
		return all, nil
	},
}

// A timed is the time to derive the probes of an article, by scheme, and to digest
// a key, by digest. All of them took turns.
type timed struct{ Schemes, Digests []stopwatch.Latency }

// callsATurn is how often a scheme derives probes, or a digest digests, between two
// looks at the clock.
const callsATurn = 5000

var times = engine.Timing[timed]{
	Name: "hashes-times", Cost: 4e5,
	Make: func(ctx context.Context, r *engine.Run) (t timed, err error) {
		var works []func()
		g := shapes[1].geometry
		for _, scheme := range schemes.All {
			dst, id := make([]int, 0, g.Hashes), uint64(0)
			works = append(works, func() {
				id += 0x9e3779b97f4a7c15
				dst = scheme.Positions(dst[:0], g, id)
			})
		}
		for _, d := range digests {
			key := fmt.Appendf(nil, "https://news.example/2016/04/11/%032d", 42)
			works = append(works, func() {
				key[len(key)-1]++ // another key each time
				d.digest(key)
			})
		}
		all, err := stopwatch.Turns(ctx, works, slices.Repeat([]int{callsATurn}, len(works)))
		if err != nil {
			return t, err
		}
		t.Schemes, t.Digests = all[:len(schemes.All)], all[len(schemes.All):]
		return t, nil
	},
}

// urlsBy names the suite's own probes on digests of URLs.
func urlsBy(digest string) string { return "digits, URLs by " + digest }

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	of, err := biases.Of(r)
	if err != nil {
		return nil, nil, err
	}
	ofDigests, err := digestBiases.Of(r)
	if err != nil {
		return nil, nil, err
	}
	took, err := times.Of(r)
	if err != nil {
		return nil, nil, err
	}
	for i, scheme := range schemes.All {
		rows = append(rows, excess(scheme.Name, of[i])...)
		timing = append(timing, call(scheme.Name, results.QNanosPerItem, took.Schemes[i]))
	}
	for i, d := range digests {
		rows = append(rows, excess(urlsBy(d.name), ofDigests[i])...)
		timing = append(timing, call(d.name, results.QNanosPerKey, took.Digests[i]))
	}
	return rows, timing, nil
}

// excess is the rows of the rates, and of by how much they exceed the exact ones.
func excess(name string, of []measure.Rate) (rows []results.Row) {
	for j, shape := range shapes {
		exact := bloom.Exact(shape.items, shape.geometry)
		r := row.Rate(results.Hashes, name, results.QFPR, of[j]).With(by.Bits.At(float64(shape.geometry.Bits))).Expect(exact)
		over := r.Expect(0)
		over.Quantity = results.QExcess
		over.Value = results.Num(r.Value.Or(0)/exact - 1)
		over.Low = results.Num(r.Low.Or(0)/exact - 1)
		over.High = results.Num(r.High.Or(0)/exact - 1)
		rows = append(rows, r, over)
	}
	return rows
}

// call is the row of the time of one call.
func call(name, quantity string, l stopwatch.Latency) results.Row {
	return row.Time(results.Hashes, name, quantity, l, 1).With(by.Candidates.Is(""))
}

// Tables of the schemes and of the digests, a line each.
var (
	biased = text.Table{
		Title: "Probe schemes: excess over the exact rate, 95 % interval",
		Lines: of(results.QExcess, by.Bits.At(812)),
		Columns: append([]text.Column{{Header: "scheme", Show: text.Strategy().Show}},
			text.Along(by.Bits, []string{"812", "4064"}, of(results.QExcess), func(r results.Row) string {
				return fmt.Sprintf("%+.2f %% (%+.2f to %+.2f)", 100*r.Value.Or(0), 100*r.Low.Or(0), 100*r.High.Or(0))
			})...),
	}
	timings = text.Table{
		Title: "Probe schemes: time of an article's probes",
		Lines: of(results.QNanosPerItem),
		Columns: []text.Column{
			{Header: "scheme", Show: text.Strategy().Show},
			text.Cell("an article", of(results.QNanosPerItem), func(r results.Row) string { return fmt.Sprintf("%.1f ns", r.Value.Or(0)) }),
		},
	}
	digesting = text.Table{
		Title: "Digests of keys: time of a URL",
		Lines: of(results.QNanosPerKey),
		Columns: []text.Column{
			{Header: "digest", Show: text.Strategy().Show},
			text.Cell("a key", of(results.QNanosPerKey), func(r results.Row) string { return fmt.Sprintf("%.1f ns", r.Value.Or(0)) }),
		},
	}
)

// of is a quantity of every scheme.
func of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, where...).In(results.Hashes).Of(results.Any)
}
