package main

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dejavu/bloom"
	"dejavu/experiments/peers/standing"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--users 0", "--users is 0, want 1 to 10000000"},
		{"--rounds 10", "--rounds is 10, want 11 to 1000"},
		{"quick", `argument "quick": want flags only`},
		{"--languages rust,latin", `--languages has "latin", want some of rust,java,c,c++`},
	} {
		strategytest.ErrorSays(t, c.args, run(strings.Fields(c.args), programs, io.Discard, io.Discard), c.want)
	}
}

// A small run measures every strategy and filter, and says which program it could not build. With PEERS_LANGUAGES the
// programs of other languages, whose tools are installed, answer like the libraries of Go.
func TestMeasure(t *testing.T) {
	asked := []program{{library: "absent", language: "Lost", tools: []string{"lostc"}}}
	if os.Getenv("PEERS_LANGUAGES") != "" {
		asked = append(asked, programs...)
	}
	s := scale{users: 500, rounds: 3, filters: 100, segments: 3, say: t.Logf}
	rows, timing, err := s.measure(asked)
	strategytest.Must(t, err)
	l := standing.NewRows(slices.Concat(rows, timing))
	names := 0
	for _, kind := range l.Kinds() {
		for _, library := range l.Libraries(kind) {
			names++
			for _, q := range []results.Query{
				standing.Over(standing.Timed[0].Query), standing.Over(standing.Timed[4].Query), standing.OfUsers(results.QBytesPerUser),
				standing.OfUsers(results.QObjectsPerUser),
			} {
				if r, ok := l.Row(standing.Name(library, kind), q); !ok || r.Value.Or(0) <= 0 {
					t.Errorf("%s %s: %v is %v", library, kind, q, r.Value)
				}
			}
		}
	}
	strategytest.AtLeast(t, names, 17, "strategies")
	for _, library := range append(l.Filters(), standing.Ours) {
		for _, shape := range standing.Shapes {
			// The standard error of 100 filters is 3 % of the rate, and 6 % of the smallest: a wrong one in 10,000 runs.
			r, ok := l.Row(library, shape.Query)
			if v := r.Value.Or(0) / r.Theory.Or(1); !ok || v < 0.75 || v > 1.25 && library != "BoomFilters" {
				t.Errorf("%s on %s keys: %v, expected %v", library, shape.Name, r.Value, r.Theory)
			}
		}
	}
	if got := l.Missing(); !slices.Contains(got, "absent") || l.Language("absent") != "Lost" {
		t.Errorf("missing are %q", got)
	}
	dir := t.TempDir()
	again, _, err := s.rates(goSubjects(dir), dir)
	strategytest.Must(t, err)
	if !reflect.DeepEqual(again, rows[:len(again)]) {
		t.Error("rates of false positives differ from run to run")
	}
}

// Every memory recognises the newest articles of its window, however many are recorded at once, and forgets older ones.
func TestMemories(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ids := stopwatch.Candidates(9)[:2400]
	for _, k := range kinds {
		for _, l := range libraries() {
			if !slices.Contains(l.kinds, k.name) || l.filter == nil || l.name == standing.Ours {
				continue
			}
			window := map[string]int{"single": 1, "dual": 200, "chain": 400}[k.name]
			user, seen := l.users(k, 1), make([]bool, 2400)
			for at := 0; at < len(ids); {
				n := min(1+random.IntN(60), len(ids)-at)
				user.Record(0, ids[at:at+n])
				at += n
				user.Seen(0, ids[:at], seen[:at])
				if lost := slices.Index(seen[max(0, at-window):at], false); lost >= 0 && !l.random {
					t.Fatalf("%s %s: of %d articles the newest but %d is lost", l.name, k.name, at, window-lost)
				}
			}
			strategytest.AtMost(t, count(seen[:1400]), 350, "%s %s: old articles recognised", l.name, k.name)
		}
	}
}

// A wrong answer ends the run, and is named.
func TestWrongAnswers(t *testing.T) {
	for _, found := range []float64{99, 101} {
		sub := &subject{name: "forgetful", ask: func(int, string, int, string) ([]float64, error) {
			return []float64{1, 1, found}, nil
		}}
		_, err := sub.turn(question{"record", 10, "articles", records, newest, newest})
		strategytest.ErrorSays(t, "an answer", err, "forgetful, asked to record 10 articles, recognises ")
	}
	p := program{library: "mute", language: "C", version: "1", command: []string{"true"}}
	_, err := p.start(t.TempDir(), kinds[0])
	strategytest.ErrorSays(t, "a program that ends", err, `mute begins with "": want the bits and hashes of a filter`)
	p.steps = [][]string{{"sh", "-c", "echo no network; exit 1"}}
	dir := t.TempDir()
	strategytest.Must(t, os.Mkdir(filepath.Join(dir, "c"), 0o777))
	strategytest.ErrorSays(t, "a program that is not built", p.build(dir), "no network\n\nto go without it, leave c out")
}

// The expected FPR of a filter of blocks is that of filters that are drawn.
func TestBlocked(t *testing.T) {
	g, random, hits := bloom.Geometry{Bits: 4224, Hashes: 6}, rand.New(rand.NewPCG(3, 4)), 0
	const filters, queries = 400, 500
	for range filters {
		set := make([]uint32, g.Bits/32)
		draw := func(visit func(word *uint32, bit uint32)) {
			block := random.IntN(len(set)/g.Hashes) * g.Hashes
			for i := range g.Hashes {
				visit(&set[block+i], 1<<random.IntN(32))
			}
		}
		for range items {
			draw(func(word *uint32, bit uint32) { *word |= bit })
		}
		for range queries {
			has := true
			draw(func(word *uint32, bit uint32) { has = has && *word&bit != 0 })
			if has {
				hits++
			}
		}
	}
	// The standard error is 2 % of the rate.
	want := program{blocked: true}.fpr(g, items)
	strategytest.Between(t, float64(hits)/filters/queries/want, 0.92, 1.08, "measured over expected")
}
