package popularity

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// Which article loses most is an accident of the catalogue: the positions of the few most
// popular articles are set in nearly every filter, and the worst is the one that has most
// of its own among them. So the single filter is measured with other catalogues, too,
// alike but for the IDs of their articles.

// drawn is how many catalogues, the headline's own among them.
const drawn = 20

// redrawn are the entries that are measured with them.
func redrawn(s run.Scope) (entries []catalogue.Entry) {
	for _, e := range s.Full() {
		if e.Name == "single" {
			entries = append(entries, e)
		}
	}
	return entries
}

// catalogues measures an entry with each.
func catalogues(e catalogue.Entry) run.Measurement[counted] {
	return run.Measurement[counted]{
		Name: "popularity-catalogues-" + e.Name, Users: usersOf, Cost: 150 * drawn,
		Make: func(ctx context.Context, r *run.Run, users measure.Range) (counted, error) {
			return each(ctx, r, e, users, drawn, func(number int) (*workload.Popular, error) {
				return population(r, headline, number)
			})
		},
	}
}

// catalogueRows are how much the article in a hundred and the worst lose in each, and in
// the kindest catalogue, on average, and in the unkindest.
func catalogueRows(r *run.Run, e catalogue.Entry) (rows []results.Row, err error) {
	counted, err := catalogues(e).Of(r)
	if err != nil {
		return nil, err
	}
	var p99, worst []results.Row
	for number, counts := range counted {
		p, err := population(r, headline, number)
		if err != nil {
			return nil, err
		}
		m := newMeasured(headline, p, counts)
		k := m.ranking(e.Name, results.ByCatalogue, m.of(counts.Plain, shapes[e.Name].covered(p, m.articles)))
		if n := len(k.rates); n > 0 {
			p99 = append(p99, k.at(results.QArticleP99, float64(number), (n+99)/100))
			worst = append(worst, k.at(results.QArticleWorst, float64(number), 1))
		}
	}
	return slices.Concat(p99, worst, spread(p99), spread(worst)), nil
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
	mean := func(of []float64) float64 { return stat.Mean(of, nil) }
	for _, by := range []struct {
		name string
		of   func([]float64) float64
	}{{results.Least, slices.Min[[]float64]}, {results.Mean, mean}, {results.Most, slices.Max[[]float64]}} {
		rows = append(rows, row.Number(results.Popularity, of[0].Strategy, of[0].Quantity+by.name, results.Ratio, by.of(measured)).
			At(headline.Exponent).Expect(by.of(theory)).Among(int64(len(of))))
	}
	return rows
}
