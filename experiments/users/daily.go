package users

import (
	"context"
	"slices"

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

// Daily simulates thirty days of reading: memory, false positives and repeats by day, with and without the 24 h rule.
var Daily = experiment.Experiment{
	Name: results.Daily, About: "thirty days of reading: memory and repeats shown with and without the 24 h rule",
	Needs: func(s engine.Scope) []engine.Task {
		tasks := shared.Tasks(shared.UnsampledEntries(s), shared.Daily)
		if _, ok := s.Entry(tried); ok {
			tasks = append(tasks, habits)
		}
		return tasks
	},
	Dimensions: []results.Dimension{by.Rule, by.Day, by.Activity, by.Sessions},
	Rows:       dailyRows, Figures: dailyFigures, Tables: dailyTables,
}

const days = shared.Days

// Values of the dimension Rule: whether idle users are forgotten.
var (
	ruled   = by.Rule.Is("24h")
	unruled = by.Rule.Is("none")
)

func dailyRows(r *engine.Run) (rows, timing []results.Row) {
	users := int64(r.Share(shared.DailyUsers(r.Scope)).Len())
	for _, e := range shared.UnsampledEntries(r.Scope) {
		c := shared.Daily(e).Of(r).Counts
		rows = append(rows, row.Number(e.Name, results.QUsers, "", float64(users)), kept(e.Name, c.Days[days-1].Kept))
		rows = slices.Concat(rows, regime(e.Name, c.Rule, ruled), regime(e.Name, c.NoRule, unruled), served(e.Name, c.Week))
		for i, d := range c.Days {
			rows = append(rows, ofDay(e.Name, d, users, by.Day.At(float64(i+1)))...)
		}
		rows = append(rows, row.Activity(e.Name, c.Rule, ruled)...)
	}
	if _, ok := r.Entry(tried); ok {
		for i, f := range habits.Of(r) {
			at := by.Sessions.At(sessions[i])
			rows = append(append(rows, kept(tried, f.Kept, at)), served(tried, f.Week, at)[:2]...)
		}
	}
	return rows, nil
}

// kept returns the row of bytes with the rule over bytes without it, with an interval clustered by user.
func kept(strategy string, r measure.Rate, where ...results.Condition) results.Row {
	return row.Rate(strategy, results.QPayloadKept, r).With(where...).Among(r.Users)
}

func regime(strategy string, r measure.Regime, rule results.Condition) []results.Row {
	return []results.Row{
		row.Number(strategy, results.QPayloadTotal, results.Bytes, float64(r.Payload)).With(rule).Among(r.Alive),
		row.Number(strategy, results.QUsersAlive, "", float64(r.Alive)).With(rule),
		row.Number(strategy, results.QInside, "", float64(r.WindowMisses)).With(rule).Expect(0).Among(r.WindowChecks),
	}
}

// served returns the rows of repeats, and of false positives behind them.
func served(strategy string, s measure.Served, where ...results.Condition) []results.Row {
	return []results.Row{
		row.Rate(strategy, results.QRepeatRate, s.Repeats).With(ruled).With(where...),
		row.Rate(strategy, results.QRepeatRate, s.RepeatsNoRule).With(unruled).With(where...),
		row.Rate(strategy, results.QFPR, s.Fresh).With(ruled).With(where...),
		row.Rate(strategy, results.QFPR, s.FreshNoRule).With(unruled).With(where...),
	}
}

// ofDay returns rows of what a day served and of the bytes at its end, over all users, with a history or without.
func ofDay(strategy string, d measure.Day, users int64, day results.Condition) []results.Row {
	bytes := func(sum int64, rule results.Condition) results.Row {
		r := row.Number(strategy, results.QBytesPerUser, results.Bytes, row.Mean(sum, users))
		return r.With(rule, day).Among(users)
	}
	return append([]results.Row{bytes(d.Kept.Hits, ruled), bytes(d.Kept.Queries, unruled), kept(strategy, d.Kept, day)},
		served(strategy, d.Served, day)...)
}

// tried is the strategy of users who come more or less often: its histories grow with what is read.
const tried = "queue"

// sessions lists how many sessions a day the median user begins.
var sessions = []float64{0.2, 0.4, 1, 2}

// A habit is thirty days of users who come more or less often.
type habit struct {
	Kept measure.Rate   `json:"kept"` // bytes with the rule among those without, at the end
	Week measure.Served `json:"week"` // the last seven days
}

// habits measures fewer users than the experiment, and still fewer if each comes more often.
var habits = engine.Measurement[[]habit]{
	Name: "daily-habits", Users: habitUsers, Cost: 600,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) ([]habit, error) {
		e, _ := r.Entry(tried)
		return shared.Collect(r, users, sessions, func(often float64) (found habit, err error) {
			c := r.Daily()
			n := max(1, int(often/c.Sessions))
			c.Sessions = often
			population, err := workload.NewDailyOf(c, r.Seed, habitUsers(r.Scope))
			if err != nil {
				return found, err
			}
			some := measure.Range{From: (users.From + n - 1) / n, To: (users.To + n - 1) / n}
			counts, _, err := measure.Daily(ctx, r.Subject(e), population, some, days, r.Options)
			return habit{counts.Days[days-1].Kept, counts.Week}, err
		})
	},
}

