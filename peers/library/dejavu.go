package library

import (
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/single"
	"dejavu/store"
	"dejavu/strategies"
)

// The suite's own strategies in the paper's configuration.
var (
	OurSingle strategies.Strategy = must(single.New(single.Paper))
	OurDual   strategies.Strategy = must(dual.New(dual.Paper))
	OurChain  strategies.Strategy = must(chain.New(chain.Paper))
)

// Ours is the suite as a library of some name: its single filter of any geometry, and its strategies.
func Ours(name string) Library {
	a := &adapter[*ourFilter]{
		make: func(g bloom.Geometry) *ourFilter {
			return &ourFilter{strategy: must(single.New(single.Config{Capacity: capacity, Geometry: g}))}
		},
		add: func(f *ourFilter, ids []strategies.ID) { f.history = f.strategy.Record(f.history, ids) },
		seen: func(filters []*ourFilter, ids []strategies.ID, seen []bool) {
			filters[0].strategy.Seen(filters[0].history, ids, seen)
		},
	}
	l := a.build(Library{Name: name})
	l.Singles = func(users int) Users { return Histories(OurSingle, users) }
	l.Duals = func(users int) Users { return Histories(OurDual, users) }
	l.Chains = func(users int) Users { return Histories(OurChain, users) }
	return l
}

type ourFilter struct {
	strategy strategies.Strategy
	history  []byte
}

// Histories are the memories of a strategy of ours, a slice per user: what a
// caller who keeps the bytes himself has.
func Histories(s strategies.Strategy, users int) Users {
	return &histories{s, make([][]byte, users)}
}

type histories struct {
	strategy strategies.Strategy
	users    [][]byte
}

func (h *histories) Seen(user int, candidates []strategies.ID, seen []bool) {
	h.strategy.Seen(h.users[user], candidates, seen)
}

func (h *histories) Record(user int, shown []strategies.ID) {
	h.users[user] = h.strategy.Record(h.users[user], shown)
}

func (h *histories) Forget(user int) { h.users[user] = h.users[user][:0] }

// Stored are the memories of a strategy of ours in the suite's store, where
// millions lie side by side, and users are safe from each other.
type Stored struct{ *store.Store[int] }

// NewStored makes the store.
func NewStored(s strategies.Strategy, users int) Stored {
	return Stored{must(store.New[int](store.Config{Unsalted: true, Strategy: s, Users: users}))}
}

// Seen asks the store.
func (s Stored) Seen(user int, candidates []strategies.ID, seen []bool) {
	s.Store.Seen(user, 0, candidates, seen)
}

// Record tells the store.
func (s Stored) Record(user int, shown []strategies.ID) { s.Store.Record(user, 0, shown) }
