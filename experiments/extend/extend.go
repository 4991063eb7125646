// Package extend is what is retained where N goes from 500 to 1000 on histories in use, and the rate before and after.
package extend

import (
	"context"
	_ "embed"

	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// Experiment is extend.
var Experiment = experiment.Experiment{
	Name:  results.Extend,
	About: "N goes from 500 to 1000 on histories in use: what is retained, and the false positive rate",
	Needs: func(s engine.Scope) []engine.Task {
		return append(append(shared.FullTasks(s), shared.ExtendedTasks(s)...), inTurn.Task())
	},
	Dimensions: []results.Dimension{by.Since},
	Rows:       rows,
	Figures:    shown.Figures, Tables: shown.Tables,
}

// beforeChange is the x at which the rate before the change stands.
const beforeChange = -50

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	rows, timing, err = shared.ByEntry(shared.ExtendableEntries, shared.Extended, ofEntry)(r)
	if err != nil {
		return nil, nil, err
	}
	turned, err := inTurn.Of(r)
	if err != nil {
		return nil, nil, err
	}
	old, longer := catalogue.Must(dual.New(dual.Paper)), catalogue.Must(dual.New(doubled))
	return append(rows, since(inTurnName, turned, func(since int) float64 {
		return meanOver(old.Window, func(master int) float64 {
			if begins, answers := nextSlave(master); since >= answers {
				return longer.FPR(since - begins)
			}
			return old.FPR(master + since)
		})
	}, meanOver(old.Window, func(master int) float64 { return float64(master) }))...), timing, nil
}

// inTurnName is the dual filter whose arrays go over to the new N as the paper has them change places.
const inTurnName = "dual, array by array"

// doubled is the dual filter of twice the articles, with the bits of the paper's equations.
var doubled = func() dual.Config {
	c := dual.Paper
	c.Capacity, c.Threshold, c.Geometry.Bits = 2*c.Capacity, 2*c.Threshold, 2*c.Geometry.Bits
	return c
}()

// inTurn goes over at the next slave: the arrays there are go on to their end, and the next slave is of the new size.
// It begins when a master reaches the threshold, and answers when that master is full.
var inTurn = engine.Measurement[measure.ExtendCounts]{
	Name: "extended-dual-in-turn", Users: turnUsers, Cost: 0.2,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) (measure.ExtendCounts, error) {
		old, longer := catalogue.Must(dual.New(dual.Paper)), catalogue.Must(dual.New(doubled))
		return measure.Extend(ctx, r.Options, measure.Change{
			Old:    measure.Subject{Name: inTurnName, Strategy: old, Theory: old},
			Longer: measure.Subject{Name: inTurnName, Strategy: longer, Theory: longer},
			Begins: func(shown int) (begins, answers int) { return nextSlave(old.Window(shown)) },
		}, catalogue.Must(workload.NewFull(r.Seed, turnUsers(r.Scope))), users)
	},
}

func turnUsers(s engine.Scope) int { return max(min(s.Users, 20_000), s.Users/20) }

// nextSlave is in how many articles the next slave begins, and answers, by how many the master holds.
func nextSlave(master int) (begins, answers int) {
	c := dual.Paper
	if begins = c.Threshold - master; begins < 0 { // a slave of the old size comes first
		begins = c.Capacity - master + c.Threshold - (c.Capacity - c.Threshold)
	}
	return begins, begins + c.Capacity - c.Threshold
}

func ofEntry(r *engine.Run, e catalogue.Entry, extended measure.ExtendCounts) (rows, timing []results.Row, err error) {
	full, err := shared.Full(e).Of(r)
	if err != nil {
		return nil, nil, err
	}
	old, longer := r.Subject(e).Theory, e.Lengthened()
	held := func(shown int) int {
		if e.Keeps {
			return old.Window(shown)
		}
		return 0
	}
	before := rate(e.Name, beforeChange, full.Counts.Steady()).Expect(shared.MeanOverLives(old.FPR))
	after := since(e.Name, extended, func(since int) float64 {
		return meanOver(held, func(held int) float64 { return longer.FPR(held + since) })
	}, meanOver(held, func(n int) float64 { return float64(n) }))
	return append([]results.Row{before}, after...), nil, nil
}

func rate(name string, since float64, rate measure.Rate) results.Row {
	return row.Rate(results.Extend, name, results.QFPR, rate).With(by.Since.At(since))
}

// since are the rows of a change, with the theory of the rate after so many articles, and of what is retained.
func since(name string, extended measure.ExtendCounts, theory func(since int) float64, retained float64) []results.Row {
	var rows []results.Row
	number := func(quantity string, value, theory float64, count int64) {
		rows = append(rows, row.Number(results.Extend, name, quantity, "", value).Expect(theory).Among(count))
	}
	checks, misses := int64(0), int64(0)
	for _, p := range extended.Points {
		checks, misses = checks+p.Checks, misses+p.Misses
		if p.Fresh.Queries > 0 {
			rows = append(rows, rate(name, float64(p.Since), p.Fresh).Expect(theory(p.Since)))
		}
	}
	number(results.QArticlesRetained, row.Mean(extended.Kept, extended.Users), retained, extended.Users)
	number(results.QInside, float64(misses), 0, checks)
	return rows
}

// meanOver is the expectation of f over what users of the full population hold; f is expensive, and asked once for
// each.
func meanOver(held func(shown int) int, f func(held int) float64) float64 {
	share := make([]float64, workload.MaxShown+1)
	for shown := workload.Least; shown <= workload.MaxShown; shown++ {
		share[held(shown)] += workload.ShownShare(shown)
	}
	sum := 0.
	for held, share := range share {
		if share > 0 {
			sum += share * f(held)
		}
	}
	return sum
}

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"extend": sinceChange},
})

// sinceChange draws what follows the change.
func sinceChange(_ plots.Data, s *plots.Sheet) {
	after := func(p plots.Point) bool { return p.X >= 0 }
	for i := range s.Panels[0].Series {
		one := &s.Panels[0].Series[i]
		one.Line, one.Points = plots.Where(one.Line, after), plots.Where(one.Points, after)
	}
}
