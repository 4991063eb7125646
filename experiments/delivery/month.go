package delivery

import (
	"context"
	"math"
	"slices"

	daylanes "dejavu/beyond/daily"
	"dejavu/beyond/layered"
	"dejavu/bloom"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

// Month measures ways to remember a month of exposures: bytes, false positives, and the cost of forgetting a day.
var Month = experiment.Experiment{
	Name:       results.Month,
	About:      "two months at several thousand articles a month: lanes by the day, and a filter rebuilt nightly",
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{monthCounts, monthTimes} },
	Dimensions: []results.Dimension{by.Day, by.Candidates, by.Over, by.Formula},
	Rows:       monthRows, Figures: monthFigures, Tables: monthTables,
}

const (
	days     = 30                     // an article is remembered on the day it was shown and 29 more
	end      = 61                     // simulated days: two months, and a day of the third
	fresh    = 500                    // unseen candidates at a day's end
	expired  = 50                     // candidates older than a month at a day's end
	articles = days * workload.PerDay // shown in a month
)

// Names of ways. A single filter as long as all lanes is rebuilt every night, as in the lecture, or never.
const (
	lanesName    = results.Beyond + "daily"
	layersName   = results.Beyond + "layered"
	asLong       = "one filter, as long as the layers"
	rebuilt      = "one filter, rebuilt nightly"
	neverRebuilt = "one filter, never rebuilt"
)

// grid lists the days at whose end candidates are asked about.
var grid = []int{1, 5, 10, 15, 20, 25, 30, 31, 35, 40, 45, 50, 55, 60, 61}

func monthUsers(s engine.Scope) int { return max(50, s.Users/20_000) }

func months(seed uint64, users int) workload.Month {
	return catalogue.Must(workload.NewMonth(seed, users))
}

type way struct {
	name     string
	strategy strategies.Strategy
	nightly  bool                       // the history is rebuilt before a day's first request, from a log of 30 days
	forgets  bool                       // only the last 30 days count
	fpr      func(perDay []int) float64 // the false positive rate by the articles of each day that counts
	bytes    func(days int) int
}

func one(g bloom.Geometry) *single.Filter {
	return catalogue.Must(single.New(single.Config{Capacity: articles, Geometry: g}))
}

func ways() []way {
	lanes, layers := catalogue.Must(daylanes.New(daylanes.Month)), catalogue.Must(layered.New(layered.Month))
	ofOne := func(name string, g bloom.Geometry, nightly bool) way {
		filter := one(g)
		return way{
			name: name, strategy: filter, nightly: nightly, forgets: nightly,
			fpr:   func(perDay []int) float64 { return filter.FPR(row.Sum(perDay)) },
			bytes: func(int) int { return filter.Bytes(1) },
		}
	}
	return []way{
		{
			name: lanesName, strategy: lanes, forgets: true, fpr: lanes.FPRDays,
			bytes: func(n int) int { return lanes.BytesDays(min(n, days)) },
		},
		{name: layersName, strategy: layers, fpr: layers.FPRDays, bytes: func(int) int { return layers.Bytes(1) }},
		ofOne(asLong, layers.One(articles), false),
		ofOne(rebuilt, lanes.One(articles), true), ofOne(neverRebuilt, lanes.One(articles), false),
	}
}

func (w way) theory(population workload.Month, n int) float64 {
	first := 0
	if w.forgets {
		first = max(0, n-days)
	}
	var perDay []int
	for day := first; day < n; day++ {
		perDay = append(perDay, population.Articles(day))
	}
	return w.fpr(perDay)
}

// published returns the expected rate on the last day if a filter is rebuilt from articles published, not shown, in the
// last 30 days. ages[i] counts articles shown at the age of i days.
func published(population workload.Month, ages []int) float64 {
	rebuilt, all := 0, float64(row.Sum(ages))
	for later := range days {
		of := float64(population.Articles(end - 1 - later))
		rebuilt += int(math.Round(of * float64(row.Sum(ages[:days-later])) / all))
	}
	return one(catalogue.Must(daylanes.New(daylanes.Month)).One(articles)).FPR(rebuilt)
}

// fewerByDay returns ages for which an article a day older is shown four fifths as often.
func fewerByDay() []int {
	ages := []int{1 << 20}
	for len(ages) < days {
		ages = append(ages, ages[len(ages)-1]*4/5)
	}
	return ages
}

type point struct {
	Fresh   measure.Rate `json:"fresh"`   // false positives among unseen candidates
	Expired measure.Rate `json:"expired"` // recognised articles older than a month
	Bytes   int64        `json:"bytes"`   // of all histories

	WindowChecks int64 `json:"window_checks"` // articles of the last 30 days
	WindowMisses int64 `json:"window_misses"`
}

