package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/claims"
	"dejavu/results"
)

// A run of the live path alone: its rows are those of three shards merged, and say
// what they must.
func TestPipelineRows(t *testing.T) {
	if raceDetector {
		t.Skip("half a minute there, and no goroutines but those that package measure tests")
	}
	const users = "3000" // the least number of readers: 500, and 1000 for outages
	out, parts := t.TempDir(), t.TempDir()
	wants(t, program(t.Context(), "pipeline", "--users", users, "--out", out, "--workers", "1"), exitOK, "")
	for i := range 3 {
		shard := fmt.Sprintf("%d/3", i)
		wants(t, program(t.Context(), "pipeline", "--users", users, "--out", parts, "--shard", shard, "--workers", fmt.Sprint(3-i)), exitOK, "")
	}
	merge := mergeCommand{Dirs: []string{parts}, Out: t.TempDir()}
	if err := merge.merge(t.Context(), io.Discard, nil); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, "three shards", rowFiles(t, merge.Out), rowFiles(t, out))

	run, err := results.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	c := index(run)
	value := func(memory string, delay, quantity string) float64 {
		r, ok := c.find(results.Pipeline, memory, delay, quantity)
		if !ok {
			t.Fatalf("no row of %s at %q with %q", memory, delay, quantity)
		}
		return r.Value.Or(math.NaN())
	}
	for _, l := range pipelineLanes {
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
		for i, delay := range pipelineDelays[1:] {
			before, x := fmt.Sprint(pipelineDelays[i]), fmt.Sprint(delay)
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
	// Theory, where a refresh overtakes: 4.5 standard errors of some 1400 refreshes
	// or more, one run in 7000 for all of them.
	for _, r := range run.Rows {
		theory, ok := r.Theory.Get()
		if v, measured := r.Value.Get(); ok && measured && strings.HasPrefix(r.Quantity, results.QOvertaken) {
			if off := 4.5 * math.Sqrt(theory*(1-theory)/float64(r.Count)); math.Abs(v-theory) > off+1e-12 && theory*float64(r.Count) > 5 {
				t.Errorf("%s at %v s: %v, theory %v ± %v", r.Quantity, r.X, v, theory, off)
			}
		}
	}
	for _, l := range outageLanes {
		until, ok := c.find(results.Pipeline, l.memory, "", results.QUntilNormal+l.says())
		if theory := until.Theory.Or(30); !ok || until.Value.Or(-1) < 0 || until.Value.Or(0) > theory+outageDelay/60. {
			t.Errorf("%s: normal after %v minutes, caught up with after %v", l.laneName(), until.Value, theory)
		}
	}
	for _, table := range pipelineTables(c) {
		if len(table.Rows) == 0 {
			t.Errorf("%s: no lines", table.Title)
		}
	}

	want := map[string]claims.Verdict{"L6a": claims.Holds, "L6c": claims.Refuted, "L6d": claims.Refuted}
	for _, f := range ledgerOf(run).Findings {
		if v, ok := want[f.ID]; ok && f.Verdict != v || ok && v == claims.Refuted && f.Amended == "" {
			t.Errorf("%s: %v, want %v, and what would make it true: %q", f.ID, f.Verdict, v, f.Amended)
		}
	}
	if svg := read(t, filepath.Join(out, "figures", "pipeline.svg")); len(svg) < 10_000 {
		t.Errorf("the figure has %d bytes", len(svg))
	}
}

// No two lanes write the same rows, and every list has its name.
func TestPipelineLanes(t *testing.T) {
	seen := map[string]bool{}
	for _, lanes := range [][]pipelineLane{pipelineLanes, outageLanes} {
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
