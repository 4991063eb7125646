package month

import (
	"context"
	"slices"

	daylanes "dejavu/beyond/daily"
	"dejavu/bloom"
	"dejavu/experiments/engine"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

const (
	// Days is how long an article must be remembered, the day it was shown included.
	Days = 30

	// Asked is how many fresh candidates a user is asked at a day's end, and how many expired articles.
	Asked   = 500
	expired = 50

	// End is how many days users live: two months, and a day of the third.
	End = 61
)

// Grid is the numbers of days gone by at which users are asked, at the end of the day before.
var Grid = []int{1, 5, 10, 15, 20, 25, 30, 31, 35, 40, 45, 50, 55, 60, 61}

// A Way is a way to remember a month of exposures, with its theory.
type Way struct {
	Name     string
	Strategy strategies.Strategy // as it is on a day where it is strategies.Dated

	// Nightly, if not nil, is done before a day's first request: the history anew from the log of the days
	// that still count, oldest first.
	Nightly func(history []byte, log [][]strategies.ID) []byte

	fpr   func(articles []int) float64 // by those of each day that counts
	all   bool                         // every day counts, for ever
	bytes func(days int) int           // by the days gone by
}

// A Point is what was found after so many days.
type Point struct {
	Days    int          `json:"days" sum:"same"`
	Fresh   measure.Rate `json:"fresh"`   // false positives among fresh candidates
	Expired measure.Rate `json:"expired"` // articles older than the month recognised
	Bytes   int64        `json:"bytes"`   // lengths of histories, summed

	WindowChecks int64 `json:"window_checks"` // articles of the month, all of them asked for
	WindowMisses int64 `json:"window_misses"`
}

// Counts has a member for each of Grid: whole numbers, the same on every machine.
type Counts []Point

func newCounts() (c Counts) {
	for _, days := range Grid {
		c = append(c, Point{Days: days})
	}
	return c
}

// Measure shows each of these users two months of articles, day by day, and asks at the end of some days: for
// fresh articles, for those of the last Days days, all of them, and for older ones.
func Measure(ctx context.Context, o measure.Options, way Way, population workload.Month, users measure.Range) (Counts, error) {
	type worker struct {
		measure.Asker
		counts Counts
		ids    []strategies.ID
		fresh  [Asked]strategies.ID
		log    [][]strategies.ID
	}
	var on [End]strategies.Strategy
	for day := range on {
		on[day] = way.Strategy
		if dated, ok := way.Strategy.(strategies.Dated); ok {
			on[day] = dated.On(day)
		}
	}
	workers, err := measure.Each(ctx, o, users, func() *worker {
		return &worker{counts: newCounts(), ids: make([]strategies.ID, population.Before(End))}
	}, func(w *worker, user int) {
		reader, picks := population.Reader(user), population.Picks(user)
		reader.IDs(w.ids, 0)
		var history []byte
		next := 0
		for day := range End {
			if way.Nightly != nil {
				w.log = w.log[:0]
				for d := max(0, day-Days+1); d < day; d++ {
					w.log = append(w.log, w.ids[population.Before(d):population.Before(d+1)])
				}
				history = way.Nightly(history, w.log)
			}
			shown := population.Before(day + 1)
			history = on[day].Record(history, w.ids[population.Before(day):shown])
			if day+1 != Grid[next] {
				continue
			}
			p, ask := &w.counts[next], func(ids []strategies.ID) int { return w.Count(on[day], history, ids) }
			reader.IDs(w.fresh[:], workload.Fresh+next*Asked)
			next++
			p.Fresh.Add(Asked, ask(w.fresh[:]))
			oldest := population.Before(max(0, day-Days+1))
			p.WindowChecks += int64(shown - oldest)
			p.WindowMisses += int64(shown - oldest - ask(w.ids[oldest:shown]))
			p.Bytes += int64(len(history))
			if oldest >= expired {
				from := picks.At(day, oldest-expired+1)
				p.Expired.Add(expired, ask(w.ids[from:from+expired]))
			}
		}
	})
	total := newCounts()
	for _, w := range workers {
		measure.Sum(&total, w.counts)
	}
	return total, err
}

// A timed is what the lanes cost beside one filter, in turns.
type timed struct {
	Requests        shared.HotRound   // by sizes
	Expire, Rebuild stopwatch.Latency // of a day's end
}

// sizes are the candidates of a request at the lecture's scale, and fewer.
var sizes = []int{400, 4000}

// times times requests to a full month, and a day's end.
var times = engine.Measurement[timed]{
	Name: "month-times", Cost: 2e6,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (t timed, err error) {
		lanes, err := daylanes.New(daylanes.Month)
		if err != nil {
			return t, err
		}
		best := lanes.One(articles)
		subjects := []measure.Subject{{Name: lanesName, Strategy: shared.FullMonth(lanes), Theory: lanes}}
		for i, hashes := range []int{best.Hashes, lanes.Geometry.Hashes} {
			filter, err := one(bloom.Geometry{Bits: best.Bits, Hashes: hashes})
			if err != nil {
				return t, err
			}
			name := []string{rebuilt, sameHashes}[i]
			subjects = append(subjects, measure.Subject{Name: name, Strategy: filter, Theory: filter})
		}
		if t.Requests, err = shared.TimeHot(ctx, r, subjects, articles, sizes); err != nil {
			return t, err
		}
		t.Expire, t.Rebuild, err = dayEnds(ctx, r.Seed, lanes, subjects[1].Strategy)
		return t, err
	},
}

// dayEnds times what the end of a day costs a reader of a full month: the masked clear, and the filter built
// anew from the log of the days that are left.
func dayEnds(
	ctx context.Context, seed uint64, lanes *daylanes.Filter, one strategies.Strategy,
) (expire, rebuild stopwatch.Latency, err error) {
	population, err := workload.NewMonth(seed, 1)
	if err != nil {
		return expire, rebuild, err
	}
	ids := make([]strategies.ID, articles)
	population.Reader(0).IDs(ids, 0)
	log := slices.Collect(slices.Chunk(ids, workload.PerDay))
	var history []byte
	for day, shown := range log {
		history = lanes.On(day).Record(history, shown)
	}
	filter := daylanes.Rebuild(one, nil, log)
	header := slices.Clone(history[len(history)-lanes.HeaderBytes():])
	times, err := stopwatch.Turns(ctx, []func(){
		func() {
			lanes.Expire(history, Days)
			copy(history[len(history)-len(header):], header) // the day is there again, blank
		},
		func() { filter = daylanes.Rebuild(one, filter, log[1:]) },
	}, []int{200, 5})
	if err != nil {
		return expire, rebuild, err
	}
	return times[0], times[1], nil
}

// rows are the times, and those of the lanes as multiples of one filter's.
func (t timed) rows() (timing []results.Row) {
	lanes := t.Requests.Of(lanesName)
	for i, name := range t.Requests.Names {
		for j, l := range t.Requests.Latencies[i] {
			timing = append(timing, row.Time(results.Month, name, results.QQueryNanos, l, float64(l.Candidates)))
			if i > 0 {
				timing = append(timing, row.Over(results.Month, lanesName, results.QTimeRatio, lanes[j], l).With(over[name]))
			}
		}
	}
	noRequest := by.Candidates.Is("")
	return append(timing,
		row.Time(results.Month, lanesName, results.QDayEnd, t.Expire, 1).With(noRequest),
		row.Time(results.Month, rebuilt, results.QDayEnd, t.Rebuild, 1).With(noRequest),
		row.Over(results.Month, rebuilt, results.QTimeRatio, t.Rebuild, t.Expire).With(noRequest, by.Over.Is(lanesName)))
}

// over is what the lanes' time is divided by.
var over = map[string]results.Condition{
	rebuilt:    by.Over.Is("rebuilt nightly"),
	sameHashes: by.Over.Is("as many hashes"),
}
