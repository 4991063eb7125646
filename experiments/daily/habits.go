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

// A habit is what users of a strategy may do otherwise.
type habit struct {
	along    results.Dimension
	values   []float64
	change   func(*workload.DailyConfig, float64)
	strategy string
}

// habits are tried with a strategy whose histories grow with what is read, and with one whose histories have one
// size, where these run.
func habits(s engine.Scope) (all []habit) {
	share := func(c *workload.DailyConfig, share float64) { c.Repeats = share }
	pause := func(c *workload.DailyConfig, pause float64) { c.PauseMean = int(pause) - c.LeastPause }
	for _, h := range []habit{
		{along: by.Share, values: []float64{0.05, 0.1, 0.2, 0.4}, change: share},
		{along: by.Pause, values: []float64{60, 180, 600, 1800}, change: pause}, // mean seconds between refreshes
	} {
		for _, strategy := range []string{"queue", "single"} {
			if _, ok := s.Entry(strategy); ok {
				h.strategy = strategy
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

func habitTasks(s engine.Scope) (tasks []engine.Task) {
	for _, h := range habits(s) {
		tasks = append(tasks, h.measured().Task())
	}
	return tasks
}

func habitRows(r *engine.Run) (rows []results.Row, err error) {
	for _, h := range habits(r.Scope) {
		result, err := h.measured().Of(r)
		if err != nil {
			return nil, err
		}
		for i, v := range h.values {
			at := h.along.At(v)
			rows = append(rows,
				kept(h.strategy, result.Kept[i], at), rate(h.strategy, results.QRepeatRate, result.Repeats[i], ruled, at))
		}
	}
	return rows, nil
}