func habitUsers(s engine.Scope) int { return max(1, shared.DailyUsers(s)/40) }

// Queries of the figures: of all users by their activity, and of days.
var (
	ratesByActivity = results.Find(results.QFPR, ruled, by.Activity.Open())
	bytesByActivity = results.Find(results.QBytesPerUser, ruled, by.Activity.Open())
	bytesByDay      = results.Find(results.QBytesPerUser, by.Day.Open())
	repeatsByDay    = results.Find(results.QRepeatRate, by.Day.Open())
)

var dailyFigures = []plots.Figure{
	{
		Name: "daily", Experiment: results.Daily, Query: ratesByActivity, Build: byActivity,
		Title:   "False positives and memory after thirty days, by articles shown",
		Caption: "The false positive rate and the bytes of each strategy by how many articles a user was shown.",
	},
	{
		Name: "daily-idle", Experiment: results.Daily, Query: bytesByDay.With(ruled), Build: idle,
		Title: "Idle users forgotten, or not: memory and repeats by day",
		Caption: "Day by day, the memory of all users and the repeats that they are shown, where users are " +
			"forgotten after 24 idle hours and where nobody is.",
	},
}

func byActivity(d plots.Data) plots.Sheet {
	axis := plots.ActivityAxis("articles shown to a user", d.Find(ratesByActivity), d.Find(bytesByActivity))
	panel := func(title string, y plots.Axis, q results.Query) *plots.Panel {
		p := &plots.Panel{Title: title, X: axis, Y: y, Direct: true}
		for _, s := range d.Series(q) {
			positive := plots.Where(plots.ByBin(s.Points), func(p plots.Point) bool { return p.Y >= 1e-6 })
			if s.Points, s.Join = plots.ByBin(s.Points), true; len(positive) > 0 {
				s.Points = positive
			}
			p.Add(s)
		}
		return p
	}
	return plots.Sheet{
		Columns: 2, Height: 190, Panels: []*plots.Panel{
			panel("(a) False positives", plots.Axis{
				Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Percent,
			}, ratesByActivity),
			panel("(b) Memory", plots.Axis{Label: "bytes per user", Format: plots.Bytes}, bytesByActivity),
		},
		Note: "Users are grouped by the articles that they were shown, in powers of two; a mark is at the lower end of " +
			"its group. Whiskers: 95 % intervals. Rates below 0.0001 % are left out; none: all are below. Users idle for " +
			"24 hours are forgotten.",
	}
}

