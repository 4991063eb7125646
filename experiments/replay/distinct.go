package replay

import (
	"math"
	"math/bits"

	"dejavu/measure"
	"dejavu/strategies"
)

// A replayerDistinct counts how many different articles the histories of users hold, where these were shown some twice: it is
// what theory is of. One goroutine uses it.
type replayerDistinct struct {
	spreads []spread
	sets    int        // of a user
	users   [][]firsts // by user; none where no history had a repeat: it holds as many as it was shown
}

// A spread is how a strategy's rate follows from repeats.
type spread struct {
	kind     kind
	set      int // which of a user's; all of kind recent share the first
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

const (
	mostRecent = 4096    // the longest window, in articles, for which they are counted
	linkedUnit = 1 << 32 // 1 in HitsLinked
)

// Firsts has a bit for each article of a history: whether it is the latest showing of its article, or of a
// chain the first in its link.
type firsts []uint64

func newDistinct(subjects []measure.Subject) *replayerDistinct {
	d := &replayerDistinct{sets: 1}
	for _, s := range subjects {
		p := newSpread(s)
		if p.kind == linked {
			p.set = d.sets
			d.sets++
		}
		d.spreads = append(d.spreads, p)
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

// longest is the longest window that theory promises, at any moment, up to what matters here.
func longest(t strategies.Theory) (most int) {
	for read := 1; read <= 4*mostRecent; read++ {
		most = max(most, t.Window(read))
	}
	return most
}

// ask counts unseen articles that are asked for, after what a user was shown.
func (d *replayerDistinct) ask(w *replayer, user int, p *past, fresh int) {
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
			kept := min(p.held, uint32(w.memories[i].window(int(p.held))))
			at = d.users[user][0].count(p.held-kept, p.held)
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
func (d *replayerDistinct) record(user int, p *past, i, age uint32) {
	again := !p.isNew(age)
	for user >= len(d.users) {
		d.users = append(d.users, nil)
	}
	if d.users[user] == nil {
		if !again {
			return
		}
		d.users[user] = make([]firsts, d.sets)
	}
	sets := d.users[user]
	at, before := p.held+i, p.held-age // where in the history it is, and was
	sets[0].set(at, true)
	if again {
		sets[0].set(before, false)
	}
	for _, s := range d.spreads {
		if s.kind == linked {
			capacity := uint32(s.capacity)
			sets[s.set].set(at, !again || before/capacity < at/capacity)
		}
	}
}

func (f *firsts) set(at uint32, to bool) {
	for int(at/64) >= len(*f) {
		*f = append(*f, ^uint64(0)) // all new so far
	}
	word, bit := &(*f)[at/64], uint64(1)<<(at%64)
	*word |= bit
	if !to {
		*word &^= bit
	}
}

// count is how many bits are set of the articles of a history from, and up to.
func (f firsts) count(from, to uint32) (sum uint32) {
	for at := from; at < to; {
		step := min(64-at%64, to-at)
		sum += uint32(bits.OnesCount64(f[at/64] >> (at % 64) << (64 - step)))
		at += step
	}
	return sum
}

// rate is that of the union of the links that answer after held articles, as if each had positions of its own.
func (d *replayerDistinct) rate(user int, s *spread, held uint32) float64 {
	none := 1.
	from, to := s.links.Answering(int(held))
	for link := from; link < to; link++ {
		first := uint32(link * s.capacity)
		articles := int(d.users[user][s.set].count(first, min(first+uint32(s.capacity), held)))
		for articles >= len(s.rates) {
			s.rates = append(s.rates, s.links.LinkFPR(len(s.rates)))
		}
		none *= 1 - s.rates[articles]
	}
	return 1 - none
}
