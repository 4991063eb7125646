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

var _ strategies.Deleter = (*ring.Ring)(nil)

var build = strategytest.Builder(ring.New)

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[ring.Config, *ring.Ring]{
		New: ring.New, Sized: ring.Sized, Presets: []ring.Config{ring.Paper},
		Digest: "d06ee41eabe5d96e",
		Config: func(r strategytest.Random) ring.Config {
			return ring.Config{Window: r.Log(1, 60_000), Range: r.Log(16, 1<<30)}
		},
		Subject: func(_ strategytest.Random, f *ring.Ring) strategytest.Subject {
			return strategytest.Subject{
				Strategy: f, Theory: f, Forgets: func(read, age int) bool { return age > f.Window(read) },
			}
		},
	})
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, ring.Paper)) }
func FuzzKitLong(f *testing.F) {
	strategytest.Fuzz(f, build(f, ring.Config{Window: 81, Range: 300000}))
}

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"edcbe6f889ba9212": build(t, ring.Paper),
		"58b2f0de06867ebd": build(t, ring.Config{Window: 500, Range: 1 << 15}),
		"de9f6dc0310224f2": build(t, ring.Config{Window: 130, Range: 1 << 19}),
	})
}

// By hand: 1 - (1 - 1/24750)^N for 400 articles and 500; of one 1/Range.
func TestTheory(t *testing.T) {
	r := build(t, ring.Paper)
	for read, want := range map[int]float64{0: 0, 400: 0.016032, 500: 0.02, 501: 0.02, 99999: 0.02} {
		strategytest.Near(t, r.FPR(read), want, 0.5e-6, "FPR(%d)", read)
	}
	strategytest.Near(t, build(t, ring.Config{Window: 9, Range: 1 << 30}).FPR(1)*(1<<30), 1, 1e-9, "FPR(1)")
	for read, want := range map[int]int{0: 0, 1: 1, 499: 499, 500: 500, 501: 500, 9999: 500} {
		strategytest.Equal(t, r.Window(read), want, "Window(%d)", read)
	}
}

// A model holds the fingerprints, oldest first, as full IDs whose fingerprints below 2^30 differ.
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

