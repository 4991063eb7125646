package cuckoo_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"dejavu/beyond/cuckoo"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var (
	_ strategies.Strategy = (*cuckoo.Filter)(nil)
	_ strategies.Theory   = (*cuckoo.Filter)(nil)
	_ strategies.Deleter  = (*cuckoo.Filter)(nil)
)

func build(t testing.TB, c cuckoo.Config) *cuckoo.Filter {
	t.Helper()
	f, err := cuckoo.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The standard, buckets that do not fit a word, the most and the fewest
// generations, of one article and of many, tables of one length and of many. All
// turn several times in a life.
func TestKit(t *testing.T) {
	for name, c := range map[string]cuckoo.Config{
		"standard":        cuckoo.Standard,
		"wide":            {Generations: 3, Capacity: 20, Buckets: 16, Slots: 8, Fingerprint: 16},
		"longest":         {Generations: 5, Capacity: 4, Buckets: 70, Slots: 1, Fingerprint: 32},
		"most turns":      {Generations: 32, Capacity: 1, Buckets: 14, Slots: 4, Fingerprint: 9},
		"two generations": {Generations: 2, Capacity: 50, Buckets: 34, Slots: 4, Fingerprint: 4},
		"tiny":            {Generations: 2, Capacity: 1, Buckets: 2, Slots: 4, Fingerprint: 4},
	} {
		t.Run(name, func(t *testing.T) {
			f := build(t, c)
			full := c.Generations * c.Capacity
			subject := strategytest.Subject{
				Strategy: f, Theory: f, Life: 4*full + 50,
				Forgets: func(read, age int) bool { return age > f.Window(read) },
				Reads:   []int{full, full + 1},
			}
			if name == "standard" {
				subject.Reads = []int{100, full, full + 1}
			}
			strategytest.Run(t, subject)
		})
	}
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, cuckoo.Standard)) }

// So full a table is seldom without a stash, and its histories of every length.
func FuzzKitOverfull(f *testing.F) { strategytest.Fuzz(f, build(f, overfull)) }

// tiny has a stash of fewer bytes than a load takes.
var tiny = cuckoo.Config{Generations: 2, Capacity: 1, Buckets: 2, Slots: 4, Fingerprint: 4}

// overfull has a slot for every article and none to spare.
var overfull = cuckoo.Config{Generations: 4, Capacity: 10, Buckets: 20, Slots: 2, Fingerprint: 6}

// Stored histories must stay readable: a change of the layout has to be meant.
func TestLayout(t *testing.T) {
	for _, tt := range []struct {
		config cuckoo.Config
		want   string
	}{{cuckoo.Standard, "3d3c7309f6e4cb82"}, {overfull, "7d27583977eaaac3"}, {tiny, "7b0d8d18b3cf067c"}} {
		if got := strategytest.Digest(build(t, tt.config)); got != tt.want {
			t.Errorf("layout digest of %+v %s, want %s", tt.config, got, tt.want)
		}
	}
}

// Eight generations of 57, article by article. The whole table is 178 buckets of
// three slots of 11 bits, 735 bytes, with 10 of stash and 4 of header. Before that
// a user has one of 12 buckets for 22 articles (36 slots of 15 bits, 82 bytes),
// of 23 for 43, of 45 for 86, and of 89 for 171. The 457th article begins a ninth
// generation and leaves 400. Of what expired no more answer than of unseen articles: 2 %, and
// 15 of 57 by chance less than once in 10^10.
func TestStandardByHand(t *testing.T) {
	strategytest.RunCases(t, build(t, cuckoo.Standard), strategytest.IDs(1, 1200), []strategytest.Case{
		{Read: 1, Bytes: 82, Window: 1},
		{Read: 22, Bytes: 82, Window: 22},
		{Read: 23, Bytes: 135, Window: 23},
		{Read: 43, Bytes: 135, Window: 43},
		{Read: 44, Bytes: 234, Window: 44},
		{Read: 57, Bytes: 234, Window: 57},
		{Read: 58, Bytes: 234, Window: 58},
		{Read: 86, Bytes: 234, Window: 86},
		{Read: 87, Bytes: 415, Window: 87},
		{Read: 171, Bytes: 415, Window: 171},
		{Read: 172, Bytes: 749, Window: 172},
		{Read: 456, Bytes: 749, Window: 456},
		{Read: 457, Bytes: 749, Window: 400},
		{Read: 513, Bytes: 749, Window: 456},
		{Read: 514, Bytes: 749, Window: 400},
		{Read: 1140, Bytes: 749, Window: 456},
	}, func(c strategytest.Case) int { return 15 * ((c.Read - c.Window + 56) / 57) })
}

