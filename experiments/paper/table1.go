package paper

import (
	"cmp"
	"context"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// Table1 measures the paper's comparison of strategies: memory, false positives, the window and the time of a request.
var Table1 = experiment.Experiment{
	Name: results.Table1,
	About: "the paper's Table 1, measured: memory, false positive rate, window (times: latency; rates at 500: fpr; " +
		"changing N: extend)",
	Needs:      func(s engine.Scope) []engine.Task { return append(shared.FullTasks(s), variantTasks(s)...) },
	Dimensions: []results.Dimension{by.Statistic},
	Rows:       shared.ByEntry(engine.Scope.Full, shared.Full, table1OfEntry),
	Figures:    table1Figures, Tables: table1Tables,
}

// Values of the dimension Statistic.
var (
	worst = by.Statistic.Is("worst") // of the moments of a cycle
	mean  = by.Statistic.Is("mean")  // over the ends of lives
	least = by.Statistic.Is("least")
)

func table1OfEntry(r *engine.Run, e catalogue.Entry, full shared.FullResult) (rows, timing []results.Row, err error) {
	worst := measure.Rate{}
	if isVariant(e) {
		if worst, err = atWorst(e).Of(r); err != nil {
			return nil, nil, err
		}
	}
	return table1Counted(e, r.Subject(e), full.Counts, worst), nil, nil
}

func table1Number(e catalogue.Entry, quantity, unit string, value float64) results.Row {
	return row.Number(results.Table1, e.Name, quantity, unit, value)
}

// table1Counted are the rows of memory, false positives and windows; fresh is what a variant was asked at its worst
// moment.
func table1Counted(e catalogue.Entry, subject measure.Subject, c measure.FullCounts, fresh measure.Rate,
) (rows []results.Row) {
	theory := subject.Theory
	add := func(r results.Row, theory, paper float64) {
		if paper > 0 {
			r = r.Stating(paper)
		}
		rows = append(rows, r.Expect(theory).Among(cmp.Or(r.Count, c.Users)))
	}
	rate := func(r measure.Rate, at results.Condition) results.Row {
		return row.Rate(results.Table1, e.Name, results.QFPR, r).With(at)
	}
	ofLives := func(of func(shown int) int) float64 {
		return shared.MeanOverLives(func(shown int) float64 { return float64(of(shown)) })
	}
	header := 0.
	if h, ok := subject.Strategy.(measure.HeaderSizer); ok {
		header = float64(h.HeaderBytes())
	}
	users, payload, stated := float64(c.Users), ofLives(theory.Bytes)-header, 0.
	if c.Users == 10_000_000 { // for whom the paper states totals
		stated = e.Stated.Total
	}
	measured := row.Mean(c.Payload, c.Users) - header
	add(table1Number(e, results.QPayloadPerUser, results.Bytes, measured), payload, e.Stated.Payload)
	add(table1Number(e, results.QHeaderPerUser, results.Bytes, header), header, 0)
	add(table1Number(e, results.QPayloadTotal, results.Bytes, float64(c.Payload)-header*users), payload*users, stated)
	if made, ok := subject.Strategy.(catalogue.Strategy); !ok || !catalogue.Endless(made) {
		moments, most := worstMoments(theory)
		for _, i := range moments {
			if !isVariant(e) {
				measure.Sum(&fresh, c.Cycle[i])
			}
		}
		if fresh.Queries > 0 { // else too few users for a life that ends just then
			add(rate(fresh, worst), most, 0)
		}
	}
	add(rate(c.Steady(), mean), shared.MeanOverLives(theory.FPR), 0)
	smallest := theory.Window(workload.Least) // that any life ends with
	for shown := workload.Least; shown < 1100; shown++ {
		smallest = min(smallest, theory.Window(shown))
	}
	add(table1Number(e, results.QWindow, "", float64(c.WindowLeast)).With(least), float64(smallest), e.Stated.Window)
	add(table1Number(e, results.QWindow, "", row.Mean(c.Windows, c.Users)).With(mean), ofLives(theory.Window), 0)
	return rows
}

// worstMoments are when theory expects the most of the lives that end there, to a thousandth, and what it expects: they
// are moments of a cycle, in articles beyond workload.Least.
func worstMoments(t strategies.Theory) (moments []int, worst float64) {
	var expected [workload.Turn]float64
	for i := range expected {
		share, sum := 0., 0.
		for shown := workload.Least + i; shown <= workload.MaxShown; shown += workload.Turn {
			share += workload.ShownShare(shown)
			sum += workload.ShownShare(shown) * t.FPR(shown)
		}
		expected[i] = sum / share
	}
	worst = slices.Max(expected[:])
	for i, fpr := range expected {
		if fpr >= 0.999*worst {
			moments = append(moments, i)
		}
	}
	return moments, worst
}

// isVariant is whether an entry is a reading of the paper, or a mending of it, that few users run on.
func isVariant(e catalogue.Entry) bool { return e.Sampled() && !e.IsBeyond() }

var variantTasks = shared.Tasks(func(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), func(e catalogue.Entry) bool { return !isVariant(e) })
}, atWorst)

// atWorst asks all users of a variant at its worst moment. Of lives as they end, few end just then.
func atWorst(e catalogue.Entry) engine.Measurement[measure.Rate] {
	return engine.Measurement[measure.Rate]{
		Name: "worst-" + e.Name, Users: func(s engine.Scope) int { return e.Users(s.Users) }, Cost: 3,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (measure.Rate, error) {
			population := catalogue.Must(workload.NewFull(r.Seed, e.Users(r.Users)))
			s := r.Subject(e)
			moments, _ := worstMoments(s.Theory)
			return measure.Each(ctx, r.Options, users, func() (*measure.Rate, func(user int)) {
				shown, fresh := make([]strategies.ID, workload.Least+moments[0]), make([]strategies.ID, measure.Asked)
				var rate measure.Rate
				var asker measure.Asker
				var history []byte
				return &rate, func(user int) {
					reader := population.Reader(user)
					reader.IDs(shown, 0)
					reader.IDs(fresh, workload.Fresh)
					history = s.Strategy.Record(history[:0], shown)
					rate.Add(len(fresh), asker.Count(s.Strategy, history, fresh))
				}
			})
		},
	}
}
