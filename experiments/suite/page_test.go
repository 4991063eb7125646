package suite

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/internal/sysinfo"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// The golden rows of docs/rows.md and docs/structures.md, which a second program is written from, are those of a run.
func TestPage(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("theory takes ten times as long with the race detector, and holds no goroutines")
	}
	sizes := stopwatch.Sizes
	stopwatch.Sizes = sizes[:1]
	defer func() { stopwatch.Sizes = sizes }()

	for _, c := range []struct {
		page        string
		experiments int // that it has rows of
		has         func(e catalogue.Entry) bool
	}{
		{"../../docs/rows.md", 9, func(e catalogue.Entry) bool {
			return slices.Contains([]string{"single", "chain", "chain-literal"}, e.Name)
		}},
		{"../../docs/structures.md", 4, catalogue.Entry.IsBeyond},
	} {
		page := strategytest.Value(os.ReadFile(c.page))
		_, after, _ := strings.Cut(string(page), "\n```rows\n")
		block, _, _ := strings.Cut(after, "```")
		golden := map[string][]string{} // by experiment
		for line := range strings.Lines(strings.TrimSpace(block)) {
			name, _, _ := strings.Cut(line, ",")
			golden[name] = append(golden[name], strings.TrimSpace(line))
		}
		strategytest.Equal(t, len(golden), c.experiments, "%s has rows of experiments", c.page)
		scope := engine.Scope{Users: 2000, Seed: results.DefaultSeed}
		for _, e := range catalogue.All() {
			if c.has(e) {
				scope.Entries = append(scope.Entries, e)
			}
		}
		r := engine.New(t.Context(), scope, engine.NewProgress(io.Discard))
		r.Out, r.Program = t.TempDir(), "a test"
		for _, x := range All {
			if golden[x.Name] == nil {
				continue
			}
			lines := pageRows(t, r, x)
			for _, line := range golden[x.Name] {
				if !slices.Contains(lines, line) {
					t.Errorf("%s: the run has no row %s", c.page, line)
				}
			}
		}
	}
}

// pageRows is the file of an experiment, by lines. That of popularity takes seconds: all runs of 2000 users or more
// have the same, and so the committed one.
func pageRows(t *testing.T, r *engine.Run, x experiment.Experiment) []string {
	t.Helper()
	if x.Name == results.Popularity {
		file := strategytest.Value(os.ReadFile("../../results/reference/20000/popularity.csv"))
		return strings.Split(string(file), "\n")
	}
	rows, _, err := x.Rows(r)
	strategytest.Must(t, err)
	var file bytes.Buffer
	strategytest.Must(t, results.Write(&file, x.Dimensions, rows))
	return strings.Split(file.String(), "\n")
}
