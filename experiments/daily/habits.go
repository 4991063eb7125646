package daily

import (
	"context"
	"fmt"

	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// A habit is what users of the population may do otherwise.
type habit struct {
	name, says    string
	kept, repeats string // quantities
	values        []float64
	change        func(*workload.DailyConfig, float64)
}

var habits = []habit{
	{
		"share", "the share of candidates that come back", results.QKeptByShare, results.QRepeatsByShare,
		[]float64{0.05, 0.1, 0.2, 0.4},
		func(c *workload.DailyConfig, share float64) { c.Repeats = share },
	},
	{
		"pause", "the mean pause between refreshes, in seconds", results.QKeptByPause, results.QRepeatsByPause,
		[]float64{60, 180, 600, 1800},
		func(c *workload.DailyConfig, pause float64) { c.PauseMean = int(pause) - c.LeastPause },
	},
}

// remembered are the strategies whose users have other habits: one whose histories grow
// with what is read, and one whose histories have one size.
var remembered = []string{"queue", "single"}

// A HabitResult is thirty days with each value of a habit.
type HabitResult struct {
	Kept    []measure.Rate `json:"kept"`    // bytes with the rule among those without, at the end
	Repeats []measure.Rate `json:"repeats"` // among articles shown in the last week, with the rule
}

// habitUsers is how many users have each value of a habit.
func habitUsers(s run.Scope) int { return max(1, shared.DailyUsers(s)/20) }

// others is thirty days of users with other habits.
func others(h habit, strategy string) run.Measurement[HabitResult] {
	return run.Measurement[HabitResult]{
		Name: fmt.Sprintf("daily-%s-%s", h.name, strategy), Users: habitUsers, Cost: 90 * float64(len(h.values)),
		Make: func(ctx context.Context, r *run.Run, users measure.Range) (result HabitResult, err error) {
			e, _ := r.Entry(strategy)
			subject, err := r.Subject(e)
			if err != nil {
				return result, err
			}
			for _, v := range h.values {
				config := r.Daily()
				h.change(&config, v)
				population, err := workload.NewDailyOf(config, r.Seed, habitUsers(r.Scope))
				if err != nil {
					return result, err
				}
				counts, _, err := measure.Daily(ctx, subject, population, users, days, r.Options)
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

// each calls do for every habit and strategy that runs.
func each(s run.Scope, do func(h habit, strategy string) error) error {
	for _, h := range habits {
		for _, strategy := range remembered {
			if _, ok := s.Entry(strategy); !ok {
				continue
			}
			if err := do(h, strategy); err != nil {
				return err
			}
		}
	}
	return nil
}

func habitTasks(s run.Scope) (tasks []run.Task) {
	_ = each(s, func(h habit, strategy string) error {
		tasks = append(tasks, others(h, strategy).Task())
		return nil
	})
	return tasks
}

func habitRows(r *run.Run) (rows []results.Row, err error) {
	err = each(r.Scope, func(h habit, strategy string) error {
		result, err := others(h, strategy).Of(r)
		if err != nil {
			return err
		}
		for i, v := range h.values {
			rows = append(rows, share(strategy, h.kept, result.Kept[i]).At(v), row.Rate(results.Daily, strategy, h.repeats, result.Repeats[i]).At(v))
		}
		return nil
	})
	return rows, err
}

func habitTables(c results.Cells) (tables []results.Table) {
	for _, h := range habits {
		var columns []string
		for _, v := range h.values {
			columns = append(columns, results.Num(v).String())
		}
		tables = append(tables, text.ByStrategy(c, "Thirty days by "+h.says+": payload with the 24 h rule over without, and repeats shown of 1000 with it",
			results.Daily, h.kept, remembered, columns, func(r results.Row) string {
				repeats, _ := c.Find(results.Daily, r.Strategy, r.X.String(), h.repeats)
				return text.Of(r) + ", " + perThousand(repeats)
			}))
	}
	return tables
}
