package main

import (
	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// beforeChange is the x at which the rate before the change stands.
const beforeChange = -50

// extend is what happens when N goes from 500 to 1000 on live histories.
func extend(s *suite) (rows, timing []results.Row, err error) {
	return s.eachEntry(func(e catalogue.Entry, old measure.Subject) (rows, timing []results.Row, err error) {
		if e.Longer == nil {
			return nil, nil, nil
		}
		full, err := s.full(e)
		if err != nil {
			return nil, nil, err
		}
		longer, keeps, err := e.Longer()
		if err != nil {
			return nil, nil, err
		}
		held := func(shown int) int {
			if keeps {
				return old.Theory.Window(shown)
			}
			return 0
		}

		before := rate(results.Extend, e.Name, results.QFPR, full.Counts.Steady)
		before.X = results.Num(beforeChange)
		before.Theory = results.Num(meanOverLives(old.Theory.FPR))
		rows = append(rows, before)
		checks, misses := int64(0), int64(0)
		for _, p := range full.Extended.Points {
			checks, misses = checks+p.Checks, misses+p.Misses
			if p.Fresh.Queries == 0 {
				continue
			}
			r := rate(results.Extend, e.Name, results.QFPR, p.Fresh)
			r.X = results.Num(float64(p.Since))
			r.Theory = results.Num(meanOver(held, func(held int) float64 { return longer.FPR(held + p.Since) }))
			rows = append(rows, r)
		}
		kept := number(results.Extend, e.Name, results.QArticlesKept, "", perUser(full.Extended.Kept, full.Extended.Users))
		kept.Count = full.Extended.Users
		kept.Theory = results.Num(meanOver(held, func(held int) float64 { return float64(held) }))
		lost := number(results.Extend, e.Name, results.QInside, "", float64(misses))
		lost.Theory, lost.Count = results.Num(0), checks
		return append(rows, kept, lost), nil, nil
	})
}

// meanOver is the expectation of f over what readers of the full population
// hold. Holdings recur, and f is dear, so that it is asked once for each.
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
