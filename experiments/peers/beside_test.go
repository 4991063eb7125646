package peers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/experiments/peers/standing"
	"dejavu/internal/document"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// leave leaves a run of the peers in the directory of another run: one library, half as fast as ours.
func leave(t *testing.T, out string) {
	t.Helper()
	dir := filepath.Join(out, results.PeersDir)
	strategytest.Must(t, os.MkdirAll(dir, 0o755))
	theirs, unseen := standing.Name("swift", "single"), standing.Timed[0].Query
	file := filepath.Join(dir, results.TimingFileName(results.Peers))
	err := results.WriteFile(file, standing.Dimensions, []results.Row{
		row(standing.OurName("single"), unseen, 5), row(theirs, unseen, 10), row(theirs, standing.Over(unseen), 2),
	})
	strategytest.Must(t, err)
}

func TestBeside(t *testing.T) {
	out, none := t.TempDir(), t.TempDir()
	strategytest.Must(t, os.Mkdir(filepath.Join(none, results.PeersDir), 0o755))
	says := func(dir string, fewest, most int, phrases ...string) {
		t.Helper()
		run, blocks := Of(dir)
		if n := len(run.All()); n < fewest || n > most {
			t.Errorf("%d rows", n)
		}
		text := document.Markdown(blocks...)
		for _, phrase := range phrases {
			if !strings.Contains(text, phrase) {
				t.Errorf("%q is missing in\n%s", phrase, text)
			}
		}
	}
	says(out, 100, 1e6, "committed with this program", "cd peers && go run .", "bits-and-blooms chain")
	leave(t, out)
	says(out, 3, 3, "beside this report", "| swift single | ahead, 2× |")
	says(none, 0, 0, "There are no rows to show.")
	name := results.FileName(results.Peers)
	strategytest.Must(t, os.WriteFile(filepath.Join(out, results.PeersDir, name), []byte("no rows\n"), 0o600))
	says(out, 0, 0, "Nothing to show: ", name+": line 1")
}
