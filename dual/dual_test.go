package dual_test

import (
	"encoding/binary"
	"testing"

	"dejavu/bloom"
	"dejavu/dual"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(dual.New)

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[dual.Config, *dual.Filter]{
		New: dual.New, Sized: dual.Sized, Presets: []dual.Config{
			dual.Paper, dual.PaperBlanked,
			{Capacity: 65_537, Threshold: 40_000, Geometry: bloom.Geometry{Bits: 1 << 17, Hashes: 1}},
		},
		Digest: "d294277d67bdebdc",
		Config: func(r strategytest.Random) dual.Config {
			capacity := r.Log(2, 40_000)
			threshold := r.Log((capacity+1)/2, capacity-1)
			if r.IntN(2) == 0 {
				threshold = capacity - r.Log(1, capacity/2)
			}
			return dual.Config{
				Capacity: capacity, Threshold: threshold, Blanked: r.IntN(2) == 0,
				Geometry: strategytest.Geometry[bloom.Geometry](r, bloom.MinLaneBits),
			}
		},
		Subject: func(_ strategytest.Random, f *dual.Filter) strategytest.Subject {
			return strategytest.Subject{
				Strategy: f, Theory: f, Forgets: func(read, age int) bool { return age > f.Window(read) },
			}
		},
	})
}

func FuzzKit(f *testing.F)        { strategytest.Fuzz(f, build(f, dual.Paper)) }
func FuzzKitBlanked(f *testing.F) { strategytest.Fuzz(f, build(f, dual.PaperBlanked)) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"de89dc5ff423b511": build(t, dual.Paper),
		"d8b3c1f9df28f8c2": build(t, dual.PaperBlanked),
	})
}

// §6, article by article: at the 101st nothing happens; at 300 a slave is created, which the 301st enters first; the
// 499th leaves the master one below its capacity; with the 500th the slave takes over with the newest 200, and the
// 501st makes 201.
func TestThePapersCases(t *testing.T) {
	strategytest.RunCases(t, build(t, dual.Paper), []strategytest.Case{
		{1, 512, 1},
		{101, 512, 101},
		{299, 512, 299},
		{300, 1020, 300},
		{301, 1020, 301},
		{499, 1020, 499},
		{500, 512, 200},
		{501, 512, 201},
		{599, 512, 299},
		{600, 1020, 300},
		{799, 1020, 499},
		{800, 512, 200},
	})
}

// Golden values computed outside the project from the recursion of Bose et al.
// (2008): Table 1 of the paper says 0.0156 for the dual filter at all times.
func TestTheory(t *testing.T) {
	f := build(t, dual.Paper)
	for read, want := range map[int]float64{
		0: 0, 200: 0.000280, 300: 0.002104, 500: 0.000280, 600: 0.002104, 800: 0.000280, 1100: 0.000280,
	} {
		strategytest.Near(t, f.FPR(read), want, 0.5e-6, "FPR(%d)", read)
	}
	var fpr, payload float64
	for read := 500; read < 800; read++ {
		fpr += f.FPR(read) / 300
		payload += float64(f.Bytes(read)-4) / 300
	}
	strategytest.Near(t, fpr, 0.006283, 0.5e-6, "mean rate over a turn")
	// Two arrays for two thirds of the turn: (508 + 2*1016) / 3.
	strategytest.Near(t, payload, 847, 0.5, "mean payload over a turn bytes")
	if b := build(t, dual.PaperBlanked); b.Bytes(0) != 0 || b.Bytes(299) != 512 || b.Bytes(500) != 1020 ||
		f.Bytes(0) != 0 {
		t.Errorf("blanked: %d, %d, %d bytes after 0, 299, 500 articles, want 0, 512, 1020", b.Bytes(0), b.Bytes(299),
			b.Bytes(500))
	}
}

func TestNewErrors(t *testing.T) {
	paper := dual.Paper.Geometry
	of := func(bits, hashes int) dual.Config {
		return dual.Config{Capacity: 500, Threshold: 300, Geometry: bloom.Geometry{Bits: bits, Hashes: hashes}}
	}
	strategytest.Refuses(t, dual.New, map[string]dual.Config{
		"Capacity is 1, want 2 to 16777215":        {Capacity: 1, Threshold: 1, Geometry: paper},
		"Capacity is 16777216, want 2 to 16777215": {Capacity: 1 << 24, Threshold: 1 << 23, Geometry: paper},
		"Threshold is 249, want 250 to 499":        {Capacity: 500, Threshold: 249, Geometry: paper},
		"Threshold is 250, want 251 to 500":        {Capacity: 501, Threshold: 250, Geometry: paper},
		"Threshold is 500, want 250 to 499":        {Capacity: 500, Threshold: 500, Geometry: paper},
		"Bits is 0, want 1 to 16777216":            {Capacity: 500, Threshold: 300},
		"Hashes is 65, want 1 to 64":               of(4064, 65),
		"Bits is 63, want at least 64":             of(63, 6),
	})
}

