package choice

import (
	"strings"
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
		o := Offer{Strategy: strategy, Config: config}
		o.time(s.Bytes(1 << 20))
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
		strategytest.Equal(t, c.offer.MeasuredOn, c.want, "%d: %+v: measured on", i, c.offer.Config)
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
	is := func(config any, want string) {
		t.Helper()
		strategytest.Equal(t, geometryText(config), want, "%+v is", config)
	}
	is(queue.Config{Window: 500}, "500 IDs")
	is(single.Config{Capacity: 500, Geometry: g}, "500 articles in 4064/5")
	is(dual.Config{Capacity: 500, Threshold: 300, Geometry: g}, "2 × 500 in 4064/5, from 300 on")
	is(chain.Config{Links: 5, Capacity: 100, Geometry: g}, "5 × 100 articles in 4064/5")
	is(confirmed.Config{Last: 100, Inner: links}, "100 IDs, 5 × 100 in 812/6")
	is(matrix.Window400, "8 × 50 in 9 columns, 17-bit keys")
	is(matrix.Config{Links: 5, Articles: 40, Columns: 10, Short: 2, KeyBits: 20},
		"5 × 40 in 10 columns, 2 in one less, 20-bit keys")
	is(newcomer{Window: 7, Rate: 0.5}, "Window: 7, Rate: 0.5")
}

// The smallest is taken, unless a slightly larger one is much faster; what has a fixed
// capacity only where nothing else fits; what was not timed is neither fast nor slow.
func TestRecommended(t *testing.T) {
	type offered struct {
		name    string
		bytes   int
		nanos   float64
		fits    bool
		endless bool
	}
	small := offered{"small", 400, 800, true, false}
	takes := func(what string, of []offered, wantTake, wantBy string) {
		t.Helper()
		var all []Offer
		for _, o := range of {
			all = append(all, Offer{
				Strategy: o.name, Fits: o.fits, User: o.bytes, Nanos: o.nanos, kind: kind{endless: o.endless},
			})
		}
		take, smallest, ok := Recommended(all)
		if take.Strategy != wantTake || smallest.Strategy != wantBy || ok != (wantTake != "") {
			t.Errorf("%s: take %q, the smallest is %q, %v; want %q, %q",
				what, take.Strategy, smallest.Strategy, ok, wantTake, wantBy)
		}
	}
	takes("alone", []offered{small}, "small", "small")
	takes("none", []offered{{"a", 1, 1, false, false}}, "", "")
	takes("faster", []offered{small, {"quick", 500, 400, true, false}}, "quick", "small")
	takes("not twice as fast", []offered{small, {"quick", 500, 401, true, false}}, "small", "small")
	takes("more than a quarter larger", []offered{small, {"quick", 501, 100, true, false}}, "small", "small")
	takes("the fastest of several",
		[]offered{small, {"a", 450, 300, true, false}, {"b", 460, 200, true, false}, {"c", 470, 250, true, false}},
		"b", "small")
	takes("the smallest of the fastest", []offered{small, {"a", 450, 300, true, false}, {"b", 460, 300, true, false}},
		"a", "small")
	takes("not timed", []offered{small, {"quick", 450, 0, true, false}}, "small", "small")
	takes("the smallest not timed", []offered{{"small", 400, 0, true, false}, {"quick", 450, 1, true, false}},
		"small", "small")
	takes("one that does not fit", []offered{small, {"quick", 450, 1, false, false}}, "small", "small")
	takes("fixed is faster", []offered{small, {"fixed", 300, 1, true, true}}, "small", "small")
	takes("fixed alone", []offered{{"a", 500, 1, false, false}, {"fixed", 300, 90, true, true}}, "fixed", "fixed")
}

// What is nearest names the least change of each constraint, and says so where none helps.
func TestNearest(t *testing.T) {
	made := catalogue.Must(queue.New(queue.Paper))
	n := Need{Users: 10, Window: 400, FPR: 0.02, Memory: 1000}
	all := []Offer{
		{Strategy: "beyond/a", Total: 5000, made: made, PossibleFPR: 0.5, PossibleWindow: 20},
		{Strategy: "b", Total: 4000, made: made, PossibleFPR: 0.6, PossibleWindow: 30},
		{Strategy: "c", PossibleFPR: 0.3},
		{Strategy: "d", Total: 100, made: made, PossibleFPR: 0.1, PossibleWindow: 300, kind: kind{endless: true}},
	}
	const want = "No strategy fits. Give 4 kB, which b takes, or accept an FPR of 30 % (c), " +
		"or remember the last 30 articles (b)."
	if got := say("advice", n, all, nil); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	const none = "Relaxing one constraint alone does not help."
	if got := say("advice", n, []Offer{{Strategy: "e"}}, nil); !strings.HasSuffix(got, none) {
		t.Errorf("%q", got)
	}
}

// The advice says what is smaller and why it is not taken, how long a request takes, and what a fixed capacity means.
func TestAdvice(t *testing.T) {
	small := Offer{Strategy: "beyond/a", Fits: true, User: 400, Nanos: 800, MeasuredOn: "m", Payload: 350, Header: 10}
	quick := Offer{
		Strategy: "b", Fits: true, User: 450, Nanos: 200, MeasuredOn: "m", Payload: 430, Header: 4, Total: 4500,
		Window: 401, FPR: 0.02,
	}
	n := Need{Users: 1000, FPR: 0.05}
	for _, c := range []struct {
		what  string
		all   []Offer
		wants []string
	}{
		{"a quick one", []Offer{small, quick}, []string{
			"Take b: 434 B a user. 1,000 users take ",
			"always recognises the last 401 articles, with an FPR of at most 2 %",
			" candidates takes 200 ns. The smallest, ", ", takes 360 B, but 4 times the time.",
		}},
		{"one alone", []Offer{quick}, []string{"Take b: 434 B", "takes 200 ns. No other that fits is smaller."}},
	} {
		got := say("advice", n, c.all, nil)
		for _, want := range c.wants {
			strategytest.Contains(t, strings.ReplaceAll(got, "\u00a0", " "), want, "%s", c.what)
		}
	}
	fixed := quick
	fixed.kind.endless, fixed.MeasuredOn, fixed.Until = true, "", 500
	got := say("advice", n, []Offer{fixed}, nil)
	for _, want := range []string{
		"Nothing that fits keeps its window for ever", "first 500 articles",
		"Its time was not measured at this size. No other",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q, want %q in it", got, want)
		}
	}
}
