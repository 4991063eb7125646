package library

import (
	"fmt"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/single"
	"dejavu/store"
	"dejavu/strategies"
)

// The suite's own strategies in the paper's configuration.
var (
	OurSingle = ours(single.New(single.Paper))
	OurDual   = ours(dual.New(dual.Paper))
	OurChain  = ours(chain.New(chain.Paper))
)

func ours[S strategies.Strategy](s S, err error) strategies.Strategy {
	if err != nil { // the paper's configurations are valid
		panic(fmt.Sprintf("library: %v", err))
	}
	return s
}

// Histories are the memories of a strategy of ours, a slice per reader: what a
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
// millions lie side by side, and readers are safe from each other.
type Stored struct{ *store.Store[int] }

// NewStored makes the store.
func NewStored(s strategies.Strategy, users int) Stored {
	st, err := store.New[int](store.Config{Unsalted: true, Strategy: s, Users: users})
	if err != nil {
		panic(fmt.Sprintf("library: %v", err))
	}
	return Stored{st}
}

// Seen asks the store.
func (s Stored) Seen(user int, candidates []strategies.ID, seen []bool) {
	s.Store.Seen(user, 0, candidates, seen)
}

// Record tells the store.
func (s Stored) Record(user int, shown []strategies.ID) { s.Store.Record(user, 0, shown) }

// Forget is not needed here: the store forgets by time alone.
func (s Stored) Forget(int) { panic("library: a store forgets who is idle, and nobody else") }

// OurFilter is the suite's single filter of any geometry, as a Filter.
func OurFilter(g bloom.Geometry) Filter {
	s := ours(single.New(single.Config{Capacity: capacity, Geometry: g}))
	return &ourFilter{strategy: s}
}

type ourFilter struct {
	strategy strategies.Strategy
	history  []byte
}

func (f *ourFilter) Add(id strategies.ID) {
	f.history = f.strategy.Record(f.history, []strategies.ID{id})
}

func (f *ourFilter) Has(id strategies.ID) bool {
	var seen [1]bool
	f.strategy.Seen(f.history, []strategies.ID{id}, seen[:])
	return seen[0]
}

func (f *ourFilter) AddKey(key []byte)      { f.Add(strategies.XXHash(key)) }
func (f *ourFilter) HasKey(key []byte) bool { return f.Has(strategies.XXHash(key)) }

func (f *ourFilter) Empty() Filter {
	f.history = f.history[:0]
	return f
}