// Two buckets of eight slots of 10 bits are 20 bytes. An entry of the stash has a bit
// more, the number of its bucket: four are 6 bytes, eight 11, sixteen 22.
func TestSizesByHand(t *testing.T) {
	f := build(t, cuckoo.Config{Generations: 4, Capacity: 3, Buckets: 2, Slots: 8, Fingerprint: 8})
	if got, want := f.Sizes(), []int{20 + 6 + 4, 20 + 11 + 4, 20 + 22 + 4}; !slices.Equal(got, want) {
		t.Errorf("histories of %d bytes, want %d", got, want)
	}
}

func TestNewErrors(t *testing.T) {
	change := func(by func(c *cuckoo.Config)) cuckoo.Config {
		c := cuckoo.Standard
		by(&c)
		return c
	}
	for _, tt := range []struct {
		config cuckoo.Config
		want   string
	}{
		{change(func(c *cuckoo.Config) { c.Generations = 1 }), "Generations is 1, want 2 to 32"},
		{change(func(c *cuckoo.Config) { c.Generations = 33 }), "Generations is 33, want 2 to 32"},
		{change(func(c *cuckoo.Config) { c.Capacity = 0 }), "Capacity is 0, want 1 to 65535"},
		{change(func(c *cuckoo.Config) { c.Capacity = 65536 }), "Capacity is 65536, want 1 to 65535"},
		{change(func(c *cuckoo.Config) { c.Buckets = 177 }), "Buckets is 177, want an even number"},
		{change(func(c *cuckoo.Config) { c.Buckets = 0 }), "Buckets is 0, want 2 to 1048576"},
		{change(func(c *cuckoo.Config) { c.Slots = 0 }), "Slots is 0, want 1 to 8"},
		{change(func(c *cuckoo.Config) { c.Slots = 9 }), "Slots is 9, want 1 to 8"},
		{change(func(c *cuckoo.Config) { c.Fingerprint = 3 }), "Fingerprint is 3, want 4 to 32"},
		{change(func(c *cuckoo.Config) { c.Fingerprint = 33 }), "Fingerprint is 33, want 4 to 32"},
		{change(func(c *cuckoo.Config) { c.Buckets = 150 }), "want at least 456 slots for 8 generations of 57 articles"},
	} {
		if _, err := cuckoo.New(tt.config); err == nil || !strings.HasPrefix(err.Error(), "cuckoo: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.config, err, tt.want)
		}
	}
}

// Headers damaged by hand, of 20 articles in the smallest table.
func TestValidate(t *testing.T) {
	f := build(t, cuckoo.Standard)
	good := f.Record(nil, strategytest.IDs(1, 20))
	header := func(count, newest, full int) func(h []byte) {
		return func(h []byte) {
			binary.LittleEndian.PutUint32(h[len(h)-4:], uint32(count|newest<<16|full<<24))
		}
	}
	for _, tt := range []struct {
		name   string
		damage func(h []byte)
		want   string // in the error; none where empty
	}{
		{"as recorded", func([]byte) {}, ""},
		{"another generation than the newest of one", header(20, 1, 0), "generation 1 is the newest, and 0 are behind it"},
		{"no article", header(0, 0, 0), "holds 0 articles, want 1 to 57"},
		{"too many articles", header(58, 0, 0), "holds 58 articles, want 1 to 57"},
		{"more than the table's", header(23, 0, 0), "23 articles in a history of 82 bytes, want at most 22"},
		{"fewer than its entries", header(19, 0, 0), "generation 0 holds more than its 19 articles"},
		{"an unknown generation", header(20, 8, 0), "newest generation is 8 of 8"},
		{"unknown generations", header(20, 7, 8), "8 generations behind the newest of 8"},
	} {
		history := slices.Clone(good)
		tt.damage(history)
		err := f.Validate(history)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	for _, length := range []int{1, 81, 83, 748, 750} {
		if err := f.Validate(make([]byte, length)); err == nil || !strings.Contains(err.Error(), "history of") {
			t.Errorf("%d bytes: error %v", length, err)
		}
	}
	all := slices.Clone(good)
	if err := f.Validate(f.Delete(all, strategytest.IDs(1, 20))); err != nil {
		t.Errorf("everything taken back: error %v", err)
	}
}

func TestAllocations(t *testing.T) {
	f, ids := build(t, cuckoo.Standard), strategytest.IDs(4, 1000)
	history, seen := f.Record(nil, ids[:500]), make([]bool, len(ids))
	if n := testing.AllocsPerRun(20, func() {
		f.Seen(history, ids, seen)
		history = f.Record(history, ids)
		history = f.Delete(history, ids[900:])
	}); n != 0 {
		t.Errorf("%v allocations a request of a full filter, want 0", n)
	}
	// Through all tables at once; the race detector makes two of slices.Grow's one.
	if n := testing.AllocsPerRun(20, func() { f.Record(nil, ids) }); n > 2 {
		t.Errorf("%v allocations for the first request of 1000 articles, want 1", n)
	}
}
