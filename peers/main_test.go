package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/results"
)

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--users 0", "--users is 0, want 1 to 10000000"},
		{"--rounds 10", "--rounds is 10, want 11 to 1000"},
		{"quick", `argument "quick": want flags only`},
	} {
		err := run(strings.Fields(c.args), io.Discard, io.Discard)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.args, err, c.want)
		}
	}
}

// A quick run leaves files that read back, and tables with every strategy.
func TestQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some ten seconds")
	}
	dir := t.TempDir()
	var out bytes.Buffer
	if err := run([]string{"--quick", "--users", "50000", "--rounds", "11", "--out", dir}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	rows, err := results.ReadFile(filepath.Join(dir, "peers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	timing, err := results.ReadFile(filepath.Join(dir, "peers.timing.csv"))
	if err != nil {
		t.Fatal(err)
	}
	l := newLedger(append(rows, timing...))
	if len(l) != len(rows)+len(timing) {
		t.Errorf("%d rows have %d keys between them", len(rows)+len(timing), len(l))
	}
	for _, s := range subjects() {
		if !strings.Contains(out.String(), s.name) {
			t.Errorf("the tables lack %s", s.name)
		}
		for _, q := range timeQuantities {
			if r, ok := l.row(s.name, q); !ok || r.Value.Or(0) <= 0 {
				t.Errorf("%s: %s is %v", s.name, q, r.Value)
			}
		}
	}
	for _, s := range shapes { // 200 filters: the standard error is 2 % of the rate
		r, _ := l.row(filterName, qFPR+s.name)
		if ratio := r.Value.Or(0) / r.Theory.Or(1); ratio < 0.9 || ratio > 1.1 {
			t.Errorf("ours on %s keys: %v, theory %v", s.name, r.Value, r.Theory)
		}
	}

	// The first file follows from nothing but the flags.
	again, _ := rates(200, func(string) {})
	file := filepath.Join(dir, "again.csv")
	if err := results.WriteFile(file, again); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(file)
	b, _ := os.ReadFile(filepath.Join(dir, "peers.csv"))
	if !bytes.Equal(a, b) {
		t.Error("peers.csv differs from run to run")
	}
}

// What is said of rows that were written for it.
func TestAhead(t *testing.T) {
	n := results.Num
	ratio := func(strategy string, low, value, high float64) results.Row {
		r := row(strategy, request, qFresh+over, results.Ratio, value)
		r.Low, r.High = n(low), n(high)
		return r
	}
	l := newLedger([]results.Row{
		ratio("holiman single", 0.7, 0.8, 0.9),
		ratio("ristretto single", 0.8, 0.9, 1.1), // not for certain
		row("dejavu/chain", 10, qBytes, "B", 520),
		row("BoomFilters chain", 10, qBytes, "B", 400),
		row("holiman chain", 10, qBytes, "B", 510), // less than a tenth
	})
	got := strings.Join(l.ahead(), "\n")
	want := "holiman single: ns per candidate, fresh, 80.0 % of ours (70.0 % to 90.0 %)\n" +
		"BoomFilters chain: bytes per user, 400 B against 520 B"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
