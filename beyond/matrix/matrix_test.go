package matrix_test

import (
	"bytes"
	"slices"
	"testing"

	"dejavu/beyond/matrix"
	"dejavu/internal/bitarray"
	"dejavu/internal/mix"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(matrix.New)

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[matrix.Config, *matrix.Filter]{
		New: matrix.New, Sized: matrix.Sized, Presets: []matrix.Config{matrix.Window400},
		Digest: "10af82654fda3127",
		Config: func(r strategytest.Random) matrix.Config {
			links, columns := r.Log(2, 127), r.Log(1, 32)
			return matrix.Config{
				Links: links, Articles: r.Log(4, 448), Columns: columns, KeyBits: r.Log(12, 32),
				Short: r.IntN(1 + min(columns-1, links)),
			}
		},
		Subject: func(_ strategytest.Random, f *matrix.Filter) strategytest.Subject {
			return strategytest.Subject{
				Strategy: f, Theory: f, Forgets: func(read, age int) bool { return age > f.Window(read) },
			}
		},
	})
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, matrix.Window400)) }

// Full histories must keep window and rate, in as few bytes as were once found.
func TestBytes(t *testing.T) {
	rates := []float64{0.05, 0.02, 0.01, 0.001, 0.0001}
	for window, want := range map[int][]int{
		50: {66, 77, 84, 108, 130}, 100: {124, 144, 159, 205, 250}, 400: {469, 544, 600, 784, 964},
		2000: {2294, 2663, 2942, 3855, 4742}, 10_000: {12052, 13792, 15151, 19500, 23790},
	} {
		for i, fpr := range rates {
			c, err := matrix.Sized(window, fpr)
			strategytest.Must(t, err)
			f := build(t, c)
			read := c.Links*c.Articles + c.Articles - 1
			strategytest.Equal(t, f.Bytes(read), want[i], "%d articles at %v: bytes of %+v", window, fpr, c)
			if rate := f.FPR(read); rate > fpr || f.Window(read+1) < window {
				t.Errorf("%d articles at %v: a rate of %v and a window of %d", window, fpr, rate, f.Window(read+1))
			}
		}
	}
	strategytest.Equal(t, strategytest.Value(matrix.Sized(400, 0.02)), matrix.Window400, "Sized(400, 0.02)")
	f, sum, tens := build(t, matrix.Window400), 0, 0
	for read := 1000; read < 1050; read++ {
		if sum += f.Bytes(read); read%10 == 0 {
			tens += f.Bytes(read)
		}
	}
	strategytest.Equal(t, [2]int{sum, tens}, [2]int{25361, 2498}, "bytes of a rotation, all and every tenth")
}

// Histories of 0.1.0 have room for 49 articles in the active link once all links are closed, however many there are.
func TestRoomier(t *testing.T) {
	f := build(t, matrix.Window400)
	ids := strategytest.IDs(1, 500)
	for count := range 50 {
		short := f.Record(nil, ids[:400+count])
		room := count // of the short one
		for room < 49 && f.Bytes(400+room+1) == len(short) {
			room++
		}
		const links, header = 8*9*50/8 + 8, 541 // bytes of columns and seeds, and before the header
		unary, open := links+(room+64+7)/8, links+(49+64+7)/8
		long := make([]byte, 544)
		copy(long, short[:unary])
		copy(long[open:], short[unary:len(short)-3])
		copy(long[header:], short[len(short)-3:])
		strategytest.Must(t, f.Validate(long))
		seen := make([]bool, len(ids))
		f.Seen(long, ids[:400+count], seen[:400+count])
		if i := slices.Index(seen[:400+count], false); i >= 0 {
			t.Fatalf("article %d of %d is forgotten", i, 400+count)
		}
		if long, short = f.Record(long, ids[450:451]), f.Record(short, ids[450:451]); !bytes.Equal(long, short) {
			t.Errorf("after %d articles and one more:\n%x, want\n%x", 400+count, long, short)
		}
	}
}

