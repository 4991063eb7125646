package library

import (
	"math"
	mathbits "math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/FastFilter/xorfilter"
	bits "github.com/bits-and-blooms/bloom/v3"
	"github.com/dgraph-io/ristretto/v2/z"
	holimanbloom "github.com/holiman/bloomfilter/v2"
	cuckoofilter "github.com/seiflotfy/cuckoofilter"
	boom "github.com/tylertreat/BoomFilters"

	"dejavu/bloom"
	"dejavu/experiments/catalogue"
	"dejavu/strategies"
)

// bitsAndBlooms is the library as it is, and one that hashes an article once for all links, as its Locations and
// TestLocations allow; Locations returns a new slice each time. There is nothing to gain for one filter.
func bitsAndBlooms() []Library {
	a := adapter[*bits.BloomFilter]{
		make:   func(g bloom.Geometry) *bits.BloomFilter { return bits.New(uint(g.Bits), uint(g.Hashes)) },
		add:    func(f *bits.BloomFilter, ids []strategies.ID) { addEach(f, ids, bitsAdd) },
		seen:   func(fs []*bits.BloomFilter, ids []strategies.ID, seen []bool) { inAny(fs, ids, seen, bitsHas) },
		empty:  (*bits.BloomFilter).ClearAll,
		addKey: func(f *bits.BloomFilter, key []byte) { f.Add(key) },
		hasKey: (*bits.BloomFilter).Test,
	}
	once := a
	once.seen = func(filters []*bits.BloomFilter, ids []strategies.ID, seen []bool) {
		for i, id := range ids {
			locations := bits.Locations(eight(id), uint(Link.Hashes))
			seen[i] = slices.ContainsFunc(filters, func(f *bits.BloomFilter) bool { return f.TestLocations(locations) })
		}
	}
	l := a.build(Library{
		Name: "bits-and-blooms", Module: module("github.com/bits-and-blooms/bloom/v3"),
		Takes: "eight bytes, hashed by murmur3",
	})
	hashed := once.build(l)
	hashed.Name, hashed.Takes, hashed.Like = "bits-and-blooms hashed once", l.Takes+", once for all links", l.Name
	delete(hashed.Users, "single")
	delete(hashed.Users, "dual")
	return []Library{l, hashed}
}

func bitsAdd(f *bits.BloomFilter, id strategies.ID)      { f.Add(eight(id)) }
func bitsHas(f *bits.BloomFilter, id strategies.ID) bool { return f.Test(eight(id)) }

func boomFilters() Library {
	a := &adapter[*boom.BloomFilter]{
		make:   newBoom,
		add:    func(f *boom.BloomFilter, ids []strategies.ID) { addEach(f, ids, boomAdd) },
		seen:   func(fs []*boom.BloomFilter, ids []strategies.ID, seen []bool) { inAny(fs, ids, seen, boomHas) },
		empty:  (*boom.BloomFilter).Reset,
		addKey: func(f *boom.BloomFilter, key []byte) { f.Add(key) },
		hasKey: (*boom.BloomFilter).Test,
	}
	return a.build(Library{
		Name: "BoomFilters", Module: module("github.com/tylertreat/BoomFilters"), Takes: "eight bytes, hashed by FNV-1",
		Geometry: func(asked bloom.Geometry) bloom.Geometry {
			f := newBoom(asked)
			return bloom.Geometry{Bits: int(f.Capacity()), Hashes: int(f.K())}
		},
	})
}

// newBoom finds the number of articles and the rate for which the library chooses the geometry asked for: it
// takes ⌈log2 1/p⌉ hashes, and ⌈n·|ln p|/(ln 2)²⌉ bits.
func newBoom(g bloom.Geometry) *boom.BloomFilter {
	n := math.Round(float64(g.Bits) * math.Ln2 / (float64(g.Hashes) - 0.5))
	p := math.Exp(-(float64(g.Bits) - 0.5) * math.Ln2 * math.Ln2 / n)
	return boom.NewBloomFilter(uint(n), p)
}

func boomAdd(f *boom.BloomFilter, id strategies.ID)      { f.Add(eight(id)) }
func boomHas(f *boom.BloomFilter, id strategies.ID) bool { return f.Test(eight(id)) }

// holiman makes filters with keys of their own, as the library does, but of a seed, so that a run can be repeated.
func holiman() Library {
	var drawn atomic.Uint64
	a := &adapter[*holimanbloom.Filter]{
		make: func(g bloom.Geometry) *holimanbloom.Filter {
			random := rand.NewPCG(1, drawn.Add(1))
			keys := make([]uint64, g.Hashes)
			for i := range keys {
				keys[i] = random.Uint64()
			}
			return catalogue.Must(holimanbloom.NewWithKeys(uint64(g.Bits), keys))
		},
		add:  func(f *holimanbloom.Filter, ids []strategies.ID) { addEach(f, ids, holimanAdd) },
		seen: func(fs []*holimanbloom.Filter, ids []strategies.ID, seen []bool) { inAny(fs, ids, seen, holimanHas) },
		// Another one under the same keys: the library cannot clear.
		empty: func(f *holimanbloom.Filter) *holimanbloom.Filter { return catalogue.Must(f.NewCompatible()) },
	}
	return a.build(Library{Name: "holiman", Module: module("github.com/holiman/bloomfilter/v2"), Takes: "a 64-bit hash"})
}

