package users

import (
	"testing"

	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// counted is a theory whose histories have a byte for each article.
type counted struct{}

func (counted) Bytes(read int) int   { return read }
func (counted) FPR(read int) float64 { return float64(read) }
func (counted) Window(read int) int  { return read }

// A quantile is the least value that so large a share of the users does not exceed: just half of them will do
// for the median. Who has no history does not count.
func TestQuantiles(t *testing.T) {
	for _, c := range []struct {
		held []int64
		want [4]float64
	}{
		{[]int64{9, 5, 4, 1}, [4]float64{1, 2, 3, 3}},
		{[]int64{0, 4, 5, 1}, [4]float64{2, 2, 3, 3}},
		{[]int64{7, 0, 500, 400, 90, 9, 1}, [4]float64{2, 3, 4, 5}},
	} {
		rows := quantiles("s", measure.Subject{Theory: counted{}}, measure.Regime{Held: c.held}, ruled)
		if len(rows) != 8 {
			t.Fatalf("%d rows", len(rows))
		}
		for i, r := range rows {
			if v, _ := r.Value.Get(); v != c.want[i%4] {
				t.Errorf("%v: %v is %v, want %v", c.held, r.Name(), v, c.want[i%4])
			}
		}
	}
}

// The grid has the usual habits once, every other value once, and no two points alike; a run whose users have a
// value for their usual one leaves that out.
func TestPoints(t *testing.T) {
	const others, corners = 15, 4
	usual := workload.DefaultDaily()
	frequent := usual
	frequent.Sessions = 1
	for _, c := range []struct {
		usual  workload.DailyConfig
		others int
	}{{usual, others}, {frequent, others - 1}} {
		all := points(c.usual)
		if len(all) != 1+c.others+corners || len(all[0].at()) != len(factors) {
			t.Fatalf("%d points, the first of %v", len(all), all[0].at())
		}
		known := map[results.Conditions]bool{}
		for _, p := range all {
			for _, at := range p.at() {
				if known[at] {
					t.Errorf("two points at %s", at)
				}
				known[at] = true
			}
		}
		last := all[len(all)-1]
		if want := results.Conditions("hours=2, octave=2, sessions=2, share=0.4"); last.changed != want ||
			last.hours != 2 || last.Octave != 2 || last.Sessions != 2 || last.Repeats != 0.4 || last.pause != 180 {
			t.Errorf("the last corner is %s: %+v", last.changed, last.habits)
		}
	}
}
