// Package daily is thirty days of reading: memory, false positives and repeats by day, with and without the 24 h rule.
package daily

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// Experiment is daily.
var Experiment = experiment.Experiment{
	Name: results.Daily, About: "thirty days of reading: memory and repeats shown with and without the 24 h rule",
	Needs: func(s engine.Scope) []engine.Task {
		tasks := shared.DailyTasks(s)
		for _, h := range habits(s) {
			tasks = append(tasks, h.measured().Task())
		}
		return tasks
	},
	Dimensions: []results.Dimension{by.Rule, by.Day, by.Activity, by.Quantile, by.Share, by.Pause},
	Rows:       rows, Figures: shown.Figures, Tables: shown.Tables,
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
	more, err := habitRows(r)
	return append(rows, more...), timing, err
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

// A habit is what users of a strategy may do otherwise.
type habit struct {
	along    results.Dimension
	values   []float64
	change   func(*workload.DailyConfig, float64)
	strategy string
}

// habits are tried, where these run, with a strategy whose histories grow with what is read, and with one of one size.
func habits(s engine.Scope) (all []habit) {
	share := func(c *workload.DailyConfig, share float64) { c.Repeats = share }
	pause := func(c *workload.DailyConfig, pause float64) { c.PauseMean = int(pause) - c.LeastPause }
	for _, h := range []habit{
		{along: by.Share, values: []float64{0.05, 0.1, 0.2, 0.4}, change: share},
		{along: by.Pause, values: []float64{60, 180, 600, 1800}, change: pause}, // mean seconds between refreshes
	} {
		for _, h.strategy = range []string{"queue", "single"} {
			if _, ok := s.Entry(h.strategy); ok {
				all = append(all, h)
			}
		}
	}
	return all
}

// A HabitResult is thirty days with each value of a habit.
type HabitResult struct {
	Kept    []measure.Rate `json:"kept"`    // bytes with the rule among those without, at the end
	Repeats []measure.Rate `json:"repeats"` // among articles shown in the last week, with the rule
}

func habitUsers(s engine.Scope) int { return max(1, shared.DailyUsers(s)/20) }

func (h habit) measured() engine.Measurement[HabitResult] {
	return engine.Measurement[HabitResult]{
		Name: fmt.Sprintf("daily-%s-%s", h.along.Name, h.strategy), Users: habitUsers, Cost: 90 * float64(len(h.values)),
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (result HabitResult, err error) {
			e, _ := r.Entry(h.strategy)
			for _, v := range h.values {
				config := r.Daily()
				h.change(&config, v)
				population, err := workload.NewDailyOf(config, r.Seed, habitUsers(r.Scope))
				if err != nil {
					return result, err
				}
				counts, _, err := measure.Daily(ctx, r.Subject(e), population, users, days, r.Options)
				if err != nil {
					return result, err
				}
				result.Kept = append(result.Kept, counts.Days[days-1].Kept)
				result.Repeats = append(result.Repeats, counts.Week.Repeats)
			}
			return result, nil
		},
	}
}

func habitRows(r *engine.Run) (rows []results.Row, err error) {
	for _, h := range habits(r.Scope) {
		result, err := h.measured().Of(r)
		if err != nil {
			return nil, err
		}
		for i, v := range h.values {
			at := h.along.At(v)
			repeats := rate(h.strategy, results.QRepeatRate, result.Repeats[i], ruled, at)
			rows = append(rows, kept(h.strategy, result.Kept[i], at), repeats)
		}
	}
	return rows, nil
}

//go:embed figures.toml
var declared string

// shown are thirty days by activity, which has a heavy tail, and what it saves and costs to forget idle users.
var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"daily": byActivity, "daily-idle": idle},
	Shows: text.Shows{
		"both":              func(r ...results.Row) string { return text.Of(r[0]) + " / " + text.Of(r[1]) },
		"both per thousand": func(r ...results.Row) string { return perThousand(r[0]) + " / " + perThousand(r[1]) },
		"both and repeats": func(r ...results.Row) string {
			return fmt.Sprintf("%s / %s [%s]", text.Of(r[0]), text.Of(r[1]), perThousand(r[2]))
		},
		"two":              func(r ...results.Row) string { return text.Of(r[0]) + ", " + text.Of(r[1]) },
		"kept and repeats": func(r ...results.Row) string { return text.Of(r[0]) + ", " + perThousand(r[1]) },
	},
})

func perThousand(r results.Row) string { return fmt.Sprintf("%.3g", 1000*r.Value.Or(0)) }

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
	var habits []string
	for _, one := range s.Panels[3].Series {
		habits = append(habits, strings.ToLower(one.Look.Name))
	}
	of := "" // who was tried with other habits
	if habits != nil {
		of = ", of " + strings.Join(habits, " and ")
	}
	s.Note = strings.Replace(s.Note, ", of queue and single filter", of, 1)
}
