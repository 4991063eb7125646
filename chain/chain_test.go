package chain_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/internal/sysinfo"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(chain.New)

// Both readings of the paper's chain, the chain sized for its union, and chains
// for every kernel and whose numbers are neither round nor whole bytes.
func TestKit(t *testing.T) {
	sized, err := chain.Sized(400, 0.02)
	strategytest.Must(t, err)
	small := bloom.Geometry{Bits: 131, Hashes: 3}
	for name, c := range map[string]chain.Config{
		"paper":           chain.Paper,
		"literal reading": chain.Literal,
		"clears ahead":    chain.Eager,
		"sized":           sized,
		"two links":       {Links: 2, Capacity: 7, Geometry: small},
		"silent head":     {Links: 3, Capacity: 7, Geometry: small, HeadSilent: true},
		"one article":     {Links: 3, Capacity: 1, Geometry: small},
		"the most links":  {Links: chain.MaxLinks, Capacity: 1, Geometry: bloom.Geometry{Bits: 83, Hashes: 6}},
	} {
		t.Run(name, func(t *testing.T) {
			s := build(t, c)
			// Whatever lies in no link that answers left no trace, the silent head's too.
			full := c.Links * c.Capacity
			subject := strategytest.Subject{
				Strategy: s, Theory: s, Remembers: s.Remembers,
				Forgets: func(read, age int) bool { return !s.Remembers(read, age) },
				Reads:   []int{c.Capacity, full, full + c.Capacity/2 + 1},
				Life:    2*full + 200,
			}
			if c.Links > 10 { // 57 links take a while, and 5 have shown as much
				subject.Forgets, subject.Reads, subject.Life = nil, []int{full + 1}, full+20
			}
			strategytest.Run(t, subject)
		})
	}
}

func FuzzKit(f *testing.F)        { strategytest.Fuzz(f, build(f, chain.Paper)) }
func FuzzKitEager(f *testing.F)   { strategytest.Fuzz(f, build(f, chain.Eager)) }
func FuzzKitLiteral(f *testing.F) { strategytest.Fuzz(f, build(f, chain.Literal)) }

func TestLayout(t *testing.T) {
	sized, _ := chain.Sized(400, 0.02)
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"afc8c2fa91edb8c1": build(t, chain.Paper),
		"6ddab702b77a8414": build(t, sized),
	})
}

// §7, article by article: the 101st begins a second link, the 301st a fourth; the 500th fills the fifth, in
// 512 bytes; the 501st clears the oldest link and leaves 401. Of what was cleared no more answer than of
// unseen articles: 7.9 %, and 40 of 100 by chance less than once in 10^18.
func TestThePapersCases(t *testing.T) {
	strategytest.RunCases(t, build(t, chain.Paper), strategytest.IDs(1, 1200), []strategytest.Case{
		{Read: 1, Bytes: 106, Window: 1},
		{Read: 100, Bytes: 106, Window: 100},
		{Read: 101, Bytes: 207, Window: 101},
		{Read: 200, Bytes: 207, Window: 200},
		{Read: 300, Bytes: 309, Window: 300},
		{Read: 301, Bytes: 410, Window: 301},
		{Read: 499, Bytes: 512, Window: 499},
		{Read: 500, Bytes: 512, Window: 500},
		{Read: 501, Bytes: 512, Window: 401},
		{Read: 600, Bytes: 512, Window: 500},
		{Read: 601, Bytes: 512, Window: 401},
		{Read: 1100, Bytes: 512, Window: 500},
		{Read: 1101, Bytes: 512, Window: 401},
	}, func(c strategytest.Case) int { return 40 * ((c.Read - c.Window + 99) / 100) })
}

// §7 by literal reading, "one node stores, the others deduplicate": the newest 1 to
// 100 come back, as often as any unseen article gets through, and everything
// else up to the oldest link is recognised. In the first link nothing is.
func TestToTheLetterTheNewestComeBack(t *testing.T) {
	s, ids := build(t, chain.Literal), strategytest.IDs(2, 800)
	for _, read := range []int{1, 50, 100} {
		if n := strategytest.Count(strategytest.Ask(s, s.Record(nil, ids[:read]), ids)); n != 0 {
			t.Errorf("after %d articles %d are recognised, want none yet", read, n)
		}
	}
	for _, read := range []int{101, 150, 200, 401, 450, 500, 501, 600, 777} {
		head := (read-1)%100 + 1
		seen := strategytest.Ask(s, s.Record(nil, ids[:read]), ids[:read])
		if n := strategytest.Count(seen[read-head:]); n > 40 {
			t.Errorf("after %d articles %d of the newest %d are recognised, want about 8 %% at most", read, n, head)
		}
		if older := seen[max(0, read-head-400) : read-head]; slices.Contains(older, false) {
			t.Errorf("after %d articles one of the %d before the newest %d is forgotten", read, len(older), head)
		}
		if s.Window(read) != 0 {
			t.Errorf("after %d articles the window is %d, want 0: the newest is not recognised", read, s.Window(read))
		}
	}
}

