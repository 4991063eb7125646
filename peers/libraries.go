package main

import (
	"encoding/binary"
	"math"
	mathbits "math/bits"
	"math/rand/v2"
	"slices"

	"github.com/FastFilter/xorfilter"
	bits "github.com/bits-and-blooms/bloom/v3"
	"github.com/dgraph-io/ristretto/v2/z"
	holiman "github.com/holiman/bloomfilter/v2"
	cuckoo "github.com/seiflotfy/cuckoofilter"
	boom "github.com/tylertreat/BoomFilters"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/single"
	"dejavu/strategies"
)

// A kind is one of the paper's strategies.
type kind struct {
	name            string
	links, articles int            // filters of a user, and articles of a filter
	asked           bloom.Geometry // of a filter
	ours            strategies.Strategy
}

var kinds = []kind{
	{"single", 1, 500, bloom.Geometry{Bits: 4064, Hashes: 6}, must(single.New(single.Paper))},
	{"dual", 2, 500, bloom.Geometry{Bits: 4064, Hashes: 6}, must(dual.New(dual.Paper))},
	{"chain", 5, 100, bloom.Geometry{Bits: 812, Hashes: 6}, must(chain.New(chain.Paper))},
}

// threshold is the number of articles from which a dual filter writes to its second filter too.
const threshold = 300

// memories are the memories of users, numbered from 0.
type memories interface {
	Seen(user int, candidates []strategies.ID, seen []bool)
	Record(user int, shown []strategies.ID)
}

// A library builds the paper's strategies from its filters.
type library struct {
	name   string
	kinds  string                              // names of the kinds that can be built
	users  func(k kind, n int) memories        // of n users
	filter func(g bloom.Geometry) filter       // one filter, which takes keys the way that the library's users would pass them
	made   func(bloom.Geometry) bloom.Geometry // what the library makes of a geometry; no hashes if they are no parameter
	theory func(bloom.Geometry) float64        // FPR of 500 articles at the geometry made
	static bool                                // a filter cannot be added to
	random bool                                // it draws random numbers that nobody can seed
	again  bool                                // another way to ask the filters of the library before it
}

type filter struct {
	add func(key []byte)
	has func(key []byte) bool
}

// A maker makes, fills and asks a library's filters of type F, a pointer type, with keys of type K: []byte if the library
// hashes them, or else their hashes.
type maker[F comparable, K any] struct {
	make   func(bloom.Geometry) F
	add    func(filter F, key K)
	has    func(filter F, key K) bool
	clear  func(filter F) F // returns the same filter, or another
	id     func(id strategies.ID, buffer []byte) K
	digest func(key []byte) K
	any    func(filters []F, id []byte) bool // nil, or reports whether any filter has the article
}

// bytes and hashes complete a maker by its keys.
func bytes[F comparable](m maker[F, []byte]) maker[F, []byte] {
	m.id = func(id strategies.ID, buffer []byte) []byte {
		binary.LittleEndian.PutUint64(buffer, uint64(id))
		return buffer
	}
	m.digest = func(key []byte) []byte { return key }
	return m
}

func hashes[F comparable](m maker[F, uint64]) maker[F, uint64] {
	m.id = func(id strategies.ID, _ []byte) uint64 { return uint64(id) }
	m.digest = func(key []byte) uint64 { return uint64(strategies.XXHash(key)) }
	return m
}

func build[F comparable, K any](name string, m maker[F, K]) library {
	return library{
		name: name, kinds: "single dual chain",
		users: func(k kind, n int) memories {
			return &filters[F, K]{m, k, make([]F, n*k.links), make([]mark, n), make([]byte, 8)}
		},
		filter: func(g bloom.Geometry) filter {
			f := m.make(g)
			return filter{func(key []byte) { m.add(f, m.digest(key)) }, func(key []byte) bool { return m.has(f, m.digest(key)) }}
		},
		made:   func(asked bloom.Geometry) bloom.Geometry { return asked },
		theory: func(g bloom.Geometry) float64 { return bloom.Exact(items, g) },
	}
}

// filters are the memories of users whose filters lie side by side.
type filters[F comparable, K any] struct {
	maker[F, K]
	kind
	all    []F
	marks  []mark
	buffer []byte
}

// A mark is the filter of a user that takes articles, and how many it holds.
type mark struct{ active, count int }

func (u *filters[F, K]) Seen(user int, candidates []strategies.ID, seen []bool) {
	links := u.all[user*u.links:][:u.links]
	if last := slices.Index(links, *new(F)); last >= 0 {
		links = links[:last]
	}
	for i, id := range candidates {
		key := u.id(id, u.buffer)
		if u.any != nil {
			seen[i] = u.any(links, u.buffer)
			continue
		}
		seen[i] = false
		for _, f := range links {
			if u.has(f, key) {
				seen[i] = true
				break
			}
		}
	}
}

