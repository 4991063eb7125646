package chain_test

import (
	"math"
	"testing"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/strategies/strategytest"
)

// The paper's chain by articles read, in both readings: golden values computed
// outside the project, by the recursion of Bose et al. (2008) for one link and
// 1 - (1-e)^links for their union. Table 1 of the paper says 0.0156 throughout.
func TestTheory(t *testing.T) {
	queried, silent := build(t, chain.Paper), build(t, chain.Literal)
	for _, tt := range []struct {
		read            int
		queried, silent float64 // silent is NaN if none was computed
	}{
		{0, 0, 0},
		{50, 0.000878, 0},
		{100, 0.020480, 0},
		{200, 0.040540, math.NaN()},
		{300, 0.060189, math.NaN()},
		{400, 0.079436, math.NaN()},
		{450, 0.080244, math.NaN()},
		{500, 0.098289, 0.079436},
		{501, 0.079436, 0.079436},
		{550, 0.080244, 0.079436},
		{600, 0.098289, 0.079436},
		{100_000, 0.098289, 0.079436},
	} {
		// The golden values take the links for independent; FPR knows that they share positions, and is up to 0.07 %
		// lower.
		for _, reading := range []struct {
			chain *chain.Chain
			want  float64
		}{{queried, tt.queried}, {silent, tt.silent}} {
			if math.IsNaN(reading.want) {
				continue
			}
			c := reading.chain
			strategytest.Near(t, independent(c, tt.read), reading.want, 0.5e-6,
				"independent links after %d articles (silent head: %v)", tt.read, c.HeadSilent)
			strategytest.Between(t, c.FPR(tt.read), 0.9993*reading.want-0.5e-6, reading.want+0.5e-6,
				"FPR(%d) (silent head: %v)", tt.read, c.HeadSilent)
		}
	}
	// Shared positions: golden values summed outside the project over the distinct positions of an article.
	for read, want := range map[int]float64{100: 0.020480, 500: 0.098229, 501: 0.079399} {
		strategytest.Near(t, queried.FPR(read), want, 0.6e-6, "FPR(%d)", read)
	}
	mean := 0.
	for read := 501; read <= 600; read++ {
		mean += independent(queried, read) / 100
	}
	strategytest.Near(t, mean, 0.083075, 1e-6, "mean rate over a turn")
	ten, nine := chain.Paper, chain.Paper
	ten.Links, nine.Links = 10, 9
	strategytest.Near(t, independent(build(t, ten), 1000), 0.186917, 0.5e-6, "ten full links read")
	strategytest.Near(t, build(t, ten).FPR(1000), 0.186683, 0.6e-6, "ten full links that share positions read")
	strategytest.Near(t, independent(build(t, nine), 900), 0.169917, 0.5e-6, "nine full links read")
}

// independent returns the union of the answering links' rates, as if independent.
func independent(c *chain.Chain, read int) float64 {
	var rates []float64
	for at := read; at > 0 && len(rates) < c.Links; {
		head := (at-1)%c.Capacity + 1 // of the newest link not yet counted
		rates = append(rates, bloom.Exact(head, c.Geometry))
		at -= head
	}
	if c.HeadSilent && len(rates) > 0 {
		rates = rates[1:]
	}
	return bloom.Union(rates...)
}

// Links share an article's positions, so an article two of whose probes coincide finds all links easier at once. FPR
// includes that. For 57 tiny links, where independence would be 9 % too high, a measurement agrees with FPR within
// four standard errors, which a correct chain misses with a probability of 6e-5, and differs from independence by
// more.
func TestLinksSharePositions(t *testing.T) {
	c := chain.Config{Links: 57, Capacity: 3, Geometry: bloom.Geometry{Bits: 67, Hashes: 3}}
	s := build(t, c)
	e := strategytest.MeasureFPR(s, c.Links*c.Capacity, 2000, 150, 1)
	if theory := s.FPR(c.Links * c.Capacity); math.Abs(e.Z(theory)) > 4 {
		t.Errorf("rate %.6f, want %.6f with shared positions: %.1f standard errors apart", e.Rate(), theory, e.Z(theory))
	}
	if z := e.Z(independent(s, c.Links*c.Capacity)); z > -4 {
		t.Errorf("rate %.6f is only %.1f standard errors below the union of independent links", e.Rate(), -z)
	}
}

