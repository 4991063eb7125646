package plots

import (
	"math"
	"slices"
	"sync"

	"dejavu/results"
)

// classical is the textbook rate of a filter of m bits with n items and k probes:
// close enough to draw figures from.
func classical(n, m, k float64) float64 { return math.Pow(1-math.Exp(-k*n/m), k) }

func chainRate(r, links, capacity int, m, k float64, readHead bool) float64 {
	if r == 0 {
		return 0
	}
	head := (r-1)%capacity + 1
	full := min((r-head)/capacity, links-1)
	miss := math.Pow(1-classical(float64(capacity), m, k), float64(full))
	if readHead {
		miss *= 1 - classical(float64(head), m, k)
	}
	return 1 - miss
}

// theories are the rates by articles shown of the strategies in these tests.
var theories = []struct {
	name  string
	bytes func(r int) float64
	rate  func(r int) float64
}{
	{"queue", func(r int) float64 { return 8 * float64(min(r, 500)) }, func(r int) float64 { return float64(min(r, 500)) / math.Exp2(64) }},
	{"single", func(int) float64 { return 512 }, func(r int) float64 { return classical(float64(r), 4064, 6) }},
	{"dual", func(r int) float64 {
		if master(r) >= 300 {
			return 1024
		}
		return 512
	}, func(r int) float64 { return classical(float64(master(r)), 4064, 6) }},
	{"dual-blanked", func(r int) float64 {
		if r >= 300 {
			return 1024
		}
		return 512
	}, func(r int) float64 { return classical(float64(master(r)), 4064, 6) }},
	{"chain", func(r int) float64 { return 105 * float64(min((r+99)/100, 5)) }, func(r int) float64 { return chainRate(r, 5, 100, 812, 6, true) }},
	{"chain-literal", func(r int) float64 { return 105 * float64(min((r+99)/100, 5)) }, func(r int) float64 { return chainRate(r, 5, 100, 812, 6, false) }},
	{"chain-sized", func(r int) float64 { return 147 * float64(min((r+99)/100, 5)) }, func(r int) float64 { return chainRate(r, 5, 100, 1150, 8, true) }},
}

func master(r int) int {
	if r < 500 {
		return r
	}
	return 200 + (r-500)%300
}

// noise stands for chance: at most amount, the same every time.
func noise(i int, amount float64) float64 { return 1 + amount*math.Sin(float64(i)*12.9898) }

func measured(experiment, strategy string, x float64, quantity, unit string, v, spread float64) results.Row {
	return results.Row{
		Experiment: experiment, Strategy: strategy, X: results.Num(x), Quantity: quantity, Unit: unit,
		Value: results.Num(v), Low: results.Num(v * (1 - spread)), High: results.Num(v * (1 + spread)), Count: 1e6,
	}
}

func total(strategy, quantity, unit string, v float64) results.Row {
	return results.Row{Strategy: strategy, Quantity: quantity, Unit: unit, Value: results.Num(v)}
}