// Whatever is recorded and deleted, in any order, with repeats, the history holds what is left and no more. After
// deletions it equals, byte for byte, the history of what is left.
func TestDelete(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, window := range []int{1, 2, 40, 41, 100, 200} {
		s, m := build(t, ring.Config{Window: window, Range: 1 << 30}), &model{window: window}
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

// Deleting what was never recorded changes nothing, unless its fingerprint is held: then that one goes, and its
// article with it.
func TestDeleteAStranger(t *testing.T) {
	r := build(t, ring.Config{Window: 60, Range: 1 << 8})
	ids, strangers := strategytest.IDs(4, 30), strategytest.IDs(5, 500)
	for _, stranger := range strangers {
		history := r.Record(nil, ids)
		taken := strategytest.Ask(r, history, []strategies.ID{stranger})[0]
		after := r.Delete(slices.Clone(history), []strategies.ID{stranger})
		if same := slices.Equal(after, history); same == taken {
			t.Fatalf("an article never shown, reported as seen (%v), is taken back, and the history is the same: %v", taken,
				same)
		}
	}
	strategytest.Equal(t, len(r.Delete(nil, strangers)), 0, "a newcomer's history becomes bytes")
}

// A longer ring takes over a shorter one's histories: at every length and turn,
// no article held is lost until the longer one is full.
func TestLiveExtension(t *testing.T) {
	short, long := build(t, ring.Config{Window: 80, Range: 1 << 30}), build(t, ring.Config{Window: 170, Range: 1 << 30})
	for read := 1; read <= 190; read += 3 {
		ids := strategytest.IDs(uint64(read), read+400)
		history := short.Record(nil, ids[:read])
		held := min(read, 80)
		for shown := read; shown < len(ids); {
			strategytest.Must(t, long.Validate(history))
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

// Seen agrees with a search slot by slot, for small and large requests, with repeats and repeated candidates, and
// fingerprints on both sides of what the map covers.
func TestSeenAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for round := range 120 {
		c := ring.Config{Window: 1 + r.IntN(700), Range: 16 + r.IntN(1<<(4+round%26))}
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

func TestNewErrors(t *testing.T) {
	strategytest.Refuses(t, ring.New, map[string]ring.Config{
		"Window is 0, want 1 to 4194304":       {Range: 1 << 15},
		"Window is 4194305, want 1 to 4194304": {Window: 1<<22 + 1, Range: 1 << 15},
		"Range is 15, want 16 to 1073741824":   {Window: 500, Range: 15},
		"Range is 1073741825, want 16":         {Window: 500, Range: 1<<30 + 1},
	})
}

// Sized takes the smallest range that does.
func TestSized(t *testing.T) {
	for _, tt := range []struct {
		window       int
		fpr          float64
		fingerprints int
	}{{400, 0.02, 19800}, {500, 0.02, 24750}, {1, 0.5, 16}, {1, 1. / 17, 17}} {
		c, err := ring.Sized(tt.window, tt.fpr)
		if want := (ring.Config{Window: tt.window, Range: tt.fingerprints}); err != nil || c != want {
			t.Errorf("Sized(%d, %v) = %+v, %v, want %+v", tt.window, tt.fpr, c, err, want)
			continue
		}
		strategytest.AtMost(t, build(t, c).FPR(tt.window), tt.fpr, "Sized(%d, %v): the rate is", tt.window, tt.fpr)
	}
	strategytest.RefusesTargets(t, ring.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 4194304":         {0, 0.02},
		"window is 4194305":                      {1<<22 + 1, 0.02},
		"fpr is 0, want it between 0 and 1":      {400, 0},
		"fpr is 1":                               {400, 1},
		"fpr is NaN":                             {400, math.NaN()},
		"want at least 3.9e-07 for 400 articles": {400, 1e-8},
	})
}

// Headers damaged by hand, on a ring of 96 slots that holds 90; then groups.
func TestValidate(t *testing.T) {
	r := build(t, ring.Paper)
	good := r.Record(nil, strategytest.IDs(3, 90))
	const wrapped = 1 << 23
	says := func(name string, header int, want string) {
		t.Helper()
		history := slices.Clone(good)
		for i := range 3 {
			history[len(history)-3+i] = byte(header >> (8 * i))
		}
		strategytest.ErrorSays(t, name, r.Validate(history), want)
	}
	says("as recorded", 90, "")
	says("a ring of a shorter one", 90|wrapped, "")
	says("fewer articles than the ring before would hold", 48, "next slot is 48 of 96, want 49 to 96")
	says("no article", 0, "next slot is 0")
	says("gone round to nowhere", wrapped, "next slot is 0 of 96, want 1 to 96")
	says("behind the end", 97, "next slot is 97")
	says("far behind the end", wrapped-1, "next slot is 8388607")
	says("a slot that is not blank", 89, "beyond the 89 articles")
	for _, length := range []int{1, 3, len(good) - 1, len(good) + 8, 942} {
		strategytest.ErrorSays(t, fmt.Sprint(length), r.Validate(make([]byte, length)),
			fmt.Sprintf("history of %d bytes", length))
	}
	full := build(t, ring.Config{Window: 41, Range: 1 << 7}) // 287 bits in 36 bytes
	history := full.Record(nil, strategytest.IDs(3, 41))
	history[35] |= 0x80
	strategytest.ErrorSays(t, "a bit behind the last slot", full.Validate(history), "a bit is set beyond the last slot")
	// One fingerprint of 17 is a group of 5 bits: the fractions of digits are 0, 2, 4, 6, 8, 10, 12, 14, 16, 17, ...
	// 31; other values are invalid.
	one := build(t, ring.Config{Window: 1, Range: 17})
	valid := 0
	for group := range 32 {
		err := one.Validate([]byte{byte(group), 1, 0, 0x80})
		if err == nil {
			valid++
		} else if !strings.Contains(err.Error(), fmt.Sprintf("the group of slot 0 is %d, want", group)) {
			t.Errorf("group %d: error %v", group, err)
		}
	}
	strategytest.Equal(t, valid, 17, "groups of one fingerprint are valid")
}

// Groups save bits: three fingerprints below 19800 take 43, where one takes 15, so that 400 of them take 717 bytes,
// beside the header's three. Powers of two are not grouped.
func TestGroups(t *testing.T) {
	for _, tt := range []struct {
		config ring.Config
		bytes  int
	}{
		{ring.Config{Window: 400, Range: 19800}, (133*43+15+7)/8 + 3},
		{ring.Config{Window: 3, Range: 19800}, (43+7)/8 + 3},
		{ring.Config{Window: 400, Range: 1 << 15}, 400*15/8 + 3},
		{ring.Config{Window: 400, Range: 1<<15 + 1}, (133*46+16+7)/8 + 3},
	} {
		strategytest.Equal(t, build(t, tt.config).Bytes(tt.config.Window), tt.bytes, "%+v takes bytes", tt.config)
	}
}
