package flights

import (
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/text"
	"dejavu/results"
	"dejavu/strategies"
)

// of are the experiment's rows of one strategy.
func of(t *testing.T, seed uint64, name string) results.Cells {
	t.Helper()
	e, err := catalogue.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	scope := engine.Scope{Users: 1, Seed: seed, Entries: []catalogue.Entry{e}}
	found, timing, err := rows(engine.New(t.Context(), scope, engine.NewProgress(io.Discard)))
	if err != nil || timing != nil {
		t.Fatal(err, timing)
	}
	return results.NewCells(found)
}

func one(t *testing.T, c results.Cells, query string) results.Row {
	t.Helper()
	q, err := results.ParseQuery("flights: " + query)
	if err != nil {
		t.Fatal(err)
	}
	r, ok := c.One(q)
	if !ok {
		t.Fatalf("no row %s", query)
	}
	return r
}

// The log is what README.md says, and what is counted of it is what a list of each user's articles says.
func TestLog(t *testing.T) {
	log, err := Open(1)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	past, articles := map[uint64][]strategies.ID{}, map[strategies.ID]bool{}
	var exposures, repeats, late, last int64
	for events := log.NextRequest(); len(events) > 0; events = log.NextRequest() {
		e := events[0]
		if len(events) > 1 || e.Time < last {
			t.Fatalf("flight %d: %d articles at %d, after %d; want one, in order", exposures, len(events), e.Time, last)
		}
		last = e.Time
		exposures++
		articles[e.Article] = true
		shown := past[e.User]
		slices.Reverse(shown)
		if ago := slices.Index(shown, e.Article); ago >= 0 {
			repeats++
			if ago >= 500 {
				late++
			}
		}
		slices.Reverse(shown)
		past[e.User] = append(shown, e.Article)
	}
	c := of(t, 1, "queue")
	for query, want := range map[string]int64{
		"users of ": int64(len(past)), "exposures of ": exposures, "repeats of ": repeats,
		"repeats shown of queue at rule=none, cause=outside the window": late,
	} {
		if got := one(t, c, query).Value; got != results.Num(float64(want)) {
			t.Errorf("%s: %v, want %d", query, got, want)
		}
	}
	readme, err := os.ReadFile("README.md")
	if err != nil || log.Err() != nil {
		t.Fatal(err, log.Err())
	}
	for what, n := range map[string]int{
		"flights": int(exposures), "users": len(past), "articles": len(articles), "repeats": int(repeats),
	} {
		if cell := "| " + what + " | " + text.Thousands(n) + " |"; !strings.Contains(string(readme), cell) {
			t.Errorf("README.md lacks %q", cell)
		}
	}
}

// Over eight seeds, false positives are as many as theory has of the different articles that histories hold, within
// four standard errors of a Poisson count: by chance each of the two fails once in 10,000 times. What repeats are, and
// what is recognised of them inside the window, does not depend on the seed.
func TestSeeds(t *testing.T) {
	for _, name := range []string{"single", "dual"} {
		var hits, expected float64
		rates := map[results.Number]bool{}
		for seed := range uint64(8) {
			c := of(t, seed, name)
			fpr := one(t, c, "fpr of "+name+" at rule=24h")
			n := float64(fpr.Count)
			hits, expected = hits+n*fpr.Value.Or(0), expected+n*fpr.Theory.Or(0)
			rates[fpr.Value] = true
			inside := one(t, c, "repeats shown inside the window of "+name+" at rule=24h")
			if inside.Value != results.Num(0) || inside.Count < 40_000 {
				t.Errorf("%s, seed %d: %v of %d repeats shown inside the window", name, seed, inside.Value, inside.Count)
			}
		}
		if math.Abs(hits-expected) > 4*math.Sqrt(expected) {
			t.Errorf("%s: %.0f false positives, theory has %.1f", name, hits, expected)
		}
		if len(rates) < 3 {
			t.Errorf("%s: with eight seeds the rates are %v", name, rates)
		}
	}
}
