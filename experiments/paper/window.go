package paper

import (
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

// Window measures what is remembered, by age: the retention curve, and the checks of the guaranteed window.
//
// Its 95 % intervals contain theory 98 times in 100: more than half are of articles inside a guaranteed window, whose
// theory is 1, and those always contain it.
var Window = experiment.Experiment{
	Name: results.Window, About: "what is remembered, by age: the retention curve and the guaranteed window",
	Dimensions: []results.Dimension{by.Age, by.Statistic},
	Needs:      fullTasks, Rows: windowRows, Figures: windowFigures, Tables: windowTables,
}

func windowRows(r *engine.Run) (rows, timing []results.Row) {
	for _, e := range r.Full() {
		c, subject := full(e).Of(r).Counts, r.Subject(e)
		number := func(quantity string, value float64, count int64) results.Row {
			return row.Number(e.Name, quantity, "", value).Among(count)
		}
		theory := retention(subject)
		for i, bucket := range c.Retention {
			if bucket.Queries > 0 {
				middle := float64(i*measure.AgeBucket) + (measure.AgeBucket+1)/2. // of the bucket's ages
				rate := row.Rate(e.Name, results.QRetention, bucket).Expect(theory[i])
				rows = append(rows, rate.With(by.Age.At(middle)))
			}
		}
		if c.WindowChecks > 0 {
			rows = append(rows, number(results.QInside, float64(c.WindowMisses), c.WindowChecks).Expect(0))
		}
		if n := c.NewestUsers; n > 0 { // where no window is guaranteed
			missed := shared.MeanOverLives(func(shown int) (missed float64) { // of the newest, not recognised
				for age := 1; age <= measure.NewestAsked; age++ {
					if !remembers(subject, shown, age) {
						missed++
					}
				}
				return missed * (1 - subject.Theory.FPR(shown))
			})
			rows = append(rows,
				number(results.QNewestMissed, row.Mean(c.NewestMissed, n), n).Expect(missed).With(mean),
				number(results.QNewestMissed, float64(c.NewestMost), n).
					Expect(measure.NewestAsked).With(by.Statistic.Is("most")))
		}
	}
	return rows, nil
}

// remembers reports whether the article shown age articles ago, 1 being the newest, is always recognised.
func remembers(s measure.Subject, shown, age int) bool {
	if r, ok := s.Strategy.(measure.Rememberer); ok {
		return r.Remembers(shown, age)
	}
	return age <= s.Theory.Window(shown)
}

// retention returns the expected share recognised in each bucket of ages, certainly or by a false positive, over all
// lives and ages asked for.
func retention(s measure.Subject) []float64 {
	const buckets = measure.MaxAge / measure.AgeBucket
	var asked, recognised [buckets]float64
	var decayed [measure.MaxAge + 1]float64 // by age
	decayer, decays := s.Strategy.(measure.Decayer)
	if decays {
		for age := 1; age <= measure.MaxAge; age++ {
			decayed[age] = decayer.Remembered(age)
		}
	}
	for shown := workload.Least; shown <= workload.MaxShown; shown++ {
		oldest := min(shown, measure.MaxAge)
		weight := workload.ShownShare(shown) / float64(oldest)
		fpr := s.Theory.FPR(shown)
		for age := 1; age <= oldest; age++ {
			b := (age - 1) / measure.AgeBucket
			asked[b] += weight
			switch {
			case decays:
				recognised[b] += weight * decayed[age]
			case remembers(s, shown, age):
				recognised[b] += weight
			default:
				recognised[b] += weight * fpr
			}
		}
	}
	for b := range recognised {
		recognised[b] /= asked[b]
	}
	return recognised[:]
}

// byAge finds the retention curve of each strategy.
var byAge = results.Find(results.QRetention, by.Age.Open())

var windowFigures = []plots.Figure{{
	Name: "window", Experiment: results.Window, Query: byAge, Build: windowCurves,
	Title:   "Articles recognised, by how many articles ago they were shown",
	Caption: "The share of articles that are recognised, by how many articles ago they were shown.",
}}

// windowCurves draws the retention of the strategies without their variants, and of the literal reading of the paper.
func windowCurves(d plots.Data) plots.Sheet {
	p := &plots.Panel{
		X:      plots.Axis{Label: "age: articles shown since"},
		Y:      plots.Axis{Label: "articles recognised", Max: 1.02, Format: plots.Percent},
		Direct: true,
	}
	literal := byAge.Of("chain-literal")
	for _, s := range append(plots.Unvaried(d.Series(byAge, byAge)), d.Series(literal, literal)...) {
		s.Points = plots.Thin(plots.Alone(s.Points), 21)
		p.Add(s)
	}
	return plots.Sheet{
		Columns: 1, Height: 215, Panels: []*plots.Panel{p},
		Note: "Marks: measured. Lines: theory. Beyond an age of 500 the single filter alone remembers; answers of the " +
			"others are false positives. In the literal reading of the paper a chain's active link is not queried.",
	}
}

var windowTables = []text.Table{{
	Title: "Share of articles recognised, by how many articles ago they were shown [theory]",
	Lines: results.Q("window: retention at age=5.5"),
	Columns: append([]text.Column{text.Strategy("strategy")},
		text.Each("retention", by.Age, text.WithTheory, "5.5", "205.5", "405.5", "455.5", "505.5", "705.5")...),
}}
