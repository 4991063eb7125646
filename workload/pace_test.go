package workload

import (
	"math"
	"testing"

	"dejavu/strategies/strategytest"
)

// The chances that a session's next refresh comes before a delay is over are those
// of draws: 4 standard errors, 6e-5 each.
func TestOvertaken(t *testing.T) {
	d := strategytest.Value(NewDaily(4, 30_000))
	var pauses []uint32
	var lags []Delays
	for user := range d.Users() {
		v := d.Visitor(user)
		for n, last := 0, uint32(0); n < 6; n++ {
			at, _ := v.Next()
			if v.InSession() {
				pauses, lags = append(pauses, at-last), append(lags, d.Delays(user))
			}
			last = at
		}
	}
	c := d.Config()
	for _, delay := range []float64{1, 5, 10, 11, 20, 60, 300, 600} {
		fixed, free := 0., 0.
		for i, pause := range pauses {
			if delay > float64(pause) {
				fixed++
			}
			if lags[i].Exponential(i, uint64(1000*delay)) > 1000*uint64(pause) {
				free++
			}
		}
		check := func(what string, hits, want float64) {
			if want == 0 || want == 1 {
				if hits != want*float64(len(pauses)) {
					t.Errorf("%s of %v s: %v of %d, want %v of them", what, delay, hits, len(pauses), want)
				}
				return
			}
			near(t, what, hits, hits, len(pauses), want)
		}
		check("overtaken delays", fixed, c.Overtaken(delay))
		if want := c.OvertakenExponential(delay); want*float64(len(pauses)) > 30 {
			check("overtaken exponential delays", free, want)
		}
	}
	alike := DailyConfig{LeastPause: 20}
	if alike.Overtaken(20) != 0 || alike.Overtaken(21) != 1 || alike.OvertakenExponential(20) != math.Exp(-1) {
		t.Errorf("pauses of 20 s: %v, %v, %v", alike.Overtaken(20), alike.Overtaken(21), alike.OvertakenExponential(20))
	}
}

// The closed form for exponential delays, against its sum over whole pauses.
func TestOvertakenExponential(t *testing.T) {
	c := DailyConfig{LeastPause: 10, PauseMean: 60}
	for _, mean := range []float64{1, 5, 30, 600} {
		sum, q := 0., math.Exp(-1./60)
		for s := range 10_000 {
			sum += (1 - q) * math.Pow(q, float64(s)) * math.Exp(-float64(10+s)/mean)
		}
		strategytest.Near(t, c.OvertakenExponential(mean), sum, 1e-12, "a mean delay of %v s", mean)
	}
}

// Delays are one user's own, whatever order they are asked in.
func TestDelays(t *testing.T) {
	d := strategytest.Value(NewDaily(4, 2))
	first := d.Delays(0).Exponential(7, 1<<30)
	d.Delays(0).Exponential(3, 1<<30)
	if d.Delays(0).Exponential(7, 1<<30) != first || d.Delays(1).Exponential(7, 1<<30) == first ||
		d.Delays(0).Exponential(8, 1<<30) == first {
		t.Error("a delay depends on what was asked before, or not on the reader and the step")
	}
}
