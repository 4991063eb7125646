package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"dejavu/internal/sysinfo"
	"dejavu/results"
)

// The flags' defaults are what the commands of the ledger leave out.
func TestDefaults(t *testing.T) {
	var flags command
	parser, err := kong.New(&flags, helps, kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"claims"}} {
		if _, err := parser.Parse(args); err != nil {
			t.Fatal(err)
		}
	}
	type population struct {
		users int
		seed  uint64
	}
	want := population{results.DefaultUsers, results.DefaultSeed}
	for _, got := range []population{{flags.Run.Users, flags.Run.Seed}, {flags.Claims.Users, flags.Claims.Seed}} {
		if got != want {
			t.Errorf("by default %+v, want %+v", got, want)
		}
	}
}

// The ledger stands first in the report of a run, and beside its rows; what
// depends on the machine is in a file of its own.
func TestLedgerOfRun(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("slow, and about files alone")
	}
	withCatalogue(t, "queue", "single")
	out := filepath.Join(t.TempDir(), "out")
	r := program(t.Context(), "table1", "arithmetic", "sizing", "--users", "300", "--out", out)
	wants(t, r, exitOK, r.stdout, "Verdicts on what the sources say: holds ", "500 IDs of 8 bytes")
	report := read(t, filepath.Join(out, "report.md"))
	if v, h := strings.Index(report, "**Verdicts on"), strings.Index(report, "**Table 1"); v < 0 || h < v {
		t.Errorf("the verdicts stand at %d of the report, the tables at %d", v, h)
	}
	fixed, timed := read(t, filepath.Join(out, "claims.csv")), read(t, filepath.Join(out, "claims.timing.csv"))
	if !strings.Contains(fixed, "\nP1,") || strings.Contains(fixed, "seconds") ||
		strings.Contains(fixed, "\nP29,") || !strings.Contains(timed, "\nP29,") {
		t.Errorf("claims.csv:\n%s\nclaims.timing.csv:\n%s", fixed, timed)
	}
	// Judging again is judging the same rows.
	r = program(t.Context(), "claims", "--out", out, "P1")
	wants(t, r, exitOK, r.stdout, "4000 B", "holds", "300")
	// A claim whose rows the run lacks says which, and what makes them.
	r = program(t.Context(), "claims", "--out", out, "P23b", "P4b")
	wants(t, r, exitOK, r.stdout, "not measured", "table1: fpr of chain-literal at",
		"go run ./experiments table1 arithmetic --users 300", "rests on 300, want 10000000",
		"again with │ go run ./experiments table1 ")
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if err := os.Remove(filepath.Join(out, "run.json")); err != nil {
		t.Fatal(err)
	}
	r = program(t.Context(), "claims", "--out", out, "P1") // rows that another tool wrote
	wants(t, r, exitOK, r.stdout, "holds")
}
