package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/results"
)

// writePeers leaves a run of the peers in the directory of another run: one
// library, half as fast as ours.
func writePeers(t *testing.T, out string) {
	t.Helper()
	dir := filepath.Join(out, results.PeersDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	row := func(strategy, quantity string, v float64) results.Row {
		return results.Row{Experiment: results.Peers, Strategy: strategy, X: results.Num(40), Quantity: quantity, Value: results.Num(v)}
	}
	theirs := results.PeerName("swift", "single")
	err := results.WriteFile(filepath.Join(dir, results.TimingFileName(results.Peers)), []results.Row{
		row(results.OurName("single"), results.QFreshNanos, 5),
		row(theirs, results.QFreshNanos, 10),
		row(theirs, results.QFreshNanos+results.OverOurs, 2),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPeersBeside(t *testing.T) {
	out := t.TempDir()
	committed := peersBeside(out)
	if len(committed.rows) < 100 || !strings.Contains(committed.text, "committed with this program") ||
		!strings.Contains(committed.text, "cd peers && go run .") || !strings.Contains(committed.text, "bits-and-blooms chain") {
		t.Errorf("beside nothing: %d rows, and\n%s", len(committed.rows), committed.text)
	}

	writePeers(t, out)
	own := peersBeside(out)
	if len(own.rows) != 3 || !strings.Contains(own.text, "beside this report") || !strings.Contains(own.text, "| swift single | ahead, 2× |") {
		t.Errorf("beside rows: %d of them, and\n%s", len(own.rows), own.text)
	}

	name := results.FileName(results.Peers)
	write(t, filepath.Join(out, results.PeersDir, name), "no rows\n")
	if broken := peersBeside(out); broken.rows != nil || !strings.Contains(broken.text, name+": line 1") {
		t.Errorf("beside a broken file: %d rows, and\n%s", len(broken.rows), broken.text)
	}
}

// The figures of a run show the peers beside it; its report says what they came to.
func TestReportShowsPeers(t *testing.T) {
	out := t.TempDir()
	writePeers(t, out)
	r := program(t.Context(), "sizing", "--users", "1", "--out", out)
	wants(t, r, exitOK, r.stdout)
	report := read(t, filepath.Join(out, "report.md"))
	for _, phrase := range []string{"## Beside other filter libraries", "| swift single | ahead, 2× |", "![peers](figures/peers.svg)"} {
		if !strings.Contains(report, phrase) {
			t.Errorf("the report lacks %q:\n%s", phrase, report)
		}
	}
	drawn := read(t, filepath.Join(out, "figures", "peers.svg"))
	if err := os.RemoveAll(filepath.Join(out, results.PeersDir)); err != nil {
		t.Fatal(err)
	}
	r = program(t.Context(), "plot", "--out", out)
	wants(t, r, exitOK, r.stdout, "peers: ", "serve: skipped, no rows of experiment serve")
	if read(t, filepath.Join(out, "figures", "peers.svg")) == drawn {
		t.Error("the figure of other rows is the same")
	}
}
