package delivery

import (
	"context"
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

// Month measures ways to remember a month of exposures: the bytes of each, and the cost when the month is over.
var Month = experiment.Experiment{
	Name:       results.Month,
	About:      "two months at several thousand articles a month: lanes by the day, and a filter rebuilt nightly",
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{monthCounts, monthTimes} },
	Dimensions: []results.Dimension{by.Day, by.Candidates, by.Over, by.Formula},
	Rows:       monthRows, Figures: monthFigures, Tables: monthTables,
}

const (
	// Days is how long an article must be remembered, the day it was shown included.
	Days = 30

	// End is how many days users live: two months, and a day of the third.
	End = 61

	// Asked is the number of fresh candidates at a day's end, and expired the number of expired articles.
	Asked   = 500
	expired = 50

	articles = Days * workload.PerDay // of a month
)

// Names of ways. A single filter as long as all the lanes is rebuilt every night, as the lecture does, or never.
const (
	lanesName    = results.Beyond + "daily"
	asLong       = "one filter, as long as the layers"
	rebuilt      = "one filter, rebuilt nightly"
	evenly       = "one filter, rebuilt nightly by publication, read evenly"
	lately       = "one filter, rebuilt nightly by publication, read lately"
	neverRebuilt = "one filter, never rebuilt"
	sameHashes   = "one filter, as many hashes"
)

// Grid is the numbers of days after which users are asked.
var Grid = []int{1, 5, 10, 15, 20, 25, 30, 31, 35, 40, 45, 50, 55, 60, 61}

// monthUsersOf returns the number of users of each way.
func monthUsersOf(s engine.Scope) int { return max(50, s.Users/20_000) }

func months(seed uint64, users int) workload.Month {
	return catalogue.Must(workload.NewMonth(seed, users))
}

// A Way is a way to remember a month of exposures, with its theory.
type Way struct {
	Name     string
	Strategy strategies.Strategy // as it is on a day where it is strategies.Dated

	// Nightly, if not nil, rebuilds the history before a day's first request from the log of the days that still count,
	// oldest first.
	Nightly func(history []byte, log [][]strategies.ID) []byte

	// ages, if not nil, has for each age in days how many of some articles have that age when they are shown. Then the
	// articles that were published in the last Days days count, and not those shown in them.
	ages []int

	fpr   func(articles []int) float64 // by the articles of each day that counts
	all   bool                         // every day counts, for ever
	bytes func(days int) int
}

func one(g bloom.Geometry) *single.Filter {
	return catalogue.Must(single.New(single.Config{Capacity: articles, Geometry: g}))
}

func comparedWays() []Way {
	lanes := catalogue.Must(daylanes.New(daylanes.Month))
	layers, moved := catalogue.Must(layered.New(layered.Month)), catalogue.Must(layered.New(layered.MonthMoved))
	ofLayers := func(name string, l *layered.Filter) Way {
		return Way{Name: results.Beyond + name, Strategy: l, fpr: l.FPRDays, all: true, bytes: l.BytesDays}
	}
	ofOne := func(name string, g bloom.Geometry) Way {
		filter := one(g)
		fpr := func(articles []int) float64 { return filter.FPR(row.Sum(articles)) }
		return Way{Name: name, Strategy: filter, fpr: fpr, all: true, bytes: func(int) int { return filter.Bytes(1) }}
	}
	nightly := ofOne(rebuilt, lanes.One(articles))
	nightly.all = false
	nightly.Nightly = func(history []byte, log [][]strategies.ID) []byte {
		return daylanes.Rebuild(nightly.Strategy, history, log)
	}
	published := func(name string, ages []int) Way {
		w := nightly
		w.Name, w.ages = name, ages
		return w
	}
	days := func(days int) int { return lanes.BytesDays(min(days, Days)) }
	return []Way{
		{Name: lanesName, Strategy: lanes, fpr: lanes.FPRDays, bytes: days},
		ofLayers("layered", layers), ofOne(asLong, layers.One(articles)), ofLayers("layered-moved", moved),
		nightly, published(evenly, slices.Repeat([]int{1}, Days)), published(lately, fewerByDay()),
		ofOne(neverRebuilt, lanes.One(articles)),
	}
}