// Headers damaged by hand: the count of the master's articles in the low 24 bits, its lane above them.
func TestValidate(t *testing.T) {
	freed, kept := build(t, dual.Paper), build(t, dual.PaperBlanked)
	ids := strategytest.IDs(3, 650)
	says := func(name string, filter *dual.Filter, read int, header uint32, want string) {
		t.Helper()
		history := filter.Record(nil, ids[:read])
		binary.LittleEndian.PutUint32(history[len(history)-4:], header)
		strategytest.ErrorSays(t, name, filter.Validate(history), want)
	}
	says("one filter", freed, 250, 250, "")
	says("no article", freed, 250, 0, "articles is 0, want 1 to 299")
	says("one filter that should be two", freed, 250, 300, "articles is 300")
	says("too many bits for the articles", freed, 250, 150, "by 150 articles of 6 hashes")
	says("a second lane that is not there", freed, 250, 250|1<<24, "master is lane 1 of 1")
	says("two filters", freed, 400, 400, "")
	says("two filters that should be one", freed, 400, 299, "articles is 299, want 300 to")
	says("a full master that should have gone", freed, 400, 500, "articles is 500")
	says("the freed reading's master is lane 0", freed, 400, 400|1<<24, "master is lane 1 of 2")
	says("a slave without its articles", freed, 300, 400, "dual: no bit is set in lane")
	says("a slave of more than its articles", freed, 400, 310, "bits set")
	says("blanked, the second turn", kept, 650, 350|1<<24, "")
	says("blanked, below the slave's takeover", kept, 650, 199|1<<24, "articles is 199")
	says("blanked, a third lane", kept, 650, 350|2<<24, "master is lane 2 of 2")
	says("blanked, the wrong master", kept, 500, 200, "dual: no bit is set in lane")
	strategytest.ErrorSays(t, "511 bytes", freed.Validate(make([]byte, 511)),
		"history of 511 bytes, want 0 or one of [512 1020]")
	odd := build(t, dual.Config{Capacity: 31, Threshold: 17, Geometry: bloom.Geometry{Bits: 301, Hashes: 5}})
	// 301 bits: three of the last byte's are no position.
	history := odd.Record(nil, ids[:5])
	history[len(history)-5] |= 0x80
	strategytest.ErrorSays(t, "a bit behind the last", odd.Validate(history), "beyond the last of the 301 positions")
}

// What Sized returns, New accepts, guarantees the window, and keeps the rate at every
// moment; a bit less, or the rate of one bit less, does not. The lanes have at least 64.
func TestSized(t *testing.T) {
	sizes := func(window int, fpr float64, want dual.Config) {
		t.Helper()
		got, err := dual.Sized(window, fpr)
		if err != nil || got != want {
			t.Errorf("Sized(%d, %v) is %+v, %v, want %+v", window, fpr, got, err, want)
			return
		}
		less := bloom.Geometry{Bits: got.Geometry.Bits - 1, Hashes: got.Geometry.Hashes}
		if less.Bits >= 64 && bloom.Exact(2*window-1, less) <= fpr {
			t.Errorf("Sized(%d, %v): a bit less does", window, fpr)
		}
	}
	sizes(200, 0.02, dual.Config{Capacity: 400, Threshold: 200, Geometry: bloom.Geometry{Bits: 3255, Hashes: 6}})
	sizes(1, 0.5, dual.Config{Capacity: 2, Threshold: 1, Geometry: bloom.Geometry{Bits: 64, Hashes: 1}})
	sizes(2, 0.9, dual.Config{Capacity: 4, Threshold: 2, Geometry: bloom.Geometry{Bits: 64, Hashes: 1}})
	strategytest.ErrorSays(t, "a window of none is sized", strategytest.ErrorOf(dual.Sized(0, 0.02)), "window is 0")
}
