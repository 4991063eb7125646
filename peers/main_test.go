package main

import (
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"dejavu/bloom"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--users 0", "--users is 0, want 10 to 10000000"},
		{"--rounds 10", "--rounds is 10, want 11 to 1000"},
		{"--filters 1", "--filters is 1, want 10 to 1000000"},
		{"quick", `argument "quick": want flags only`},
	} {
		strategytest.ErrorSays(t, c.args, run(strings.Fields(c.args), io.Discard, io.Discard), c.want)
	}
}

// A small run has the rows of the committed one, with plausible rates, and says which program it could not build. With
// PEERS_LANGUAGES it asks the programs of other languages too.
func TestMeasure(t *testing.T) {
	asked := []program{{library: "absent", language: "Lost", needs: "lostc", steps: []string{"lostc"}}}
	if os.Getenv("PEERS_LANGUAGES") != "" {
		asked = append(asked, programs...)
	}
	rows, timing, err := scale{users: 500, rounds: 3, filters: 100, requests: 320, say: t.Logf}.measure(asked)
	strategytest.Must(t, err)
	made, libraries, left := map[results.Query]bool{}, map[string]bool{}, 0
	open := func(r results.Row) results.Query { // any number of users is alive
		q := r.Name()
		if slices.Contains([]string{results.QBytesPerUser, results.QObjectsPerUser, results.QGoalPerUser}, q.Quantity) {
			q.Where = results.Where()
		}
		return q
	}
	for _, r := range slices.Concat(rows, timing) {
		made[open(r)], libraries[r.Strategy] = true, true
		switch v := r.Value.Or(0) / r.Theory.Or(1); {
		case r.Quantity == results.QMissing:
			left++
			strategytest.Equal(t, r.Name().String(), "peers: missing of absent at tool=lostc", "missing is")
		// The standard error of 100 filters is 3 % of the rate, and 6 % of the smallest: a wrong one in 10,000 runs.
		case r.Quantity == results.QFPR && (v < 0.75 || v > 1.25 && r.Strategy != "BoomFilters"):
			t.Errorf("%v is %v, expected %v", r.Name(), r.Value, r.Theory)
		case r.Quantity == results.QTimeRatio && v <= 0:
			t.Errorf("%v is %v", r.Name(), r.Value)
		}
	}
	strategytest.Equal(t, left, 1, "programs left out")
	for _, r := range strategytest.Value(results.Committed(results.PeersDir)).All() {
		if libraries[r.Strategy] && !made[open(r)] {
			t.Errorf("the committed row %v is measured no more", r.Name())
		}
	}
}

// A run finds false positives that the committed one found: rates follow from the keys.
func TestRates(t *testing.T) {
	dir, s := t.TempDir(), scale{filters: 20, say: t.Logf}
	first, _, err := s.rates(goSubjects(), dir)
	strategytest.Must(t, err)
	again, _, err := s.rates(goSubjects(), dir)
	strategytest.Must(t, err)
	strategytest.EqualSlices(t, again, first, "rates of the second run")
}

// Every memory recognises the newest articles of its window, however many are recorded at once, and forgets older ones.
func TestMemories(t *testing.T) {
	random, all := rand.New(rand.NewPCG(1, 2)), ids(9, 2400)
	for _, k := range kinds {
		for _, l := range libraries() {
			if !strings.Contains(l.kinds, k.name) || l.static || l.name == ours.name {
				continue
			}
			window := map[string]int{"single": 1, "dual": 200, "chain": 400}[k.name]
			user, seen := l.users(k, 1), make([]bool, len(all))
			for at := 0; at < len(all); {
				n := min(1+random.IntN(60), len(all)-at)
				user.Record(0, all[at:at+n])
				at += n
				user.Seen(0, all[:at], seen[:at])
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
	q := question{users: 1, each: 1, file: "articles", known: make([]bool, 100)}
	q.known[0] = true // but not seen, or with 26 others
	for _, n := range []int{0, 27} {
		seen := append(slices.Repeat([]bool{true}, n), make([]bool, 100-n)...)
		sub := &subject{name: "forgetful", ask: func(question) (answer, error) { return answer{seen: seen}, nil }}
		_, err := sub.turn(q)
		strategytest.ErrorSays(t, "an answer", err, "forgetful, asked about articles, denies ")
	}
	_, err := program{library: "mute", command: "true"}.start(t.TempDir(), kinds[0])
	strategytest.ErrorSays(t, "a program that ends", err, `mute begins with "": want the bits and hashes of a filter`)
}

// The expected FPR of a filter of blocks agrees with drawn filters.
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
