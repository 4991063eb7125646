package peers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/experiments/peers/standing"
	"dejavu/internal/document"
	"dejavu/results"
)

// leave leaves a run of the peers in the directory of another run: one library, half as fast as ours.
func leave(t *testing.T, out string) {
	t.Helper()
	dir := filepath.Join(out, results.PeersDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	theirs, unseen := standing.Name("swift", "single"), standing.Timed[0].Query
	file := filepath.Join(dir, results.TimingFileName(results.Peers))
	err := results.WriteFile(file, standing.Dimensions, []results.Row{
		row(standing.OurName("single"), unseen, 5), row(theirs, unseen, 10), row(theirs, standing.Over(unseen), 2),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBeside(t *testing.T) {
	out := t.TempDir()
	committed := Of(out)
	if text := document.Markdown(committed.Blocks()...); len(committed.Rows()) < 100 ||
		!strings.Contains(text, "committed with this program") ||
		!strings.Contains(text, "cd peers && go run .") || !strings.Contains(text, "bits-and-blooms chain") {
		t.Errorf("beside nothing: %d rows, and\n%s", len(committed.Rows()), text)
	}

	leave(t, out)
	own := Of(out)
	if text := document.Markdown(own.Blocks()...); len(own.Rows()) != 3 ||
		!strings.Contains(text, "beside this report") || !strings.Contains(text, "| swift single | ahead, 2× |") {
		t.Errorf("beside rows: %d of them, and\n%s", len(own.Rows()), text)
	}

	none := t.TempDir()
	if err := os.Mkdir(filepath.Join(none, results.PeersDir), 0o755); err != nil {
		t.Fatal(err)
	}
	if text := document.Markdown(Of(none).Blocks()...); !strings.Contains(text, "There are no rows to show.") {
		t.Errorf("beside an empty folder:\n%s", text)
	}
	name := results.FileName(results.Peers)
	if err := os.WriteFile(filepath.Join(out, results.PeersDir, name), []byte("no rows\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if broken := Of(out); broken.Rows() != nil || !strings.Contains(document.Markdown(broken.Blocks()...),
		name+": line 1") {
		t.Errorf("beside a broken file: %d rows, and\n%s", len(broken.Rows()), document.Markdown(broken.Blocks()...))
	}
}