func holimanAdd(f *holimanbloom.Filter, id strategies.ID)      { f.AddHash(uint64(id)) }
func holimanHas(f *holimanbloom.Filter, id strategies.ID) bool { return f.ContainsHash(uint64(id)) }

func ristretto() Library {
	a := &adapter[*z.Bloom]{
		make: func(g bloom.Geometry) *z.Bloom { return z.NewBloomFilter(float64(g.Bits), float64(g.Hashes)) },
		add:  func(f *z.Bloom, ids []strategies.ID) { addEach(f, ids, ristrettoAdd) },
		seen: func(fs []*z.Bloom, ids []strategies.ID, seen []bool) { inAny(fs, ids, seen, ristrettoHas) },
		empty: func(f *z.Bloom) *z.Bloom {
			f.Clear()
			return f
		},
	}
	return a.build(Library{
		Name: "ristretto", Module: module("github.com/dgraph-io/ristretto/v2"), Takes: "a 64-bit hash",
		Rounds: "bits up to a power of two, at least 512",
		Geometry: func(asked bloom.Geometry) bloom.Geometry {
			return bloom.Geometry{Bits: max(512, powerOfTwo(asked.Bits)), Hashes: asked.Hashes}
		},
	})
}

func ristrettoAdd(f *z.Bloom, id strategies.ID)      { f.Add(uint64(id)) }
func ristrettoHas(f *z.Bloom, id strategies.ID) bool { return f.Has(uint64(id)) }

func powerOfTwo(n int) int { return 1 << mathbits.Len(uint(n-1)) }

const cuckooBucket = 4 // fingerprints of a byte; an article may lie in either of two buckets

func cuckoo() Library {
	a := &adapter[*cuckoofilter.Filter]{
		make: func(g bloom.Geometry) *cuckoofilter.Filter { return cuckoofilter.NewFilter(uint((g.Bits + 7) / 8)) },
		add:  func(f *cuckoofilter.Filter, ids []strategies.ID) { addEach(f, ids, cuckooAdd) },
		seen: func(fs []*cuckoofilter.Filter, ids []strategies.ID, seen []bool) { inAny(fs, ids, seen, cuckooHas) },
		empty: func(f *cuckoofilter.Filter) *cuckoofilter.Filter {
			f.Reset()
			return f
		},
		addKey: func(f *cuckoofilter.Filter, key []byte) { f.Insert(key) },
		hasKey: (*cuckoofilter.Filter).Lookup,
	}
	// How many fingerprints the library makes room for.
	slots := func(g bloom.Geometry) int { return max(cuckooBucket, powerOfTwo((g.Bits+7)/8)) }
	return a.build(Library{
		Name: "cuckoofilter", Module: module("github.com/seiflotfy/cuckoofilter"), Takes: "eight bytes, hashed by metro",
		Rounds:   "bytes up to a power of two; bytes are fingerprints, not bits to set",
		Random:   true,
		Geometry: func(asked bloom.Geometry) bloom.Geometry { return bloom.Geometry{Bits: 8 * slots(asked)} },
		// Each of the fingerprints in the two buckets is the unseen article's with chance 1/255 (Fan et al.,
		// "Cuckoo filter: practically better than Bloom", 2014, §5.1), at the mean load.
		FPR: func(asked bloom.Geometry, n int) float64 {
			slots := slots(asked)
			load := float64(min(n, slots)) / float64(slots)
			return -math.Expm1(2 * cuckooBucket * load * math.Log1p(-1./255))
		},
	})
}

// cuckooAdd ignores that an article finds no place: another's fingerprint is lost then, and there is no better answer.
func cuckooAdd(f *cuckoofilter.Filter, id strategies.ID)      { f.Insert(eight(id)) }
func cuckooHas(f *cuckoofilter.Filter, id strategies.ID) bool { return f.Lookup(eight(id)) }

func fuse() Library {
	return Library{
		Name: "binary fuse", Module: module("github.com/FastFilter/xorfilter"),
		Takes:  "a 64-bit number, which it hashes",
		Rounds: "no bits to choose; static: 8-bit fingerprints, built of all articles at once",
		Users:  map[string]func(users int) Users{"single": func(users int) Users { return make(fuses, users) }},
		Static: true,
		Geometry: func(bloom.Geometry) bloom.Geometry {
			ids := make([]strategies.ID, capacity)
			for i := range ids {
				ids[i] = strategies.ID(i)
			}
			return bloom.Geometry{Bits: 8 * len(newFuse(ids).Fingerprints)}
		},
		FPR: func(bloom.Geometry, int) float64 { return 1. / 256 },
	}
}

type fuses []*xorfilter.BinaryFuse[uint8]

func (f fuses) Seen(user int, candidates []strategies.ID, seen []bool) {
	filter := f[user]
	for i, id := range candidates {
		seen[i] = filter != nil && filter.Contains(uint64(id))
	}
}

func (f fuses) Record(user int, shown []strategies.ID) {
	if len(shown) > 0 {
		f[user] = newFuse(shown)
	}
}

// newFuse fails only for no articles, or after a hundred seeds that fail.
func newFuse(ids []strategies.ID) *xorfilter.BinaryFuse[uint8] {
	keys := make([]uint64, len(ids)) // the library may reorder them
	for i, id := range ids {
		keys[i] = uint64(id)
	}
	return catalogue.Must(xorfilter.NewBinaryFuse[uint8](keys))
}
