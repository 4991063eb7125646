package delivery

import (
	"io"
	"math"
	"testing"

	"dejavu/claims"
	"dejavu/experiments/engine"
	"dejavu/experiments/report"
	"dejavu/internal/sysinfo"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// The rows of a run of the live path say what they must.
func TestRows(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("half a minute there, and no goroutines but those of the other tests")
	}
	t.Parallel()
	// The least number of users: 500, and 1000 for outages.
	scope := engine.Scope{Users: 3000, Seed: results.DefaultSeed}
	all, timing, err := Pipeline.Rows(engine.New(t.Context(), scope, engine.NewProgress(io.Discard)))
	if err != nil || timing != nil {
		t.Fatal(err, timing)
	}
	c := results.NewCells(all)
	for _, l := range lanes {
		value := func(quantity string, delay int, where ...results.Condition) float64 {
			q := of(quantity, l).With(by.Delay.At(float64(delay))).With(where...)
			r, ok := c.One(q)
			if !ok {
				t.Fatalf("no row %s", q)
			}
			return r.Value.Or(math.NaN())
		}
		// Nothing is late without a delay; what never forgets repeats nothing then.
		if l.memory == "single" && value(results.QRepeats, 0) != 0 {
			t.Errorf("%+v repeats without a delay", l)
		}
		if l.list == "" && value(results.QRepeatRate, 0, late) != 0 {
			t.Errorf("%+v is late without a delay", l)
		}
		// A list that is longer than any delay makes up for it, and so does one that is longer than this.
		if e := edges[l.list]; e.Seconds >= 120 && value(results.QRepeats, 120) != 0 {
			t.Errorf("%+v repeats after two minutes", l)
		}
		for i, delay := range delays[1:] {
			if ahead := 0.; l.every > 0 && l.list == "" {
				if delay > l.every {
					ahead = 1
				}
				strategytest.Equal(t, value(results.QOvertaken, delay), ahead,
					"%+v: share of the refreshes that come before %d s", l, delay)
			}
			strategytest.AtLeast(t, value(results.QRepeatRate, delay), 0.9*value(results.QRepeatRate, delays[i]),
				"%+v: repeats at %d s beside %d s", l, delay, delays[i])
		}
	}
	agreeWithTheory(t, all)
	for _, l := range outageLanes {
		until, ok := c.One(of(results.QUntilNormal, l))
		if theory := until.Theory.Or(30); !ok || until.Value.Or(-1) < 0 || until.Value.Or(0) > theory+outageDelay/60. {
			t.Errorf("%+v: normal after %v minutes, caught up with after %v", l, until.Value, theory)
		}
	}
	for _, table := range Pipeline.Tables {
		if none := table.Unfound(c); none != nil {
			t.Errorf("%s: nothing found of %s", table.Title, none)
		}
	}

	want := map[string]claims.Verdict{"L6a": claims.Holds, "L6c": claims.Holds, "L6d": claims.Holds}
	for _, f := range report.LedgerOf(&results.Run{Rows: all}).Findings {
		if v, ok := want[f.ID]; ok && f.Verdict != v {
			t.Errorf("%s: %v, want %v", f.ID, f.Verdict, v)
		}
	}
}

// of is a quantity of a lane.
func of(quantity string, l lane) results.Query {
	return results.Find(quantity, l.where()...).In(results.Pipeline).Of(l.memory)
}

// agreeWithTheory compares what has a theory with it. Of how often a refresh overtakes: 4.5 standard errors
// of some 1400 refreshes or more, one run in 7000 for all of them. A list's mean is exact, but for what of it
// the end of the days cuts off: half the span of the list at their mean pace, and more where many read then.
func agreeWithTheory(t *testing.T, rows []results.Row) {
	t.Helper()
	overtaken, lists := 0, 0
	for _, r := range rows {
		theory, ok := r.Theory.Get()
		v, measured := r.Value.Get()
		if !ok || !measured {
			continue
		}
		switch r.Quantity {
		case results.QOvertaken:
			overtaken++
			off := 4.5 * math.Sqrt(theory*(1-theory)/float64(r.Count))
			if math.Abs(v-theory) > off+1e-12 && theory*float64(r.Count) > 5 {
				t.Errorf("%s: %v, theory %v ± %v", r.Name(), v, theory, off)
			}
		case results.QListBytes:
			lists++
			cut := 3 * float64(edges[r.Where.Of(by.List)].Seconds) / workload.Horizon
			strategytest.Between(t, v, theory*(1-cut), theory*(1+1e-9),
				"%s: B, of which the end cuts off %v at most", r.Name(), cut)
		}
	}
	// Six lanes, and twice two lists, at ten delays; two lists in the outage.
	if overtaken != 60 || lists != 42 {
		t.Errorf("%d rates of overtaking and %d lists have a theory", overtaken, lists)
	}
}
