package delivery

import (
	"context"
	"fmt"
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
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/plots"
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
	days     = 30                     // an article must be remembered, the day it was shown included
	end      = 61                     // days that users live: two months, and a day of the third
	fresh    = 500                    // fresh candidates at a day's end
	expired  = 50                     // expired articles at a day's end
	articles = days * workload.PerDay // of a month
)

// Names of ways. A single filter as long as all lanes is rebuilt every night, as in the lecture, or never.
const (
	lanesName    = results.Beyond + "daily"
	layersName   = results.Beyond + "layered"
	asLong       = "one filter, as long as the layers"
	rebuilt      = "one filter, rebuilt nightly"
	neverRebuilt = "one filter, never rebuilt"
)

// grid lists after how many days users are asked.
var grid = []int{1, 5, 10, 15, 20, 25, 30, 31, 35, 40, 45, 50, 55, 60, 61}

// monthUsers returns the number of users of each way.
func monthUsers(s engine.Scope) int { return max(50, s.Users/20_000) }

func months(seed uint64, users int) workload.Month {
	return catalogue.Must(workload.NewMonth(seed, users))
}

// A way is a way to remember a month of exposures, with its theory.
type way struct {
	name     string
	strategy strategies.Strategy        // as it is on a day if it is strategies.Dated
	nightly  bool                       // the history is rebuilt before a day's first request, from a log of the month
	forgets  bool                       // days older than the month do not count
	fpr      func(perDay []int) float64 // by the articles of each day that counts
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

// theory returns the rate after n days.
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

// published returns the expected rate on the last day if a filter is rebuilt from the articles that were published in
// the last 30 days. ages lists for each age in days how many of some articles have that age when they are shown.
func published(population workload.Month, ages []int) float64 {
	rebuilt, all := 0, float64(row.Sum(ages))
	for later := range days {
		of := float64(population.Articles(end - 1 - later))
		rebuilt += int(math.Round(of * float64(row.Sum(ages[:days-later])) / all))
	}
	return one(catalogue.Must(daylanes.New(daylanes.Month)).One(articles)).FPR(rebuilt)
}

// fewerByDay returns ages by which an article a day older is shown four fifths as often.
func fewerByDay() []int {
	ages := []int{1 << 20}
	for len(ages) < days {
		ages = append(ages, ages[len(ages)-1]*4/5)
	}
	return ages
}

// A point has the counts after a number of days in grid.
type point struct {
	Fresh   measure.Rate `json:"fresh"`   // false positives among fresh candidates
	Expired measure.Rate `json:"expired"` // articles older than the month recognised
	Bytes   int64        `json:"bytes"`   // lengths of histories, summed

	WindowChecks int64 `json:"window_checks"` // articles of the month, all of them asked for
	WindowMisses int64 `json:"window_misses"`
}

// measureMonth shows each of these users two months of articles, day by day, and asks at the end of each day in grid:
// for fresh articles, for all articles of the month, and for older ones.
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
					continue // what is built for this day is asked for nothing
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
				if len(past) >= expired { // some neighbours of these
					from := picks.At(day, len(past)-expired+1)
					p.Expired.Add(expired, asker.Count(on, history, past[from:from+expired]))
				}
			}
		}
	})
}

// monthCounts measures all ways.
var monthCounts = engine.Measurement[[][]point]{
	Name: "month", Users: monthUsers, Cost: 4000,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) ([][]point, error) {
		population := months(r.Seed, monthUsers(r.Scope))
		return shared.Collect(r, users, ways(), func(w way) ([]point, error) {
			return measureMonth(ctx, r.Options, w, population, users)
		})
	},
}

// A spread is a Dated strategy at the end of a full month. It spreads a newcomer's articles over the days.
type spread struct {
	strategies.Strategy // as it is on the month's last day
	dated               strategies.Dated
}

// fullMonth returns a strategy whose histories are full after a month of workload.PerDay articles a day, on the last
// day.
func fullMonth(dated strategies.Dated) strategies.Strategy { return spread{dated.On(days - 1), dated} }

