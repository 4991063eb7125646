package results

import (
	"slices"
	"testing"
)

// Rows of unfinished experiments are dropped; without a manifest all stay.
func TestDropUnfinished(t *testing.T) {
	rows := func(names ...string) (rows []Row) {
		for _, name := range names {
			rows = append(rows, Row{Experiment: name})
		}
		return rows
	}
	all := []string{"done", "failed", "measured", "done", "unknown"}
	for _, c := range []struct {
		experiments []Status
		want        []string
	}{
		{nil, all},
		{
			[]Status{{Name: "done", Status: Done}, {Name: "failed", Status: Failed}, {Name: "measured", Status: Measured}},
			[]string{"done", "done"},
		},
	} {
		run := Run{Manifest: Manifest{Experiments: c.experiments}, Rows: rows(all...), Timing: rows(all...)}
		run.DropUnfinished()
		if want := rows(c.want...); !slices.Equal(run.Rows, want) || !slices.Equal(run.Timing, want) {
			t.Errorf("of %d experiments rows of %v are left, times of %v, want %v", len(c.experiments), run.Rows, run.Timing,
				c.want)
		}
	}
}
