package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dejavu/experiments/golden"
	"dejavu/experiments/peers/standing"
	"dejavu/peers/languages"
	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
)

// answering is the test binary of package languages, which is a program that answers.
var answering string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "peers-test-*")
	if err != nil {
		panic(err)
	}
	answering = filepath.Join(dir, "answering")
	build := exec.Command("go", "test", "-c", "-vet=off", "-o", answering, "./languages")
	if printed, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, printed))
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// exact is a program that remembers everything exactly, but for a fault.
func exact(fault string) languages.Program {
	return languages.Program{
		Library: "exact", Language: "Exact", Version: "1.0", Bits: [2]int{4064, 812},
		Command: []string{answering, "answer-questions", fault},
	}
}

// programs are that one, and one for which a tool is missing.
func programs() []languages.Program {
	return []languages.Program{exact("none"), {Library: "absent", Language: "Lost", Tools: []string{"lostc"}}}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--users 0", "--users is 0, want 1 to 10000000"},
		{"--rounds 10", "--rounds is 10, want 11 to 1000"},
		{"quick", `argument "quick": want flags only`},
		{"--languages exact,latin", `--languages has "latin", want some of exact,lost`},
	} {
		err := run(strings.Fields(c.args), programs(), io.Discard, io.Discard)
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
	args := []string{"--quick", "--users", "50000", "--rounds", "11", "--out", dir}
	strategytest.Must(t, run(args, programs(), &out, io.Discard))
	measured := strategytest.Value(results.ReadDir(dir))
	if m := measured.Manifest; m.Users != 1000 || m.Started == "" || m.Environment.Go == "" || len(m.Args) != 7 {
		t.Errorf("the manifest says %+v", m)
	}
	l := standing.NewRows(measured.All())
	keys := map[results.Query]bool{}
	for _, r := range measured.All() {
		if keys[r.Name()] {
			t.Errorf("two rows of %v", r.Name())
		}
		keys[r.Name()] = true
	}
	wanted := []results.Query{standing.OfUsers(results.QBytesPerUser)}
	for _, q := range questions {
		wanted = append(wanted, q.Query)
		if n, ok := q.Where.Of(by.Recorded), q.atOnce > 0; ok != (n != "") || ok && n != strconv.Itoa(q.atOnce) {
			t.Errorf("%s: the rows are of %s articles, measured are %d", q.Name, n, q.atOnce)
		}
		if n := q.Where.Of(by.Candidates); q.atOnce == 0 && (n != strconv.Itoa(request) ||
			q.Where.Of(by.Request) != listNames[q.list]) {
			t.Errorf("%s: the rows are at %s", q.Name, q.Where)
		}
	}
	of := foreign(exact(""))
	for _, s := range append(subjects(), of...) {
		strategytest.Contains(t, out.String(), s.name, "the tables lack")
		for _, q := range wanted {
			if r, ok := l.Row(s.name, q); !ok || r.Value.Or(0) <= 0 {
				t.Errorf("%s: %v is %v", s.name, q, r.Value)
			}
		}
		served, ok := l.Row(s.name, standing.OfUsers(results.QRequestTime))
		if ok != (s.create != nil && s.serves()) || ok && (served.Low.Or(0) <= 0 || served.High.Or(0) < served.Value.Or(0)) {
			t.Errorf("%s: a request takes %v to %v, measured %v", s.name, served.Low, served.High, ok)
		}
	}
	// Every peer is judged in every quantity: seven of a strategy, four of a filter.
	built := len(subjects()) - len(library.Kinds) + len(of)
	if got, want := len(l.Verdicts()), 7*built+4*len(l.Filters()); got != want || len(l.Filters()) < 6 {
		t.Errorf("%d verdicts over %d strategies and %d filters, want %d", got, built, len(l.Filters()), want)
	}
	for _, m := range standing.Shapes {
		// 200 filters: the standard error is 2 % of the rate.
		r, _ := l.Row(standing.Ours, m.Query)
		strategytest.Between(t, r.Value.Or(0)/r.Theory.Or(1), 0.9, 1.1,
			"ours on %s keys: %v, theory %v", m.Name, r.Value, r.Theory)
	}

	if got := l.Missing(); !slices.Equal(got, []string{"absent"}) || l.Language("exact") != "Exact" ||
		!strings.Contains(out.String(), "| absent (Lost) | not measured: lostc is missing |") {
		t.Errorf("missing are %q, and exact is of the language %q", got, l.Language("exact"))
	}
	// 200 filters of the fake, each on four shapes of keys: ten hits each, nothing denied.
	for q, want := range map[results.Query]float64{
		results.Find(results.QFPR, by.Bits.At(4064), by.Keys.Is("URL")): 0.02,
		results.Find(results.QLost, by.Bits.At(4064)):                   0,
	} {
		if r, ok := l.Row("exact", q); !ok || r.Value.Or(1) != want || r.Count < 100_000 {
			t.Errorf("exact: %v is %v of %d, want %v", q, r.Value, r.Count, want)
		}
	}

	// The first file follows from nothing but the flags.
	again, _, err := scale{filters: 200, say: func(string) {}}.rates(ofGo())
	strategytest.Must(t, err)
	for _, r := range measured.Rows {
		if r.Strategy == "exact" {
			again = append(again, r)
		}
	}
	file := filepath.Join(dir, "again.csv")
	strategytest.Must(t, results.WriteFile(file, standing.Dimensions, again))
	a, _ := os.ReadFile(file)
	b, _ := os.ReadFile(filepath.Join(dir, "peers.csv"))
	if !bytes.Equal(a, b) {
		t.Error("peers.csv differs from run to run")
	}
}

// A program that answers wrongly ends the run, and is named.
func TestWrongAnswers(t *testing.T) {
	err := run([]string{"--quick", "--out", t.TempDir()}, []languages.Program{exact("forgets")}, io.Discard, io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "exact single recognises 99") {
		t.Errorf("error %v", err)
	}
}

// A program that cannot be built says so, and how to go without it.
func TestNotBuilt(t *testing.T) {
	p := exact("none")
	p.Steps = [][]string{{"sh", "-c", "echo no network; exit 1"}}
	err := run([]string{"--quick", "--out", t.TempDir()}, []languages.Program{p}, io.Discard, io.Discard)
	strategytest.ErrorSays(t, "no network", err, "\nno network\n\nto go without it, leave exact out of --languages")
}

// Garbage may pile up as far as it is told, whatever else is alive.
func TestRoomyPercent(t *testing.T) {
	alive := make([]byte, 20<<20)
	for _, want := range []float64{30e6, 60e6} {
		old := debug.SetGCPercent(roomyPercent(want))
		now := heap()
		debug.SetGCPercent(old)
		strategytest.Between(t, float64(now.NextGC-now.HeapAlloc), 0.9*want, 1.1*want, "bytes that may pile up")
	}
	runtime.KeepAlive(alive)
}

// README.md shows what the committed rows say.
func TestREADME(t *testing.T) {
	want := "\n" + report(strategytest.Value(results.Committed(results.PeersDir)))
	if strings.Count(want, "\n") < 70 {
		t.Errorf("the report of the committed run is short:\n%s", want)
	}
	golden.Document(t, "README.md", "one run", want)
}