// A chain for 400 articles at a true 2 %: golden values computed outside the project. Each of five links may
// have 1 - 0.98^(1/5) = 0.0040324, and needs 1150 bits and 8 hashes for its 100: 718.75 bytes together.
func TestSized(t *testing.T) {
	c := strategytest.Value(chain.Sized(400, 0.02))
	want := chain.Config{Links: 5, Capacity: 100, Geometry: bloom.Geometry{Bits: 1150, Hashes: 8}}
	strategytest.Equal(t, c, want, "Sized(400, 0.02)")
	strategytest.Equal(t, build(t, c).Bytes(500), 719+4, "bytes")
	for hashes := 1; hashes <= bloom.MaxHashes; hashes++ {
		smaller := want
		smaller.Geometry = bloom.Geometry{Bits: 1149, Hashes: hashes}
		if got := build(t, smaller).FPR(500); got <= 0.02 {
			t.Errorf("%v does with a bit less: %v", smaller.Geometry, got)
		}
	}
}

func TestSizedErrors(t *testing.T) {
	strategytest.RefusesTargets(t, chain.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 262140":      {0, 0.02},
		"window is 262141, want 1 to 262140": {262141, 0.02},
		"fpr is 0, want it between 0 and 1":  {400, 0},
		"fpr is 1, want it between 0 and 1":  {400, 1},
		"fpr is -0.02":                       {400, -0.02},
		"fpr is NaN":                         {400, math.NaN()},
		"chain: fpr is 1e-300, want at least 6.1e-42 for 262140 articles": {262140, 1e-300},
	})
}

// The textbook rates of the links, by hand: 250 articles are two full links and an active one of 50, which a silent
// one leaves out.
func TestAsymptotic(t *testing.T) {
	g := chain.Paper.Geometry
	full, head := bloom.Asymptotic(100, g), bloom.Asymptotic(50, g)
	for config, want := range map[chain.Config]float64{
		chain.Paper: 1 - (1-full)*(1-full)*(1-head), chain.Literal: 1 - (1-full)*(1-full),
	} {
		strategytest.Near(t, build(t, config).Asymptotic(250), want, 1e-14, "%+v", config)
	}
}

// A model describes the chain in words: links of article numbers, oldest first.
type model struct{ links [][]int }

// record adds an article to a chain of at most links links.
func (m *model) record(article, links, capacity int) {
	if n := len(m.links); n == 0 || len(m.links[n-1]) == capacity {
		if n == links {
			m.links = m.links[1:]
		}
		m.links = append(m.links, nil)
	}
	head := &m.links[len(m.links)-1]
	*head = append(*head, article)
}

// oldest returns the first article still held.
func (m *model) oldest() int { return m.links[0][0] }

// N grows from 500 to 1000 live (§7): after any number of articles, with the active link at every place of the ring
// and with any number in it, a chain of ten links continues the history of one of five. Nothing held is lost until ten
// links are full; from then on only the oldest link goes, whatever the order of the lanes was.
//
// The links are small and their filters so large (a false positive in 10^10) that the answers must equal the model's.
func TestLiveExtension(t *testing.T) {
	const capacity = 6
	geometry := bloom.Geometry{Bits: 2001, Hashes: 6}
	for _, tt := range []struct{ before, after int }{{5, 10}, {2, 3}, {24, 26}} {
		short := build(t, chain.Config{Links: tt.before, Capacity: capacity, Geometry: geometry})
		long := build(t, chain.Config{Links: tt.after, Capacity: capacity, Geometry: geometry})
		ids := strategytest.IDs(7, (2*tt.before+2*tt.after)*capacity)
		seen := make([]bool, len(ids))
		step := 1
		if tt.before > 10 {
			step = 17 // the places of the active link in turn, and every number in it
		}
		for read := 1; read <= 2*tt.before*capacity; read += step {
			m := model{}
			for article := range read {
				m.record(article, tt.before, capacity)
			}
			first := m.oldest()
			history := short.Record(nil, ids[:read])
			for shown := read; shown < len(ids); {
				n := min(1+(read+shown)%8, len(ids)-shown)
				history = long.Record(history, ids[shown:shown+n])
				for range n {
					m.record(shown, tt.after, capacity)
					shown++
				}
				if err := long.Validate(history); err != nil {
					t.Fatalf("%d links to %d after %d articles, %d shown: %v", tt.before, tt.after, read, shown, err)
				}
				if len(history) != long.Sizes()[len(m.links)-1] {
					t.Fatalf("%d links to %d after %d articles, %d shown: %d bytes for %d links",
						tt.before, tt.after, read, shown, len(history), len(m.links))
				}
				if shown <= first+tt.after*capacity && m.oldest() != first {
					t.Fatalf("the model forgets too early: %d instead of %d", m.oldest(), first)
				}
				long.Seen(history, ids, seen)
				for article, s := range seen {
					if want := m.oldest() <= article && article < shown; s != want {
						t.Fatalf("%d links to %d after %d articles, %d shown: article %d seen is %v, want %v",
							tt.before, tt.after, read, shown, article, s, want)
					}
				}
			}
		}
	}
}
