package scalable_test

import (
	"slices"
	"strings"
	"testing"

	"dejavu/beyond/scalable"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(scalable.New)

// tiny stages of one to seven hashes, the last of which overflows.
var tiny = scalable.Config{First: 3, Growth: 2, FPR: 0.6, Tightening: 0.4, Stages: 5}

// The preset over five stages; stages that treble and overflow, stages that do not grow, and those of a
// handful of articles, where a dependence between the stages would show.
func TestKit(t *testing.T) {
	for name, tt := range map[string]struct {
		config scalable.Config
		life   int
		reads  []int
	}{
		"doubling":  {scalable.Doubling, 900, []int{1, 25, 26, 75, 375, 400}},
		"tiny":      {tiny, 250, []int{3, 9, 45, 93, 94, 120}},
		"trebling":  {scalable.Config{First: 7, Growth: 3, FPR: 0.1, Tightening: 0.8, Stages: 3}, 300, []int{28, 91, 150}},
		"even":      {scalable.Config{First: 10, Growth: 1, FPR: 0.02, Tightening: 0.9, Stages: 8}, 150, []int{50, 100}},
		"one stage": {scalable.Config{First: 40, Growth: 2, FPR: 0.02, Tightening: 0.5, Stages: 1}, 120, []int{40, 80}},
	} {
		t.Run(name, func(t *testing.T) {
			f := build(t, tt.config)
			strategytest.Run(t, strategytest.Subject{Strategy: f, Theory: f, Life: tt.life, Reads: tt.reads})
		})
	}
}

func FuzzKit(f *testing.F)     { strategytest.Fuzz(f, build(f, scalable.Doubling)) }
func FuzzKitTiny(f *testing.F) { strategytest.Fuzz(f, build(f, tiny)) }

func TestWindows(t *testing.T) { strategytest.Windows(t, scalable.Sized, build) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"d59f6a24819ec016": build(t, scalable.Doubling),
		"7b1629c3cbcb29b5": build(t, tiny),
	})
}

// More stages, and the same history goes on, also one whose last stage took more than it was made for:
// nothing is lost, and what follows adds to the rate what the new stages have.
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
	good := scalable.Doubling
	for _, tt := range []struct {
		change func(c *scalable.Config)
		want   string
	}{
		{func(c *scalable.Config) { c.First = 0 }, "First is 0, want 1 to 16777215"},
		{func(c *scalable.Config) { c.First = 1 << 24 }, "First is 16777216, want 1 to 16777215"},
		{func(c *scalable.Config) { c.Growth = 0 }, "Growth is 0, want 1 to 1024"},
		{func(c *scalable.Config) { c.Growth = 1025 }, "Growth is 1025, want 1 to 1024"},
		{func(c *scalable.Config) { c.FPR = 0 }, "FPR is 0, want it between 0 and 1"},
		{func(c *scalable.Config) { c.FPR = 2 }, "FPR is 2, want it between 0 and 1"}, // percent
		{func(c *scalable.Config) { c.Tightening = 0 }, "Tightening is 0, want it between 0 and 1"},
		{func(c *scalable.Config) { c.Tightening = 1 }, "Tightening is 1, want it between 0 and 1"},
		{func(c *scalable.Config) { c.Stages = 0 }, "Stages is 0, want 1 to 64"},
		{func(c *scalable.Config) { c.Stages = 65 }, "Stages is 65, want 1 to 64"},
		{func(c *scalable.Config) { c.Stages = 64 }, "stage 15 of 64: bloom: fpr is "},
		{func(c *scalable.Config) { c.First, c.Growth, c.Stages = 16, 1024, 64 }, "stage 2 would take more than 16777215"},
	} {
		c := good
		tt.change(&c)
		if _, err := scalable.New(c); err == nil || !strings.HasPrefix(err.Error(), "scalable: ") ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", c, err, tt.want)
		}
	}
}

// Histories damaged by hand: 100 articles, of which 25 lie in the third stage.
func TestValidate(t *testing.T) {
	f := build(t, scalable.Doubling)
	const size = 34 + 72 + 153 + 3
	for _, tt := range []struct {
		name   string
		damage func(history []byte) []byte
		want   string // in the error; none where empty
	}{
		{"as recorded", func(h []byte) []byte { return h }, ""},
		{"a newcomer's", func([]byte) []byte { return nil }, ""},
		{"a full stage", func(h []byte) []byte { h[size-3] = 100; return h }, ""},
		{"cut short", func(h []byte) []byte { return h[:size-1] }, "history of 261 bytes"},
		{"a byte too many", func(h []byte) []byte { return append(h, 0) }, "history of 263 bytes"},
		{"no article", func(h []byte) []byte { h[size-3] = 0; return h }, "articles is 0, want 1 to 100"},
		{"too many articles", func(h []byte) []byte { h[size-3] = 101; return h }, "articles is 101, want 1 to"},
		{"far too many articles", func(h []byte) []byte { h[size-1] = 1; return h }, "articles is 65561"},
		{"too few articles for the bits", func(h []byte) []byte { h[size-3] = 9; return h }, "stage 2: 188 bits set in lane"},
		{"an empty stage", func(h []byte) []byte { clear(h[34 : 34+72]); return h }, "stage 1: no bit is set"},
		{"a bit behind the last", func(h []byte) []byte { h[33] |= 0x20; return h }, "stage 0: a bit is set beyond"},
	} {
		history := tt.damage(f.Record(nil, strategytest.IDs(4, 100)))
		strategytest.ErrorSays(t, tt.name, f.Validate(history), tt.want)
	}
}
