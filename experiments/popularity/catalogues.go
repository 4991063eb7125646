package popularity

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// Which article loses most is an accident of the catalogue: the positions of the few most
// popular articles are set in nearly every filter, and the worst is the one that has most
// of its own among them. So the single filter is measured with other catalogues, too,
// alike but for the IDs of their articles.

// drawn is how many catalogues, the headline's own among them.
const drawn = 20

// redrawn are the entries that are measured with them.
func redrawn(s engine.Scope) (entries []catalogue.Entry) {
	for _, e := range s.Full() {
		if e.Name == "single" {
			entries = append(entries, e)
		}
	}
	return entries
}

// catalogues measures an entry with each.
func catalogues(e catalogue.Entry) engine.Measurement[counted] {
	return engine.Measurement[counted]{
		Name: "popularity-catalogues-" + e.Name, Users: usersOf, Cost: 150 * drawn,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (counted, error) {
			return each(ctx, r, e, users, drawn, func(number int) (*workload.Popular, error) {
				return population(r, headline, number)
			})
		},
	}
}

// catalogueRows are how much the article in a hundred and the worst lose in each, and in
// the kindest catalogue, on average, and in the unkindest.
func catalogueRows(r *engine.Run, e catalogue.Entry) (rows []results.Row, err error) {
	counted, err := catalogues(e).Of(r)
	if err != nil {
		return nil, err
	}
	var hundredths, highest []results.Row
	for number, counts := range counted {
		p, err := population(r, headline, number)
		if err != nil {
			return nil, err
		}
		m := newMeasured(headline, p, counts)
		k := m.ranking(e.Name, unsalted, m.of(counts.Plain, shapes[e.Name].covered(p, m.articles)))
		if n := len(k.rates); n > 0 {
			draw := by.Draw.At(float64(number))
			hundredths = append(hundredths, k.at((n+99)/100).With(p99, draw))
			highest = append(highest, k.at(1).With(worst, draw))
		}
	}
	return slices.Concat(hundredths, highest, spread(hundredths), spread(highest)), nil
}

// spread is the least, the mean and the most of rows of one quantity, and of their theory.
func spread(of []results.Row) (rows []results.Row) {
	if len(of) == 0 {
		return nil
	}
	var measured, theory []float64
	for _, r := range of {
		measured, theory = append(measured, r.Value.Or(0)), append(theory, r.Theory.Or(0))
	}
	average := func(of []float64) float64 { return stat.Mean(of, nil) }
	for _, sum := range []struct {
		name string
		of   func([]float64) float64
	}{{"least", slices.Min[[]float64]}, {"mean", average}, {"most", slices.Max[[]float64]}} {
		r := of[0].With(by.Draw.Is(sum.name)).Expect(sum.of(theory)).Among(int64(len(of)))
		r.Value = results.Num(sum.of(measured))
		rows = append(rows, r)
	}
	return rows
}
