// Package window is what is remembered, by age: the retention curve, and the checks of the guaranteed window.
//
// Its 95 % intervals, all together, hold theory 98 times in 100. More than half are of articles inside a
// guaranteed window, whose theory is 1: those always hold it. Of the others they hold it as often as they
// should (claims, TestReferenceCoverage).
package window

import (
	_ "embed"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

//go:embed figures.toml
var declared string

// Experiment is window.
var Experiment = experiment.Experiment{
	Name: results.Window, About: "what is remembered, by age: the retention curve and the guaranteed window",
	Dimensions: []results.Dimension{by.Age, by.Statistic},
	Needs:      shared.FullTasks, Rows: rows, Figures: experiment.Show(declared, experiment.Code{}).Figures,
}

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	return shared.Each(r, r.Full(), shared.Full, ofEntry)
}

func ofEntry(
	_ *engine.Run, e catalogue.Entry, subject measure.Subject, full shared.FullResult,
) (rows, timing []results.Row, err error) {
	c := full.Counts
	theory := retention(subject)
	for i, bucket := range c.Retention {
		if bucket.Queries == 0 {
			continue
		}
		middle := float64(i*measure.AgeBucket) + (measure.AgeBucket+1)/2. // of the bucket's ages
		rows = append(rows, row.Rate(results.Window, e.Name, results.QRetention, bucket).With(by.Age.At(middle)).Expect(theory[i]))
	}
	if c.WindowChecks > 0 {
		rows = append(rows, row.Number(results.Window, e.Name, results.QInside, "", float64(c.WindowMisses)).Expect(0).Among(c.WindowChecks))
	}
	if c.NewestUsers > 0 { // where no window is guaranteed
		newest := func(statistic string, value, theory float64) {
			rows = append(rows, row.Number(results.Window, e.Name, results.QNewestMissed, "", value).
				With(by.Statistic.Is(statistic)).Expect(theory).Among(c.NewestUsers))
		}
		missed := shared.MeanOverLives(func(shown int) float64 { return newestMissed(subject, shown) })
		newest("mean", row.Mean(c.NewestMissed, c.NewestUsers), missed)
		newest("most", float64(c.NewestMost), measure.NewestAsked)
	}
	return rows, nil, nil
}

// newestMissed is how many of the newest articles are expected not to be recognised.
func newestMissed(s measure.Subject, shown int) float64 {
	missed := 0.
	for age := 1; age <= measure.NewestAsked; age++ {
		if !shared.Remembers(s, shown, age) {
			missed++
		}
	}
	return missed * (1 - s.Theory.FPR(shown))
}

// retention is what theory says of each bucket of ages: among all lives and
// ages asked for, the share recognised, for certain or by a false positive.
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
			case shared.Remembers(s, shown, age):
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
