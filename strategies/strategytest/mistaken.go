package strategytest

import (
	"math/rand/v2"
	"slices"

	"dejavu/strategies"
)

// otherLives is how many other lives must agree that an ID is mistaken. A filter
// probes up to 64 times for an article.
const otherLives = 64

// mistaken reports whether it is more than chance that a history holds an ID that was never shown, where
// theory says that it holds a random one less than once in 1e9 times.
//
// Of a random ID it is, and of one that only the spare capacity holds. A peculiar one a right filter may
// hold: where positions are made by multiplication, all probes of ID 0 fall on one of them, and it is
// recognised as often as one bit is set; those of 1<<63 fall on two. So others lead the same life again, in
// two ways. With all articles exchanged for random ones, an ID is recognised that is used for a mark, of an
// empty slot, say. With a number xored to all articles and to the ID, it is one that is told from an article
// by bits that nobody looks at. What all of otherLives recognise is mistaken.
//
// A right filter fails that way with a probability below 1e-9 again: one position is met in all of 64 lives
// no more often than all those of a random article, 64 at most, in one; and IDs that one bit tells apart
// share no more than half of theirs.
func (l *life) mistaken(history []byte, read int, id strategies.ID) bool {
	var seen [1]bool
	alone := make([]byte, len(history)) // without spare capacity, to read it from
	copy(alone, history)
	if l.Strategy.Seen(alone, []strategies.ID{id}, seen[:]); !seen[0] || !slices.Contains(peculiar, id) {
		return true
	}
	agree := func(exchange func(id, with strategies.ID) strategies.ID, asked func(with strategies.ID) strategies.ID) bool {
		r := rand.New(rand.NewPCG(uint64(read), uint64(id)))
		ids := make([]strategies.ID, read)
		for range otherLives {
			with := strategies.ID(r.Uint64())
			for i, shown := range l.shown[:read] {
				ids[i] = exchange(shown, with)
			}
			history := l.Strategy.Record(nil, ids)
			if l.Strategy.Seen(history, []strategies.ID{asked(with)}, seen[:]); !seen[0] {
				return false
			}
		}
		return true
	}
	random := func(id, with strategies.ID) strategies.ID { return strategies.ID(mix(uint64(id) ^ mix(uint64(with)))) }
	xored := func(id, with strategies.ID) strategies.ID { return id ^ with }
	return agree(random, func(strategies.ID) strategies.ID { return id }) ||
		agree(xored, func(with strategies.ID) strategies.ID { return id ^ with })
}