// measureMonth shows these users two months of articles. At the end of each day in grid it asks about unseen articles,
// all articles of the last 30 days, and older ones.
func measureMonth(ctx context.Context, o measure.Options, w way, of workload.Month, users measure.Range,
) ([]point, error) {
	return measure.Each(ctx, o, users, func() (*[]point, func(user int)) {
		var asker measure.Asker
		unseen, ids := make([]strategies.ID, fresh), make([]strategies.ID, of.Before(end))
		points := make([]point, len(grid))
		return &points, func(user int) {
			reader, picks, next := of.Reader(user), of.Picks(user), 0
			reader.IDs(ids, 0)
			var history []byte
			for day := range end {
				on, oldest, asked := w.strategy, of.Before(max(0, day-days+1)), day+1 == grid[next]
				if dated, ok := on.(strategies.Dated); ok {
					on = dated.On(day)
				}
				if w.nightly && !asked {
					continue // only a day with questions needs its history
				}
				if w.nightly {
					history = daylanes.Rebuild(on, history, [][]strategies.ID{ids[oldest:of.Before(day)]})
				}
				history = on.Record(history, ids[of.Before(day):of.Before(day+1)])
				if !asked {
					continue
				}
				p, current, past := &points[next], ids[oldest:of.Before(day+1)], ids[:oldest]
				reader.IDs(unseen, workload.Fresh+next*fresh)
				next++
				p.Fresh.Add(fresh, asker.Count(on, history, unseen))
				p.WindowChecks += int64(len(current))
				p.WindowMisses += int64(len(current) - asker.Count(on, history, current))
				p.Bytes += int64(len(history))
				if len(past) >= expired { // a random run of them
					from := picks.At(day, len(past)-expired+1)
					p.Expired.Add(expired, asker.Count(on, history, past[from:from+expired]))
				}
			}
		}
	})
}

var monthCounts = engine.Measurement[[][]point]{
	Name: "month", Users: monthUsers, Cost: 4000,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) ([][]point, error) {
		population := months(r.Seed, monthUsers(r.Scope))
		return shared.Collect(r, users, ways(), func(w way) ([]point, error) {
			return measureMonth(ctx, r.Options, w, population, users)
		})
	},
}

type spread struct {
	strategies.Strategy // as it is on the month's last day
	dated               strategies.Dated
}

// fullMonth returns dated as on the last day of a month, for users who have seen workload.PerDay articles a day.
func fullMonth(dated strategies.Dated) strategies.Strategy { return spread{dated.On(days - 1), dated} }

// Record spreads a newcomer's articles over the month's days.
func (s spread) Record(history []byte, shown []strategies.ID) []byte {
	if len(history) > 0 {
		return s.Strategy.Record(history, shown)
	}
	for day := range days {
		history = s.dated.On(day).Record(history, shown[day*workload.PerDay:][:workload.PerDay])
	}
	return history
}

// A monthTimed has times of the lanes and of one rebuilt filter, taken in turns.
type monthTimed struct {
	Requests shared.HotRound     // by sizes
	Ends     []stopwatch.Latency // of a day: first the lanes', then the filter's
}

var monthTimes = engine.Measurement[monthTimed]{
	Name: "month-times", Cost: 2.5e5,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (t monthTimed, err error) {
		lanes := catalogue.Must(daylanes.New(daylanes.Month))
		nightly := one(lanes.One(articles))
		t.Requests, err = shared.TimeHot(ctx, r, []measure.Subject{
			{Name: lanesName, Strategy: fullMonth(lanes), Theory: lanes},
			{Name: rebuilt, Strategy: nightly, Theory: nightly},
		}, articles, []int{400, 4000})
		if err == nil {
			t.Ends, err = dayEnds(ctx, r.Seed, lanes, nightly)
		}
		return t, err
	},
}

// dayEnds times the end of a day for a user with a full month: clearing a lane, and rebuilding the filter from the log
// of the remaining days.
func dayEnds(
	ctx context.Context, seed uint64, lanes *daylanes.Filter, one strategies.Strategy,
) ([]stopwatch.Latency, error) {
	ids := make([]strategies.ID, articles)
	months(seed, 1).Reader(0).IDs(ids, 0)
	log := slices.Collect(slices.Chunk(ids, workload.PerDay))
	var history []byte
	for day, shown := range log {
		history = lanes.On(day).Record(history, shown)
	}
	filter := daylanes.Rebuild(one, nil, log)
	header := slices.Clone(history[len(history)-lanes.HeaderBytes():])
	return stopwatch.Turns(ctx, []func(){
		func() {
			lanes.Expire(history, days)
			copy(history[len(history)-len(header):], header) // restore the header, so that the next turn clears again
		},
		func() { filter = daylanes.Rebuild(one, filter, log[1:]) },
	}, []int{200, 5})
}
