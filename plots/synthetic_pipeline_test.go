package plots

import (
	"math"

	"dejavu/results"
)

// syntheticPipeline is what a run has of the live path, from formulas.
func syntheticPipeline() (rows []results.Row) {
	add := func(strategy, quantity, unit string, x, value, theory float64) {
		r := measured(results.Pipeline, strategy, x, quantity, unit, value, 0.03)
		r.Theory = results.Num(theory)
		rows = append(rows, r)
	}
	late := func(delay float64, every int) float64 {
		if every > 0 {
			return map[bool]float64{true: 1}[delay > float64(every)]
		}
		return max(0, 1-math.Exp(-(delay-10)/60))
	}
	for i, delay := range []float64{0, 1, 5, 10, 20, 30, 60, 120, 300, 600} {
		for j, strategy := range []string{"single", "queue", "chain"} {
			add(strategy, results.QAgain, results.Ratio, delay, (0.0004*float64(j)+0.1*late(delay, 0))*noise(i, 0.02), 0)
		}
		for _, every := range []int{10, 20, 60, 300} {
			add("single", results.QAgain+results.Every(every), results.Ratio, delay, 0.1*late(delay, every), 0)
		}
		add("single", results.QAgain+results.Exponentially, results.Ratio, delay, 0.08*late(delay, 0), 0)
		for k, says := range []string{"", results.Exponentially} {
			v := late(delay*(1-0.3*float64(k)), 0)
			add("single", results.QOvertaken+says, results.Ratio, delay, v*noise(i, 0.01), v)
			rows = append(rows, results.Row{
				Experiment: results.Pipeline, Strategy: "single", X: results.Num(delay), Quantity: results.QOvertaken + says + results.Densely,
				Unit: results.Ratio, Theory: results.Num(v),
			})
		}
		for k, list := range results.EdgeLists[1:] {
			add("single", results.QAgain+list, results.Ratio, delay, 0.03*late(delay-100, 0)/float64(k+1), 0)
			add("single", results.QListMean+list, results.Bytes, delay, []float64{50, 140, 0.4, 11}[k], 0)
			add("single", results.QListLongest+list, results.Bytes, delay, []float64{160, 800, 840, 2880}[k], 0)
		}
	}
	for minute := -27.5; minute < 120; minute += 5 {
		for k, list := range results.EdgeLists {
			v := 0.
			if 0 < minute && minute < 60 {
				v = 0.1 / float64(1+3*k)
			}
			add("single", results.QAgainByMinute+results.CaughtUpAt(2)+list, results.Ratio, minute, v, 0)
			if k == 0 {
				add("single", results.QAgainByMinute+results.CaughtUpAt(10), results.Ratio, minute, v*map[bool]float64{true: 1}[minute < 35], 0)
			}
		}
	}
	return rows
}
