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

// A timed is what the lanes cost beside one filter, in turns.
type timed struct {
	Requests        shared.HotRound   // by sizes
	Expire, Rebuild stopwatch.Latency // of a day's end
}

// sizes are the candidates of a request at the lecture's scale, and fewer.
var sizes = []int{400, 4000}

// times times requests to a full month, and a day's end.
var times = engine.Timing[timed]{
	Name: "month-times", Cost: 2e6,
	Make: func(ctx context.Context, r *engine.Run) (t timed, err error) {
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