// Record spreads a newcomer's articles over the days.
func (s spread) Record(history []byte, shown []strategies.ID) []byte {
	if len(history) > 0 {
		return s.Strategy.Record(history, shown)
	}
	for day := range days {
		history = s.dated.On(day).Record(history, shown[day*workload.PerDay:][:workload.PerDay])
	}
	return history
}

// A monthTimed has times of the lanes and of one filter, taken in turns.
type monthTimed struct {
	Requests shared.HotRound     // by sizes
	Ends     []stopwatch.Latency // of a day: the lanes', and one filter's
}

// monthTimes times requests to a full month, of the candidates at the lecture's scale and of fewer, and a day's end.
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
			lanes.Expire(history, days)
			copy(history[len(history)-len(header):], header) // the day is there again, blank
		},
		func() { filter = daylanes.Rebuild(one, filter, log[1:]) },
	}, []int{200, 5})
}

func monthRows(r *engine.Run) (rows, timing []results.Row) {
	population, all := months(r.Seed, 1), monthCounts.Of(r)
	expected := func(name string, day int, fpr float64) results.Row {
		return row.Theory(name, results.QFPR, results.Ratio, fpr).With(by.Day.At(float64(day)))
	}
	for i, w := range ways() {
		for day := 1; day <= end; day++ {
			r := expected(w.name, day, w.theory(population, day))
			rows = append(rows, r.With(by.Formula.Is(results.ExactFormula)))
		}
		for j, p := range all[i] {
			rows = append(rows, w.rows(p, grid[j], w.theory(population, grid[j]))...)
		}
	}
	rows = append(rows,
		expected(rebuilt+" by publication, read evenly", end, published(population, slices.Repeat([]int{1}, days))),
		expected(rebuilt+" by publication, read lately", end, published(population, fewerByDay())))
	return rows, monthTimes.Of(r).rows()
}

// rows returns the rows of a day; fpr is its expected rate.
func (w way) rows(p point, day int, fpr float64) (rows []results.Row) {
	add := func(r results.Row, theory float64) {
		rows = append(rows, r.With(by.Day.At(float64(day))).Expect(theory))
	}
	bytes := row.Number(w.name, results.QBytesPerUser, results.Bytes, row.Mean(p.Bytes, p.Fresh.Users))
	misses := row.Number(w.name, results.QInside, "", float64(p.WindowMisses))
	add(row.Rate(w.name, results.QFPR, p.Fresh), fpr)
	add(bytes.Among(p.Fresh.Users), float64(w.bytes(day)))
	add(misses.Among(p.WindowChecks), 0)
	if p.Expired.Queries > 0 {
		if !w.forgets {
			fpr = 1
		}
		add(row.Rate(w.name, results.QExpired, p.Expired), fpr)
	}
	return rows
}

// rows returns the times, and the ratio of one to the other.
func (t monthTimed) rows() (timing []results.Row) {
	for j, lanes := range t.Requests.Of(lanesName) {
		filter := t.Requests.Of(rebuilt)[j]
		timing = append(timing,
			row.Time(lanesName, results.QQueryNanos, lanes, float64(lanes.Candidates)),
			row.Time(rebuilt, results.QQueryNanos, filter, float64(filter.Candidates)),
			row.Over(lanesName, results.QTimeRatio, lanes, filter).With(by.Over.Is("rebuilt nightly")))
	}
	noRequest := by.Candidates.Is("")
	return append(timing,
		row.Time(lanesName, results.QDayEnd, t.Ends[0], 1).With(noRequest),
		row.Time(rebuilt, results.QDayEnd, t.Ends[1], 1).With(noRequest),
		row.Over(rebuilt, results.QTimeRatio, t.Ends[1], t.Ends[0]).With(noRequest, by.Over.Is(lanesName)))
}

var byDay = results.Find(results.QFPR, by.Day.Open())

