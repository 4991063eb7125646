package shared

import (
	"context"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/workload"
)

// A DailyResult is the daily population with one strategy.
type DailyResult struct {
	Counts  measure.DailyCounts
	Machine measure.DailyMachine
}

// DailyUsers is how many users of a run are simulated for thirty days: one in a hundred, but 20,000 where
// there are so many. Thirty days of a user, with the rule of 24 hours and without it, take as long as fifty
// lives of the full population.
func DailyUsers(s engine.Scope) int { return max(min(s.Users, leastDaily), s.Users/100) }

const leastDaily = 20_000

// Days is how many days of reading Daily simulates.
const Days = 30

// Daily is thirty days of reading with an entry that all users have.
func Daily(e catalogue.Entry) engine.Measurement[DailyResult] {
	return engine.Measurement[DailyResult]{
		Name: "daily-" + e.Name, Users: DailyUsers, Cost: 90, Machine: true,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (result DailyResult, err error) {
			population, err := workload.NewDailyOf(r.Daily(), r.Seed, DailyUsers(r.Scope))
			if err != nil {
				return result, err
			}
			subject, err := r.Subject(e)
			if err != nil {
				return result, err
			}
			result.Counts, result.Machine, err = measure.Daily(ctx, subject, population, users, Days, r.Options)
			r.Held(result.Machine.Slabs / int64(max(result.Machine.Parts, 1)))
			return result, err
		},
	}
}

// DailyTasks are the tasks of Daily for each entry that all users have.
func DailyTasks(s engine.Scope) []engine.Task { return Tasks(UnsampledEntries(s), Daily) }

// UnsampledEntries are the entries of the full population that all users have.
func UnsampledEntries(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), catalogue.Entry.Sampled)
}