// The looks of a strategy with idle users forgotten, and with nobody forgotten.
func forgotten(name string, color plots.Color, mark plots.Mark) plots.Look {
	return plots.Look{Name: name + ", idle forgotten", Color: color, Mark: mark}
}

func unforgotten(name string, color plots.Color, mark plots.Mark) plots.Look {
	return plots.Look{Name: name + ", nobody forgotten", Color: color, Mark: mark.Hollow(), Dash: plots.Dash{4, 2}}
}

func idle(d plots.Data) plots.Sheet {
	panel := func(title, label string, format plots.Format, q results.Query) *plots.Panel {
		p := &plots.Panel{
			Title: title, X: plots.Axis{Label: "days", Max: 31, Labels: 4}, Y: plots.Axis{Label: label, Format: format},
		}
		p.Add(d.Joined(q.Of("queue").With(unruled), unforgotten("Queue", plots.Black, plots.Circle))...)
		p.Add(d.Joined(q.Of("queue").With(ruled), forgotten("Queue", plots.Black, plots.Circle))...)
		p.Add(d.Joined(q.Of("chain").With(unruled), unforgotten("Chain", plots.Green, plots.Diamond))...)
		p.Add(d.Joined(q.Of("chain").With(ruled), forgotten("Chain", plots.Green, plots.Diamond))...)
		for i := range p.Series {
			p.Series[i].Points = plots.FewDays(p.Series[i].Points)
		}
		return p
	}
	return plots.Sheet{
		Columns: 2, Height: 185, Panels: []*plots.Panel{
			panel("(a) Memory", "bytes per user", plots.Bytes, bytesByDay),
			panel("(b) Repeats", "repeats among articles shown", plots.Percent, repeatsByDay),
		},
		Note: "Filled: users idle for 24 hours are forgotten. Hollow: nobody is. Bytes are means over all users, " +
			"with a history or without.",
	}
}

var dailyTables = []text.Table{
	{
		Title: "Thirty days of reading, with the 24 h rule / without: at the end, and over the last seven days",
		Lines: results.Q("daily: payload kept"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Values("users with a history", both, "users alive at rule=24h", "users alive at rule=none"),
			text.Values("payload", both, "payload total at rule=24h", "payload total at rule=none"),
			text.Value("with the rule over without", "payload kept", text.Of),
			text.Values("FPR", both, "fpr at rule=24h", "fpr at rule=none"),
			text.Values("repeats shown of 1000",
				func(r ...results.Row) string { return text.PerThousand(r[0]) + " / " + text.PerThousand(r[1]) },
				"repeats per article shown at rule=24h", "repeats per article shown at rule=none"),
		},
	},
	{
		Title: "Bytes of a user by days gone by, with the 24 h rule / without; in brackets, repeats shown of 1000 " +
			"with the rule",
		Lines: results.Q("daily: bytes per user at rule=24h, day=1"),
		Columns: text.ByStrategy(by.Day, []string{"1", "2", "3", "7", "14", "21", "30"},
			func(r ...results.Row) string { return both(r...) + " [" + text.PerThousand(r[2]) + "]" },
			"bytes per user at rule=24h", "bytes per user at rule=none", "repeats per article shown at rule=24h"),
	},
	{
		Title: "Thirty days by the sessions a day of the median user: payload with the 24 h rule over without, and " +
			"repeats shown of 1000 with it",
		Lines: results.Q("daily: payload kept at sessions=0.2"),
		Columns: text.ByStrategy(by.Sessions, []string{"0.2", "0.4", "1", "2"},
			func(r ...results.Row) string { return text.Of(r[0]) + ", " + text.PerThousand(r[1]) },
			"payload kept", "repeats per article shown at rule=24h"),
	},
}

// both writes a number with the rule and without it.
func both(r ...results.Row) string { return text.Of(r[0]) + " / " + text.Of(r[1]) }
