package library

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	bloomfilter "github.com/holiman/bloomfilter/v2"

	"dejavu/bloom"
	"dejavu/strategies"
)

type holimanFilter bloomfilter.Filter

func (f *holimanFilter) its() *bloomfilter.Filter { return (*bloomfilter.Filter)(f) }

func (f *holimanFilter) Add(id strategies.ID)      { f.its().AddHash(uint64(id)) }
func (f *holimanFilter) Has(id strategies.ID) bool { return f.its().ContainsHash(uint64(id)) }
func (f *holimanFilter) AddKey(key []byte)         { f.Add(strategies.XXHash(key)) }
func (f *holimanFilter) HasKey(key []byte) bool    { return f.Has(strategies.XXHash(key)) }

// Empty makes another under the same keys: the library cannot clear.
func (f *holimanFilter) Empty() Filter { return f.another() }

func (f *holimanFilter) another() *holimanFilter {
	another, err := f.its().NewCompatible()
	return (*holimanFilter)(must(another, err))
}

// newHoliman makes filters with keys of their own, as the library's New does,
// but drawn from a seed, so that a run can be repeated.
func newHoliman(drawn *atomic.Uint64) func(g bloom.Geometry) *holimanFilter {
	return func(g bloom.Geometry) *holimanFilter {
		random := rand.NewPCG(1, drawn.Add(1))
		keys := make([]uint64, g.Hashes)
		for i := range keys {
			keys[i] = random.Uint64()
		}
		return (*holimanFilter)(must(bloomfilter.NewWithKeys(uint64(g.Bits), keys)))
	}
}

// must is for errors that the paper's geometries and keys of 64 random bits rule out.
func must(f *bloomfilter.Filter, err error) *bloomfilter.Filter {
	if err != nil {
		panic(fmt.Sprintf("library: holiman/bloomfilter: %v", err))
	}
	return f
}

func holiman() Library {
	create := newHoliman(new(atomic.Uint64))
	return strategiesOf(bloomTheory(Library{
		Name: "holiman", Module: module("github.com/holiman/bloomfilter/v2"), Takes: "a 64-bit hash",
		Geometry: kept,
		New:      func(g bloom.Geometry) Filter { return create(g) },
	}), operations[*holimanFilter]{
		make: create,
		add: func(f *holimanFilter, ids []strategies.ID) {
			for _, id := range ids {
				f.Add(id)
			}
		},
		seen: func(filters []*holimanFilter, ids []strategies.ID, seen []bool) {
			for i, id := range ids {
				seen[i] = false
				for _, f := range filters {
					if f.Has(id) {
						seen[i] = true
						break
					}
				}
			}
		},
		empty: (*holimanFilter).another,
	})
}