func (u *filters[F, K]) Record(user int, shown []strategies.ID) {
	links, m := u.all[user*u.links:][:u.links], &u.marks[user]
	for _, id := range shown {
		if u.name != "dual" && m.count == u.articles {
			m.active, m.count = (m.active+1)%u.links, 0
			if links[m.active] != *new(F) {
				links[m.active] = u.clear(links[m.active])
			}
		}
		u.add(u.made(&links[m.active]), u.id(id, u.buffer))
		m.count++
		if u.name == "dual" && m.count > threshold {
			u.add(u.made(&links[1]), u.id(id, u.buffer))
			if m.count == u.articles { // the second filter replaces the first
				links[0], links[1] = links[1], *new(F)
				m.count -= threshold
			}
		}
	}
}

// made makes a filter if there is none.
func (u *filters[F, K]) made(link *F) F {
	if *link == *new(F) {
		*link = u.make(u.asked)
	}
	return *link
}

// libraries lists ours, which comes first, and the others.
func libraries() []library {
	blooms := bytes(maker[*bits.BloomFilter, []byte]{
		make:  func(g bloom.Geometry) *bits.BloomFilter { return bits.New(uint(g.Bits), uint(g.Hashes)) },
		add:   func(f *bits.BloomFilter, key []byte) { f.Add(key) },
		has:   (*bits.BloomFilter).Test,
		clear: (*bits.BloomFilter).ClearAll,
	})
	once := blooms
	once.any = func(all []*bits.BloomFilter, id []byte) bool {
		locations := bits.Locations(id, uint(kinds[2].asked.Hashes))
		return slices.ContainsFunc(all, func(f *bits.BloomFilter) bool { return f.TestLocations(locations) })
	}
	hashedOnce := build("bits-and-blooms hashed once", once)
	hashedOnce.kinds, hashedOnce.again = "chain", true

	seed := uint64(0)
	holimans := build("holiman", hashes(maker[*holiman.Filter, uint64]{
		make: func(g bloom.Geometry) *holiman.Filter { // with random keys, as the library does, but from a seed
			seed++
			random, keys := rand.NewPCG(1, seed), make([]uint64, g.Hashes)
			for i := range keys {
				keys[i] = random.Uint64()
			}
			return must(holiman.NewWithKeys(uint64(g.Bits), keys))
		},
		add:   (*holiman.Filter).AddHash,
		has:   (*holiman.Filter).ContainsHash,
		clear: func(f *holiman.Filter) *holiman.Filter { return must(f.NewCompatible()) }, // it cannot clear
	}))

	// newBoom asks for the articles and the rate from which the library derives a geometry: ⌈log2 1/p⌉ hashes, and
	// ⌈n·|ln p|/(ln 2)²⌉ bits.
	newBoom := func(g bloom.Geometry) *boom.BloomFilter {
		n := math.Round(float64(g.Bits) * math.Ln2 / (float64(g.Hashes) - 0.5))
		return boom.NewBloomFilter(uint(n), math.Exp(-(float64(g.Bits)-0.5)*math.Ln2*math.Ln2/n))
	}
	booms := build("BoomFilters", bytes(maker[*boom.BloomFilter, []byte]{
		make:  newBoom,
		add:   func(f *boom.BloomFilter, key []byte) { f.Add(key) },
		has:   (*boom.BloomFilter).Test,
		clear: (*boom.BloomFilter).Reset,
	}))
	booms.made = func(g bloom.Geometry) bloom.Geometry {
		return bloom.Geometry{Bits: int(newBoom(g).Capacity()), Hashes: int(newBoom(g).K())}
	}

	ristretto := build("ristretto", hashes(maker[*z.Bloom, uint64]{
		make:  func(g bloom.Geometry) *z.Bloom { return z.NewBloomFilter(float64(g.Bits), float64(g.Hashes)) },
		add:   func(f *z.Bloom, hash uint64) { f.Add(hash) },
		has:   func(f *z.Bloom, hash uint64) bool { return f.Has(hash) },
		clear: func(f *z.Bloom) *z.Bloom { f.Clear(); return f },
	}))
	ristretto.made = func(g bloom.Geometry) bloom.Geometry {
		return bloom.Geometry{Bits: max(512, powerOfTwo(g.Bits)), Hashes: g.Hashes}
	}

	slots := func(g bloom.Geometry) int { return powerOfTwo((g.Bits + 7) / 8) } // fingerprints of a byte
	cuckoos := build("cuckoofilter", bytes(maker[*cuckoo.Filter, []byte]{
		make:  func(g bloom.Geometry) *cuckoo.Filter { return cuckoo.NewFilter(uint(slots(g))) },
		add:   func(f *cuckoo.Filter, key []byte) { f.Insert(key) }, // a full filter loses another article
		has:   (*cuckoo.Filter).Lookup,
		clear: func(f *cuckoo.Filter) *cuckoo.Filter { f.Reset(); return f },
	}))
	cuckoos.random = true
	cuckoos.made = func(g bloom.Geometry) bloom.Geometry { return bloom.Geometry{Bits: 8 * slots(g)} }
	// Each fingerprint in two buckets of four equals an unseen article's with probability 1/255, at the mean load (Fan et
	// al., "Cuckoo filter: practically better than Bloom", 2014, §5.1).
	cuckoos.theory = func(g bloom.Geometry) float64 {
		load := min(1, float64(items)/float64(g.Bits/8))
		return -math.Expm1(2 * 4 * load * math.Log1p(-1./255))
	}
	return []library{
		ours, build("bits-and-blooms", blooms), hashedOnce, holimans, booms, ristretto, cuckoos, fuse,
	}
}

