package paper

import (
	"context"
	"fmt"
	"hash/adler32"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/go-faster/city"
	"github.com/twmb/murmur3"

	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
)

// Hashes measures ways to derive probe positions: the bias of each against the exact rate at the paper's two
// geometries, the bias of the suite's own on digests of URLs, and the time of each, taken in turns.
var Hashes = experiment.Experiment{
	Name: results.Hashes, About: "digests and probe schemes: bias and time",
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{ofSchemes, ofDigests, times} },
	Dimensions: []results.Dimension{by.Bits},
	Rows:       hashesRows, Figures: hashesFigures, Tables: hashesTables,
}

// A shape is a filter of items articles, asked for queries unseen ones.
type shape struct {
	bloom.Geometry
	items, queries int
}

var shapes = []shape{
	{bloom.Geometry{Bits: 812, Hashes: 6}, 100, 300},
	{bloom.Geometry{Bits: 4064, Hashes: 6}, 500, 700},
}

// filters returns how many filters of each shape a scheme fills: one for 1000 users, at least 1000. Half that number
// hold digests of URLs: MD5 is slow.
func filters(s engine.Scope) int       { return max(1000, s.Users/1000) }
func digestFilters(s engine.Scope) int { return max(1000, filters(s)/2) }

// A way is a probe scheme. begin returns, for one worker, a function that fills the filter of that number and counts
// its false positives.
type way struct {
	name  string
	begin func(s shape, seed uint64) func(filter int) (hits int)
}

var bySchemes = func() (ways []way) {
	for _, scheme := range schemes.All {
		ways = append(ways, way{scheme.Name, func(s shape, seed uint64) func(int) int {
			return func(filter int) int {
				hits, _, _ := schemes.Measure(scheme, s.Geometry, s.items, s.queries, filter, filter+1, seed)
				return int(hits)
			}
		}})
	}
	return ways
}()

// digests are the paper's, the suite's own, the two that the article names, and Adler-32, a checksum under which
// similar keys collide.
var digests = []struct {
	name   string
	digest func(key []byte) strategies.ID
}{
	{"md5", strategies.MD5},
	{"xxhash", strategies.XXHash},
	{"murmur3", func(key []byte) strategies.ID { return strategies.ID(murmur3.Sum64(key)) }},
	{"cityhash", func(key []byte) strategies.ID { return strategies.ID(city.Hash64(key)) }},
	{"adler-32", func(key []byte) strategies.ID { return strategies.Number(uint64(adler32.Checksum(key))) }},
}

// firstArticle returns the number of a seed's first URL, of twelve digits.
func firstArticle(seed uint64) int64 { return 1e11 + rand.New(rand.NewPCG(seed, 0)).Int64N(8e11) }

func appendURL(key []byte, article int64) []byte {
	return strconv.AppendInt(append(key, "https://news.example/articles/"...), article, 10)
}

// byDigests are the suite's own probes on the digests of real keys, URLs that share a prefix and count up.
var byDigests = func() (ways []way) {
	for _, d := range digests {
		ways = append(ways, way{"digits, URLs by " + d.name, func(s shape, seed uint64) func(int) int {
			first, lane := firstArticle(seed), catalogue.Must(bloom.NewLanes(s.Geometry, 1))
			ids, seen := make([]strategies.ID, s.items+s.queries), make([]bool, s.queries)
			array, key := make([]byte, lane.Bytes()), []byte(nil)
			return func(filter int) int {
				for i := range ids {
					key = appendURL(key[:0], first+int64(filter*len(ids)+i))
					ids[i] = d.digest(key)
				}
				clear(array)
				bloom.Insert(lane, array, 1, ids[:s.items])
				bloom.Query(lane, array, 1, ids[s.items:], seen)
				return measure.Count(seen, true)
			}
		}})
	}
	return ways
}()

// rates are by way to probe, and then by shape. A filter counts as a user.
type rates = [][]measure.Rate

// All ways at every shape.
var (
	ofSchemes = biases("hashes", filters, 12, bySchemes)
	ofDigests = biases("hashes-digests", digestFilters, 60, byDigests)
)

// biases measures ways to probe; a filter costs the given microseconds.
func biases(name string, filters func(engine.Scope) int, cost int, ways []way) engine.Measurement[rates] {
	each := len(ways) * len(shapes)
	return engine.Measurement[rates]{
		Name: name, Users: filters, Cost: float64(each * cost),
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (all rates, err error) {
			r.Expect(users.Len() * each)
			for _, way := range ways {
				of := make([]measure.Rate, len(shapes))
				for j, s := range shapes {
					of[j], err = measure.Each(ctx, r.Options, users, func() (*measure.Rate, func(filter int)) {
						rate, hits := new(measure.Rate), way.begin(s, r.SeedOf(j))
						return rate, func(filter int) { rate.Add(s.queries, hits(filter)) }
					})
					if err != nil {
						return nil, err
					}
				}
				all = append(all, of)
			}
			return all, nil
		},
	}
}

