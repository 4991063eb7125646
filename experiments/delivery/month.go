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

// Month measures ways to remember a month of exposures: the bytes of each, and the cost when the month is over.
var Month = experiment.Experiment{
	Name:       results.Month,
	About:      "two months at several thousand articles a month: lanes by the day, and a filter rebuilt nightly",
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{monthCounts.Task(), monthTimes.Task()} },
	Dimensions: []results.Dimension{by.Day, by.Candidates, by.Over, by.Formula},
	Rows:       monthRows, Figures: monthFigures, Tables: monthTables,
}

const (
	// Days is how long an article must be remembered, the day it was shown included.
	Days = 30

	// End is how many days users live: two months, and a day of the third.
	End = 61

	// Asked is how many fresh candidates a user is asked at a day's end, and expired how many expired articles.
	Asked   = 500
	expired = 50

	articles = Days * workload.PerDay // of a month
)

// Names of ways. One filter beside the days' lanes is as long as they are: built anew every night, as the lecture has
// it, or never.
const (
	lanesName    = results.Beyond + "daily"
	asLong       = "one filter, as long as the layers"
	rebuilt      = "one filter, rebuilt nightly"
	evenly       = "one filter, rebuilt nightly by publication, read evenly"
	lately       = "one filter, rebuilt nightly by publication, read lately"
	neverRebuilt = "one filter, never rebuilt"
	sameHashes   = "one filter, as many hashes"
)

// Grid is the numbers of days gone by at which users are asked, at the end of the day before.
var Grid = []int{1, 5, 10, 15, 20, 25, 30, 31, 35, 40, 45, 50, 55, 60, 61}

// monthUsersOf is how many users live two months with each way.
func monthUsersOf(s engine.Scope) int { return max(50, s.Users/20_000) }

func months(seed uint64, users int) workload.Month {
	return catalogue.Must(workload.NewMonth(seed, users))
}

// A Way is a way to remember a month of exposures, with its theory.
type Way struct {
	Name     string
	Strategy strategies.Strategy // as it is on a day where it is strategies.Dated

	// Nightly, if not nil, is done before a day's first request: the history anew from the log of the days that still
	// count, oldest first.
	Nightly func(history []byte, log [][]strategies.ID) []byte

	// ages, if not nil, has for each age in days how many of some articles are so old when they are shown. What counts
	// is then not what was shown in the last Days days, but what was published in them.
	ages []int

	fpr   func(articles []int) float64 // by those of each day that counts
	all   bool                         // every day counts, for ever
	bytes func(days int) int           // by the days gone by
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

// theory is the rate after so many days: the articles of those that count make it.
func (w Way) theory(population workload.Month, days int) float64 {
	first := 0
	if !w.all {
		first = max(0, days-Days)
	}
	var articles []int
	for day := first; day < days; day++ {
		n := population.Articles(day)
		if w.ages != nil { // of those shown so many days before the last
			n = int(math.Round(float64(n) * row.Mean(int64(row.Sum(w.ages[:Days-(days-1-day)])), int64(row.Sum(w.ages)))))
		}
		articles = append(articles, n)
	}
	return w.fpr(articles)
}

// A Point is what was found after so many days.
type Point struct {
	Days    int          `json:"days" sum:"same"`
	Fresh   measure.Rate `json:"fresh"`   // false positives among fresh candidates
	Expired measure.Rate `json:"expired"` // articles older than the month recognised
	Bytes   int64        `json:"bytes"`   // lengths of histories, summed
	Held    int64        `json:"held"`    // articles that count, summed

	WindowChecks int64 `json:"window_checks"` // articles of the month, all of them asked for
	WindowMisses int64 `json:"window_misses"`
}

// MonthCounts has a member for each of Grid: whole numbers, the same on every machine.
type MonthCounts []Point

// MonthMeasure shows each of these users two months of articles, day by day, and asks at the end of some days: for fresh
// articles, for those of the last Days days, all of them, and for older ones.
func MonthMeasure(ctx context.Context, o measure.Options, way Way, of workload.Month, users measure.Range) (MonthCounts, error) {
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
		var log [][]strategies.ID
		var shelf shelf
		counts, ids := make(MonthCounts, len(Grid)), make([]strategies.ID, of.Before(End))
		for i, days := range Grid {
			counts[i].Days = days
		}
		return &counts, func(user int) {
			reader, picks := of.Reader(user), of.Picks(user)
			reader.IDs(ids, 0)
			if way.ages != nil {
				shelf.draw(way.ages, picks, len(ids))
			}
			var history []byte
			next := 0
			for day := range End {
				oldest, shown := of.Before(max(0, day-Days+1)), of.Before(day+1)
				if way.Nightly != nil {
					if day+1 != Grid[next] {
						continue // nothing is left of what is built for a day on which nobody is asked
					}
					log, shelf.in, shelf.past = log[:0], shelf.in[:0], shelf.past[:0]
					for d := max(0, day-Days+1); d < day; d++ {
						log = append(log, ids[of.Before(d):of.Before(d+1)])
						if way.ages != nil {
							shelf.sort(ids, of.Before(d), of.Before(d+1), day-d)
						}
					}
					if way.ages != nil {
						log = append(log[:0], shelf.in)
					}
					history = way.Nightly(history, log)
				}
				history = on[day].Record(history, ids[of.Before(day):shown])
				if day+1 != Grid[next] {
					continue
				}
				counting, old := ids[oldest:shown], ids[:0]
				switch {
				case way.ages != nil:
					shelf.in = append(shelf.in, ids[of.Before(day):shown]...)
					if counting = shelf.in; len(shelf.past) >= expired {
						from := picks.At(day, len(shelf.past)-expired+1)
						old = shelf.past[from : from+expired]
					}
				case oldest >= expired:
					from := picks.At(day, oldest-expired+1)
					old = ids[from : from+expired]
				}
				p, ask := &counts[next], func(ids []strategies.ID) int { return asker.Count(on[day], history, ids) }
				reader.IDs(fresh[:], workload.Fresh+next*Asked)
				next++
				p.Fresh.Add(Asked, ask(fresh[:]))
				p.WindowChecks += int64(len(counting))
				p.WindowMisses += int64(len(counting) - ask(counting))
				p.Held += int64(len(counting))
				p.Bytes += int64(len(history))
				if len(old) > 0 {
					p.Expired.Add(len(old), ask(old))
				}
			}
		}
	})
}

// monthCounts measures all ways, and has a member for each.
var monthCounts = engine.Measurement[[]MonthCounts]{
	Name: "month", Users: monthUsersOf, Cost: 7000,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) ([]MonthCounts, error) {
		population := months(r.Seed, monthUsersOf(r.Scope))
		return shared.Collect(r, users, comparedWays(), func(way Way) (MonthCounts, error) {
			return MonthMeasure(ctx, r.Options, way, population, users)
		})
	},
}

// A monthTimed is what the lanes cost beside one filter, in turns.
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

// dayEnds times what the end of a day costs a reader of a full month: the masked clear, and the filter built anew from
// the log of the days that are left.
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

// rows are those of a day, with its rate by theory.
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

// rows are the times, and those of the lanes as multiples of one filter's.
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
