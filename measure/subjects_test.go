package measure

import (
	"encoding/binary"
	"testing"

	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// both is what a strategy's package provides.
type both interface {
	strategies.Strategy
	strategies.Theory
}

func subject[S both](t *testing.T, name string, s S, err error) Subject {
	t.Helper()
	strategytest.Must(t, err)
	return Subject{Name: name, Strategy: s, Theory: s}
}

// subjects are the paper's strategies in all readings.
func subjects(t *testing.T) []Subject {
	q, err0 := queue.New(queue.Paper)
	s, err1 := single.New(single.Paper)
	d, err2 := dual.New(dual.Paper)
	b, err3 := dual.New(dual.PaperBlanked)
	c, err4 := chain.New(chain.Paper)
	l, err5 := chain.New(chain.Literal)
	return []Subject{
		subject(t, "queue", q, err0), subject(t, "single", s, err1), subject(t, "dual", d, err2),
		subject(t, "dual-blanked", b, err3), subject(t, "chain", c, err4), subject(t, "chain-literal", l, err5),
	}
}

// doubleHashed is the paper's chain with the textbook's probes, the planted
// fault: everything else is right, and theory is the chain's own.
type doubleHashed struct {
	*chain.Chain
	positions func([]int, bloom.Geometry, uint64) []int
}

func newDoubleHashed(t *testing.T) doubleHashed {
	c, err := chain.New(chain.Paper)
	strategytest.Must(t, err)
	for _, s := range schemes.All {
		if s.Name == "double hashing" {
			return doubleHashed{c, s.Positions}
		}
	}
	t.Fatal("no scheme is called double hashing")
	panic("unreachable")
}

const (
	faultyLink   = 102 // bytes
	faultyHeader = 4   // articles recorded
	faultySize   = 5*faultyLink + faultyHeader
)

func (f doubleHashed) Sizes() []int          { return []int{faultySize} }
func (f doubleHashed) Validate([]byte) error { return nil }

func (f doubleHashed) Record(h []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return h
	}
	if len(h) == 0 {
		h = make([]byte, faultySize)
	}
	count := binary.LittleEndian.Uint32(h[5*faultyLink:])
	var buffer [6]int
	for _, id := range shown {
		link := h[int(count/100%5)*faultyLink:][:faultyLink]
		if count%100 == 0 {
			clear(link)
		}
		for _, p := range f.positions(buffer[:0], f.Geometry, uint64(id)) {
			link[p/8] |= 1 << (p % 8)
		}
		count++
	}
	binary.LittleEndian.PutUint32(h[5*faultyLink:], count)
	return h
}

func (f doubleHashed) Seen(h []byte, candidates []strategies.ID, seen []bool) {
	clear(seen)
	if len(h) == 0 {
		return
	}
	var buffer [6]int
	for i, id := range candidates {
		positions := f.positions(buffer[:0], f.Geometry, uint64(id))
		for link := 0; link < 5 && !seen[i]; link++ {
			seen[i] = true
			for _, p := range positions {
				seen[i] = seen[i] && h[link*faultyLink+p/8]>>(p%8)&1 == 1
			}
		}
	}
}

// Fill hides the embedded chain's, whose layout this is not.
func (f doubleHashed) Fill([]byte) (ones, of int) { return 0, 1 }

// The strategies for N = 1000.
func newLongQueue() (*queue.Queue, error) { return queue.New(queue.Config{Window: 1000}) }

func newLongChain() (*chain.Chain, error) {
	c := chain.Paper
	c.Links = 10
	return chain.New(c)
}
