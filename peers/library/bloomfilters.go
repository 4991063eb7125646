package library

import (
	"fmt"
	"math"
	mathbits "math/bits"
	"math/rand/v2"
	"sync/atomic"

	bits "github.com/bits-and-blooms/bloom/v3"
	"github.com/dgraph-io/ristretto/v2/z"
	holimanbloom "github.com/holiman/bloomfilter/v2"
	boom "github.com/tylertreat/BoomFilters"

	"dejavu/bloom"
	"dejavu/strategies"
)

func bitsAndBlooms() Library {
	return bitsAdapter().build(Library{
		Name: "bits-and-blooms", Module: module("github.com/bits-and-blooms/bloom/v3"),
		Takes: "eight bytes, hashed by murmur3",
	})
}

// hashedOnce hashes an article once for all links, as the library's Locations
// and TestLocations allow; Locations returns a new slice each time. There is
// nothing to gain for one filter.
func hashedOnce() Library {
	a := bitsAdapter()
	a.seen = func(filters []*bits.BloomFilter, ids []strategies.ID, seen []bool) {
		for i, id := range ids {
			seen[i] = false
			key := eight(id)
			locations := bits.Locations(key[:], filters[0].K())
			for _, f := range filters {
				if f.TestLocations(locations) {
					seen[i] = true
					break
				}
			}
		}
	}
	l := a.build(bitsAndBlooms())
	l.Name, l.Takes, l.Like = "bits-and-blooms hashed once", l.Takes+", once for all links", l.Name
	l.Singles, l.Duals = nil, nil
	return l
}

func bitsAdapter() *adapter[*bits.BloomFilter] {
	return &adapter[*bits.BloomFilter]{
		make: func(g bloom.Geometry) *bits.BloomFilter { return bits.New(uint(g.Bits), uint(g.Hashes)) },
		add:  func(f *bits.BloomFilter, ids []strategies.ID) { addEach(f, ids, bitsAdd) },
		seen: func(filters []*bits.BloomFilter, ids []strategies.ID, seen []bool) {
			inAny(filters, ids, seen, bitsHas)
		},
		empty:  (*bits.BloomFilter).ClearAll,
		addKey: func(f *bits.BloomFilter, key []byte) { f.Add(key) },
		hasKey: (*bits.BloomFilter).Test,
	}
}

func bitsAdd(f *bits.BloomFilter, id strategies.ID) {
	key := eight(id)
	f.Add(key[:])
}

func bitsHas(f *bits.BloomFilter, id strategies.ID) bool {
	key := eight(id)
	return f.Test(key[:])
}

func boomFilters() Library {
	a := &adapter[*boom.BloomFilter]{
		make: newBoom,
		add:  func(f *boom.BloomFilter, ids []strategies.ID) { addEach(f, ids, boomAdd) },
		seen: func(filters []*boom.BloomFilter, ids []strategies.ID, seen []bool) {
			inAny(filters, ids, seen, boomHas)
		},
		empty:  (*boom.BloomFilter).Reset,
		addKey: func(f *boom.BloomFilter, key []byte) { f.Add(key) },
		hasKey: (*boom.BloomFilter).Test,
	}
	return a.build(Library{
		Name: "BoomFilters", Module: module("github.com/tylertreat/BoomFilters"), Takes: "eight bytes, hashed by FNV-1",
		round: func(asked bloom.Geometry) bloom.Geometry {
			f := newBoom(asked)
			return bloom.Geometry{Bits: int(f.Capacity()), Hashes: int(f.K())}
		},
	})
}

// newBoom finds the number of articles and the rate for which the library
// chooses the geometry asked for: it takes ⌈log2 1/p⌉ hashes, and
// ⌈n·|ln p|/(ln 2)²⌉ bits.
func newBoom(g bloom.Geometry) *boom.BloomFilter {
	n := math.Round(float64(g.Bits) * math.Ln2 / (float64(g.Hashes) - 0.5))
	p := math.Exp(-(float64(g.Bits) - 0.5) * math.Ln2 * math.Ln2 / n)
	return boom.NewBloomFilter(uint(n), p)
}

func boomAdd(f *boom.BloomFilter, id strategies.ID) {
	key := eight(id)
	f.Add(key[:])
}

func boomHas(f *boom.BloomFilter, id strategies.ID) bool {
	key := eight(id)
	return f.Test(key[:])
}

// holiman makes filters with keys of their own, as the library's New does,
// but drawn from a seed, so that a run can be repeated.
func holiman() Library {
	var drawn atomic.Uint64
	a := &adapter[*holimanbloom.Filter]{
		make: func(g bloom.Geometry) *holimanbloom.Filter {
			random := rand.NewPCG(1, drawn.Add(1))
			keys := make([]uint64, g.Hashes)
			for i := range keys {
				keys[i] = random.Uint64()
			}
			return must(holimanbloom.NewWithKeys(uint64(g.Bits), keys))
		},
		add: func(f *holimanbloom.Filter, ids []strategies.ID) { addEach(f, ids, holimanAdd) },
		seen: func(filters []*holimanbloom.Filter, ids []strategies.ID, seen []bool) {
			inAny(filters, ids, seen, holimanHas)
		},
		// Another one under the same keys: the library cannot clear.
		empty: func(f *holimanbloom.Filter) *holimanbloom.Filter { return must(f.NewCompatible()) },
	}
	return a.build(Library{
		Name: "holiman", Module: module("github.com/holiman/bloomfilter/v2"), Takes: "a 64-bit hash",
	})
}

func holimanAdd(f *holimanbloom.Filter, id strategies.ID)      { f.AddHash(uint64(id)) }
func holimanHas(f *holimanbloom.Filter, id strategies.ID) bool { return f.ContainsHash(uint64(id)) }

// must is for errors that the paper's geometries and random keys rule out.
func must[T any](made T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("library: %v", err))
	}
	return made
}

func ristretto() Library {
	a := &adapter[*z.Bloom]{
		make: func(g bloom.Geometry) *z.Bloom { return z.NewBloomFilter(float64(g.Bits), float64(g.Hashes)) },
		add:  func(f *z.Bloom, ids []strategies.ID) { addEach(f, ids, ristrettoAdd) },
		seen: func(filters []*z.Bloom, ids []strategies.ID, seen []bool) { inAny(filters, ids, seen, ristrettoHas) },
		empty: func(f *z.Bloom) *z.Bloom {
			f.Clear()
			return f
		},
	}
	return a.build(Library{
		Name: "ristretto", Module: module("github.com/dgraph-io/ristretto/v2"), Takes: "a 64-bit hash",
		Rounds: "bits up to a power of two, at least 512",
		round: func(asked bloom.Geometry) bloom.Geometry {
			return bloom.Geometry{Bits: max(512, powerOfTwo(asked.Bits)), Hashes: asked.Hashes}
		},
	})
}

func ristrettoAdd(f *z.Bloom, id strategies.ID)      { f.Add(uint64(id)) }
func ristrettoHas(f *z.Bloom, id strategies.ID) bool { return f.Has(uint64(id)) }

// powerOfTwo is the smallest that is at least n.
func powerOfTwo(n int) int { return 1 << mathbits.Len(uint(n-1)) }
