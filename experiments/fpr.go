package main

import (
	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
)

// curve is where an analytic curve has its points: every ten articles, and
// after every hundredth, where wheels turn.
var curve = func() (xs []int) {
	for x := 0; x <= measure.GridEnd; x += 10 {
		xs = append(xs, x)
		if x%100 == 0 && x > 0 && x < measure.GridEnd {
			xs = append(xs, x+1)
		}
	}
	return xs
}()

// fpr is the false positive rate by articles shown.
func fpr(s *suite) (rows, timing []results.Row, err error) {
	return s.eachEntry(func(e catalogue.Entry, subject measure.Subject) (rows, timing []results.Row, err error) {
		full, err := s.full(e)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range full.Counts.Points {
			if p.Fresh.Queries == 0 {
				continue // too few users for a life that long
			}
			r := rate(results.FPR, e.Name, results.QFPR, p.Fresh)
			r.X = results.Num(float64(p.Shown))
			r.Theory = results.Num(subject.Theory.FPR(p.Shown))
			if !e.IsBeyond() {
				r.Paper = results.Num(statedFPR(e))
			}
			rows = append(rows, r)
		}
		for _, x := range curve {
			r := results.Row{Experiment: results.FPR, Strategy: e.Name, X: results.Num(float64(x)), Unit: results.Ratio}
			r.Quantity, r.Theory = results.QFPRExact, results.Num(subject.Theory.FPR(x))
			rows = append(rows, r)
			if a, ok := subject.Strategy.(measure.Approximator); ok {
				r.Quantity, r.Theory = results.QFPRClassical, results.Num(a.Classical(x))
				rows = append(rows, r)
			}
		}
		if e.Share > 1 {
			return rows, nil, nil
		}
		daily, err := s.daily(e)
		if err != nil {
			return nil, nil, err
		}
		for i, held := range daily.Counts.NoRule.ByHeld {
			if held.Queries == 0 {
				continue
			}
			r := rate(results.FPR, e.Name, results.QFPRDropAndRecord, held)
			r.X = results.Num(float64(i * measure.GridStep))
			rows = append(rows, r)
		}
		return rows, nil, nil
	})
}

// statedFPR is the rate that the paper's Table 1 states, 0 also where it states none.
func statedFPR(e catalogue.Entry) float64 {
	if e.Name == "queue" || e.IsBeyond() {
		return 0
	}
	return paperFPR
}

// fill is the share of ones by articles shown.
func fill(s *suite) (rows, timing []results.Row, err error) {
	return s.eachEntry(func(e catalogue.Entry, subject measure.Subject) (rows, timing []results.Row, err error) {
		filler, ok := subject.Strategy.(measure.Filler)
		if !ok {
			return nil, nil, nil
		}
		full, err := s.full(e)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range full.Counts.Points {
			if p.Users == 0 {
				continue
			}
			r := number(results.Fill, e.Name, results.QFill, results.Ratio, perUser(p.Ones, p.Of))
			r.X, r.Count = results.Num(float64(p.Shown)), p.Users
			r.Theory = results.Num(filler.FillTheory(p.Shown))
			if e.Name == "single" && p.Shown == 500 {
				r.Paper = results.Num(1) // §5: "nearly all ones"
			}
			rows = append(rows, r)
		}
		return rows, nil, nil
	})
}