func TestNewErrors(t *testing.T) {
	with := func(change func(*matrix.Config)) matrix.Config {
		c := matrix.Window400
		change(&c)
		return c
	}
	strategytest.Refuses(t, matrix.New, map[string]matrix.Config{
		"Links is 1, want 2 to 127":      with(func(c *matrix.Config) { c.Links = 1 }),
		"Links is 128, want 2 to 127":    with(func(c *matrix.Config) { c.Links = 128 }),
		"Articles is 3, want 4 to 448":   with(func(c *matrix.Config) { c.Articles = 3 }),
		"Articles is 449, want 4 to 448": with(func(c *matrix.Config) { c.Articles = 449 }),
		"Columns is 0, want 1 to 32":     with(func(c *matrix.Config) { c.Columns = 0 }),
		"Columns is 33, want 1 to 32":    with(func(c *matrix.Config) { c.Columns = 33 }),
		"Short is 9, want 0 to 8":        with(func(c *matrix.Config) { c.Short = 9 }),
		"Short is 1, want 0 to 0":        with(func(c *matrix.Config) { c.Columns, c.Short = 1, 1 }),
		"KeyBits is 11, want 12 to 32":   with(func(c *matrix.Config) { c.KeyBits = 11 }),
		"KeyBits is 33, want 12 to 32":   with(func(c *matrix.Config) { c.KeyBits = 33 }),
	})
	strategytest.RefusesTargets(t, matrix.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 56896":                         {0, 0.02},
		"window is 56897":                                      {56897, 0.02},
		"fpr is 1e-09, want at least 1.1e-07 for 400 articles": {400, 1e-9},
		"fpr is 0, want it between":                            {400, 0},
	})
}

// Histories damaged by hand: two links of 50 articles, and 10 of head.
func TestValidate(t *testing.T) {
	f := build(t, matrix.Window400)
	good := f.Record(nil, strategytest.IDs(1, 110))
	const columns, seeds = 2 * 9 * 50 / 8, 113 // four bits of the columns' last byte are unused
	strategytest.Must(t, f.Validate(good))
	says := func(name string, at int, flip byte, want string) {
		t.Helper()
		history := slices.Clone(good)
		history[at] ^= flip
		strategytest.ErrorSays(t, name, f.Validate(history), want)
	}
	says("a column of other articles", columns-1, 1, "")
	says("another seed", seeds, 1, "")
	says("a bit behind the columns", columns, 0x80, "1 bits are set beyond 2 links and 10 articles")
	says("fewer articles", len(good)-3, 2, "bits are set beyond 2 links and 8 articles")
	says("more articles", len(good)-3, 1, "the head lists 10 articles, want 11")
	says("far too many", len(good)-2, 1, "the head has 266 articles")
	says("another link", len(good)-1, 1, "slot 3 is next (all closed: false)")
	says("all links", len(good)-1, 0x80, "slot 2 is next (all closed: true)")
	says("no such link", len(good)-1, 0x40, "slot 66 is next")
	strategytest.ErrorSays(t, "cut short", f.Validate(good[1:]), "want 0 or one of")
	strategytest.ErrorSays(t, "no article", f.Validate(make([]byte, f.Sizes()[0])), "no article in a history")
	// Two articles with equal high bits, whose low bits are swapped: 11 low bits of 17.
	pair := f.Record(nil, []strategies.ID{strategies.ID(mix.Unmix(5 << 47)), strategies.ID(mix.Unmix(6 << 47))})
	strategytest.Must(t, f.Validate(pair))
	open := 8 * ((7 + 64 + 7) / 8) // after the unary bits of room for seven
	bitarray.Write(pair, open, 22, 6|5<<11)
	strategytest.ErrorSays(t, "keys change places", f.Validate(pair), "key 1 of the head is 5, behind 6")
}

func BenchmarkRecord(b *testing.B) {
	f := build(b, matrix.Window400)
	ids := strategytest.IDs(1, 100000)
	h := f.Record(nil, ids[:1000])
	i := 0
	for b.Loop() {
		h = f.Record(h, ids[i:i+10])
		if i += 10; i >= len(ids)-10 {
			i = 0
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(10*b.N), "ns/article")
}
