package ring_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dejavu/beyond/ring"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var (
	_ strategies.Strategy = (*ring.Ring)(nil)
	_ strategies.Theory   = (*ring.Ring)(nil)
	_ strategies.Deleter  = (*ring.Ring)(nil)
)

func build(t testing.TB, c ring.Config) *ring.Ring {
	t.Helper()
	r, err := ring.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The paper's window and others around the size of a step, of fingerprints of
// every kind: short, whole bytes and none, longer than a map knows, the longest.
func TestKit(t *testing.T) {
	for _, c := range []ring.Config{
		ring.Paper,
		{Window: 400, Bits: 10},
		{Window: 1, Bits: 4},
		{Window: 39, Bits: 5},
		{Window: 40, Bits: 16},
		{Window: 41, Bits: 7},
		{Window: 130, Bits: 19},
		{Window: 81, Bits: 24},
		{Window: 81, Bits: 32},
		{Window: 57, Bits: 17},
	} {
		t.Run(fmt.Sprintf("%d of %d bits", c.Window, c.Bits), func(t *testing.T) {
			r := build(t, c)
			subject := strategytest.Subject{
				Strategy: r, Theory: r,
				Forgets: func(read, age int) bool { return age > min(read, c.Window) },
				Reads:   []int{1, c.Window + 1, 3 * c.Window},
				Life:    3*c.Window + 100,
			}
			if c.Bits == 32 { // one chance hit in all would fail it: 1 % of such tests
				subject.Forgets, subject.Reads = nil, []int{c.Window}
			}
			strategytest.Run(t, subject)
		})
	}
}

func FuzzKit(f *testing.F)     { strategytest.Fuzz(f, build(f, ring.Paper)) }
func FuzzKitLong(f *testing.F) { strategytest.Fuzz(f, build(f, ring.Config{Window: 81, Bits: 19})) }

// Stored histories must stay readable: a change of the layout has to be meant.
func TestLayout(t *testing.T) {
	for _, tt := range []struct {
		config ring.Config
		want   string
	}{{ring.Paper, "58b2f0de06867ebd"}, {ring.Config{Window: 130, Bits: 19}, "de9f6dc0310224f2"}} {
		if got := strategytest.Digest(build(t, tt.config)); got != tt.want {
			t.Errorf("layout digest of %+v %s, want %s", tt.config, got, tt.want)
		}
	}
}

// The window is the queue's (§3): the 501st article drops the first and no
// other. With 32 bits nothing is recognised by chance (once in 10^4 of such tests).
func TestThe501stArticleDropsTheFirst(t *testing.T) {
	r, ids := build(t, ring.Config{Window: 500, Bits: 32}), strategytest.IDs(1, 501)
	history := r.Record(nil, ids[:500])
	if seen := strategytest.Ask(r, history, ids); slices.Contains(seen[:500], false) || seen[500] {
		t.Error("after 500 articles: want all of them and nothing else")
	}
	history = r.Record(history, ids[500:])
	if seen := strategytest.Ask(r, history, ids); seen[0] || slices.Contains(seen[1:], false) {
		t.Error("after 501 articles: want all but the first")
	}
}

// Memory grows with the user, forty articles at a time.
func TestGrowth(t *testing.T) {
	r, ids := build(t, ring.Paper), strategytest.IDs(2, 501)
	for read, want := range map[int]int{1: 78, 40: 78, 41: 153, 80: 153, 480: 903, 481: 941, 500: 941, 501: 941} {
		if got := len(r.Record(nil, ids[:read])); got != want || r.Bytes(read) != want {
			t.Errorf("%d articles: %d bytes, theory %d, want %d", read, got, r.Bytes(read), want)
		}
	}
}

// formulas.md §4: 15 bits give 1.21 % at 400 articles and 1.51 % at 500; one
// article of b bits 2^-b.
func TestTheory(t *testing.T) {
	r := build(t, ring.Paper)
	for read, want := range map[int]float64{0: 0, 400: 0.0121, 500: 0.0151, 501: 0.0151, 99999: 0.0151} {
		if got := r.FPR(read); math.Abs(got-want) > 0.5e-4 {
			t.Errorf("FPR(%d) = %v, want %v", read, got, want)
		}
	}
	if got := build(t, ring.Config{Window: 9, Bits: 32}).FPR(1); math.Abs(got*(1<<32)-1) > 1e-9 {
		t.Errorf("FPR(1) = %v, want 2^-32", got)
	}
	for read, want := range map[int]int{0: 0, 1: 1, 499: 499, 500: 500, 501: 500, 9999: 500} {
		if got := r.Window(read); got != want {
			t.Errorf("Window(%d) = %d, want %d", read, got, want)
		}
	}
}

// A model is the fingerprints held, oldest first, in full IDs whose fingerprints
// of 32 bits differ.
type model struct {
	window int
	held   []strategies.ID
}

func (m *model) record(ids []strategies.ID) {
	m.held = append(m.held, ids...)
	m.held = m.held[max(0, len(m.held)-m.window):]
}

func (m *model) remove(id strategies.ID) {
	for i := len(m.held) - 1; i >= 0; i-- {
		if m.held[i] == id {
			m.held = slices.Delete(m.held, i, i+1)
			return
		}
	}
}

// Whatever is recorded and taken back, in any order, repeats included, the
// history holds what is left and no more; and where articles were taken back it
// is, byte for byte, the one that what is left makes.
func TestDelete(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, window := range []int{1, 2, 40, 41, 100, 200} {
		s, m := build(t, ring.Config{Window: window, Bits: 32}), &model{window: window}
		ids := strategytest.IDs(uint64(window), 2*window+10)
		var history []byte
		for round := range 400 {
			some := make([]strategies.ID, r.IntN(1+window/3)+1)
			for i := range some {
				some[i] = ids[r.IntN(len(ids))]
			}
			if r.IntN(2) == 0 {
				history = s.Record(history, some)
				m.record(some)
			} else {
				before := len(m.held)
				history = s.Delete(history, some)
				for _, id := range some {
					m.remove(id)
				}
				if want := s.Record(nil, m.held); len(m.held) < before && !slices.Equal(history, want) {
					t.Fatalf("window %d, round %d: another history than the one of the %d articles left", window, round, len(m.held))
				}
			}
			if err := s.Validate(history); err != nil {
				t.Fatalf("window %d, round %d: %v", window, round, err)
			}
			for i, seen := range strategytest.Ask(s, history, ids) {
				if want := slices.Contains(m.held, ids[i]); seen != want {
					t.Fatalf("window %d, round %d: article %d seen is %v, want %v", window, round, i, seen, want)
				}
			}
		}
	}
}

// Taking back what was never recorded changes nothing, unless its fingerprint is
// held: then that one goes, and its article with it.
func TestDeleteAStranger(t *testing.T) {
	r := build(t, ring.Config{Window: 60, Bits: 8})
	ids, strangers := strategytest.IDs(4, 30), strategytest.IDs(5, 500)
	for _, stranger := range strangers {
		history := r.Record(nil, ids)
		taken := strategytest.Ask(r, history, []strategies.ID{stranger})[0]
		after := r.Delete(slices.Clone(history), []strategies.ID{stranger})
		if same := slices.Equal(after, history); same == taken {
			t.Fatalf("a stranger taken for seen (%v) is taken back, and the history is the same: %v", taken, same)
		}
	}
	if got := r.Delete(nil, strangers); len(got) != 0 {
		t.Errorf("a newcomer's history becomes %d bytes", len(got))
	}
}

// A longer ring takes over a shorter one's histories: at every length and turn,
// no article held is lost until the longer one is full.
func TestLiveExtension(t *testing.T) {
	short, long := build(t, ring.Config{Window: 80, Bits: 32}), build(t, ring.Config{Window: 170, Bits: 32})
	for read := 1; read <= 190; read += 3 {
		ids := strategytest.IDs(uint64(read), read+400)
		history := short.Record(nil, ids[:read])
		held := min(read, 80)
		for shown := read; shown < len(ids); {
			if err := long.Validate(history); err != nil {
				t.Fatal(err)
			}
			for i, seen := range strategytest.Ask(long, history, ids) {
				if want := shown-held <= i && i < shown; seen != want {
					t.Fatalf("%d, then %d shown: article %d seen is %v, want %v with %d held", read, shown, i, seen, want, held)
				}
			}
			n := min(1+shown*7%23, len(ids)-shown)
			history = long.Record(history, ids[shown:shown+n])
			shown, held = shown+n, min(held+n, 170)
		}
	}
}

// Seen against one look at a time, for requests small and large, with repeats
// and repeated candidates, at fingerprints on both sides of what the map knows.
func TestSeenAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for round := range 120 {
		c := ring.Config{Window: 1 + r.IntN(700), Bits: 4 + round%29}
		s, ids := build(t, c), strategytest.IDs(uint64(round), 3000)
		history := s.Record(nil, ids[:r.IntN(1500)])
		candidates := make([]strategies.ID, 1+r.IntN(2500)>>r.IntN(8))
		for i := range candidates {
			candidates[i] = ids[r.IntN(len(ids))]
		}
		for i, seen := range strategytest.Ask(s, history, candidates) {
			if want := ring.Holds(s, history, candidates[i]); seen != want {
				t.Fatalf("%+v, %d candidates: candidate %d seen is %v, want %v", c, len(candidates), i, seen, want)
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	for _, bits := range []int{15, 20} {
		r, ids := build(t, ring.Config{Window: 500, Bits: bits}), strategytest.IDs(4, 4000)
		history, seen := r.Record(nil, ids[:700]), make([]bool, len(ids))
		if n := testing.AllocsPerRun(20, func() {
			r.Seen(history, ids[:40], seen[:40])
			r.Seen(history, ids, seen)
			history = r.Record(history, ids[:10])
			history = r.Record(r.Delete(history, ids[:3]), ids[:3])
		}); n != 0 {
			t.Errorf("%d bits: %v allocations a request of a full ring, want 0", bits, n)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for want, c := range map[string]ring.Config{
		"Window is 0, want 1 to 4194304":       {Bits: 15},
		"Window is 4194305, want 1 to 4194304": {Window: 1<<22 + 1, Bits: 15},
		"Bits is 3, want 4 to 32":              {Window: 500, Bits: 3},
		"Bits is 33, want 4 to 32":             {Window: 500, Bits: 33},
	} {
		if _, err := ring.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%+v): error %v, want %q", c, err, want)
		}
	}
}

// Sized takes the fewest bits that do: 15 for 400 and 500 articles at 2 %.
func TestSized(t *testing.T) {
	for _, tt := range []struct {
		window int
		fpr    float64
		bits   int
	}{{400, 0.02, 15}, {500, 0.02, 15}, {400, 0.0121, 16}, {400, 0.0122, 15}, {400, 0.33, 10}, {1, 0.5, 4}, {1 << 22, 0.001, 32}} {
		c, err := ring.Sized(tt.window, tt.fpr)
		if want := (ring.Config{Window: tt.window, Bits: tt.bits}); err != nil || c != want {
			t.Errorf("Sized(%d, %v) = %+v, %v, want %+v", tt.window, tt.fpr, c, err, want)
			continue
		}
		if got := build(t, c).FPR(tt.window); got > tt.fpr {
			t.Errorf("Sized(%d, %v): the rate is %v", tt.window, tt.fpr, got)
		}
		if tt.bits > 4 {
			c.Bits--
			if got := build(t, c).FPR(tt.window); got <= tt.fpr {
				t.Errorf("Sized(%d, %v): a bit less does with %v", tt.window, tt.fpr, got)
			}
		}
	}
	for _, tt := range []struct {
		window int
		fpr    float64
		want   string
	}{
		{0, 0.02, "window is 0, want 1 to 4194304"},
		{1<<22 + 1, 0.02, "window is 4194305"},
		{400, 0, "fpr is 0, want it between 0 and 1"},
		{400, 1, "fpr is 1"},
		{400, math.NaN(), "fpr is NaN"},
		{400, 1e-8, "want at least 9.3"},
	} {
		if _, err := ring.Sized(tt.window, tt.fpr); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Sized(%d, %v): error %v, want %q", tt.window, tt.fpr, err, tt.want)
		}
	}
}

// Headers damaged by hand, on a ring of 120 slots of 15 bits that holds 90.
func TestValidate(t *testing.T) {
	r := build(t, ring.Paper)
	good := r.Record(nil, strategytest.IDs(3, 90))
	const wrapped = 1 << 23
	for _, tt := range []struct {
		name   string
		header int
		want   string // in the error; none where empty
	}{
		{"as recorded", 90, ""},
		{"a ring of a shorter one", 90 | wrapped, ""},
		{"fewer articles than the ring before would hold", 80, "next slot is 80 in a ring of 120, want 81 to 120"},
		{"no article", 0, "next slot is 0"},
		{"gone round to nowhere", wrapped, "next slot is 0 in a ring of 120, want 1 to 120"},
		{"behind the end", 121, "next slot is 121"},
		{"far behind the end", wrapped - 1, "next slot is 8388607"},
		{"a slot that is not blank", 89, "beyond the 89 articles"},
	} {
		history := slices.Clone(good)
		for i := range 3 {
			history[len(history)-3+i] = byte(tt.header >> (8 * i))
		}
		err := r.Validate(history)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	for _, length := range []int{1, 3, len(good) - 1, len(good) + 8, 942} {
		if err := r.Validate(make([]byte, length)); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("history of %d bytes", length)) {
			t.Errorf("%d bytes: error %v", length, err)
		}
	}
	full := build(t, ring.Config{Window: 41, Bits: 7}) // 287 bits in 36 bytes
	history := full.Record(nil, strategytest.IDs(3, 41))
	history[35] |= 0x80
	if err := full.Validate(history); err == nil || !strings.Contains(err.Error(), "beyond the 41 articles") {
		t.Errorf("a bit behind the last slot: error %v", err)
	}
}
