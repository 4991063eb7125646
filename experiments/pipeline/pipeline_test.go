package pipeline

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"dejavu/claims"
	"dejavu/experiments/ledger"
	"dejavu/experiments/run"
	"dejavu/results"
	"dejavu/sysinfo"
	"dejavu/workload"
)

// The rows of a run of the live path say what they must.
func TestRows(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("half a minute there, and no goroutines but those of the other tests")
	}
	t.Parallel()
	// The least number of users: 500, and 1000 for outages.
	all, timing, err := Experiment.Rows(run.New(t.Context(), run.Scope{Users: 3000, Seed: results.DefaultSeed}, run.NewProgress(io.Discard)))
	if err != nil || timing != nil {
		t.Fatal(err, timing)
	}
	c := results.NewCells(all)
	value := func(memory string, delay, quantity string) float64 {
		r, ok := c.Find(results.Pipeline, memory, delay, quantity)
		if !ok {
			t.Fatalf("no row of %s at %q with %q", memory, delay, quantity)
		}
		return r.Value.Or(math.NaN())
	}
	for _, l := range lanes {
		// Nothing is late without a delay; what never forgets repeats nothing then.
		if l.memory == "single" && value(l.memory, "0", results.QAgainCount+l.says()) != 0 {
			t.Errorf("%s repeats without a delay", l.laneName())
		}
		if l.list == 0 && value(l.memory, "0", results.QAgainLate+l.says()) != 0 {
			t.Errorf("%s is late without a delay", l.laneName())
		}
		// A list that is longer than any delay makes up for it, and so does one that
		// is longer than this.
		if e := edges[l.list]; e.Seconds >= 120 && value(l.memory, "120", results.QAgainCount+l.says()) != 0 {
			t.Errorf("%s repeats after two minutes", l.laneName())
		}
		for i, delay := range delays[1:] {
			before, x := fmt.Sprint(delays[i]), fmt.Sprint(delay)
			if ahead := 0.; l.every > 0 && l.list == 0 {
				if delay > l.every {
					ahead = 1
				}
				if v := value(l.memory, x, results.QOvertaken+l.says()); v != ahead {
					t.Errorf("%s: %v of the refreshes come before %s s, want %v", l.laneName(), v, x, ahead)
				}
			}
			if value(l.memory, x, results.QAgain+l.says()) < 0.9*value(l.memory, before, results.QAgain+l.says()) {
				t.Errorf("%s repeats less at %s s than at %s s", l.laneName(), x, before)
			}
		}
	}
	agreeWithTheory(t, all)
	for _, l := range outageLanes {
		until, ok := c.Find(results.Pipeline, l.memory, "", results.QUntilNormal+l.says())
		if theory := until.Theory.Or(30); !ok || until.Value.Or(-1) < 0 || until.Value.Or(0) > theory+outageDelay/60. {
			t.Errorf("%s: normal after %v minutes, caught up with after %v", l.laneName(), until.Value, theory)
		}
	}
	for _, table := range tables(c) {
		if len(table.Rows) == 0 {
			t.Errorf("%s: no lines", table.Title)
		}
	}

	want := map[string]claims.Verdict{"L6a": claims.Holds, "L6c": claims.Holds, "L6d": claims.Holds}
	for _, f := range ledger.Of(&results.Run{Rows: all}).Findings {
		if v, ok := want[f.ID]; ok && f.Verdict != v {
			t.Errorf("%s: %v, want %v", f.ID, f.Verdict, v)
		}
	}
}

// agreeWithTheory compares what has a theory with it. Of how often a refresh overtakes:
// 4.5 standard errors of some 1400 refreshes or more, one run in 7000 for all of them.
// A list's mean is exact, but for what of it the end of the days cuts off: half the span
// of the list at their mean pace, and more where many read then.
func agreeWithTheory(t *testing.T, rows []results.Row) {
	t.Helper()
	overtaken, lists := 0, 0
	for _, r := range rows {
		theory, ok := r.Theory.Get()
		v, measured := r.Value.Get()
		if !ok || !measured {
			continue
		}
		switch {
		case strings.HasPrefix(r.Quantity, results.QOvertaken):
			overtaken++
			if off := 4.5 * math.Sqrt(theory*(1-theory)/float64(r.Count)); math.Abs(v-theory) > off+1e-12 && theory*float64(r.Count) > 5 {
				t.Errorf("%s at %v s: %v, theory %v ± %v", r.Quantity, r.X, v, theory, off)
			}
		case strings.HasPrefix(r.Quantity, results.QListMean):
			lists++
			list := slices.IndexFunc(results.EdgeLists, func(list string) bool { return list != "" && strings.HasSuffix(r.Quantity, list) })
			if cut := 3 * float64(edges[list].Seconds) / workload.Horizon; v > theory*(1+1e-9) || v < theory*(1-cut) {
				t.Errorf("%s at %v s: %v B, theory %v B, of which the end cuts off %v at most", r.Quantity, r.X, v, theory, cut)
			}
		}
	}
	// Six lanes, and twice two lists, at ten delays; two lists in the outage.
	if overtaken != 60 || lists != 42 {
		t.Errorf("%d rates of overtaking and %d lists have a theory", overtaken, lists)
	}
}

// No two lanes write the same rows, and every list has its name.
func TestPipelineLanes(t *testing.T) {
	seen := map[string]bool{}
	for _, lanes := range [][]lane{lanes, outageLanes} {
		for _, l := range lanes {
			if seen[l.laneName()] {
				t.Errorf("%s is there twice", l.laneName())
			}
			seen[l.laneName()] = true
		}
	}
	for i, e := range edges {
		name := ""
		switch {
		case e.Articles > 0:
			name = fmt.Sprintf(", list of the last %d", e.Articles)
		case e.Seconds >= 3600:
			name = fmt.Sprintf(", list of %d h", e.Seconds/3600)
		case e.Seconds > 0:
			name = fmt.Sprintf(", list of %d min", e.Seconds/60)
		}
		if len(edges) != len(results.EdgeLists) || results.EdgeLists[i] != name {
			t.Fatalf("list %d is %+v, want one that is called so: %q", i, e, results.EdgeLists)
		}
	}
}
