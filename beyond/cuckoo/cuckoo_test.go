package cuckoo_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"dejavu/beyond/cuckoo"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var _ strategies.Deleter = (*cuckoo.Filter)(nil)

var build = strategytest.Builder(cuckoo.New)

// The standard, buckets that do not fit a word, the most and the fewest generations, of one article and of
// many, tables of one length and of many. All turn several times in a life.
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

func TestWindows(t *testing.T) { strategytest.Windows(t, cuckoo.Sized, build) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"3d3c7309f6e4cb82": build(t, cuckoo.Standard),
		"7d27583977eaaac3": build(t, overfull),
		"7b0d8d18b3cf067c": build(t, tiny),
	})
}

// Eight generations of 57, article by article. The whole table is 178 buckets of three slots of 11 bits, 735 bytes,
// with 10 of stash and 4 of header. Before that a user has one of 12 buckets for 22 articles (36 slots of 15 bits, 82
// bytes), of 23 for 43, of 45 for 86, and of 89 for 171. The 457th article begins a ninth generation and leaves 400.
func TestStandardByHand(t *testing.T) {
	strategytest.RunCases(t, build(t, cuckoo.Standard), []strategytest.Case{
		{1, 82, 1},
		{22, 82, 22},
		{23, 135, 23},
		{43, 135, 43},
		{44, 234, 44},
		{57, 234, 57},
		{58, 234, 58},
		{86, 234, 86},
		{87, 415, 87},
		{171, 415, 171},
		{172, 749, 172},
		{456, 749, 456},
		{457, 749, 400},
		{513, 749, 456},
		{514, 749, 400},
		{1140, 749, 456},
	})
}

// Two buckets of eight slots of 10 bits are 20 bytes. An entry of the stash has a bit
// more, the number of its bucket: four are 6 bytes, eight 11, sixteen 22.
func TestSizesByHand(t *testing.T) {
	f := build(t, cuckoo.Config{Generations: 4, Capacity: 3, Buckets: 2, Slots: 8, Fingerprint: 8})
	strategytest.EqualSlices(t, f.Sizes(), []int{20 + 6 + 4, 20 + 11 + 4, 20 + 22 + 4}, "histories of bytes")
}

func TestNewErrors(t *testing.T) {
	change := func(by func(c *cuckoo.Config)) cuckoo.Config {
		c := cuckoo.Standard
		by(&c)
		return c
	}
	strategytest.Refuses(t, cuckoo.New, map[string]cuckoo.Config{
		"Generations is 1, want 2 to 32":                           change(func(c *cuckoo.Config) { c.Generations = 1 }),
		"Generations is 33, want 2 to 32":                          change(func(c *cuckoo.Config) { c.Generations = 33 }),
		"Capacity is 0, want 1 to 65535":                           change(func(c *cuckoo.Config) { c.Capacity = 0 }),
		"Capacity is 65536, want 1 to 65535":                       change(func(c *cuckoo.Config) { c.Capacity = 65536 }),
		"Buckets is 177, want an even number":                      change(func(c *cuckoo.Config) { c.Buckets = 177 }),
		"Buckets is 0, want 2 to 1048576":                          change(func(c *cuckoo.Config) { c.Buckets = 0 }),
		"Slots is 0, want 1 to 8":                                  change(func(c *cuckoo.Config) { c.Slots = 0 }),
		"Slots is 9, want 1 to 8":                                  change(func(c *cuckoo.Config) { c.Slots = 9 }),
		"Fingerprint is 3, want 4 to 32":                           change(func(c *cuckoo.Config) { c.Fingerprint = 3 }),
		"Fingerprint is 33, want 4 to 32":                          change(func(c *cuckoo.Config) { c.Fingerprint = 33 }),
		"want at least 456 slots for 8 generations of 57 articles": change(func(c *cuckoo.Config) { c.Buckets = 150 }),
	})
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
		{"another generation than the newest of one", header(20, 1, 0), "the newest generation is 1, want 0 to 0"},
		{"no article", header(0, 0, 0), "articles is 0, want 1 to 57"},
		{"too many articles", header(58, 0, 0), "articles is 58, want 1 to 57"},
		{"more than the table's", header(23, 0, 0), "the number of articles is 23, want 1 to 22"},
		{"fewer than its entries", header(19, 0, 0), "generation 0 holds more than its 19 articles"},
		{"an unknown generation", header(20, 8, 0), "newest generation is 8, want"},
		{"unknown generations", header(20, 7, 8), "full generations is 8, want 0 to 7"},
	} {
		history := slices.Clone(good)
		tt.damage(history)
		strategytest.ErrorSays(t, tt.name, f.Validate(history), tt.want)
	}
	for _, length := range []int{1, 81, 83, 748, 750} {
		strategytest.ErrorSays(t, fmt.Sprint(length), f.Validate(make([]byte, length)), "history of")
	}
	all := slices.Clone(good)
	if err := f.Validate(f.Delete(all, strategytest.IDs(1, 20))); err != nil {
		t.Errorf("everything taken back: error %v", err)
	}
}