// theory returns the rate after a number of days, from the articles of the days that count.
func (w Way) theory(population workload.Month, days int) float64 {
	first := 0
	if !w.all {
		first = max(0, days-Days)
	}
	var articles []int
	for day := first; day < days; day++ {
		articles = append(articles, left(w.ages, population.Articles(day), days-1-day))
	}
	return w.fpr(articles)
}

// A Point has the counts after a number of days.
type Point struct {
	Days    int          `json:"days" sum:"same"`
	Fresh   measure.Rate `json:"fresh"`   // false positives among fresh candidates
	Expired measure.Rate `json:"expired"` // articles older than the month recognised
	Bytes   int64        `json:"bytes"`   // lengths of histories, summed
	Held    int64        `json:"held"`    // articles that count, summed

	WindowChecks int64 `json:"window_checks"` // articles of the month, all of them asked for
	WindowMisses int64 `json:"window_misses"`
}

// MonthCounts has a Point for each number of days in Grid.
type MonthCounts []Point

// MonthMeasure shows each of these users two months of articles, day by day, and asks at the end of some days: for
// fresh articles, for all articles that count, and for older ones.
func MonthMeasure(ctx context.Context, o measure.Options, way Way, of workload.Month, users measure.Range,
) (MonthCounts, error) {
	var on [End]strategies.Strategy
	for day := range on {
		on[day] = way.Strategy
		if dated, ok := way.Strategy.(strategies.Dated); ok {
			on[day] = dated.On(day)
		}
	}
	return measure.Each(ctx, o, users, func() (*MonthCounts, func(user int)) {
		var asker measure.Asker
		var fresh [Asked]strategies.ID
		l := library{Month: of, ids: make([]strategies.ID, of.Before(End))}
		var counted calendar = &l
		if way.ages != nil {
			counted = &shelf{library: &l, ages: way.ages}
		}
		counts := make(MonthCounts, len(Grid))
		for i, days := range Grid {
			counts[i].Days = days
		}
		return &counts, func(user int) {
			reader := of.Reader(user)
			reader.IDs(l.ids, 0)
			counted.begin(of.Picks(user))
			var history []byte
			next := 0
			for day := range End {
				asked := day+1 == Grid[next]
				if way.Nightly != nil {
					if !asked {
						continue // what is built for this day is asked for nothing
					}
					history = way.Nightly(history, counted.log(day))
				}
				history = on[day].Record(history, l.day(day))
				if !asked {
					continue
				}
				p, ask := &counts[next], func(ids []strategies.ID) int { return asker.Count(on[day], history, ids) }
				reader.IDs(fresh[:], workload.Fresh+next*Asked)
				next++
				current, old := counted.asked(day)
				p.Fresh.Add(Asked, ask(fresh[:]))
				p.WindowChecks += int64(len(current))
				p.WindowMisses += int64(len(current) - ask(current))
				p.Held += int64(len(current))
				p.Bytes += int64(len(history))
				if len(old) > 0 {
					p.Expired.Add(len(old), ask(old))
				}
			}
		}
	})
}

// monthCounts measures all ways.
var monthCounts = engine.Measurement[[]MonthCounts]{
	Name: "month", Users: monthUsersOf, Cost: 7000,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) ([]MonthCounts, error) {
		population := months(r.Seed, monthUsersOf(r.Scope))
		return shared.Collect(r, users, comparedWays(), func(way Way) (MonthCounts, error) {
			return MonthMeasure(ctx, r.Options, way, population, users)
		})
	},
}

// A monthTimed has times of the lanes beside one filter, taken in turns.
type monthTimed struct {
	Requests shared.HotRound     // by sizes
	Ends     []stopwatch.Latency // of a day: the lanes', and one filter's
}

// monthSizes are the candidates of a request at the lecture's scale, and fewer.
var monthSizes = []int{400, 4000}