var monthFigures = []plots.Figure{{
	Name: "month", Experiment: results.Month, Query: byDay, Strategies: plots.None, Build: twoMonths,
	Title: "A month of articles: false positives, and older articles still recognised",
	Caption: "Several thousand articles a month: false positives and what is still recognised of older days, for " +
		"lanes by the day and for one filter of the same bytes, rebuilt every night or never.",
	Looks: map[string]plots.Look{
		rebuilt: {
			Name: "One filter, rebuilt nightly", Color: plots.Vermillion, Dash: plots.Dash{6, 2}, Mark: plots.Square.Hollow(),
		},
		neverRebuilt: {Name: "One filter, never rebuilt", Color: plots.Vermillion, Mark: plots.Square},
	},
}}

// twoMonths draws four ways under the names that figures give to strategies.
func twoMonths(d plots.Data) plots.Sheet {
	ways := []string{"layered", "daily", neverRebuilt, rebuilt}
	rates := &plots.Panel{
		Title: "(a) False positive rate", X: plots.Axis{Label: "days", Labels: 5},
		Y:      plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-5, Max: 1, Format: plots.Percent},
		Guides: []plots.Guide{{At: days, Label: "a month", Vertical: true}}, Direct: true,
	}
	for _, way := range ways {
		for _, s := range d.Series(byDay.Of(way), byDay.With(by.Formula.Is(results.ExactFormula)).Of(way)) {
			s = s.Change(plots.Alone).Change(func(points []plots.Point) []plots.Point {
				return plots.Where(points, func(p plots.Point) bool { return p.Y >= 1e-5 })
			})
			s.Points = plots.Where(s.Points, func(p plots.Point) bool { return int(p.X)%5 == 0 })
			rates.Add(s)
		}
	}
	recognised := &plots.Panel{Title: "(b) Articles of earlier months", X: plots.Axis{
		Label: "still recognised", Format: plots.Percent, Labels: 3, Told: true,
	}}
	last := results.Q("expired recognised at day=61")
	return plots.Sheet{
		Columns: 2, Height: 200,
		Panels: []*plots.Panel{rates, recognised.Bars(d.Ranked(last, ways...), d.Find(last), d.Look)},
		Note: "Lines in (a): theory, day by day; marks: measured, every five days from the first false positives on. " +
			"Daily lanes: a filter a day, the oldest cleared for the next. Layered: a filter for a day, one for a week " +
			"and one for all time. (b): on the last day; what lanes and the rebuilt filter still recognise are false " +
			"positives. Lanes and the filters take the same bytes after a month. A day brings 120 to 210 articles.",
	}
}

var monthTables = []text.Table{
	{
		Title: "Two months at 150 articles a day, forgotten after 30 days: false positive rate after this many " +
			"days [theory]",
		Lines: results.Q("month: bytes per user at day=61"),
		Columns: slices.Concat(
			[]text.Column{text.Strategy("strategy")},
			text.Each("fpr", by.Day, text.WithTheory, "1", "10", "20", "30", "31", "40", "50", "60", "61"),
			[]text.Column{
				text.Value("bytes at last", "bytes per user at day=61", text.Of),
				text.Value("older ones recognised", "expired recognised at day=61",
					func(r results.Row) string { return fmt.Sprintf("%.3g %%", 100*r.Value.Or(0)) }),
			},
		),
	},
	{
		Title: "What a month costs: a candidate of a request, and the end of a day (the lanes' time over the filter's, " +
			"and the filter's over the lanes')",
		Lines: results.Q("month: day end time"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			timed("400 candidates", "ns per candidate at candidates=400", "time ratio at candidates=400, over=rebuilt nightly"),
			timed("4000 candidates", "ns per candidate at candidates=4000",
				"time ratio at candidates=4000, over=rebuilt nightly"),
			timed("end of a day", "day end time", "time ratio at over=beyond/daily"),
		},
	},
}

// timed returns a column of times with, in brackets, their ratios if known.
func timed(header, time, ratio string) text.Column {
	return text.Values(header, func(r ...results.Row) string {
		said := text.Of(r[0])
		if v, ok := r[0].Value.Get(); ok && v < 100 {
			said = fmt.Sprintf("%.1f ns", v)
		}
		if r[1].Value.IsSet() {
			said += " (" + text.Ratio(r[1]) + ")"
		}
		return said
	}, time, ratio)
}