// synthetic is a run as the experiments would write it, from formulas.
var synthetic = sync.OnceValue(func() []results.Row {
	var rows []results.Row
	in := func(experiment string, rs ...results.Row) {
		for _, r := range rs {
			r.Experiment = experiment
			rows = append(rows, r)
		}
	}
	for s, t := range theories {
		for r := 0; r <= 2000; r += 10 {
			in(results.FPR, results.Row{Strategy: t.name, X: results.Num(float64(r)), Quantity: results.QFPRExact, Theory: results.Num(t.rate(r))})
			in(results.FPR, results.Row{Strategy: t.name, X: results.Num(float64(r)), Quantity: results.QFPRClassical, Theory: results.Num(0.992 * t.rate(r))})
			if r%50 != 0 {
				continue
			}
			v := t.rate(r)
			if v < 2e-7 {
				v = 0
			}
			row := measured("", t.name, float64(r), results.QFPR, results.Ratio, v*noise(r+s, 0.004), 0.004+0.001/math.Sqrt(v+1e-5))
			if v == 0 {
				row.High = results.Num(3e-7)
			}
			row.Theory, row.Paper = results.Num(t.rate(r)), results.Num(0.0156)
			live := row
			live.Quantity, live.Theory = results.QFPRDropAndRecord, results.Number{}
			live.Value = results.Num(v * (1 + v) * noise(r, 0.01))
			in(results.FPR, row, live)
			if r <= 1000 {
				b := results.Row{Strategy: t.name, X: results.Num(float64(r)), Quantity: results.QBytesPerUser, Unit: results.Bytes, Value: results.Num(t.bytes(r)), Theory: results.Num(t.bytes(r))}
				if r == 500 {
					b.Paper = results.Num(map[string]float64{"queue": 4000}[t.name])
					if t.name != "queue" {
						b.Paper = results.Num(508)
					}
				}
				in(results.Memory, b)
			}
			fill := 1 - math.Exp(-6*float64(r)/4064)
			if t.name == "single" || t.name == "dual" {
				if t.name == "dual" {
					fill = 1 - math.Exp(-6*float64(master(r))/4064)
				}
				f := measured("", t.name, float64(r), results.QFill, results.Ratio, fill*noise(r, 0.005), 0)
				f.Theory = results.Num(fill)
				if r == 500 && t.name == "single" {
					f.Paper = results.Num(1)
				}
				in(results.Fill, f)
			}
			if r <= 1000 && r > 0 {
				keep := 1.0
				switch {
				case t.name == "single":
				case t.name == "queue" && r > 500:
					keep = 0
				case t.name == "chain-literal" && r < 100:
					keep = float64(r) / 100
				case t.name == "dual" || t.name == "dual-blanked":
					keep = min(1, max(0.006, float64(500-r)/300))
				case r > 400:
					keep = max(0.083, float64(500-r)/100)
				}
				w := measured("", t.name, float64(r), results.QRetention, results.Ratio, keep*noise(r, 0.004)*0.995, 0.004)
				w.Theory = results.Num(keep)
				in(results.Window, w)
			}
		}
		for _, users := range []float64{1e5, 1e6, 1e7, 1e8, 1e9} {
			in(results.Memory, results.Row{Strategy: t.name, X: results.Num(users), Quantity: results.QTotalTheory, Unit: results.Bytes, Theory: results.Num(users * t.bytes(500))})
			if users <= 1e7 {
				p := measured("", t.name, users, results.QPayloadTotal, results.Bytes, users*t.bytes(500), 0)
				if users == 1e7 {
					p.Paper = results.Num(5e9)
					if t.name == "queue" {
						p.Paper = results.Num(40e9)
					}
				}
				in(results.Memory, p, measured("", t.name, users, results.QResidentTotal, results.Bytes, 2e7+users*t.bytes(500)*1.12, 0))
			}
		}
		for b := range 12 {
			x := math.Exp2(float64(b))
			r := int(x * 1.4)
			in(results.Daily,
				results.Row{Strategy: t.name, X: results.Num(x), Quantity: results.QUsers, Value: results.Num(math.Round(2e6 * math.Exp(-math.Pow(float64(b)-4, 2)/6)))},
				measured("", t.name, x, results.QFPRByActivity, results.Ratio, t.rate(r)*map[bool]float64{true: 0, false: 1}[t.name == "queue"], 0.05),
				measured("", t.name, x, results.QBytesByActivity, results.Bytes, t.bytes(r), 0))
		}
		mean := t.bytes(60)
		in(results.Daily, total(t.name, results.QPayloadRule, results.Bytes, 4e6*mean), total(t.name, results.QPayloadNoRule, results.Bytes, 9e6*mean))

		for k, c := range []float64{40, 100, 200, 400, 1000, 2000, 4000} {
			ns := []float64{14, 9, 9.5, 9.5, 10, 9, 13}[s]*c + 60
			if t.name == "queue" {
				ns += 900
			}
			for q, factor := range map[string]float64{results.QHotP50: 1, results.QHotP99: 1.5, results.QColdP50: 1.6, results.QColdP99: 3} {
				in(results.Latency, results.Row{Strategy: t.name, X: results.Num(c), Quantity: q, Unit: results.Nanoseconds, Value: results.Num(ns*factor*noise(k, 0.03) + factor*200)})
			}
		}
		if s < 3 || t.name == "chain" {
			for r := -500; r <= 1500; r += 50 {
				v := t.rate(r + 500)
				if t.name == "chain" && r > 0 {
					v = min(chainRate(500, 5, 100, 812, 6, true)+float64(r)/500*0.09, 0.187)
				}
				if v < 2e-7 {
					v = 0
				}
				e := measured("", t.name, float64(r), results.QFPR, results.Ratio, v*noise(r, 0.01), 0.04)
				e.Theory = results.Num(v)
				in(results.Extend, e)
			}
			in(results.Extend, total(t.name, results.QArticlesKept, "", []float64{500, 500, 200, 0, 500}[s]))
		}
		if t.name == "queue-map" || t.name == "nothing" {
			continue
		}
		payload := total(t.name, results.QPayloadPerUser, results.Bytes, t.bytes(500))
		payload.Paper = results.Num(508)
		if t.name == "queue" {
			payload.Paper = results.Num(4000)
		}
		at500 := total(t.name, results.QFPRAt500, results.Ratio, t.rate(500))
		if t.name != "queue" {
			at500.Paper = results.Num(0.0156)
		}
		in(results.Table1, payload, total(t.name, results.QHeaderPerUser, results.Bytes, 4), at500,
			total(t.name, results.QFPRSteady, results.Ratio, []float64{0, 0.93, 0.006283, 0.006283, 0.083075, 0.0794, 0.017}[s]),
			total(t.name, results.QWindowLeast, "", []float64{500, 500, 200, 200, 400, 0, 400}[s]),
			total(t.name, results.QWindowMean, "", []float64{500, 500, 350, 350, 450, 400, 450}[s]),
			total(t.name, results.QRequestP50, results.Nanoseconds, []float64{2400, 900, 950, 950, 1000, 900, 1200}[s]))
	}
	for k, name := range []string{"nothing", "queue-map"} {
		for i, c := range []float64{40, 100, 200, 400, 1000, 2000, 4000} {
			for q, factor := range map[string]float64{results.QHotP50: 1, results.QHotP99: 1.4, results.QColdP50: 1.1, results.QColdP99: 1.8} {
				in(results.Latency, results.Row{Strategy: name, X: results.Num(c), Quantity: q, Value: results.Num(factor * []float64{20 + c/10, 15000 + 40*c}[k] * noise(i, 0.02))})
			}
		}
	}
	ln2 := math.Ln2
	for _, e := range []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1} {
		for name, mk := range map[string][2]float64{
			"paper":   {math.Ceil(500 * math.Log2(1/e) * 1.44), math.Round(math.Log2(1/e) * 1.44 * ln2)},
			"lecture": {math.Ceil(1000 * math.Log(1/e)), math.Round(1.44 * math.Log(1/e))},
			"exact":   {math.Ceil(500*math.Log2(1/e)*1.4427 + 8), math.Round(math.Log2(1 / e))},
		} {
			x := results.Num(e)
			in(results.Sizing,
				results.Row{Strategy: name, X: x, Quantity: results.QBits, Unit: results.Bits, Theory: results.Num(mk[0])},
				results.Row{Strategy: name, X: x, Quantity: results.QMiss, Unit: results.Ratio, Theory: results.Num(classical(500, mk[0], mk[1]) / e)})
		}
	}
	for _, s := range []struct {
		name        string
		large, tiny float64
	}{
		{"multiply-shift", -0.0001, -0.0010},
		{"splitmix per probe", -0.0016, -0.0001},
		{"double hashing", 0.0089, 0.0413},
		{"double hashing 32-bit", 0.0157, 0.0701},
		{"enhanced double hashing", 0.0011, 0.0030},
		{"md5 halves", 0.0009, 0.0021},
		{"one word per item", 0.776, 0.749},
		{"one 512-bit block per item", 0.088, 0.076},
	} {
		for m, v := range map[float64]float64{4064: s.large, 812: s.tiny} {
			r := measured("", s.name, m, results.QExcess, results.Ratio, v, 0)
			r.Low, r.High = results.Num(v-0.0022), results.Num(v+0.0022)
			in(results.Hashes, r)
		}
	}
	return slices.Concat(rows, syntheticServe(), syntheticPeers(), syntheticBeyond(), syntheticPipeline(), syntheticReplay())
})
