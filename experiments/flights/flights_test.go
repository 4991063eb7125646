package flights

import (
	"io"
	"math"
	"os"
	"slices"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/roomtest"
	"dejavu/experiments/text"
	"dejavu/results"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// The whole experiment.
func TestGolden(t *testing.T) { roomtest.Golden(t, Experiment, 1000) }

// of finds rows of the experiment with some strategies, by queries.
func of(t *testing.T, seed uint64, names ...string) func(query string) results.Row {
	t.Helper()
	scope := engine.Scope{Users: 1, Seed: seed}
	for _, name := range names {
		scope.Entries = append(scope.Entries, catalogue.Must(catalogue.Find(name)))
	}
	found, _, err := rows(engine.New(t.Context(), scope, engine.NewProgress(io.Discard)))
	strategytest.Must(t, err)
	cells := results.NewCells(found)
	return func(query string) results.Row {
		q, err := results.ParseQuery("flights: " + query)
		r, ok := cells.One(q)
		if err != nil || !ok {
			t.Fatalf("no row %s: %v", query, err)
		}
		return r
	}
}

// The log is what README.md says, and what is counted of it is what a list of each user's articles says.
func TestLog(t *testing.T) {
	log := strategytest.Value(Open(1))
	defer log.Close()
	past, articles := map[uint64][]strategies.ID{}, map[strategies.ID]bool{}
	exposures, repeats, late, last := 0, 0, 0, int64(0)
	for events := log.NextRequest(); len(events) > 0; events = log.NextRequest() {
		e := events[0]
		if len(events) > 1 || e.Time < last {
			t.Fatalf("flight %d: %d articles at %d, after %d; want one, in order", exposures, len(events), e.Time, last)
		}
		last, articles[e.Article] = e.Time, true
		exposures++
		ago := slices.Index(past[e.User], e.Article) // the newest comes first
		if ago >= 0 {
			repeats++
		}
		if ago >= 500 {
			late++
		}
		past[e.User] = slices.Insert(past[e.User], 0, e.Article)
	}
	row := of(t, 1, "queue")
	for query, want := range map[string]int{
		"users": len(past), "exposures": exposures, "repeats": repeats,
		"repeats shown of queue at rule=none, cause=outside the window": late,
	} {
		strategytest.Equal(t, row(query).Value, results.Num(float64(want)), "%s", query)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil || log.Err() != nil {
		t.Fatal(err, log.Err())
	}
	for what, n := range map[string]int{
		"flights": exposures, "users": len(past), "articles": len(articles), "repeats": repeats,
	} {
		strategytest.Contains(t, string(readme), "| "+what+" | "+text.Thousands(n)+" |", "README.md lacks")
	}
}

// Over eight seeds, false positives are as many as theory has of the different articles that histories hold, within
// four standard errors of a Poisson count: by chance each of the two fails once in 5,000 times. What is recognised
// inside the window does not depend on the seed.
func TestSeeds(t *testing.T) {
	hits, expected, rates := [2]float64{}, [2]float64{}, [2]map[results.Number]bool{{}, {}}
	names := []string{"single", "dual"}
	for seed := range uint64(8) {
		row := of(t, seed, names...)
		for i, name := range names {
			fpr, inside := row("fpr of "+name+" at rule=24h"), row("repeats shown inside the window of "+name+" at rule=24h")
			hits[i] += float64(fpr.Count) * fpr.Value.Or(0)
			expected[i] += float64(fpr.Count) * fpr.Theory.Or(0)
			rates[i][fpr.Value] = true
			if inside.Value != results.Num(0) || inside.Count < 40_000 {
				t.Errorf("%s, seed %d: %v of %d repeats shown inside the window", name, seed, inside.Value, inside.Count)
			}
		}
	}
	for i, name := range names {
		if math.Abs(hits[i]-expected[i]) > 4*math.Sqrt(expected[i]) || len(rates[i]) < 3 {
			t.Errorf("%s: %.0f false positives, theory has %.1f; rates by seed: %v", name, hits[i], expected[i], rates[i])
		}
	}
}
