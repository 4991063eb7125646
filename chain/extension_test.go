package chain_test

import (
	"testing"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/strategies/strategytest"
)

// A model is the chain in words: links of article numbers, oldest first.
type model struct{ links [][]int }

// record adds an article to a chain of at most so many links.
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

// oldest is the first article still held.
func (m *model) oldest() int { return m.links[0][0] }

// N from 500 to 1000 live (§7): after any number of articles, the head in every place of the ring and with
// any number in it, a chain of ten links takes over the history of one of five. Nothing that was held is lost
// until ten links are full; from then on the oldest link goes, and only that: the ages are in order, whatever
// the order of the lanes was.
//
// The links are small and their filters large (a false positive in 10^10), so that the answers have to be the
// model's exactly.
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
			step = 17 // the places of the head in turn, and every number in it
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
