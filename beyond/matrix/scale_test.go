package matrix_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"dejavu/beyond/matrix"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var scaleUsers = flag.Int("scale-users", 1000, "users of TestCycle, each asked for 50 moments of a cycle")

// Users record by requests of 1 to 20 articles, through more than two cycles. At each moment what is inside the window
// is recognised, all of it. Of unseen articles as many are reported as seen as theory says for the moment, within four
// standard errors over users, in each of ten parts of a cycle and at its worst moment. Eleven bounds fail by chance in
// one run of 1400. Ten million checks of either kind take ten seconds:
//
//	go test ./beyond/matrix -run Cycle -v -scale-users 50000
func TestCycle(t *testing.T) {
	const moments, asked, parts = 50, 20, 10
	f := build(t, matrix.Window400)
	cycle := f.Links * f.Articles
	var hits, expected [parts + 1][]float64 // of users, by part of a cycle; the last is the worst moment
	for p := range hits {
		hits[p], expected[p] = make([]float64, *scaleUsers), make([]float64, *scaleUsers)
	}
	seen := make([]bool, asked)
	checked := 0
	for user := range *scaleUsers {
		r := rand.New(rand.NewPCG(1, uint64(user)))
		ids := make([]strategies.ID, 3*cycle)
		for i := range ids {
			ids[i] = strategies.ID(r.Uint64())
		}
		ask := func(history []byte, read int) (reported float64) {
			candidates := make([]strategies.ID, asked)
			for i := range candidates {
				candidates[i] = ids[read-1-r.IntN(f.Window(read))]
			}
			f.Seen(history, candidates, seen)
			if n := strategytest.Count(seen); n < asked {
				t.Fatalf("user %d: %d of %d articles inside the window are forgotten after %d", user, asked-n, asked,
					read)
			}
			checked += asked
			for i := range candidates {
				candidates[i] = strategies.ID(r.Uint64())
			}
			f.Seen(history, candidates, seen)
			return float64(strategytest.Count(seen))
		}
		var history []byte
		read, asking := 0, 0
		for read < cycle+r.IntN(f.Articles) { // to a moment of its own
			n := min(1+r.IntN(20), 2*cycle-read)
			history = f.Record(history, ids[read:read+n])
			read += n
		}
		for ; asking < moments-10; asking++ {
			n := 1 + r.IntN(20)
			history = f.Record(history, ids[read:read+n])
			read += n
			part := parts * (read % f.Articles) / f.Articles
			hits[part][user] += ask(history, read)
			expected[part][user] += asked * f.FPR(read)
		}
		worst := (read/f.Articles+1)*f.Articles - 1
		history = f.Record(history, ids[read:worst])
		for ; asking < moments; asking++ {
			hits[parts][user] += ask(history, worst)
			expected[parts][user] += asked * f.FPR(worst)
		}
	}
	for part := range hits {
		off, squares, want, got := 0., 0., 0., 0.
		for user, n := range hits[part] {
			d := n - expected[part][user]
			off, squares, want, got = off+d, squares+d*d, want+expected[part][user], got+n
		}
		if z := off / math.Sqrt(squares); math.Abs(z) > 4 {
			t.Errorf("part %d: %.0f unseen articles are reported as seen, theory says %.1f: %.1f standard errors off",
				part, got, want, z)
		} else {
			t.Logf("part %d: %.0f reported as seen, %.4f of theory's %.1f, %+.1f standard errors", part, got, got/want,
				want, z)
		}
	}
	worst, queries := 0., float64(*scaleUsers*10*asked)
	for _, n := range hits[parts] {
		worst += n
	}
	t.Logf("%d checks inside the window, none missed; at the worst moment %.4f %% of %.0f", checked, 100*worst/queries,
		queries)
}