func powerOfTwo(n int) int { return 1 << mathbits.Len(uint(n-1)) }

// fuse is a library of static filters.
var fuse = library{
	name: "binary fuse", kinds: "single", static: true,
	users: func(_ kind, n int) memories { return make(fuses, n) },
	filter: func(bloom.Geometry) filter {
		var all []strategies.ID
		user, seen := make(fuses, 1), []bool{false}
		hash := func(key []byte) strategies.ID { // the library hashes numbers by itself
			if len(key) == 8 {
				return strategies.ID(binary.BigEndian.Uint64(key))
			}
			return strategies.XXHash(key)
		}
		return filter{func(key []byte) { all = append(all, hash(key)) }, func(key []byte) bool {
			if user[0] == nil {
				user.Record(0, all)
			}
			user.Seen(0, []strategies.ID{hash(key)}, seen)
			return seen[0]
		}}
	},
	made: func(bloom.Geometry) bloom.Geometry {
		one := make(fuses, 1)
		one.Record(0, ids(1, items))
		return bloom.Geometry{Bits: 8 * len(one[0].Fingerprints)}
	},
	theory: func(bloom.Geometry) float64 { return 1. / 256 },
}

// fuses are binary fuse filters. Record replaces one by a filter of the newest 500 of the given articles.
type fuses []*xorfilter.BinaryFuse[uint8]

func (f fuses) Seen(user int, candidates []strategies.ID, seen []bool) {
	for i, id := range candidates {
		seen[i] = f[user].Contains(uint64(id))
	}
}

func (f fuses) Record(user int, shown []strategies.ID) {
	keys := make([]uint64, 0, items) // the library may reorder them
	for _, id := range shown[max(0, len(shown)-items):] {
		keys = append(keys, uint64(id))
	}
	f[user] = must(xorfilter.NewBinaryFuse[uint8](keys))
}

// ours is the suite as a library: its single filter of any geometry, and its strategies.
var ours = library{
	name: "dejavu", kinds: "single dual chain",
	users: func(k kind, n int) memories { return &histories{k, make([][]byte, n), make([]int, n)} },
	filter: func(g bloom.Geometry) filter {
		s := must(single.New(single.Config{Capacity: items, Geometry: g}))
		var history []byte
		seen := []bool{false}
		return filter{
			func(key []byte) { history = s.Record(history, []strategies.ID{strategies.XXHash(key)}) },
			func(key []byte) bool {
				s.Seen(history, []strategies.ID{strategies.XXHash(key)}, seen)
				return seen[0]
			},
		}
	},
	made:   func(asked bloom.Geometry) bloom.Geometry { return asked },
	theory: func(g bloom.Geometry) float64 { return bloom.Exact(items, g) },
}

// histories are the memories of a strategy of ours, a slice per user. A single filter that is full is emptied.
type histories struct {
	kind
	users [][]byte
	count []int
}

func (h *histories) Seen(user int, candidates []strategies.ID, seen []bool) {
	h.ours.Seen(h.users[user], candidates, seen)
}

func (h *histories) Record(user int, shown []strategies.ID) {
	if h.links == 1 && h.count[user] == h.articles {
		h.users[user], h.count[user] = h.users[user][:0], 0
	}
	h.users[user] = h.ours.Record(h.users[user], shown)
	h.count[user] += len(shown)
}