// Cleared ahead, the oldest link is gone as soon as the head is full: 400 articles are
// remembered then, one fewer than before, and the rate is that of four full links.
func TestClearAhead(t *testing.T) {
	eager, lazy, ids := build(t, chain.Eager), build(t, chain.Paper), strategytest.IDs(4, 1200)
	for _, c := range []struct{ read, window int }{
		{1, 1}, {400, 400}, {499, 499}, {500, 400}, {501, 401}, {599, 499}, {600, 400}, {1100, 400},
	} {
		history := eager.Record(nil, ids[:c.read])
		seen := strategytest.Ask(eager, history, ids[:c.read])
		if slices.Contains(seen[c.read-c.window:], false) || eager.Window(c.read) != c.window {
			t.Errorf("after %d articles one of the newest %d is forgotten, or the window is %d", c.read, c.window,
				eager.Window(c.read))
		}
		if older := strategytest.Count(seen[:c.read-c.window]); older > 40*(c.read-c.window+99)/100 {
			t.Errorf("after %d articles %d older than the window are recognised", c.read, older)
		}
		if err := eager.Validate(history); err != nil {
			t.Errorf("after %d articles: %v", c.read, err)
		}
		if same := slices.Equal(history, lazy.Record(nil, ids[:c.read])); same != (c.read < 500 || c.read%100 != 0) {
			t.Errorf("after %d articles the history is that of a chain which clears late: %v", c.read, same)
		}
	}
	if eager.FPR(500) != lazy.FPR(400) || eager.FPR(501) != lazy.FPR(501) || eager.FPR(499) != lazy.FPR(499) {
		t.Errorf("rates after 499, 500 and 501 articles: %v, %v, %v", eager.FPR(499), eager.FPR(500), eager.FPR(501))
	}
}

// Whether the head is queried changes no byte: these two readings differ in what they ask.
func TestBothReadingsRecordAlike(t *testing.T) {
	queried, silent := build(t, chain.Paper), build(t, chain.Literal)
	for _, read := range []int{1, 100, 101, 500, 501, 1234} {
		ids := strategytest.IDs(3, read)
		if !slices.Equal(queried.Record(nil, ids), silent.Record(nil, ids)) {
			t.Errorf("after %d articles the histories differ", read)
		}
	}
}

func TestNewErrors(t *testing.T) {
	paper := chain.Paper.Geometry
	strategytest.Refuses(t, chain.New, map[string]chain.Config{
		"Links is 1, want 2 to 57":           {Links: 1, Capacity: 100, Geometry: paper},
		"Links is 58, want 2 to 57":          {Links: 58, Capacity: 100, Geometry: paper},
		"Capacity is 0, want 1 to 65535":     {Links: 5, Geometry: paper},
		"Capacity is 65536, want 1 to 65535": {Links: 5, Capacity: 65536, Geometry: paper},
		"Bits is 0, want 1 to 16777216":      {Links: 5, Capacity: 100},
		"Hashes is -1, want 1 to 64":         {Links: 5, Capacity: 100, Geometry: bloom.Geometry{Bits: 812, Hashes: -1}},
		"Bits is 63, want at least 64":       {Links: 5, Capacity: 100, Geometry: bloom.Geometry{Bits: 63, Hashes: 6}},
	})
}