// monthTimes times requests to a full month, and a day's end.
var monthTimes = engine.Measurement[monthTimed]{
	Name: "month-times", Cost: 2.5e5,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (t monthTimed, err error) {
		lanes := catalogue.Must(daylanes.New(daylanes.Month))
		best := lanes.One(articles)
		nightly, alike := one(best), one(bloom.Geometry{Bits: best.Bits, Hashes: lanes.Geometry.Hashes})
		t.Requests, err = shared.TimeHot(ctx, r, []measure.Subject{
			{Name: lanesName, Strategy: shared.FullMonth(lanes), Theory: lanes},
			{Name: rebuilt, Strategy: nightly, Theory: nightly},
			{Name: sameHashes, Strategy: alike, Theory: alike},
		}, articles, monthSizes)
		if err != nil {
			return t, err
		}
		t.Ends, err = dayEnds(ctx, r.Seed, lanes, nightly)
		return t, err
	},
}

// dayEnds times the end of a day for a user with a full month: the masked clear of a lane, and rebuilding the filter
// from the log of the remaining days.
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
			lanes.Expire(history, Days)
			copy(history[len(history)-len(header):], header) // the day is there again, blank
		},
		func() { filter = daylanes.Rebuild(one, filter, log[1:]) },
	}, []int{200, 5})
}

func monthRows(r *engine.Run) (rows, timing []results.Row, err error) {
	all, err := monthCounts.Of(r)
	if err != nil {
		return nil, nil, err
	}
	population := months(r.Seed, 1)
	for i, way := range comparedWays() {
		for days := 1; days <= End; days++ {
			r := row.Theory(results.Month, way.Name, results.QFPR, results.Ratio, way.theory(population, days))
			rows = append(rows, r.With(by.Day.At(float64(days)), by.Formula.Is(results.ExactFormula)))
		}
		for _, p := range all[i] {
			rows = append(rows, way.rows(p, way.theory(population, p.Days))...)
		}
	}
	took, err := monthTimes.Of(r)
	if err != nil {
		return nil, nil, err
	}
	return rows, took.rows(), nil
}

// rows returns the rows of a day; fpr is its expected rate.
func (w Way) rows(p Point, fpr float64) (rows []results.Row) {
	day := by.Day.At(float64(p.Days))
	add := func(r results.Row, theory float64) { rows = append(rows, r.With(day).Expect(theory)) }
	bytes := row.Number(results.Month, w.Name, results.QBytesPerUser, results.Bytes, row.Mean(p.Bytes, p.Fresh.Users))
	misses := row.Number(results.Month, w.Name, results.QInside, "", float64(p.WindowMisses))
	add(row.Rate(results.Month, w.Name, results.QFPR, p.Fresh), fpr)
	add(bytes.Among(p.Fresh.Users), float64(w.bytes(p.Days)))
	add(misses.Among(p.WindowChecks), 0)
	if w.Nightly != nil {
		held := row.Number(results.Month, w.Name, results.QArticles, "", row.Mean(p.Held, p.Fresh.Users))
		rows = append(rows, held.With(day).Among(p.Fresh.Users))
	}
	if p.Expired.Queries > 0 {
		if w.all {
			fpr = 1
		}
		add(row.Rate(results.Month, w.Name, results.QExpired, p.Expired), fpr)
	}
	return rows
}

// rows returns the times, and the lanes' times as multiples of one filter's.
func (t monthTimed) rows() (timing []results.Row) {
	over := []string{"", "rebuilt nightly", "as many hashes"} // what the lanes' time is divided by
	lanes := t.Requests.Of(lanesName)
	for i, name := range t.Requests.Names {
		for j, l := range t.Requests.Latencies[i] {
			timing = append(timing, row.Time(results.Month, name, results.QQueryNanos, l, float64(l.Candidates)))
			if i > 0 {
				ratio := row.Over(results.Month, lanesName, results.QTimeRatio, lanes[j], l)
				timing = append(timing, ratio.With(by.Over.Is(over[i])))
			}
		}
	}
	noRequest := by.Candidates.Is("")
	return append(timing,
		row.Time(results.Month, lanesName, results.QDayEnd, t.Ends[0], 1).With(noRequest),
		row.Time(results.Month, rebuilt, results.QDayEnd, t.Ends[1], 1).With(noRequest),
		row.Over(results.Month, rebuilt, results.QTimeRatio, t.Ends[1], t.Ends[0]).With(noRequest, by.Over.Is(lanesName)))
}
