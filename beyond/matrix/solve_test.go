package matrix

import (
	"math"
	"slices"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Links are solved after 3.46 seeds on average, 1 / Π (1 - 2^-i), within four standard errors. Then every key agrees
// with the columns, and one in 2^Columns of others, within four.
func TestSolve(t *testing.T) {
	for _, c := range []Config{
		Window400,
		{Links: 2, Articles: 448, Columns: 7, KeyBits: 32},
		{Links: 2, Articles: 56, Columns: 9, KeyBits: 24},
		{Links: 2, Articles: 17, Columns: 3, KeyBits: 20},
		{Links: 2, Articles: 113, Columns: 25, KeyBits: 32},
	} {
		f, err := New(c)
		strategytest.Must(t, err)
		const rounds, others = 400, 1000
		var x columns
		tried, agree := 0, 0
		for round := range rounds / (1 + c.Articles/100) {
			ids := strategytest.IDs(uint64(round), c.Articles+others)
			var keys []uint32
			for _, id := range ids[:c.Articles] {
				keys = append(keys, f.key(id))
			}
			slices.Sort(keys)
			seed := f.solve(1, keys, &x)
			if seed == unsolved {
				t.Fatalf("%+v: no seed", c)
			}
			// A seed with other upper bits follows when all before failed, which cost nothing: of these it counts one.
			tried += int(seed)%tries + 1
			by := [2][maxWords]uint64{f.factors(0, 1, int(seed)), f.factors(1, 1, int(seed))}
			for i, id := range ids {
				p := spread(f.key(id))
				if yes := f.agrees(p, &by[f.kind(p)], &x, c.Columns); i >= c.Articles && yes {
					agree++
				} else if i < c.Articles && !yes {
					t.Fatalf("%+v: key %d of %d does not agree", c, i, c.Articles)
				}
			}
		}
		n := float64(rounds / (1 + c.Articles/100))
		if mean, want := float64(tried)/n, 3.46; math.Abs(mean-want) > 4*2.92/math.Sqrt(n) {
			t.Errorf("%+v: %.2f seeds tried, want %.2f", c, mean, want)
		}
		queries := n * others
		rate := math.Exp2(-float64(c.Columns)) + float64(c.Articles)*math.Exp2(-float64(c.KeyBits))
		if off := (float64(agree)/queries - rate) / math.Sqrt(rate*(1-rate)/queries); math.Abs(off) > 4 {
			t.Errorf("%+v: %d of %.0f others agree, %.1f standard errors off", c, agree, queries, off)
		}
	}
}

// With one seed a key has other words in another slot. Otherwise a blank row, which is not rare with few articles,
// would be blank in all links, and rates would not add up.
func TestSlots(t *testing.T) {
	f, err := New(Window400)
	strategytest.Must(t, err)
	a, b := f.factors(1, 0, 7), f.factors(1, 1, 7)
	same := 0
	for key := range uint32(4000) {
		if p := spread(key); word(p, a[0], 0)&15 == 0 && word(p, b[0], 0)&15 == 0 {
			same++
		}
	}
	if same > 45 { // a binomial of 4000 at 1/256: more with a chance of 1e-10
		t.Errorf("%d of 4000 keys have blank rows of four bits in both slots, want 16", same)
	}
}

// A link that no seed solves says yes until it is cleared.
func TestUnsolved(t *testing.T) {
	f, err := New(Window400)
	strategytest.Must(t, err)
	ids := strategytest.IDs(7, 2000)
	history := f.Record(nil, ids[:410])
	history[f.seedsAt(f.Links)+3] = unsolved
	strategytest.Must(t, f.Validate(history))
	strategytest.Equal(t, strategytest.Count(strategytest.Ask(f, history, ids[1000:])), 1000,
		"of 1000 are seen by a link that is not solved")
	history = f.Record(history, ids[410:600]) // slots 0 to 2 are closed again, and then 3
	strategytest.AtMost(t, strategytest.Count(strategytest.Ask(f, history, ids[1000:])), 60,
		"of 1000 are seen when the link's turn is over")
}

// The same article again and again is one equation.
func TestRepeated(t *testing.T) {
	f, err := New(Window400)
	strategytest.Must(t, err)
	one := make([]strategies.ID, 400)
	history := f.Record(nil, one)
	strategytest.Must(t, f.Validate(history))
	ids := strategytest.IDs(9, 1000)
	if !strategytest.Ask(f, history, one[:1])[0] || strategytest.Count(strategytest.Ask(f, history, ids)) > 60 {
		t.Error("an article that fills the window is not found, or others are")
	}
}
