package plots

import (
	"math"

	"dejavu/results"
)

// syntheticBeyond is what a run has of structures that the paper did not try, from
// formulas: rows of table1, fpr and window, and the experiments in which they
// compete and in which advice is tried.
func syntheticBeyond() (rows []results.Row) {
	in := func(experiment string, rs ...results.Row) {
		for _, r := range rs {
			r.Experiment = experiment
			rows = append(rows, r)
		}
	}
	atX := func(strategy, quantity string, x, value, theory float64) results.Row {
		r := measured("", strategy, x, quantity, results.Ratio, value, 0.05)
		r.Theory = results.Num(theory)
		return r
	}
	for i, name := range []string{"apbf", "ring", "stable", "somebody's own"} {
		name = results.Beyond + name
		in(results.Table1, total(name, results.QPayloadPerUser, results.Bytes, 600+200*float64(i)), total(name, results.QFPRAt500, results.Ratio, 0.015),
			total(name, results.QFPRSteady, results.Ratio, 0.02), total(name, results.QWindowLeast, "", 400), total(name, results.QWindowMean, "", 410),
			total(name, results.QRequestP50, results.Nanoseconds, 700))
		for x := 0.; x <= 2000; x += 50 {
			v := 0.02 * (1 - math.Exp(-x/200))
			in(results.FPR, atX(name, results.QFPR, x, v*noise(int(x), 0.05), v))
		}
		for x := 5.5; x < 1000; x += 10 {
			v := 1.0
			if x > 400 {
				v = 0.02
			}
			in(results.Window, atX(name, results.QRetention, x, v, v))
		}
	}
	for i, name := range []string{"queue", "single", "chain-sized", results.Beyond + "ring", results.Beyond + "apbf"} {
		bytes := []float64{3204, 408, 723, 753, 891}[i]
		for _, fpr := range []float64{0.2, 0.02, 0.002} {
			in(results.Tradeoff, results.Row{
				Strategy: name, X: results.Num(fpr), Quantity: results.QLongestByRate, Theory: results.Num(bytes * math.Log(fpr) / math.Log(0.02)),
			})
		}
		for _, alike := range []string{results.AtRate, results.InBytes} {
			in(results.Tradeoff, total(name, results.QLongest+alike, results.Bytes, bytes), total(name, results.QFPRWorst+alike, results.Ratio, 0.02*float64(i)),
				total(name, results.QFPRMean+alike, results.Ratio, 0.015*float64(i)))
		}
		in(results.Tradeoff, measured("", name, 40, results.QQueryNanos+results.AtRate, results.Nanoseconds, 10+float64(i*i%7), 0.1),
			measured("", name, 10, results.QRecordNanosEach+results.AtRate, results.Nanoseconds, 30-float64(i*i%7), 0.1))
	}
	in(results.Tradeoff, total("single", results.QWearsOut+results.AtRate, "", 400))
	for _, fpr := range []float64{0.2, 0.02, 0.002} {
		in(results.Tradeoff, results.Row{Strategy: "bound, slack 1", X: results.Num(fpr), Quantity: results.QLongestByRate, Theory: results.Num(-400 * math.Log(fpr))})
	}
	for i, name := range []string{results.Beyond + "daily", "one filter, rebuilt nightly", "one filter, never rebuilt"} {
		for days := 1.; days <= 61; days += 10 {
			v := []float64{0.03, 0.0003, 0.00001 * days * days}[i]
			in(results.Month, atX(name, results.QFPR, days, v, v))
			if days > 30 {
				in(results.Month, atX(name, results.QExpired, days, []float64{0.03, 0.0003, 1}[i], v))
			}
		}
		in(results.Month, measured("", name, 4000, results.QQueryNanos, results.Nanoseconds, 15+float64(i), 0.1))
		if i < 2 {
			in(results.Month, measured("", name, 1, results.QDayEnd, results.Nanoseconds, []float64{500, 70_000}[i], 0.1))
		}
	}
	for i, name := range []string{"none", "both", "beside", "ahead"} {
		in(results.Proposals, total("second check: "+name, results.QFPR, results.Ratio, []float64{0.02, 0, 0.02, 0.008}[i]),
			total("second check: "+name, results.QRecognised, results.Ratio, []float64{1, 0, 1, 1}[i]))
	}
	for i, name := range []string{"not at all", "each bit to both of its places"} {
		in(results.Proposals, total("growing: "+name, results.QFPRAt1000, results.Ratio, []float64{0.2, 0.09}[i]))
	}
	for i, x := range []float64{25, 75, 175, 375} {
		in(results.Proposals, atX(results.Beyond+"scalable", results.QFPR, x, 0.006*float64(i+1)*0.6, 0.006*float64(i+1)*0.6),
			atX("growing: twenty times", results.QFPR, x, 0.03, 0.03))
	}
	for i, name := range []string{"one size for all", "classes, by what is read"} {
		in(results.Proposals, total("activity: "+name, results.QBytesPerUser, results.Bytes, []float64{1200, 150}[i]),
			total("activity: "+name, results.QFPR, results.Ratio, []float64{0, 0.004}[i]))
	}
	return append(rows, syntheticService()...)
}

// syntheticService is what a run has of histories that are sent and backed up.
func syntheticService() (rows []results.Row) {
	in := func(experiment string, r results.Row) {
		r.Experiment = experiment
		rows = append(rows, r)
	}
	for i, name := range []string{"queue", "single", results.Beyond + "daily"} {
		history := []float64{4016, 520, 9407}[i]
		for _, candidates := range []float64{40, 400, 4000} {
			for quantity, bytes := range map[string]float64{results.QShippedBytes: history, results.QAskedBytes: 12 + 8.125*candidates} {
				r := measured("", name, candidates, quantity, results.Bytes, bytes, 0)
				r.Theory = r.Value
				in(results.Ship, r)
			}
			in(results.Ship, measured("", name, candidates, results.QAskedOver, results.Ratio, 0.95+0.07*float64(i)*math.Log10(candidates/40), 0.1))
			for _, n := range shipNetworks {
				for quantity, bytes := range map[string]float64{results.QShippedModel: history, results.QAskedModel: 12 + 8.125*candidates} {
					in(results.Ship, results.Row{
						Strategy: name, X: results.Num(candidates), Quantity: quantity + n.behind, Unit: results.Nanoseconds, Theory: results.Num(1e5 + 8*bytes),
					})
				}
			}
		}
	}
	for i, name := range []string{"single", "chain"} {
		add := func(quantity, unit string, v float64, theory results.Number) {
			r := total(name, quantity, unit, v)
			r.Count, r.Theory = 250_000, theory
			in(results.Snapshot, r)
		}
		let := 0.93 - 0.01*float64(i)
		add(results.QInside, "", 0, results.Num(0))
		add(results.QForgotten, results.Ratio, let, results.Num(let+0.001))
		add(results.QAstray, "", 0, results.Num(0))
		for q, quantity := range []string{results.QSave, results.QLoad, results.QLoadTrusted} {
			add(quantity, results.Nanoseconds, 250_000*[]float64{1500, 500, 400}[q]*(1+0.2*float64(i)), results.Number{})
		}
	}
	return rows
}
