package tradeoff

import (
	"context"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/catalogue/cataloguetest"
	"dejavu/measure"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// Steady counts the same for any workers and split of the users, lets nothing through inside the window, and
// finds theory's rates: 4000 users give each rate 200 000 queries, and 4.5 clustered standard errors fail one
// seed in 100 000. Few users lie evenly over the cycle: the mean over 200 of them is that over all.
func TestSteady(t *testing.T) {
	const first, turn, worst = 1201, 1000, 1400
	population := catalogue.Must(workload.NewFull(1, 4000))
	for _, s := range []measure.Subject{cataloguetest.Find(t, "dual"), cataloguetest.Find(t, "chain")} { // rings
		run := func(workers int, users measure.Range) SteadyCounts {
			c, err := Steady(context.Background(), measure.Options{Workers: workers}, s, population, users, worst, first, turn)
			strategytest.Must(t, err)
			return c
		}
		whole, parts := run(3, measure.Range{To: 4000}), run(1, measure.Range{To: 1111})
		measure.Sum(&parts, run(2, measure.Range{From: 1111, To: 4000}))
		if whole != parts {
			t.Errorf("%s: whole %+v, in parts %+v", s.Name, whole, parts)
		}
		if whole.WindowChecks == 0 || whole.WindowMisses != 0 {
			t.Errorf("%s: %d of %d repeats inside the window are shown", s.Name, whole.WindowMisses, whole.WindowChecks)
		}
		mean, few := 0., 0.
		for i := range turn {
			mean += s.Theory.FPR(first+i) / turn
		}
		for i := range 200 {
			few += s.Theory.FPR(first+i*spread%turn) / 200
		}
		if few < 0.97*mean || few > 1.03*mean {
			t.Errorf("%s: %v in the mean over 200 users, %v over the turn", s.Name, few, mean)
		}
		for name, c := range map[string]struct {
			rate measure.Rate
			want float64
		}{"worst": {whole.Worst, s.Theory.FPR(worst)}, "mean": {whole.Mean, mean}} {
			if z := (c.rate.Value() - c.want) / c.rate.StdErr(); z < -4.5 || z > 4.5 {
				t.Errorf("%s, %s: %v, want %v: %.1f standard errors", s.Name, name, c.rate.Value(), c.want, z)
			}
		}
	}
}
