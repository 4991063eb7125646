// Package daily is thirty days of reading: memory, false positives and repeats by day, with and without the 24 h rule.
package daily

import (
	_ "embed"
	"maps"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Experiment is daily.
var Experiment = experiment.Experiment{
	Name: results.Daily, About: "thirty days of reading: memory and repeats shown with and without the 24 h rule",
	Needs: func(s engine.Scope) []engine.Task {
		tasks := shared.DailyTasks(s)
		if _, ok := s.Entry(tried); ok {
			tasks = append(tasks, grid.Task())
		}
		return tasks
	},
	Dimensions: []results.Dimension{
		by.Rule, by.Day, by.Activity, by.Quantile,
		by.Sessions, by.Hours, by.Rhythm, by.Octave, by.Share, by.Pause, by.Statistic,
	},
	Rows: rows, Figures: shown.Figures, Tables: shown.Tables,
}

const days = shared.Days

// Values of the dimension Rule: whether idle users are forgotten.
var (
	ruled   = by.Rule.Is("24h")
	unruled = by.Rule.Is("none")
)

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	rows, timing, err = shared.ByEntry(shared.UnsampledEntries, shared.Daily, ofEntry)(r)
	if err != nil {
		return nil, nil, err
	}
	if _, ok := r.Entry(tried); !ok {
		return rows, timing, nil
	}
	found, err := grid.Of(r)
	return append(rows, gridRows(points(r.Daily()), found)...), timing, err
}

func ofEntry(r *engine.Run, e catalogue.Entry, d shared.DailyResult) (rows, timing []results.Row, err error) {
	c, subject, users := d.Counts, r.Subject(e), r.Share(shared.DailyUsers(r.Scope)).Len()
	rows = slices.Concat(
		[]results.Row{number(e.Name, results.QUsers, "", float64(users)), kept(e.Name, c.Days[days-1].Kept)},
		regime(e.Name, c.Rule, ruled), regime(e.Name, c.NoRule, unruled),
		served(e.Name, c.Week), byDay(e.Name, c.Days, int64(users)),
		row.Activity(results.Daily, e.Name, c.Rule, ruled),
		quantiles(e.Name, subject, c.Rule, ruled), quantiles(e.Name, subject, c.NoRule, unruled))
	slabs := number(e.Name, results.QStoreTotal, results.Bytes, float64(d.Machine.Slabs)).Among(c.Rule.Alive)
	return rows, []results.Row{slabs}, nil
}

func number(strategy, quantity, unit string, value float64, where ...results.Condition) results.Row {
	return row.Number(results.Daily, strategy, quantity, unit, value).With(where...)
}

func rate(strategy, quantity string, r measure.Rate, where ...results.Condition) results.Row {
	return row.Rate(results.Daily, strategy, quantity, r).With(where...)
}

// kept is bytes with the rule over those without it, whose interval is clustered by user like that of any rate.
func kept(strategy string, r measure.Rate, where ...results.Condition) results.Row {
	return rate(strategy, results.QPayloadKept, r, where...).Among(r.Users)
}

func regime(strategy string, r measure.Regime, rule results.Condition) []results.Row {
	return []results.Row{
		number(strategy, results.QPayloadTotal, results.Bytes, float64(r.Payload), rule).Among(r.Alive),
		number(strategy, results.QUsersAlive, "", float64(r.Alive), rule),
		number(strategy, results.QInside, "", float64(r.WindowMisses), rule).Expect(0).Among(r.WindowChecks),
	}
}

func served(strategy string, s measure.Served, where ...results.Condition) []results.Row {
	return []results.Row{
		rate(strategy, results.QRepeatRate, s.Repeats, ruled).With(where...),
		rate(strategy, results.QRepeatRate, s.RepeatsNoRule, unruled).With(where...),
		rate(strategy, results.QFPR, s.Fresh, ruled).With(where...),
		rate(strategy, results.QFPR, s.FreshNoRule, unruled).With(where...),
	}
}

// byDay is what each day served, and what its end found. Bytes are of all users, also of those without a history.
func byDay(strategy string, all []measure.Day, users int64) (rows []results.Row) {
	for i, d := range all {
		day := by.Day.At(float64(i + 1))
		bytes := func(sum int64, rule results.Condition) results.Row {
			return number(strategy, results.QBytesPerUser, results.Bytes, row.Mean(sum, users), rule, day).Among(users)
		}
		rows = append(rows, bytes(d.Kept.Hits, ruled), bytes(d.Kept.Queries, unruled), kept(strategy, d.Kept, day))
		rows = append(rows, served(strategy, d.Served, day)...)
	}
	return rows
}

// quantiles is the distribution, over users with a history at the end, of its length and of the rate expected of it.
func quantiles(strategy string, s measure.Subject, r measure.Regime, rule results.Condition) (rows []results.Row) {
	for _, q := range []struct {
		quantity, unit string
		of             func(held int) float64
	}{
		{results.QFPR, results.Ratio, s.Theory.FPR},
		{results.QBytesPerUser, results.Bytes, func(held int) float64 { return float64(s.Theory.Bytes(held)) }},
	} {
		users := map[float64]int64{} // by what theory expects of their histories
		for held, n := range r.Held {
			if held > 0 && n > 0 {
				users[q.of(held)] += n
			}
		}
		total := row.Sum(slices.Collect(maps.Values(users)))
		values := slices.Sorted(maps.Keys(users))
		for _, level := range []float64{0.5, 0.9, 0.99, 0.999} {
			below := int64(0)
			for _, v := range values {
				if below += users[v]; float64(below) >= level*float64(total) {
					rows = append(rows, number(strategy, q.quantity, q.unit, v, rule, by.Quantile.At(level)).Among(total))
					break
				}
			}
		}
	}
	return rows
}

//go:embed figures.toml
var declared string

// shown are thirty days by activity, which has a heavy tail, and what it saves and costs to forget idle users.
var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"daily": byActivity, "daily-idle": idle},
})

func byActivity(d plots.Data, s *plots.Sheet) {
	readers := d.Find(results.Find(results.QUsers, by.Activity.Open()))
	axis := plots.ActivityAxis("articles recorded over the run", readers,
		d.Find(results.Find(results.QFPR, ruled, by.Activity.Open())),
		d.Find(results.Find(results.QBytesPerUser, ruled, by.Activity.Open())))
	for _, p := range s.Panels {
		p.X = axis
	}
	if len(readers) > 0 {
		// Every strategy meets the same population; the first row set shows it.
		points := plots.ByBin(readers[0].Points())
		s.Panels[0].Add(plots.Series{Look: plots.Look{Color: plots.Grey}, Points: points, Join: true, Unnamed: true})
	}
}

// idle adds the bytes of each strategy, where idle users are forgotten and where nobody is.
func idle(d plots.Data, s *plots.Sheet) {
	byDay := results.Find(results.QBytesPerUser, by.Day.Open())
	free := d.Find(byDay.With(unruled))
	for _, g := range d.Find(byDay.With(ruled)) {
		look, all := d.Look(g.Strategy), free.Of(g.Strategy).Points()
		s.Panels[0].Add(
			plots.Series{Look: look, Points: plots.FewDays(g.Points()), Join: true},
			plots.Series{Look: look.Hollow(), Points: plots.FewDays(all), Join: true, Unnamed: true})
	}
}