// Headers damaged by hand: the head's count in 16 bits, its lane and the number of lanes, a byte each.
func TestValidate(t *testing.T) {
	s := build(t, chain.Paper)
	header := func(count, head, links uint32) uint32 { return count | head<<16 | links<<24 }
	for _, tt := range []struct {
		name   string
		read   int
		header uint32
		want   string // in the error; none where empty
	}{
		{"three links", 250, header(50, 2, 3), ""},
		{"a full head", 300, header(100, 2, 3), ""},
		{"an empty head", 250, header(0, 2, 3), "head holds 0 articles, want 1 to 100"},
		{"an overfull head", 250, header(101, 2, 3), "head holds 101 articles, want 1 to 100"},
		{"a head beyond the links", 250, header(50, 3, 3), "head is link 3 of 3"},
		{"no links", 250, header(50, 0, 0), "header says 0 links in a history of 309 bytes"},
		{"more links than lanes", 250, header(50, 2, 4), "header says 4 links in a history of 309 bytes"},
		{"more links than the chain", 250, header(50, 2, 255), "header says 255 links"},
		{"too few articles for the head's bits", 250, header(9, 2, 3), "bits set in link 2 by 9 articles of 6 hashes"},
	} {
		history := s.Record(nil, strategytest.IDs(4, tt.read))
		binary.LittleEndian.PutUint32(history[len(history)-4:], tt.header)
		strategytest.ErrorSays(t, tt.name, s.Validate(history), tt.want)
	}
	history := s.Record(nil, strategytest.IDs(4, 250)) // 2436 bits: four of the last byte's are no position
	history[len(history)-5] |= 0x80
	strategytest.ErrorSays(t, "a bit behind the last", s.Validate(history), "beyond the last of the 812 positions")
	history = s.Record(nil, strategytest.IDs(4, 250))
	lanes, err := bloom.NewLanes(chain.Paper.Geometry, 3)
	strategytest.Must(t, err)
	lanes.Clear(history, 1<<1)
	strategytest.ErrorSays(t, "an empty link", s.Validate(history), "0 bits set in link 1 by 100 articles")
	strategytest.ErrorSays(t, "511 bytes", s.Validate(make([]byte, 511)), "history of 511 bytes")
	ten := build(t, chain.Config{Links: 10, Capacity: 100, Geometry: chain.Paper.Geometry})
	if err := s.Validate(ten.Record(nil, strategytest.IDs(4, 501))); err == nil {
		t.Error("six links pass for five")
	}
}

func TestAllocations(t *testing.T) {
	for _, c := range []chain.Config{chain.Paper, chain.Literal} {
		s, ids := build(t, c), strategytest.IDs(4, 1000)
		history, seen := s.Record(nil, ids[:500]), make([]bool, len(ids))
		if n := testing.AllocsPerRun(20, func() {
			s.Seen(history, ids, seen)
			history = s.Record(history, ids)
		}); n != 0 {
			t.Errorf("%v allocations a request of a full chain, want 0", n)
		}
		for _, articles := range []int{1, 100, 101, 450, 1000} {
			if n := testing.AllocsPerRun(20, func() { s.Record(nil, ids[:articles]) }); n != 1 && !sysinfo.RaceDetector {
				t.Errorf("%v allocations for a newcomer's %d articles, want 1", n, articles)
			}
		}
	}
}

// A history has as many links as its length says, whatever its header does; a head or a
// count that there cannot be is the last there is.
func TestForgedHeaders(t *testing.T) {
	c := build(t, chain.Paper)
	ids := strategytest.IDs(11, 600)
	for _, n := range []int{50, 250, 499} {
		honest := c.Record(nil, ids[:n])
		links := honest[len(honest)-1]
		last := slices.Clone(honest) // of its links and articles
		last[len(last)-4], last[len(last)-3], last[len(last)-2] = 100, 0, links-1
		for _, shown := range [][]strategies.ID{ids[n : n+1], ids[n : n+99]} {
			for _, forged := range []struct {
				header [4]byte
				want   []byte
			}{
				{[4]byte{honest[len(honest)-4], honest[len(honest)-3], honest[len(honest)-2], 0}, honest},
				{[4]byte{honest[len(honest)-4], honest[len(honest)-3], honest[len(honest)-2], 255}, honest},
				{[4]byte{101, 0, links, links}, last},
				{[4]byte{255, 255, 255, 255}, last},
			} {
				history := append(slices.Clone(honest[:len(honest)-4]), forged.header[:]...)
				want := c.Record(slices.Clone(forged.want), shown)
				if got := c.Record(history, shown); !slices.Equal(got, want) {
					t.Errorf("%d articles, and %d more behind a header of %v: another history than behind a sound one", n, len(shown),
						forged.header)
				}
			}
		}
	}
}

func Benchmark(b *testing.B) {
	strategytest.Benchmark(b, 500, map[string]strategies.Strategy{
		"paper":    build(b, chain.Paper),
		"20 links": build(b, chain.Config{Links: 20, Capacity: 100, Geometry: chain.Paper.Geometry}),
	})
}