// A timed is the time to derive the probes of an article, by scheme, and to digest a key, by digest, all in turns.
type timed struct{ Schemes, Digests []stopwatch.Latency }

// callsATurn is the number of calls of a scheme or digest between two looks at the clock.
const callsATurn = 5000

var times = engine.Measurement[timed]{
	Name: "hashes-times", Cost: 1.2e5,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (t timed, err error) {
		var works []func()
		g := shapes[1].Geometry
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

func hashesRows(r *engine.Run) (rows, timing []results.Row) {
	rates := slices.Concat(ofSchemes.Of(r), ofDigests.Of(r))
	for i, way := range slices.Concat(bySchemes, byDigests) {
		for j, shape := range shapes {
			exact := bloom.Exact(shape.items, shape.Geometry)
			r := row.Rate(way.name, results.QFPR, rates[i][j]).With(by.Bits.At(float64(shape.Bits))).Expect(exact)
			over := r.Expect(0)
			over.Quantity = results.QExcess
			for _, n := range []*results.Number{&over.Value, &over.Low, &over.High} {
				if v, ok := n.Get(); ok {
					*n = results.Num(v/exact - 1)
				}
			}
			rows = append(rows, r, over)
		}
	}
	call := func(name, quantity string, l stopwatch.Latency) {
		timing = append(timing, row.Time(name, quantity, l, 1).With(by.Candidates.Is("")))
	}
	took := times.Of(r)
	for i, scheme := range schemes.All {
		call(scheme.Name, results.QNanosPerItem, took.Schemes[i])
	}
	for i, d := range digests {
		call(d.name, results.QNanosPerKey, took.Digests[i])
	}
	return rows, timing
}

var (
	atBits   = results.Find(results.QExcess, by.Bits.Open())
	smallest = results.Find(results.QExcess, by.Bits.At(812))
	larger   = results.Find(results.QExcess, by.Bits.At(4064))
)

var hashesFigures = []plots.Figure{{
	Name: "hashes", Experiment: results.Hashes, Query: atBits, Strategies: plots.None, Build: excesses,
	Title: "False positives of probe schemes, over the exact rate",
	Caption: "How far the rate of each probe scheme lies above or below the exact rate, by size of the filter; the " +
		"table lists the other schemes, and the time of each.",
	Looks: map[string]plots.Look{
		"digits":                     {Name: "digits, ours"},
		"one 512-bit block per item": {Name: "one block of 512 bits"},
		"one word per item":          {Name: "one word of 64 bits"},
		"digits, URLs by adler-32":   {Name: "digits of a weak hash, Adler-32"},
	},
}}

func excesses(d plots.Data) plots.Sheet {
	places := d.Ranked(smallest, "digits", "enhanced double hashing", "double hashing", "MD5 halves",
		"one 512-bit block per item", "one word per item", "digits, URLs by adler-32")
	panel := func(title string, q results.Query) *plots.Panel {
		p := &plots.Panel{
			Title: title, Guides: []plots.Guide{{Vertical: true, Label: "exact"}},
			X: plots.Axis{
				Label: "relative excess over the exact rate", Min: -0.02, Max: 0.12, Format: plots.Percent, Labels: 4,
			},
		}
		found := d.Find(q)
		p.Named(places, d.Look)
		for i, g := range places {
			for _, excess := range found.Of(g.Strategy).Points() {
				excess.X = p.Place(i)
				p.Dots(plots.Look{Color: plots.Slate}, excess)
			}
		}
		return p
	}
	second := panel("(b) A filter of 4064 bits", larger)
	second.Y.Blank = true
	return plots.Sheet{
		Columns: 2, Height: 190, Panels: []*plots.Panel{panel("(a) A filter of 812 bits", smallest), second},
		Note: "Measured excess over the exact false positive rate, with 95 % intervals, in the order of (a). An " +
			"arrow: far beyond the axis. Digits: a hash is a number in [0, 1), and its digits in the base of the " +
			"filter's size are the positions of an article.",
	}
}

var hashesTables = []text.Table{
	{
		Title:   "Probe schemes: excess over the exact rate, 95 % interval",
		Lines:   results.Q("hashes: excess at bits=812"),
		Columns: append([]text.Column{text.Strategy("scheme")}, text.Each("excess", by.Bits, excessOf, "812", "4064")...),
	},
	{
		Title: "Probe schemes: time of an article's probes",
		Lines: results.Q("hashes: ns per item"),
		Columns: []text.Column{
			text.Strategy("scheme"),
			text.Value("an article", "ns per item", text.Format("%.1f ns")),
		},
	},
	{
		Title: "Digests of keys: time of a URL",
		Lines: results.Q("hashes: ns per key"),
		Columns: []text.Column{
			text.Strategy("digest"),
			text.Value("a key", "ns per key", text.Format("%.1f ns")),
		},
	},
}

// excessOf writes an excess in per cent, with its interval.
func excessOf(r results.Row) string {
	return fmt.Sprintf("%+.2f %% (%+.2f to %+.2f)", 100*r.Value.Or(0), 100*r.Low.Or(0), 100*r.High.Or(0))
}
