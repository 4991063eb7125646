package replayer

import (
	"math"
	"math/bits"

	"dejavu/measure"
	"dejavu/strategies"
)

// A distinct counts how many different articles the histories of users hold, where these
// were shown some twice: it is what theory is of. One goroutine uses it.
//
// A user whose history had a repeat has a record: rings of a bit for each of the last so
// many articles. Others hold as many as they were shown.
type distinct struct {
	spreads []spread
	rings   []ring
	words   int      // of a record
	records []uint32 // by user: the place of the record, from 1; 0 where there is none
	bits    []uint64 // of records, side by side
}

// A spread is how a strategy's rate follows from repeats.
type spread struct {
	kind     kind
	ring     int // of all rings
	links    measure.Linker
	capacity int
	rates    []float64 // of a link, by the different articles in it, as far as it was asked
}

type kind uint8

const (
	unknown kind = iota // it does not follow from what is counted here
	whole               // from all different articles since the history was empty
	recent              // from the different articles among those it keeps, the last of theory's window
	linked              // from the different articles in each link
)

// mostRecent is the longest window, in articles, for which they are counted.
const mostRecent = 4096

// A ring is where in a record bits lie, and what each says of an article shown: that it is
// the latest showing of its article; or with a capacity, the first in a link of so many.
type ring struct {
	from     int    // words
	size     uint32 // bits, a power of two
	capacity uint32
}

// newDistinct looks at what the subjects are.
func newDistinct(subjects []measure.Subject) *distinct {
	d := &distinct{rings: make([]ring, 1)} // the first is that of all of kind recent
	for _, s := range subjects {
		p := newSpread(s)
		switch p.kind {
		case recent:
			d.rings[0].size = max(d.rings[0].size, ringSize(longest(s.Theory)))
		case linked:
			p.ring = len(d.rings)
			links, _ := p.links.LinkSizes()
			d.rings = append(d.rings, ring{size: ringSize(links * p.capacity), capacity: uint32(p.capacity)})
		}
		d.spreads = append(d.spreads, p)
	}
	for i := range d.rings {
		d.rings[i].from = d.words
		d.words += int(d.rings[i].size / 64)
	}
	return d
}

func newSpread(s measure.Subject) spread {
	const far = 1 << 30
	_, dated := s.Strategy.(strategies.Dated)
	linker, isLinked := s.Strategy.(measure.Linker)
	keeper, isKeeper := s.Theory.(measure.SetKeeper)
	switch {
	case dated:
	case isLinked:
		if links, capacity := linker.LinkSizes(); links*capacity <= mostRecent {
			return spread{kind: linked, links: linker, capacity: capacity}
		}
	case !isKeeper || !keeper.KeepsSet():
	case s.Theory.Window(far) == far:
		return spread{kind: whole}
	case longest(s.Theory) <= mostRecent:
		return spread{kind: recent}
	}
	return spread{kind: unknown}
}

// ringSize is a power of two that holds so many articles.
func ringSize(articles int) uint32 { return max(64, uint32(1)<<bits.Len32(uint32(articles-1))) }

// longest is the longest window that theory promises, at any moment, up to what matters here.
func longest(t strategies.Theory) (most int) {
	for read := 1; read <= 4*mostRecent; read++ {
		most = max(most, t.Window(read))
	}
	return most
}

// ask counts unseen articles that are asked for, after what a user was shown.
func (d *distinct) ask(w *replayer, user int, p *past, fresh int) {
	if fresh == 0 {
		return
	}
	for i := range d.spreads {
		s, c := &d.spreads[i], &w.counts[i]
		at := p.held
		switch {
		case s.kind == unknown || s.kind == whole:
			continue // the others' are counted once for all
		case p.distinct == p.held: // all new
		case s.kind == recent:
			at = d.among(user, s.ring, p.held-min(p.held, uint32(w.memories[i].window(int(p.held)))), p.held)
		default:
			c.FreshLinked += int64(fresh)
			c.HitsLinked += int64(fresh) * int64(math.Round(d.rate(user, s, p.held)*linkedUnit))
			continue
		}
		c.FreshByDistinct[min(at, measure.HeldMost)] += int64(fresh)
	}
}

// record takes in that a user with this past before the request is shown an article of that
// age, as the i-th of the request, from 0.
func (d *distinct) record(user int, p *past, i, age uint32) {
	again := !p.isNew(age)
	for user >= len(d.records) {
		d.records = append(d.records, 0)
	}
	if d.records[user] == 0 {
		if !again || d.words == 0 {
			return
		}
		for range d.words {
			d.bits = append(d.bits, ^uint64(0)) // all new so far
		}
		d.records[user] = uint32(len(d.bits) / d.words)
	}
	at, before := p.held+i, p.held-age // where in the history it is, and was
	for n, r := range d.rings {
		ring := d.ringOf(user, n)
		switch {
		case r.size == 0:
		case r.capacity > 0:
			set(ring, at, !again || before/r.capacity < at/r.capacity)
		default:
			set(ring, at, true)
			if again && at-before < r.size {
				set(ring, before, false)
			}
		}
	}
}

func set(ring []uint64, at uint32, to bool) {
	word, bit := &ring[at/64%uint32(len(ring))], uint64(1)<<(at%64)
	*word |= bit
	if !to {
		*word &^= bit
	}
}

func (d *distinct) ringOf(user, n int) []uint64 {
	r := d.rings[n]
	return d.bits[int(d.records[user]-1)*d.words+r.from:][:r.size/64]
}

// among is how many bits are set in a user's ring, of the articles of a history from, and up to.
func (d *distinct) among(user, n int, from, to uint32) (sum uint32) {
	ring := d.ringOf(user, n)
	for at := from; at < to; {
		step := min(64-at%64, to-at)
		word := ring[at/64%uint32(len(ring))] >> (at % 64)
		sum += uint32(bits.OnesCount64(word << (64 - step)))
		at += step
	}
	return sum
}

// linkedUnit is 1 in HitsLinked.
const linkedUnit = 1 << 32

// rate is that of the union of the links that answer after held articles, as if each had
// positions of its own.
func (d *distinct) rate(user int, s *spread, held uint32) float64 {
	none := 1.
	from, to := s.links.Answering(int(held))
	for link := from; link < to; link++ {
		first := uint32(link * s.capacity)
		articles := int(d.among(user, s.ring, first, min(first+uint32(s.capacity), held)))
		for articles >= len(s.rates) {
			s.rates = append(s.rates, s.links.LinkFPR(len(s.rates)))
		}
		none *= 1 - s.rates[articles]
	}
	return 1 - none
}
