package plots

import (
	"math"

	"dejavu/results"
)

// syntheticReplay is what the replay of a log leaves, from formulas.
func syntheticReplay() (rows []results.Row) {
	add := func(r results.Row) {
		r.Experiment = results.Replay
		rows = append(rows, r)
	}
	add(total("", results.QExposures, "", 1e6))
	for i, name := range []string{"queue", "single", "chain", results.Beyond + "ring", results.Beyond + "daily"} {
		add(total(name, results.QPayloadTotal, results.Bytes, 1e6*float64(i+1)))
		for x := 0.; x < 1000; x += 25 {
			v := float64(i) * 0.01 * (1 - math.Exp(-x/200))
			r := measured("", name, x, results.QFPR, results.Ratio, v*noise(int(x), 0.1), 0)
			r.Theory = results.Num(v)
			add(r)
		}
		for age := 1.; age < 2000; age *= 1.2 {
			v := 1.
			if age > 450 {
				v = 0.02 * float64(i)
			}
			add(measured("", name, math.Round(age), results.QRetention, results.Ratio, v, 0))
		}
		for bin := 0; bin < 11; bin++ {
			x := math.Exp2(float64(bin))
			add(measured("", name, x, results.QUsers, "", 1e4/x, 0))
			add(measured("", name, x, results.QFPRByActivity, results.Ratio, float64(i)*1e-5*x, 0.2))
			add(measured("", name, x, results.QBytesByActivity, results.Bytes, 100+float64(i)*x, 0))
		}
	}
	return rows
}
