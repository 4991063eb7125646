package catalogue_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/strategies"
)

var shapeUsers = flag.Int("shape-users", 150, "users of TestKeyShapes, each with 400 articles and as many unseen ones")

// IDs may be digests or numbers, in a row or far apart: every strategy keeps its theory, with a salt and without.
func TestKeyShapes(t *testing.T) {
	const shown, asked = 400, 400
	number := func(n uint64) strategies.ID { return strategies.ID(n) }
	shapes := []struct {
		name string
		id   func(user, i int) strategies.ID
	}{
		{"random", func(u, i int) strategies.ID { return strategies.Number(uint64(u)<<32 | uint64(i)) }},
		{"sequential", func(u, i int) strategies.ID { return number(uint64(1_000_000 + 1000*u + i)) }},
		{"far apart", func(u, i int) strategies.ID { return number(uint64(i)<<48 + uint64(u)) }},
		{"decimal", func(u, i int) strategies.ID { return strategies.XXHashString(fmt.Sprint(1000*u + i)) }},
		{"URLs", func(u, i int) strategies.ID {
			return strategies.XXHashString(fmt.Sprintf("https://example.com/articles/%d/%d", u, i))
		}},
	}
	secret, err := strategies.NewSecret([]byte("a secret of some length"))
	if err != nil {
		t.Fatal(err)
	}
	tests := 0
	for _, e := range catalogue.All() {
		s := catalogue.Must(e.Make())
		theory := s.FPR(shown)
		for _, shape := range shapes {
			for _, salted := range []bool{false, true} {
				var all []float64
				sum, ids, seen := 0, make([]strategies.ID, shown+asked), make([]bool, asked)
				for user := range *shapeUsers {
					for i := range ids {
						ids[i] = shape.id(user, i)
					}
					if salted {
						ids = secret.Salt(uint64(user)).Append(ids[:0], ids)
					}
					s.Seen(s.Record(nil, ids[:shown]), ids[shown:], seen)
					n := 0
					for _, yes := range seen {
						if yes {
							n++
						}
					}
					sum += n
					all = append(all, float64(n)/asked)
				}
				slices.Sort(all)
				mean := float64(sum) / float64(asked**shapeUsers)
				// Users' filters differ in fill: what queries of one share is measured.
				se := math.Sqrt(variance(all)/float64(len(all))) + 1e-9
				z := (mean - theory) / se
				tests++
				t.Logf("%-21s %-10s salted %-5v mean %6.3f %% (theory %6.3f %%, z %5.1f) 99th percentile %6.2f %% worst %6.2f %%",
					e.Name, shape.name, salted, 100*mean, 100*theory, z, 100*all[len(all)*99/100], 100*all[len(all)-1])
				if math.Abs(z) > 4.5 && math.Abs(mean-theory) > 0.02*theory {
					t.Errorf("%s, %s, salted %v: mean %v, theory %v", e.Name, shape.name, salted, mean, theory)
				}
			}
		}
	}
}

func variance(all []float64) float64 {
	var sum, squares float64
	for _, x := range all {
		sum += x
		squares += x * x
	}
	n := float64(len(all))
	return (squares - sum*sum/n) / (n - 1)
}
