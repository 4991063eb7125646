// Package month measures ways to remember a month of exposures: what each takes for its promise, and what it
// costs when the month is over.
package month

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"

	daylanes "dejavu/beyond/daily"
	"dejavu/beyond/layered"
	"dejavu/bloom"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

// Experiment is month.
var Experiment = experiment.Experiment{
	Name: results.Month, About: "two months at several thousand articles a month: lanes by the day, and a filter rebuilt nightly",
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{counts.Task(), times.Task()} },
	Dimensions: []results.Dimension{by.Day, by.Candidates, by.Over, by.Formula},
	Rows:       rows, Figures: shown.Figures, Tables: shown.Tables,
}

const (
	lanesName = results.Beyond + "daily"

	// One filter beside the days' lanes, as long as they are: built anew every night, as the lecture has it, or never.
	asLong       = "one filter, as long as the layers"
	rebuilt      = "one filter, rebuilt nightly"
	neverRebuilt = "one filter, never rebuilt"
	sameHashes   = "one filter, as many hashes"

	articles = Days * workload.PerDay // of a month
)

// usersOf is how many users live two months with each way.
func usersOf(s engine.Scope) int { return max(50, s.Users/20_000) }

// one is one filter for a month.
func one(g bloom.Geometry) (*single.Filter, error) {
	return single.New(single.Config{Capacity: articles, Geometry: g})
}

// oneWay is the way of one filter.
func oneWay(name string, g bloom.Geometry, all bool) (Way, error) {
	filter, err := one(g)
	return Way{
		Name: name, Strategy: filter, all: all,
		fpr:   func(articles []int) float64 { return filter.FPR(row.Sum(articles)) },
		bytes: func(int) int { return filter.Bytes(1) },
	}, err
}

// comparedWays are those that are compared.
func comparedWays() (ways []Way, err error) {
	lanes, err := daylanes.New(daylanes.Month)
	if err != nil {
		return nil, err
	}
	ways = append(ways, Way{
		Name: lanesName, Strategy: lanes, fpr: lanes.FPRDays,
		bytes: func(days int) int { return lanes.BytesDays(min(days, Days)) },
	})
	layers, layersErr := layered.New(layered.Month)
	moved, movedErr := layered.New(layered.MonthMoved)
	if err := cmp.Or(layersErr, movedErr); err != nil {
		return nil, err
	}
	alike, err := oneWay(asLong, layers.One(articles), true)
	if err != nil {
		return nil, err
	}
	ofLayers := func(name string, l *layered.Filter) Way {
		return Way{Name: results.Beyond + name, Strategy: l, fpr: l.FPRDays, all: true, bytes: l.BytesDays}
	}
	ways = append(ways, ofLayers("layered", layers), alike, ofLayers("layered-moved", moved))
	nightly, err := oneWay(rebuilt, lanes.One(articles), false)
	if err != nil {
		return nil, err
	}
	never := nightly
	never.Name, never.all = neverRebuilt, true
	nightly.Nightly = func(history []byte, log [][]strategies.ID) []byte {
		return daylanes.Rebuild(nightly.Strategy, history, log)
	}
	return append(ways, nightly, never), nil
}

// theory is the rate after so many days: the articles of those that count make it.
func (w Way) theory(population workload.Month, days int) float64 {
	first := 0
	if !w.all {
		first = max(0, days-Days)
	}
	var articles []int
	for day := first; day < days; day++ {
		articles = append(articles, population.Articles(day))
	}
	return w.fpr(articles)
}

// counts measures all ways, and has a member for each.
var counts = engine.Measurement[[]Counts]{
	Name: "month", Users: usersOf, Cost: 8000,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) (all []Counts, err error) {
		population, err := workload.NewMonth(r.Seed, usersOf(r.Scope))
		if err != nil {
			return nil, err
		}
		ways, err := comparedWays()
		r.Expect(users.Len() * len(ways))
		for _, way := range ways {
			c, err := Measure(ctx, r.Options, way, population, users)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
		return all, err
	},
}

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	ways, err := comparedWays()
	if err != nil {
		return nil, nil, err
	}
	all, err := counts.Of(r)
	if err != nil {
		return nil, nil, err
	}
	population, err := workload.NewMonth(r.Seed, 1)
	if err != nil {
		return nil, nil, err
	}
	for i, way := range ways {
		for days := 1; days <= End; days++ {
			rows = append(rows, row.Theory(results.Month, way.Name, results.QFPR, results.Ratio, way.theory(population, days)).
				With(by.Day.At(float64(days)), by.Formula.Is(results.ExactFormula)))
		}
		for _, p := range all[i] {
			rows = append(rows, way.rows(p, way.theory(population, p.Days))...)
		}
	}
	took, err := times.Of(r)
	if err != nil {
		return nil, nil, err
	}
	return rows, took.rows(), nil
}

// rows are those of a day, with its rate by theory.
func (w Way) rows(p Point, fpr float64) (rows []results.Row) {
	day := by.Day.At(float64(p.Days))
	add := func(r results.Row, theory float64) { rows = append(rows, r.With(day).Expect(theory)) }
	bytes := row.Number(results.Month, w.Name, results.QBytesPerUser, results.Bytes, row.Mean(p.Bytes, p.Fresh.Users))
	misses := row.Number(results.Month, w.Name, results.QInside, "", float64(p.WindowMisses))
	add(row.Rate(results.Month, w.Name, results.QFPR, p.Fresh), fpr)
	add(bytes.Among(p.Fresh.Users), float64(w.bytes(p.Days)))
	add(misses.Among(p.WindowChecks), 0)
	if p.Expired.Queries > 0 {
		if w.all {
			fpr = 1
		}
		add(row.Rate(results.Month, w.Name, results.QExpired, p.Expired), fpr)
	}
	return rows
}

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{Shows: text.Shows{
	"per cent":   func(r ...results.Row) string { return fmt.Sprintf("%.3g %%", 100*r[0].Value.Or(0)) },
	"over lanes": overTheLanes,
	"day end":    dayEnd,
}})

// overTheLanes is the time of a candidate, and the lanes' over it, where it is another way's.
func overTheLanes(r ...results.Row) string {
	cell := fmt.Sprintf("%.1f ns", r[0].Value.Or(0))
	for i, name := range []string{rebuilt, sameHashes} {
		if ratio := r[1+i]; name == r[0].Strategy && ratio.Value.IsSet() {
			cell += fmt.Sprintf(" (%.2f, %.2f to %.2f)", ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0))
		}
	}
	return cell
}

// dayEnd is the time of the end of a day, and one over its quotient with the lanes'.
func dayEnd(r ...results.Row) string {
	cell := text.Of(r[0])
	if ratio := r[1]; ratio.Value.IsSet() {
		cell += fmt.Sprintf(" (1/%.0f, 1/%.0f to 1/%.0f)", ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0))
	}
	return cell
}
