package users

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// Daily simulates thirty days of reading: memory, false positives and repeats by day, with and without the 24 h rule.
var Daily = experiment.Experiment{
	Name: results.Daily, About: "thirty days of reading: memory and repeats shown with and without the 24 h rule",
	Needs: func(s engine.Scope) []engine.Task {
		tasks := shared.DailyTasks(s)
		if _, ok := s.Entry(tried); ok {
			tasks = append(tasks, dailyGrid)
		}
		return tasks
	},
	Dimensions: []results.Dimension{
		by.Rule, by.Day, by.Activity, by.Quantile,
		by.Sessions, by.Hours, by.Rhythm, by.Octave, by.Share, by.Pause, by.Statistic,
	},
	Rows: dailyRows, Figures: dailyFigures, Tables: dailyTables,
}

const days = shared.Days

// Values of the dimension Rule: whether idle users are forgotten.
var (
	ruled   = by.Rule.Is("24h")
	unruled = by.Rule.Is("none")
)

func dailyRows(r *engine.Run) (rows, timing []results.Row, err error) {
	rows, timing, err = shared.ByEntry(shared.UnsampledEntries, shared.Daily, ofEntry)(r)
	if err != nil {
		return nil, nil, err
	}
	if _, ok := r.Entry(tried); !ok {
		return rows, timing, nil
	}
	found, err := dailyGrid.Of(r)
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

// kept returns the row of bytes with the rule over bytes without it, with an interval clustered by user.
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

// byDay returns rows of what each day served and of the bytes at its end, over all users, with a history or without.
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

// quantiles returns quantiles over users with a history at the end: of its length and of its expected rate.
func quantiles(strategy string, s measure.Subject, r measure.Regime, rule results.Condition) (rows []results.Row) {
	for _, q := range []struct {
		quantity, unit string
		of             func(held int) float64
	}{
		{results.QFPR, results.Ratio, s.Theory.FPR},
		{results.QBytesPerUser, results.Bytes, func(held int) float64 { return float64(s.Theory.Bytes(held)) }},
	} {
		users := map[float64]int64{} // by the expected value
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

// tried is the strategy of the grid: its histories grow with what is read.
const tried = "queue"

// habits describe what users do, and when.
type habits struct {
	workload.DailyConfig
	hours, rhythm, pause float64 // pause is the mean number of seconds between refreshes
}

// A factor is a habit and its unusual values.
type factor struct {
	along  results.Dimension
	of     func(*habits) *float64
	values []float64
}

var (
	sessions = factor{by.Sessions, func(h *habits) *float64 { return &h.Sessions }, []float64{0.2, 1, 2}}
	hours    = factor{by.Hours, func(h *habits) *float64 { return &h.hours }, []float64{2, 6}}
	rhythm   = factor{by.Rhythm, func(h *habits) *float64 { return &h.rhythm }, []float64{4, 16}}
	octave   = factor{by.Octave, func(h *habits) *float64 { return &h.Octave }, []float64{0.5, 2}}
	share    = factor{by.Share, func(h *habits) *float64 { return &h.Repeats }, []float64{0.05, 0.1, 0.4}}
	pause    = factor{by.Pause, func(h *habits) *float64 { return &h.pause }, []float64{60, 600, 1800}}

	factors = []factor{sessions, hours, rhythm, octave, share, pause}
)

// A point of the grid is habits, with the conditions of its rows for those that are unusual.
type point struct {
	habits
	changed results.Conditions
}

func (p point) with(f factor, value float64) point {
	*f.of(&p.habits) = value
	p.changed = p.changed.With(f.along.At(value))
	return p
}

// at returns the conditions of its rows. The usual habits have rows at a value of every factor.
func (p point) at() (all []results.Conditions) {
	if p.changed != "" {
		return []results.Conditions{p.changed}
	}
	for _, f := range factors {
		all = append(all, results.Where(f.along.At(*f.of(&p.habits))))
	}
	return all
}

// points returns the usual habits, each unusual value alone, and four corners: users who come seldom or often, in two
// hours of the day, with few early repeats or many late ones.
func points(usual workload.DailyConfig) []point {
	base := point{habits: habits{usual, 24, 1, float64(usual.LeastPause + usual.PauseMean)}}
	all := []point{base}
	for _, f := range factors {
		for _, v := range f.values {
			if v != *f.of(&base.habits) {
				all = append(all, base.with(f, v))
			}
		}
	}
	for _, often := range []float64{0.2, 2} {
		corner := base.with(sessions, often).with(hours, 2)
		all = append(all, corner.with(octave, 0.5).with(share, 0.05), corner.with(octave, 2).with(share, 0.4))
	}
	return all
}

// among returns the users of a point: fewer if each comes more often, for the same number of sessions in all.
func (p point) among(users measure.Range, usual workload.DailyConfig) measure.Range {
	n := max(1, int(p.Sessions/usual.Sessions))
	return measure.Range{From: (users.From + n - 1) / n, To: (users.To + n - 1) / n}
}

// Found is thirty days at a point of the grid.
type Found struct {
	Kept measure.Rate   `json:"kept"` // bytes with the rule among those without, at the end
	Week measure.Served `json:"week"` // the last seven days
}

// dailyGrid measures fewer users than the experiment.
var dailyGrid = engine.Measurement[[]Found]{
	Name: "daily-grid", Users: gridUsers, Cost: 3000,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) ([]Found, error) {
		e, _ := r.Entry(tried)
		return shared.Collect(r, users, points(r.Daily()), func(p point) (found Found, err error) {
			p.PauseMean = int(p.pause) - p.LeastPause
			population, err := workload.NewDailyOf(p.DailyConfig, r.Seed, gridUsers(r.Scope))
			if err != nil {
				return found, err
			}
			if population, err = population.Habitual(int(p.hours), int(p.rhythm)); err != nil {
				return found, err
			}
			counts, _, err := measure.Daily(ctx, r.Subject(e), population, p.among(users, r.Daily()), days, r.Options)
			return Found{counts.Days[days-1].Kept, counts.Week}, err
		})
	},
}

func gridUsers(s engine.Scope) int { return max(1, shared.DailyUsers(s)/40) }

// gridRows returns the rows of all points, and the least and the greatest of them.
func gridRows(points []point, found []Found) (rows []results.Row) {
	var all [3][]results.Row // by what is said of a point
	for i, f := range found {
		for j, r := range []results.Row{
			kept(tried, f.Kept), rate(tried, results.QRepeatRate, f.Week.Repeats, ruled),
			rate(tried, results.QRepeatRate, f.Week.RepeatsNoRule, unruled),
		} {
			all[j] = append(all[j], r)
			for _, at := range points[i].at() {
				rows = append(rows, r.With(at.List()...))
			}
		}
	}
	for _, of := range all {
		slices.SortFunc(of, func(a, b results.Row) int { return cmp.Compare(a.Value.Or(0), b.Value.Or(0)) })
		rows = append(rows, of[0].With(by.Statistic.Is("least")), of[len(of)-1].With(by.Statistic.Is("most")))
	}
	return rows
}
