package daily

import (
	"context"
	"fmt"

	"dejavu/experiments/engine"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// A habit is what users of the population may do otherwise.
type habit struct {
	along  results.Dimension
	values []float64
	change func(*workload.DailyConfig, float64)
}

var habits = []habit{
	{
		by.Share, []float64{0.05, 0.1, 0.2, 0.4},
		func(c *workload.DailyConfig, share float64) { c.Repeats = share },
	},
	{
		by.Pause, []float64{60, 180, 600, 1800},
		func(c *workload.DailyConfig, pause float64) { c.PauseMean = int(pause) - c.LeastPause },
	},
}

// remembered are the strategies whose users have other habits: one whose histories grow with what is read,
// and one whose histories have one size.
var remembered = []string{"queue", "single"}

// A HabitResult is thirty days with each value of a habit.
type HabitResult struct {
	Kept    []measure.Rate `json:"kept"`    // bytes with the rule among those without, at the end
	Repeats []measure.Rate `json:"repeats"` // among articles shown in the last week, with the rule
}

// habitUsers is how many users have each value of a habit.
func habitUsers(s engine.Scope) int { return max(1, shared.DailyUsers(s)/20) }

// others is thirty days of users with other habits.
func others(h habit, strategy string) engine.Measurement[HabitResult] {
	return engine.Measurement[HabitResult]{
		Name: fmt.Sprintf("daily-%s-%s", h.along.Name, strategy), Users: habitUsers, Cost: 90 * float64(len(h.values)),
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (result HabitResult, err error) {
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

// A trial is a habit of a strategy's users.
type trial struct {
	habit
	strategy string
	measured engine.Measurement[HabitResult]
}

// trials are those of the strategies that run.
func trials(s engine.Scope) (all []trial) {
	for _, h := range habits {
		for _, strategy := range remembered {
			if _, ok := s.Entry(strategy); ok {
				all = append(all, trial{h, strategy, others(h, strategy)})
			}
		}
	}
	return all
}

func habitTasks(s engine.Scope) (tasks []engine.Task) {
	for _, t := range trials(s) {
		tasks = append(tasks, t.measured.Task())
	}
	return tasks
}

func habitRows(r *engine.Run) (rows []results.Row, err error) {
	for _, t := range trials(r.Scope) {
		result, err := t.measured.Of(r)
		if err != nil {
			return nil, err
		}
		for i, v := range t.values {
			rows = append(rows,
				kept(t.strategy, result.Kept[i], t.along.At(v)),
				rate(t.strategy, results.QRepeatRate, result.Repeats[i], ruled, t.along.At(v)))
		}
	}
	return rows, nil
}
