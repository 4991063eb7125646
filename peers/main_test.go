package main

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// A small run has the committed run's rows, with plausible rates, and omits what it cannot build. With PEERS_LANGUAGES
// it asks programs of other languages too.
func TestMeasure(t *testing.T) {
	asked := []program{{library: "absent", needs: "lostc", steps: []string{"lostc"}}}
	if os.Getenv("PEERS_LANGUAGES") != "" {
		asked = append(asked, programs...)
	}
	rows, timing, err := scale{users: 500, rounds: 3, filters: 100, requests: 320, say: t.Logf}.measure(asked)
	strategytest.Must(t, err)
	made, libraries := map[results.Query]bool{}, map[string]bool{}
	open := func(r results.Row) results.Query { // any number of users is alive
		q := r.Name()
		if slices.Contains([]string{results.QBytesPerUser, results.QObjectsPerUser}, q.Quantity) {
			q.Where = results.Where()
		}
		return q
	}
	for _, r := range slices.Concat(rows, timing) {
		made[open(r)], libraries[r.Strategy] = true, true
		switch v := r.Value.Or(0) / r.Theory.Or(r.Value.Or(1)); {
		// The standard error of 100 filters is 3 % of the rate: a wrong one in 10,000 runs.
		case r.Quantity == results.QFPR && (v < 0.75 || v > 1.25 && r.Strategy != "BoomFilters"):
			t.Errorf("%v is %v, expected %v", r.Name(), r.Value, r.Theory)
		case r.Quantity == results.QTimeRatio && r.Value.Or(0) <= 0:
			t.Errorf("%v is %v", r.Name(), r.Value)
		}
	}
	for _, r := range strategytest.Value(results.Committed(results.PeersDir)).All() {
		if libraries[r.Strategy] && !made[open(r)] {
			t.Errorf("the committed row %v is measured no more", r.Name())
		}
	}
}

// Every memory recognises its window's newest articles, however many are recorded at once, and forgets older ones.
func TestMemories(t *testing.T) {
	random, q := rand.New(rand.NewPCG(1, 2)), questions(5 * request)[3]
	for _, k := range kinds {
		for _, l := range libraries()[1:] {
			if !strings.Contains(l.kinds, k.name) {
				continue
			}
			window, user, seen := 400, l.users(k, q, 1), make([]bool, 2400)
			if k.links == 1 {
				window = 1
			}
			for at := 0; at < len(seen); {
				n := min(1+random.IntN(60), len(seen)-at)
				user.record(0, at, at+n)
				at += n
				user.seen(0, 0, at, seen[:at])
				if lost := slices.Index(seen[max(0, at-window):at], false); lost >= 0 {
					t.Fatalf("%s %s: of %d articles the newest but %d is lost", l.name, k.name, at, window-lost)
				}
			}
			old := slices.DeleteFunc(seen[:1400], func(yes bool) bool { return !yes })
			strategytest.AtMost(t, len(old), 350, "%s %s: old articles recognised", l.name, k.name)
		}
	}
}

// A wrong answer ends the run, and is named.
func TestWrongAnswers(t *testing.T) {
	q := question{users: 1, each: 1, file: "articles", known: make([]bool, 100)}
	q.known[0] = true // but not seen, or with 51 others
	for _, n := range []int{0, 52} {
		seen := append(slices.Repeat([]bool{true}, n), make([]bool, 100-n)...)
		sub := &subject{name: "forgetful", ask: func(question) (answer, error) { return answer{seen: seen}, nil }}
		_, err := sub.turn(q)
		strategytest.ErrorSays(t, "an answer", err, "forgetful, asked about articles, denies ")
	}
	_, err := program{library: "mute", command: "true"}.start(t.TempDir(), kinds[0])
	strategytest.ErrorSays(t, "a program that ends", err, `mute begins with "": want the bits and hashes of a filter`)
}
