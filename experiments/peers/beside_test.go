package peers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/experiments/peers/standing"
	"dejavu/results"
)

// leave leaves a run of the peers in the directory of another run: one library, half
// as fast as ours.
func leave(t *testing.T, out string) {
	t.Helper()
	dir := filepath.Join(out, results.PeersDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	row := func(strategy, quantity string, v float64) results.Row {
		return results.Row{Experiment: results.Peers, Strategy: strategy, X: results.Num(40), Quantity: quantity, Value: results.Num(v)}
	}
	theirs := standing.Name("swift", "single")
	err := results.WriteFile(filepath.Join(dir, results.TimingFileName(results.Peers)), []results.Row{
		row(standing.OurName("single"), results.QFreshNanos, 5),
		row(theirs, results.QFreshNanos, 10),
		row(theirs, results.QFreshNanos+results.OverOurs, 2),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBeside(t *testing.T) {
	out := t.TempDir()
	committed := Of(out)
	if text := committed.Markdown(); len(committed.Rows()) < 100 || !strings.Contains(text, "committed with this program") ||
		!strings.Contains(text, "cd peers && go run .") || !strings.Contains(text, "bits-and-blooms chain") {
		t.Errorf("beside nothing: %d rows, and\n%s", len(committed.Rows()), text)
	}

	leave(t, out)
	own := Of(out)
	if text := own.Markdown(); len(own.Rows()) != 3 || !strings.Contains(text, "beside this report") || !strings.Contains(text, "| swift single | ahead, 2× |") {
		t.Errorf("beside rows: %d of them, and\n%s", len(own.Rows()), text)
	}

	name := results.FileName(results.Peers)
	if err := os.WriteFile(filepath.Join(out, results.PeersDir, name), []byte("no rows\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if broken := Of(out); broken.Rows() != nil || !strings.Contains(broken.Markdown(), name+": line 1") {
		t.Errorf("beside a broken file: %d rows, and\n%s", len(broken.Rows()), broken.Markdown())
	}
}

// A folder of its name without rows says that there are none.
func TestBesideNoRows(t *testing.T) {
	out := t.TempDir()
	if err := os.Mkdir(filepath.Join(out, results.PeersDir), 0o755); err != nil {
		t.Fatal(err)
	}
	if text := Of(out).Markdown(); !strings.Contains(text, "There are no rows to show.") {
		t.Errorf("beside an empty folder:\n%s", text)
	}
}
