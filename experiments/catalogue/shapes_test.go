package catalogue_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"

	"dejavu/experiments/catalogue"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var shapeUsers = flag.Int("shape-users", 150, "users of TestKeyShapes, each with 400 articles and as many unseen ones")

// Whatever shape IDs have, salted or not, every strategy of the catalogue keeps its false positive rate: in the mean,
// for one user in a hundred, and for the worst. The table of 2000 users takes a minute:
//
//	go test ./experiments/catalogue -run KeyShapes -v -shape-users 2000
//
// Hits of a user are a beta-binomial of theory's rate: a binomial whose rate differs from user to user, as filters do
// in fill. How much it does is what users of random IDs differ by, and four standard errors of that. Each of the 600
// bounds is exceeded with a probability of 1e-7, so that a run with other IDs fails by chance once in 16,000.
func TestKeyShapes(t *testing.T) {
	const shown, asked, chance = 400, 400, 1e-7
	users := *shapeUsers
	secret := strategytest.Value(strategies.NewSecret([]byte("a secret of some length")))
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "strategy\tIDs\tsalted\ttheory %\tmean\tmost\t99th percentile\tmost\tworst\tmost\t")
	for _, e := range catalogue.All() {
		s := catalogue.Must(e.Make())
		theory := s.FPR(shown)
		var spread float64 // standard deviation of a user's hits
		var most mixture
		for i, shape := range strategytest.KeyShapes() {
			for _, secret := range []strategies.Secret{{}, secret} {
				hits := shape.Hits(s, shown, users, asked, secret)
				slices.Sort(hits)
				floats := make([]float64, users)
				for i, n := range hits {
					floats[i] = float64(n)
				}
				mean, variance := stat.MeanVariance(floats, nil)
				if i == 0 && secret.IsZero() {
					variance = max(variance*(1+4*math.Sqrt(2/float64(users))), asked*theory*(1-theory))
					spread, most = math.Sqrt(variance), newMixture(asked, theory, variance)
				}
				last := users - 1 - users*99/100 // so many are beyond the percentile
				row := []float64{
					mean, asked*theory + 5.4*spread/math.Sqrt(float64(users)) + 3/float64(users),
					float64(hits[users-1-last]), float64(most.beyond(users, last+1, chance)),
					float64(hits[users-1]), float64(most.beyond(users, 1, chance)),
				}
				fmt.Fprintf(table, "%s\t%s\t%v\t%.4g\t", e.Name, shape.Name, !secret.IsZero(), 100*theory)
				for _, n := range row {
					fmt.Fprintf(table, "%.3f\t", 100*n/asked)
				}
				fmt.Fprintln(table)
				if row[0] > row[1] || row[0] < 2*asked*theory-row[1] || row[2] > row[3] || row[4] > row[5] {
					t.Errorf("%s, %s IDs, salted %v: of %d asked a mean of %.2f (at most %.2f, expected %.2f), "+
						"a 99th percentile of %v (%v), the worst %v (%v)", e.Name, shape.Name, !secret.IsZero(), asked,
						row[0], row[1], asked*theory, row[2], row[3], row[4], row[5])
				}
			}
		}
	}
	strategytest.Must(t, table.Flush())
	t.Logf("%d users\n%s", users, &b)
}

// A mixture has the chances that a user has more than 0, 1, 2 and so on hits.
type mixture []float64

// newMixture is the beta-binomial distribution of so many candidates by its mean rate and its variance.
func newMixture(asked int, rate, variance float64) mixture {
	n := float64(asked)
	correlation := max((variance/(n*rate*(1-rate))-1)/(n-1), 1e-9)
	a, b := rate*(1/correlation-1), (1-rate)*(1/correlation-1)
	m, above := make(mixture, asked+1), 0.
	for x := asked; x >= 0; x-- {
		m[x] = above
		k := float64(x)
		above += math.Exp(combin.LogGeneralizedBinomial(n, k) + mathext.Lbeta(k+a, n-k+b) - mathext.Lbeta(a, b))
	}
	return m
}

// beyond is a number of hits that so many of the users exceed with a probability of at most chance, by the union of all
// groups of that size.
func (m mixture) beyond(users, many int, chance float64) int {
	groups := 1.
	for i := range many {
		groups *= float64(users-i) / float64(i+1)
	}
	return slices.IndexFunc(m, func(above float64) bool { return groups*math.Pow(above, float64(many)) <= chance })
}
