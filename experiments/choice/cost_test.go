package choice

import (
	"testing"

	"dejavu/beyond/apbf"
	"dejavu/beyond/confirmed"
	"dejavu/beyond/matrix"
	"dejavu/beyond/ring"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/single"
	"dejavu/strategies/strategytest"
)

// Times stand beside what the same loop answers, and nothing else.
func TestMeasuredBeside(t *testing.T) {
	run, ok := results.Reference(results.DefaultUsers, results.DefaultSeed)
	if !ok {
		t.Fatal("no committed reference")
	}
	row, _ := results.NewCells(run.Timing).One(hotMedian.Of("chain-sized"))
	c := strategytest.Value(chain.Sized(400, 0.02))
	of := func(strategy string, config any, s catalogue.Strategy, err error) Offer {
		strategytest.Must(t, err)
		o := Offer{Strategy: strategy, config: config}
		o.shapeOf(config)
		o.cost(s.Bytes(1 << 20))
		return o
	}
	links := func(links, capacity, bits, hashes int) Offer {
		g := bloom.Geometry{Bits: bits, Hashes: hashes}
		c := chain.Config{Links: links, Capacity: capacity, Geometry: g}
		s, err := chain.New(c)
		return of("chain", c, s, err)
	}
	own := links(c.Links, c.Capacity, c.Geometry.Bits, c.Geometry.Hashes)
	if own.MeasuredOn != "chain-sized" || own.Nanos != row.Value.Or(0) {
		t.Errorf("the chain of the reference itself: %v on %q, want %v", own.Nanos, own.MeasuredOn, row.Value)
	}
	one := func(bits, hashes int) Offer {
		c := single.Config{Capacity: 500, Geometry: bloom.Geometry{Bits: bits, Hashes: hashes}}
		s, err := single.New(c)
		return of("single", c, s, err)
	}
	ids := func(window int) Offer {
		c := queue.Config{Window: window}
		s, err := queue.New(c)
		return of("queue", c, s, err)
	}
	fingerprints := func(window, below int) Offer {
		c := ring.Config{Window: window, Range: below}
		s, err := ring.New(c)
		return of("beyond/ring", c, s, err)
	}
	slices := func(c apbf.Config) Offer {
		s, err := apbf.New(c)
		return of("beyond/apbf", c, s, err)
	}
	for i, c := range []struct {
		offer Offer
		want  string
	}{
		{links(7, 67, 819, 8), "chain-sized"},       // any number of lanes
		{links(8, 57, 713, 9), "beyond/chain-best"}, // of as many hashes
		{links(7, 67, 819, 7), ""},                  // of which none is like it
		{links(7, 670, 8190, 8), ""},                // nor of lines
		{links(26, 16, 230, 8), ""},                 // 64-bit loads
		{links(5, 100, 812, 6), "chain"},            // unrolled, five lanes
		{links(6, 100, 812, 6), "dual"},             // unrolled
		{one(4064, 6), "single"},
		{one(4064, 8), ""},
		{ids(400), "queue"},
		{ids(4000), ""},
		{fingerprints(400, 19800), "beyond/ring"},
		{fingerprints(500, 1<<20), "beyond/ring"},
		{fingerprints(4000, 19800), ""},
		{slices(apbf.Config{Hashes: 10, Shifts: 40, Generation: 10, Bits: 142}), "beyond/apbf"},
		{slices(apbf.Config{Hashes: 8, Shifts: 8, Generation: 50, Bits: 578}), ""}, // of other hashes
	} {
		strategytest.Equal(t, c.offer.MeasuredOn, c.want, "%d: %+v: measured on", i, c.offer.config)
	}
}

// What people read of a configuration; of one that nobody has written a text for, its fields.
func TestGeometryText(t *testing.T) {
	type newcomer struct {
		Window int
		Rate   float64
	}
	g := bloom.Geometry{Bits: 4064, Hashes: 5}
	links := catalogue.Must(chain.New(chain.Paper))
	for _, c := range []struct {
		config any
		want   string
	}{
		{queue.Config{Window: 500}, "500 IDs"},
		{single.Config{Capacity: 500, Geometry: g}, "500 articles in 4064/5"},
		{dual.Config{Capacity: 500, Threshold: 300, Geometry: g}, "2 × 500 in 4064/5, from 300 on"},
		{chain.Config{Links: 5, Capacity: 100, Geometry: g}, "5 × 100 articles in 4064/5"},
		{confirmed.Config{Last: 100, Inner: links}, "100 IDs, 5 × 100 in 812/6"},
		{matrix.Window400, "8 × 50 in 9 columns, 17-bit keys"},
		{
			matrix.Config{Links: 5, Articles: 40, Columns: 10, Short: 2, KeyBits: 20},
			"5 × 40 in 10 columns, 2 in one less, 20-bit keys",
		},
		{newcomer{Window: 7, Rate: 0.5}, "Window: 7, Rate: 0.5"},
	} {
		strategytest.Equal(t, geometryText(c.config), c.want, "%+v is", c.config)
	}
}
