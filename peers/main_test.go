package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/peers/standing"
	"dejavu/peers/languages"
	"dejavu/peers/languages/languagestest"
	"dejavu/peers/library"
	"dejavu/results"
)

func TestMain(m *testing.M) {
	languagestest.Main()
	os.Exit(m.Run())
}

// exact are two programs of other languages: one that answers, and one for which a
// tool is missing.
func exact() []languages.Program {
	missing := languagestest.Program("absent", languagestest.None)
	missing.Language = "Lost"
	missing.Missing = func() string { return "lostc" }
	return []languages.Program{languagestest.Program("exact", languagestest.None), missing}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--users 0", "--users is 0, want 1 to 10000000"},
		{"--rounds 10", "--rounds is 10, want 11 to 1000"},
		{"quick", `argument "quick": want flags only`},
		{"--languages exact,latin", `--languages has "latin", want some of exact,lost`},
	} {
		err := run(strings.Fields(c.args), exact(), io.Discard, io.Discard)
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
	if err := run([]string{"--quick", "--users", "50000", "--rounds", "11", "--out", dir}, exact(), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	measured, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m := measured.Manifest; m.Users != 1000 || m.Started == "" || m.Environment.Go == "" || len(m.Args) != 7 {
		t.Errorf("the manifest says %+v", m)
	}
	l := standing.NewRows(measured.All())
	keys := map[results.Key]bool{}
	for _, r := range measured.All() {
		if keys[r.Key()] {
			t.Errorf("two rows of %v", r.Key())
		}
		keys[r.Key()] = true
	}
	wanted := []string{results.QBytesPerUser}
	for _, q := range questions {
		wanted = append(wanted, q.quantity)
	}
	foreign := []subject{foreignSubject(exact()[0], library.Kinds[0]), foreignSubject(exact()[0], library.Kinds[2])}
	for _, s := range append(subjects(), foreign...) {
		if !strings.Contains(out.String(), s.name) {
			t.Errorf("the tables lack %s", s.name)
		}
		for _, q := range wanted {
			if r, ok := l.Row(s.name, q); !ok || r.Value.Or(0) <= 0 {
				t.Errorf("%s: %s is %v", s.name, q, r.Value)
			}
		}
		served, ok := l.Row(s.name, results.QRequestServed)
		if ok != (s.serves() && !slices.ContainsFunc(foreign, func(f subject) bool { return f.name == s.name })) || ok && (served.Low.Or(0) <= 0 || served.High.Or(0) < served.Value.Or(0)) {
			t.Errorf("%s: a request takes %v to %v, measured %v", s.name, served.Low, served.High, ok)
		}
	}
	// Every peer is judged in every quantity: seven of a strategy, four of a filter.
	built := len(subjects()) - len(library.Kinds) + len(foreign)
	if got, want := len(l.Verdicts()), 7*built+4*len(l.Filters()); got != want || len(l.Filters()) < 6 {
		t.Errorf("%d verdicts over %d strategies and %d filters, want %d", got, built, len(l.Filters()), want)
	}
	for i, s := range shapes {
		if s.name != results.KeyShapes[i] {
			t.Errorf("shape %d is %s, package results says %s", i, s.name, results.KeyShapes[i])
		}
		// 200 filters: the standard error is 2 % of the rate.
		r, _ := l.Row(standing.Ours, results.QFPROf+s.name)
		if ratio := r.Value.Or(0) / r.Theory.Or(1); ratio < 0.9 || ratio > 1.1 {
			t.Errorf("ours on %s keys: %v, theory %v", s.name, r.Value, r.Theory)
		}
	}

	if got := l.Missing(); !slices.Equal(got, []string{"absent"}) || l.Language("exact") != "Exact" ||
		!strings.Contains(out.String(), "| absent (Lost) | not measured: lostc is missing |") {
		t.Errorf("missing are %q, and exact is of the language %q", got, l.Language("exact"))
	}
	// 200 filters of the fake, each on four shapes of keys: ten hits each, nothing denied.
	for quantity, want := range map[string]float64{results.QFPROf + "URL": 0.02, results.QLost: 0} {
		if r, ok := l.Row("exact", quantity); !ok || r.Value.Or(1) != want || r.X.Or(0) != 4064 {
			t.Errorf("exact: %s is %v at %v, want %v", quantity, r.Value, r.X, want)
		}
	}

	// The first file follows from nothing but the flags.
	again, _ := rates(200, func(string) {})
	again = append(again, slices.DeleteFunc(slices.Clone(measured.Rows), func(r results.Row) bool { return r.Strategy != "exact" })...)
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

// A program that answers wrongly ends the run, and is named.
func TestWrongAnswers(t *testing.T) {
	programs := []languages.Program{languagestest.Program("exact", languagestest.Forgets)}
	err := run([]string{"--quick", "--out", t.TempDir()}, programs, io.Discard, io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "exact single recognises 99") {
		t.Errorf("error %v", err)
	}
}

// A program that cannot be built says so, and how to go without it.
func TestNotBuilt(t *testing.T) {
	p := languagestest.Program("exact", languagestest.None)
	p.Build = func(string) ([]string, error) { return nil, errors.New("no network") }
	err := run([]string{"--quick", "--out", t.TempDir()}, []languages.Program{p}, io.Discard, io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "exact: no network\n") || !strings.HasSuffix(err.Error(), "leave exact out of --languages") {
		t.Errorf("error %v", err)
	}
}

// Garbage may pile up as far as it is told, whatever else is alive.
func TestRoomyPercent(t *testing.T) {
	alive := make([]byte, 20<<20)
	for _, want := range []float64{30e6, 60e6} {
		old := debug.SetGCPercent(roomyPercent(want))
		now := heap()
		debug.SetGCPercent(old)
		if got := float64(now.NextGC - now.HeapAlloc); got < 0.9*want || got > 1.1*want {
			t.Errorf("%.0f bytes may pile up, want %.0f", got, want)
		}
	}
	runtime.KeepAlive(alive)
}
