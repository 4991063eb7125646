package main

import (
	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// window is what is remembered, by age: the retention curve, and the checks of
// the promised window.
func window(s *suite) (rows, timing []results.Row, err error) {
	return s.eachEntry(func(e catalogue.Entry, subject measure.Subject) (rows, timing []results.Row, err error) {
		full, err := s.full(e)
		if err != nil {
			return nil, nil, err
		}
		c := full.Counts
		theory := retention(subject)
		for i, bucket := range c.Retention {
			if bucket.Queries == 0 {
				continue
			}
			r := rate(results.Window, e.Name, results.QRetention, bucket)
			// The middle of the bucket's ages.
			r.X = results.Num(float64(i*measure.AgeBucket) + (measure.AgeBucket+1)/2.)
			r.Theory = results.Num(theory[i])
			rows = append(rows, r)
		}
		if c.WindowChecks > 0 {
			checks := number(results.Window, e.Name, results.QInside, "", float64(c.WindowMisses))
			checks.Theory, checks.Count = results.Num(0), c.WindowChecks
			rows = append(rows, checks)
		}
		if c.NewestUsers > 0 {
			mean := number(results.Window, e.Name, "newest 100 let through, mean", "", perUser(c.NewestMissed, c.NewestUsers))
			mean.Count = c.NewestUsers
			mean.Theory = results.Num(meanOverLives(func(shown int) float64 { return newestMissed(subject, shown) }))
			most := number(results.Window, e.Name, "newest 100 let through, most", "", float64(c.NewestMost))
			most.Theory, most.Count = results.Num(measure.NewestAsked), c.NewestUsers
			rows = append(rows, mean, most)
		}
		return rows, nil, nil
	})
}

// newestMissed is how many of the newest articles are expected to be let through.
func newestMissed(s measure.Subject, shown int) float64 {
	missed := 0.
	for age := 1; age <= measure.NewestAsked; age++ {
		if !remembers(s, shown, age) {
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
	var faded [measure.MaxAge + 1]float64 // by age
	fader, fades := s.Strategy.(measure.Fader)
	if fades {
		for age := 1; age <= measure.MaxAge; age++ {
			faded[age] = fader.Remembered(age)
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
			case fades:
				recognised[b] += weight * faded[age]
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
