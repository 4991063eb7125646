package daily

import (
	"cmp"
	"context"
	"slices"

	"dejavu/experiments/engine"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// tried is the strategy that the grid is of: its histories grow with what is read.
const tried = "queue"

// habits are what a user does, and when.
type habits struct {
	workload.DailyConfig
	hours, rhythm, pause float64 // the last the mean seconds between refreshes
}

// A factor is a habit, and what it may be where it is not the usual one.
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

// A point of the grid is habits, and where they are not the usual ones the conditions of its rows.
type point struct {
	habits
	changed results.Conditions
}

func (p point) with(f factor, value float64) point {
	*f.of(&p.habits) = value
	p.changed = p.changed.With(f.along.At(value))
	return p
}

// at are the conditions of its rows: the usual habits are a value of every factor.
func (p point) at() (all []results.Conditions) {
	if p.changed != "" {
		return []results.Conditions{p.changed}
	}
	for _, f := range factors {
		all = append(all, results.Where(f.along.At(*f.of(&p.habits))))
	}
	return all
}

// points are the usual habits, each factor's values alone, and four corners of several together: users who come
// seldom or often, in two hours of the day, to whom little comes back, and that soon, or much, and that late.
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

// among are the users of a point: where each comes more often than usual, as many fewer, for the same sessions in all.
func (p point) among(users measure.Range, usual workload.DailyConfig) measure.Range {
	n := max(1, int(p.Sessions/usual.Sessions))
	return measure.Range{From: (users.From + n - 1) / n, To: (users.To + n - 1) / n}
}

// Found is thirty days at a point of the grid.
type Found struct {
	Kept measure.Rate   `json:"kept"` // bytes with the rule among those without, at the end
	Week measure.Served `json:"week"` // the last seven days
}

// grid is made with fewer users than the experiment: rows have the interval that it leaves.
var grid = engine.Measurement[[]Found]{
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

// gridRows are those of all points, and the least and the most of them.
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
