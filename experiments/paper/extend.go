package paper

import (
	"context"
	"slices"

	"dejavu/dual"
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

// Extend measures what remains when N grows from 500 to 1000 on histories in use, and the rate before and after.
var Extend = experiment.Experiment{
	Name:  results.Extend,
	About: "N goes from 500 to 1000 on histories in use: what is retained, and the false positive rate",
	Needs: func(s engine.Scope) []engine.Task {
		return append(shared.Tasks(extendable(s), extended), inTurn)
	},
	Dimensions: []results.Dimension{by.Since},
	Rows:       extendRows, Figures: extendFigures, Tables: extendTables,
}

// extended takes an entry with Longer, for one user in twenty, through the change of N from 500 to 1000.
func extended(e catalogue.Entry) engine.Measurement[measure.ExtendCounts] {
	return engine.Measurement[measure.ExtendCounts]{
		Name: "extended-" + e.Name, Users: func(s engine.Scope) int { return e.Users(s.Users) }, Cost: 0.25,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (measure.ExtendCounts, error) {
			longer := e.Lengthened()
			change := measure.Change{
				Old: r.Subject(e), Longer: measure.Subject{Name: e.Name, Strategy: longer, Theory: longer}, Keeps: e.Keeps,
			}
			return measure.Extend(ctx, r.Options, change, catalogue.Must(workload.NewFull(r.Seed, e.Users(r.Users))), users)
		},
	}
}

// extendable returns the entries that have a longer strategy.
func extendable(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), func(e catalogue.Entry) bool { return e.Longer == "" })
}

func extendRows(r *engine.Run) (rows, timing []results.Row) {
	for _, e := range extendable(r.Scope) {
		old, longer := r.Subject(e).Theory, e.Lengthened()
		kept := func(shown int) int {
			if e.Keeps {
				return old.Window(shown)
			}
			return 0
		}
		rows = append(rows, since(e.Name, extended(e).Of(r), kept, func(kept, since int) float64 {
			return longer.FPR(kept + since)
		})...)
	}
	old, longer := catalogue.Must(dual.New(dual.Paper)), catalogue.Must(dual.New(doubled))
	return append(rows, since(inTurnName, inTurn.Of(r), old.Window, func(master, since int) float64 {
		if begins, answers := nextSlave(master); since >= answers {
			return longer.FPR(since - begins)
		}
		return old.FPR(master + since)
	})...), nil
}

// inTurnName is the dual filter whose arrays change to the new N when the paper exchanges them.
const inTurnName = "dual, array by array"

// doubled is the dual filter of twice the articles, with bits by the paper's equations.
var doubled = func() dual.Config {
	c := dual.Paper
	c.Capacity, c.Threshold, c.Geometry.Bits = 2*c.Capacity, 2*c.Threshold, 2*c.Geometry.Bits
	return c
}()

// inTurn changes at the next slave: existing arrays live to their end, and the next slave has the new size. It begins
// when a master reaches the threshold, and answers when that master is full.
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

// nextSlave returns after how many articles the next slave begins and answers, if the master holds these.
func nextSlave(master int) (begins, answers int) {
	c := dual.Paper
	if begins = c.Threshold - master; begins < 0 { // a slave of the old size comes first
		begins = c.Capacity - master + c.Threshold - (c.Capacity - c.Threshold)
	}
	return begins, begins + c.Capacity - c.Threshold
}

// since returns the rows after a change. kept returns how many articles a history keeps, by the articles shown before
// the change, and fpr the expected rate after some articles since, by that number.
func since(name string, found measure.ExtendCounts, kept func(shown int) int, fpr func(kept, since int) float64,
) (rows []results.Row) {
	var share [workload.MaxShown + 1]float64 // of the users, by what they keep
	retained := 0.
	for shown := workload.Least; shown <= workload.MaxShown; shown++ {
		share[kept(shown)] += workload.ShownShare(shown)
	}
	for kept, share := range share {
		retained += share * float64(kept)
	}
	checks, misses := int64(0), int64(0)
	for i, p := range found.Points {
		checks, misses = checks+p.Checks, misses+p.Misses
		if p.Fresh.Queries == 0 {
			continue
		}
		expected := 0.
		for kept, share := range share {
			if share > 0 {
				expected += share * fpr(kept, measure.ExtendGrid[i])
			}
		}
		r := row.Rate(name, results.QFPR, p.Fresh).Expect(expected)
		rows = append(rows, r.With(by.Since.At(float64(measure.ExtendGrid[i]))))
	}
	retention := row.Number(name, results.QArticlesRetained, "", row.Mean(found.Kept, found.Users))
	return append(rows, retention.Expect(retained).Among(found.Users),
		row.Number(name, results.QInside, "", float64(misses)).Expect(0).Among(checks))
}

var (
	sinceChange = results.Find(results.QFPR, by.Since.Open())
	retained    = results.Find(results.QArticlesRetained)
)

var extendFigures = []plots.Figure{{
	Name: "extend", Experiment: results.Extend, Query: sinceChange, Build: afterChange,
	Title: "The window doubles: articles kept, and false positives afterwards",
	Caption: "How many articles are still recognised after the window N grew from 500 articles to 1000, and the false " +
		"positives that follow: the queue and the chain keep their histories, the single and the dual filter " +
		"start empty, unless the dual filter keeps its old arrays until larger ones replace them.",
	Looks: map[string]plots.Look{
		"chain": {Name: "Chain", Color: plots.Green, Mark: plots.Diamond},
		"dual, array by array": {
			Name: "Dual filter, old arrays kept", Color: plots.SkyBlue, Dash: plots.Dash{2, 2}, Mark: plots.Ring,
		},
	},
}}

func afterChange(d plots.Data) plots.Sheet {
	rates := &plots.Panel{
		Title: "(b) False positives afterwards", X: plots.Axis{Label: "articles shown since then", Labels: 4}, Direct: true,
		Y: plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-5, Max: 1, Format: plots.Percent},
	}
	for _, s := range d.Series(sinceChange, sinceChange) {
		rates.Add(s.Change(func(points []plots.Point) []plots.Point {
			return plots.Where(points, func(p plots.Point) bool { return p.X >= 0 })
		}))
	}
	kept := &plots.Panel{
		Title: "(a) Articles kept",
		X:     plots.Axis{Label: "articles of the last 500", Labels: 4, ShowValues: true, Most: true},
	}
	return plots.Sheet{
		Columns: 2, Height: 200, Panels: []*plots.Panel{kept.Bars(d.Ranked(retained), d.Find(retained), d.Solid), rates},
		Note: "From 500 to 1000 articles. Marks: measured, with 95 % intervals. Lines: the exact formula, the same for the " +
			"single and the dual filter, which start empty. None: no false positive was measured. The chain gets ten " +
			"links in place of five. Old arrays kept: a dual filter that answers from its arrays until larger ones are " +
			"full.",
	}
}

var extendTables = []text.Table{
	{
		Title: "N from 500 to 1000: false positive rate before, and after this many further articles [theory]",
		Lines: results.Q("extend: articles retained"),
		Columns: append([]text.Column{
			text.Strategy("strategy"), text.Value("before", "table1: fpr at statistic=mean", text.WithTheory),
		},
			text.Each("fpr", by.Since, text.WithTheory, "0", "100", "300", "500", "600")...),
	},
}
