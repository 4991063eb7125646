package scalable_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dejavu/beyond/scalable"
	"dejavu/bloom"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(scalable.New)

// tiny stages of one to seven hashes, the last of which overflows.
var tiny = scalable.Config{First: 3, Growth: 2, FPR: 0.6, Tightening: 0.4, Stages: 5}

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[scalable.Config, *scalable.Filter]{
		New: scalable.New, Sized: scalable.Sized, Presets: []scalable.Config{scalable.Doubling, tiny},
		Digest: "200dcc909ab463e7",
		Config: func(r strategytest.Random) scalable.Config {
			return scalable.Config{
				First: r.Log(1, 3000), Growth: r.Log(1, 8), FPR: r.Rate(), Tightening: float64(1+r.IntN(99)) / 100,
				Stages: r.Log(1, 8),
			}
		},
	})
}

func FuzzKit(f *testing.F)     { strategytest.Fuzz(f, build(f, scalable.Doubling)) }
func FuzzKitTiny(f *testing.F) { strategytest.Fuzz(f, build(f, tiny)) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"d59f6a24819ec016": build(t, scalable.Doubling),
		"7b1629c3cbcb29b5": build(t, tiny),
	})
}

// A filter with more stages continues a history, even one whose last stage is over its capacity: nothing is lost, and
// later articles add the new stages' rates.
func TestExtension(t *testing.T) {
	short := scalable.Doubling
	short.Stages = 3
	before, after := build(t, short), build(t, scalable.Doubling)
	ids := strategytest.IDs(2, 1000)
	for _, read := range []int{1, 25, 76, 174, 175, 176, 250} {
		history := before.Record(nil, ids[:read])
		for shown := read; shown < len(ids); {
			if err := after.Validate(history); err != nil {
				t.Fatalf("extended after %d articles, %d shown: %v", read, shown, err)
			}
			if slices.Contains(strategytest.Ask(after, history, ids[:shown]), false) {
				t.Fatalf("extended after %d articles, %d shown: one is forgotten", read, shown)
			}
			n := min(1+shown%90, len(ids)-shown)
			history = after.Record(history, ids[shown:shown+n])
			shown += n
		}
		if read <= before.Capacity() && !slices.Equal(history, after.Record(nil, ids)) {
			t.Errorf("extended after %d articles, the history is not that of a filter that was as long from the start", read)
		}
	}
}

func TestNewErrors(t *testing.T) {
	says := func(change func(c *scalable.Config), want string) {
		t.Helper()
		c := scalable.Doubling
		change(&c)
		strategytest.ErrorSays(t, fmt.Sprintf("%+v", c), strategytest.ErrorOf(scalable.New(c)), "scalable: "+want)
	}
	says(func(c *scalable.Config) { c.First = 0 }, "First is 0, want 1 to 16777215")
	says(func(c *scalable.Config) { c.First = 1 << 24 }, "First is 16777216, want 1 to 16777215")
	says(func(c *scalable.Config) { c.Growth = 0 }, "Growth is 0, want 1 to 1024")
	says(func(c *scalable.Config) { c.Growth = 1025 }, "Growth is 1025, want 1 to 1024")
	says(func(c *scalable.Config) { c.FPR = 0 }, "FPR is 0, want it between 0 and 1")
	says(func(c *scalable.Config) { c.FPR = 2 }, "FPR is 2, want it between 0 and 1") // percent
	says(func(c *scalable.Config) { c.Tightening = 0 }, "Tightening is 0, want it between 0 and 1")
	says(func(c *scalable.Config) { c.Tightening = 1 }, "Tightening is 1, want it between 0 and 1")
	says(func(c *scalable.Config) { c.Stages = 0 }, "Stages is 0, want 1 to 64")
	says(func(c *scalable.Config) { c.Stages = 65 }, "Stages is 65, want 1 to 64")
	says(func(c *scalable.Config) { c.Stages = 64 }, "stage 15 of 64: bloom: fpr is ")
	says(func(c *scalable.Config) { c.First, c.Growth, c.Stages = 16, 1024, 64 },
		"Stages is 64, but stage 2 would take more than 16777215")
}

