package paper

import (
	"io"
	"math"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
)

// At its worst moment one user in 40 is asked, and the rate is theory's within 4 standard errors: a right one
// fails once in 4000 times. One article later chain-eager has dropped a link, and its rate is 7.9 %.
func TestAtWorst(t *testing.T) {
	const users = 400_000
	scope := engine.Scope{Users: users, Seed: 1, Entries: catalogue.All()}
	r := engine.New(t.Context(), scope, engine.NewProgress(io.Discard))
	variants := 0
	for _, e := range scope.Full() {
		if !hasWorst(e) {
			continue
		}
		variants++
		rate, err := atWorst(e).Measure(r)
		if err != nil || rate.Users != users/40 || rate.Queries != measure.Asked*users/40 {
			t.Fatalf("%s: %d queries of %d users, %v", e.Name, rate.Queries, rate.Users, err)
		}
		_, want := worstMoments(r.Subject(e).Theory)
		if z := (rate.Value() - want) / rate.StdErr(); math.Abs(z) > 4 {
			t.Errorf("%s: %.5f, theory %.5f: %.1f standard errors off", e.Name, rate.Value(), want, z)
		}
	}
	if len(withWorst(scope)) != variants || variants != 6 {
		t.Errorf("%d tasks of %d strategies", len(withWorst(scope)), variants)
	}
}
