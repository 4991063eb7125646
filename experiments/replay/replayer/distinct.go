package replayer

import (
	"math"
	"math/bits"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/measure"
	"dejavu/strategies"
)

// A distinct counts how many different articles the histories of users hold, where these
// were shown some twice: it is what theory is of. One goroutine uses it.
//
// A user whose history had a repeat has a record: for each of the last so many articles
// whether it is the latest showing of its article, in a ring of bits; and of each link of each chain how many
// different articles it took. Others hold as many as they were shown.
type distinct struct {
	spreads []spread
	bits    uint32   // of a ring, a power of two, or 0
	links   int      // of all chains
	made    uint32   // records
	records []uint32 // by user: the place of the record, from 1; 0 where there is none
	latest  []uint64 // of records, side by side
	counts  []uint16
}

// A spread is how a strategy's rate follows from repeats.
type spread struct {
	kind  kind
	chain chain.Config
	from  int       // of the chain's links among all
	rates []float64 // of a link, by the different articles in it; below 0 where it was not asked yet
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

// newDistinct looks at what the subjects are.
func newDistinct(subjects []measure.Subject) *distinct {
	d := &distinct{}
	for _, s := range subjects {
		p := spread{kind: kindOf(s)}
		switch p.kind {
		case recent:
			d.bits = max(d.bits, 1<<bits.Len(uint(longest(s.Theory)-1)), 64)
		case linked:
			p.chain = s.Strategy.(*chain.Chain).Config
			p.from = d.links
			d.links += p.chain.Links
		}
		d.spreads = append(d.spreads, p)
	}
	return d
}

func kindOf(s measure.Subject) kind {
	const far = 1 << 30
	if _, dated := s.Strategy.(strategies.Dated); dated {
		return unknown
	}
	if _, ok := s.Strategy.(*chain.Chain); ok {
		return linked
	}
	keeper, ok := s.Theory.(measure.SetKeeper)
	switch {
	case !ok || !keeper.KeepsSet():
		return unknown
	case s.Theory.Window(far) == far:
		return whole
	case longest(s.Theory) <= mostRecent:
		return recent
	}
	return unknown
}

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
			at = d.among(user, p.shown, min(p.held, uint32(w.memories[i].window(int(p.held)))))
		default:
			c.FreshLinked += int64(fresh)
			c.HitsLinked += int64(fresh) * int64(math.Round(s.rate(d.linksOf(user, s), int(p.held))*linkedUnit))
			continue
		}
		c.FreshByDistinct[min(at, measure.HeldMost)] += int64(fresh)
	}
}

// record takes in that a user with this past before the request is shown an article of that age, as the i-th of
// the request, from 0.
func (d *distinct) record(user int, p *past, i, age uint32) {
	again := !p.isNew(age)
	if !d.begin(user, p, i, again) {
		return
	}
	if d.bits > 0 {
		ring := d.ringOf(user)
		at := p.shown + i
		ring[at%d.bits/64] |= 1 << (at % 64)
		if again && age+i < d.bits {
			at -= age + i
			ring[at%d.bits/64] &^= 1 << (at % 64)
		}
	}
	for j := range d.spreads {
		s := &d.spreads[j]
		if s.kind != linked {
			continue
		}
		counts, capacity := d.linksOf(user, s), uint32(s.chain.Capacity)
		at := p.held + i
		link := at / capacity
		n := &counts[link%uint32(len(counts))]
		if at%capacity == 0 {
			*n = 0
		}
		if !again || (p.held-age)/capacity < link {
			*n++
		}
	}
}

// begin makes a record for a user whose history has its first repeat, and reports whether
// there is one now.
func (d *distinct) begin(user int, p *past, i uint32, again bool) bool {
	for user >= len(d.records) {
		d.records = append(d.records, 0)
	}
	switch {
	case d.records[user] > 0:
		return true
	case !again || d.bits == 0 && d.links == 0:
		return false
	}
	for range d.bits / 64 {
		d.latest = append(d.latest, ^uint64(0)) // all new so far
	}
	d.counts = append(d.counts, make([]uint16, d.links)...)
	d.made++
	d.records[user] = d.made
	for j := range d.spreads {
		s := &d.spreads[j]
		if s.kind != linked {
			continue
		}
		counts, rest := d.linksOf(user, s), int(p.held+i)
		for link := 0; rest > 0; link++ {
			counts[link%len(counts)] = uint16(min(rest, s.chain.Capacity))
			rest -= s.chain.Capacity
		}
	}
	return true
}

func (d *distinct) ringOf(user int) []uint64 {
	words := int(d.bits / 64)
	return d.latest[int(d.records[user]-1)*words:][:words]
}

func (d *distinct) linksOf(user int, s *spread) []uint16 {
	return d.counts[int(d.records[user]-1)*d.links+s.from:][:s.chain.Links]
}

// among is how many different articles are among the last so many of those that a user was shown.
func (d *distinct) among(user int, shown, last uint32) (n uint32) {
	ring := d.ringOf(user)
	for at := shown - last; at < shown; {
		step := min(64-at%64, shown-at)
		word := ring[at%d.bits/64] >> (at % 64)
		n += uint32(bits.OnesCount64(word << (64 - step)))
		at += step
	}
	return n
}

// linkedUnit is 1 in HitsLinked.
const linkedUnit = 1 << 32

// rate is that of a chain whose links took so many different articles, after held in all: of the union of the
// links that answer (chain.FPR, with the rates of links as if they had positions of their own).
func (s *spread) rate(counts []uint16, held int) float64 {
	c := s.chain
	head := (held - 1) / c.Capacity
	oldest := max(0, head-c.Links+1)
	full := held%c.Capacity == 0
	if cleared := c.ClearAhead && full && held >= c.Links*c.Capacity; cleared {
		oldest++
	} else if c.HeadSilent {
		head--
	}
	none := 1.
	for link := oldest; link <= head; link++ {
		none *= 1 - s.link(int(counts[link%c.Links]))
	}
	return 1 - none
}

// link is the rate of a link of so many articles.
func (s *spread) link(articles int) float64 {
	for articles >= len(s.rates) {
		s.rates = append(s.rates, -1)
	}
	if s.rates[articles] < 0 {
		s.rates[articles] = bloom.Exact(articles, s.chain.Geometry)
	}
	return s.rates[articles]
}