// Histories damaged by hand: 100 articles, of which 25 lie in the third stage.
func TestValidate(t *testing.T) {
	f := build(t, scalable.Doubling)
	const size = 34 + 72 + 153 + 3
	says := func(name string, damage func(history []byte) []byte, want string) {
		t.Helper()
		history := damage(f.Record(nil, strategytest.IDs(4, 100)))
		strategytest.ErrorSays(t, name, f.Validate(history), want)
	}
	says("as recorded", func(h []byte) []byte { return h }, "")
	says("a newcomer's", func([]byte) []byte { return nil }, "")
	says("a full stage", func(h []byte) []byte { h[size-3] = 100; return h }, "")
	says("cut short", func(h []byte) []byte { return h[:size-1] }, "history of 261 bytes")
	says("a byte too many", func(h []byte) []byte { return append(h, 0) }, "history of 263 bytes")
	says("no article", func(h []byte) []byte { h[size-3] = 0; return h }, "articles is 0, want 1 to 100")
	says("too many articles", func(h []byte) []byte { h[size-3] = 101; return h }, "articles is 101, want 1 to")
	says("far too many articles", func(h []byte) []byte { h[size-1] = 1; return h }, "articles is 65561")
	says("too few articles", func(h []byte) []byte { h[size-3] = 9; return h }, "stage 2: 188 bits set in lane")
	says("an empty stage", func(h []byte) []byte { clear(h[34 : 34+72]); return h }, "stage 1: no bit is set")
	says("a bit behind the last", func(h []byte) []byte { h[33] |= 0x20; return h }, "stage 0: a bit is set beyond")
}

// Golden values computed outside the project, in Python: for 25, 50, 100 and 200 articles at 0.006 * 0.7^i the
// smallest filters by the recursion of Bose et al. (2008) are 269/7, 572/8, 1217/8 and 2578/9. The rates are their
// unions; between them, the last filter of the union is not full.
func TestTheory(t *testing.T) {
	f := build(t, scalable.Doubling)
	for read, want := range map[int]float64{
		0: 0, 25: 0.005918288587, 75: 0.010077304796, 175: 0.012978229377, 375: 0.015006582027,
		125: bloom.Union(0.010077304796, bloom.Exact(50, bloom.Geometry{Bits: 1217, Hashes: 8})),
	} {
		strategytest.Near(t, f.FPR(read), want, 1e-11, "FPR(%d)", read)
		strategytest.Between(t, f.Asymptotic(read), want*0.96, want, "Asymptotic(%d)", read)
	}
	strategytest.Equal(t, f.Bytes(0), 0, "Bytes(0)")
}

// Stages are independent, even of three articles: sharing an article's probes would put the rate 3 % below the union,
// eight standard errors. A correct filter lies outside four with a probability of 6e-5.
func TestStagesAreIndependent(t *testing.T) {
	f := build(t, scalable.Config{First: 3, Growth: 1, FPR: 0.5, Tightening: 0.9, Stages: 10})
	e := strategytest.MeasureFPR(f, 30, 3000, 300, 1)
	if z := e.Z(f.FPR(30)); math.Abs(z) > 4 {
		t.Errorf("rate %.5f, want %.5f: %.1f standard errors off", e.Rate(), f.FPR(30), z)
	}
}

// The numbers beside Doubling.
func TestTighteningTable(t *testing.T) {
	for stages, want := range map[int][5]int{
		4:  {610, 590, 585, 595, 636},
		10: {67608, 59375, 53072, 48654, 46987},
	} {
		for i, r := range []float64{0.5, 0.6, 0.7, 0.8, 0.9} {
			c := scalable.Doubling
			c.Tightening, c.Stages = r, stages
			f := build(t, c)
			strategytest.Equal(t, f.Bytes(f.Capacity()), want[i], "r = %v: %d articles in bytes", r, f.Capacity())
		}
	}
}

// Every target is met after any number of articles up to the capacity of ten stages, and lengths fall as the rate
// rises.
func TestSized(t *testing.T) {
	c := strategytest.Value(scalable.Sized(400, 0.02))
	f := build(t, c)
	if c.First != 27 || f.Bytes(400) != 631 || f.Bytes(406) == 631 {
		t.Errorf("Sized(400, 0.02) begins with %d articles and has %d bytes for 400, want 27 and 631", c.First, f.Bytes(400))
	}
	strategytest.Between(t, f.FPR(400), 0.0147, 0.0148, "Sized(400, 0.02) after 400 articles")
}

func TestSizedErrors(t *testing.T) {
	strategytest.RefusesTargets(t, scalable.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 50000":                       {0, 0.02},
		"window is 50001, want 1 to 50000":                   {50001, 0.02},
		"fpr is 0, want it between 0 and 1":                  {400, 0},
		"fpr is 1, want it between 0 and 1":                  {400, 1},
		"fpr is NaN":                                         {400, math.NaN()},
		"fpr is 0.02, want at least 0.77 for 50000 articles": {50000, 0.02},
	})
}

// What comments of the package say of 375 articles at 2 %, in bits for each.
func TestDocumentedNumbers(t *testing.T) {
	one := strategytest.Value(bloom.BestGeometry(375, 0.02))
	stages := 8 * float64(build(t, scalable.Doubling).Bytes(375)) / 375
	if filter := float64(one.Bits) / 375; math.Abs(stages-12.5) > 0.05 || math.Abs(filter-8.2) > 0.05 {
		t.Errorf("%.2f bits an article in stages and %.2f in one filter", stages, filter)
	}
}
