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
	"dejavu/experiments/catalogue"
	"dejavu/experiments/peers/standing"
	"dejavu/measure/stopwatch"
	"dejavu/single"
	"dejavu/strategies"
)

// A kind is one of the paper's strategies: how many filters a user has, for how many articles, and of which geometry.
type kind struct {
	name            string
	links, articles int
	asked           bloom.Geometry
	shown           int // articles after which a user's memory is fullest
	ours            strategies.Strategy
}

var kinds = []kind{
	{"single", 1, 500, bloom.Geometry{Bits: 4064, Hashes: 6}, 500, catalogue.Must(single.New(single.Paper))},
	{"dual", 2, 500, bloom.Geometry{Bits: 4064, Hashes: 6}, 499, catalogue.Must(dual.New(dual.Paper))},
	{"chain", 5, 100, bloom.Geometry{Bits: 812, Hashes: 6}, 500, catalogue.Must(chain.New(chain.Paper))},
}

// threshold is the number of articles from which a dual filter writes to its second filter too.
const threshold = 300

// users are the memories of users, numbered from 0.
type users interface {
	Seen(user int, candidates []strategies.ID, seen []bool)
	Record(user int, shown []strategies.ID)
}

// A library builds the paper's strategies from public filters. IDs go in the cheapest way that it has: as the hash or as
// eight bytes.
type library struct {
	name  string
	kinds []string
	users func(k kind, n int) users
	// filter makes one filter, which is fed with keys the way that the library's users would feed it: the library hashes
	// them, or else strategies.XXHash does. It is nil if a filter is built of all articles at once.
	filter func(bloom.Geometry) (add func(key []byte), has func(key []byte) bool)
	// made is the geometry that the library makes of one asked for; it has no hashes if they are no parameter.
	made   func(bloom.Geometry) bloom.Geometry
	theory func(bloom.Geometry) float64 // FPR of 500 articles at the geometry made
	random bool                         // it draws random numbers that nobody can seed
	again  bool                         // another way to ask the filters of the library before it
}

var allKinds = []string{"single", "dual", "chain"}

// A maker makes and asks a library's filters of type F, a pointer type. The loops over articles and filters belong to the
// library, so that the compiler can inline its calls.
type maker[F comparable] struct {
	make   func(bloom.Geometry) F
	add    func(filter F, ids []strategies.ID)
	seen   func(filters []F, ids []strategies.ID, seen []bool) // whether any filter has it
	empty  func(filter F) F                                    // the same filter, cleared, or another
	addKey func(filter F, key []byte)                          // nil if the library takes hashes
	hasKey func(filter F, key []byte) bool
}

func inAny[F any](filters []F, ids []strategies.ID, seen []bool, has func(F, strategies.ID) bool) {
	for i, id := range ids {
		seen[i] = false
		for _, f := range filters {
			if has(f, id) {
				seen[i] = true
				break
			}
		}
	}
}

func eight(id strategies.ID) []byte {
	return binary.LittleEndian.AppendUint64(make([]byte, 0, 8), uint64(id))
}

func build[F comparable](name string, m maker[F]) library {
	if m.addKey == nil {
		m.addKey = func(f F, key []byte) { m.add(f, []strategies.ID{strategies.XXHash(key)}) }
		m.hasKey = func(f F, key []byte) bool {
			seen := []bool{false}
			m.seen([]F{f}, []strategies.ID{strategies.XXHash(key)}, seen)
			return seen[0]
		}
	}
	return library{
		name: name, kinds: allKinds,
		users: func(k kind, n int) users {
			return &filters[F]{m, k, make([]F, n*k.links), make([]int32, n)}
		},
		filter: func(g bloom.Geometry) (func([]byte), func([]byte) bool) {
			f := m.make(g)
			return func(key []byte) { m.addKey(f, key) }, func(key []byte) bool { return m.hasKey(f, key) }
		},
		made:   func(asked bloom.Geometry) bloom.Geometry { return asked },
		theory: func(g bloom.Geometry) float64 { return bloom.Exact(items, g) },
	}
}

// filters are the memories of users whose filters lie side by side.
type filters[F comparable] struct {
	maker[F]
	kind
	all   []F
	count []int32 // articles recorded; of a dual filter, in the first filter
}

func (u *filters[F]) of(user int) []F { return u.all[user*u.links : (user+1)*u.links] }

func (u *filters[F]) Seen(user int, candidates []strategies.ID, seen []bool) {
	made := min(u.links, (int(u.count[user])+u.articles-1)/u.articles)
	u.seen(u.of(user)[:made], candidates, seen)
}

func (u *filters[F]) Record(user int, shown []strategies.ID) {
	for len(shown) > 0 {
		count := int(u.count[user])
		links := u.of(user)
		until := u.articles - count%u.articles
		if u.name == "dual" {
			if links = links[:1]; count >= threshold {
				links = links[:2]
			} else {
				until = threshold - count
			}
		} else {
			links = links[count/u.articles%u.links:][:1]
			if count%u.articles == 0 && count >= u.links*u.articles {
				links[0] = u.empty(links[0])
			}
		}
		n := min(len(shown), until)
		for i := range links {
			if links[i] == *new(F) {
				links[i] = u.make(u.asked)
			}
			u.add(links[i], shown[:n])
		}
		shown = shown[n:]
		if count += n; u.name == "dual" && count == u.articles { // the second filter replaces the first
			links[0], links[1] = links[1], *new(F)
			count = u.articles - threshold
		}
		u.count[user] = int32(count)
	}
}

// libraries lists ours, which comes first, and the others.
func libraries() []library {
	blooms := maker[*bits.BloomFilter]{
		make: func(g bloom.Geometry) *bits.BloomFilter { return bits.New(uint(g.Bits), uint(g.Hashes)) },
		add: func(f *bits.BloomFilter, ids []strategies.ID) {
			for _, id := range ids {
				f.Add(eight(id))
			}
		},
		seen: func(all []*bits.BloomFilter, ids []strategies.ID, seen []bool) {
			inAny(all, ids, seen, func(f *bits.BloomFilter, id strategies.ID) bool { return f.Test(eight(id)) })
		},
		empty:  func(f *bits.BloomFilter) *bits.BloomFilter { return f.ClearAll() },
		addKey: func(f *bits.BloomFilter, key []byte) { f.Add(key) },
		hasKey: func(f *bits.BloomFilter, key []byte) bool { return f.Test(key) },
	}
	once := blooms
	once.seen = func(all []*bits.BloomFilter, ids []strategies.ID, seen []bool) {
		for i, id := range ids {
			locations := bits.Locations(eight(id), uint(kinds[2].asked.Hashes))
			seen[i] = slices.ContainsFunc(all, func(f *bits.BloomFilter) bool { return f.TestLocations(locations) })
		}
	}
	hashedOnce := build("bits-and-blooms hashed once", once)
	hashedOnce.kinds, hashedOnce.again = []string{"chain"}, true

	seed := uint64(0)
	holimans := build("holiman", maker[*holiman.Filter]{
		make: func(g bloom.Geometry) *holiman.Filter { // with random keys, as the library does, but of a seed
			seed++
			random, keys := rand.NewPCG(1, seed), make([]uint64, g.Hashes)
			for i := range keys {
				keys[i] = random.Uint64()
			}
			return catalogue.Must(holiman.NewWithKeys(uint64(g.Bits), keys))
		},
		add: func(f *holiman.Filter, ids []strategies.ID) {
			for _, id := range ids {
				f.AddHash(uint64(id))
			}
		},
		seen: func(all []*holiman.Filter, ids []strategies.ID, seen []bool) {
			inAny(all, ids, seen, func(f *holiman.Filter, id strategies.ID) bool { return f.ContainsHash(uint64(id)) })
		},
		empty: func(f *holiman.Filter) *holiman.Filter { return catalogue.Must(f.NewCompatible()) }, // it cannot clear
	})

	// newBoom asks for the articles and the rate of which the library makes a geometry: ⌈log2 1/p⌉ hashes, and
	// ⌈n·|ln p|/(ln 2)²⌉ bits.
	newBoom := func(g bloom.Geometry) *boom.BloomFilter {
		n := math.Round(float64(g.Bits) * math.Ln2 / (float64(g.Hashes) - 0.5))
		return boom.NewBloomFilter(uint(n), math.Exp(-(float64(g.Bits)-0.5)*math.Ln2*math.Ln2/n))
	}
	booms := build("BoomFilters", maker[*boom.BloomFilter]{
		make: newBoom,
		add: func(f *boom.BloomFilter, ids []strategies.ID) {
			for _, id := range ids {
				f.Add(eight(id))
			}
		},
		seen: func(all []*boom.BloomFilter, ids []strategies.ID, seen []bool) {
			inAny(all, ids, seen, func(f *boom.BloomFilter, id strategies.ID) bool { return f.Test(eight(id)) })
		},
		empty:  func(f *boom.BloomFilter) *boom.BloomFilter { return f.Reset() },
		addKey: func(f *boom.BloomFilter, key []byte) { f.Add(key) },
		hasKey: func(f *boom.BloomFilter, key []byte) bool { return f.Test(key) },
	})
	booms.made = func(g bloom.Geometry) bloom.Geometry {
		return bloom.Geometry{Bits: int(newBoom(g).Capacity()), Hashes: int(newBoom(g).K())}
	}

	ristretto := build("ristretto", maker[*z.Bloom]{
		make: func(g bloom.Geometry) *z.Bloom { return z.NewBloomFilter(float64(g.Bits), float64(g.Hashes)) },
		add: func(f *z.Bloom, ids []strategies.ID) {
			for _, id := range ids {
				f.Add(uint64(id))
			}
		},
		seen: func(all []*z.Bloom, ids []strategies.ID, seen []bool) {
			inAny(all, ids, seen, func(f *z.Bloom, id strategies.ID) bool { return f.Has(uint64(id)) })
		},
		empty: func(f *z.Bloom) *z.Bloom { f.Clear(); return f },
	})
	ristretto.made = func(g bloom.Geometry) bloom.Geometry {
		return bloom.Geometry{Bits: max(512, powerOfTwo(g.Bits)), Hashes: g.Hashes}
	}

	slots := func(g bloom.Geometry) int { return powerOfTwo((g.Bits + 7) / 8) } // fingerprints of a byte
	cuckoos := build("cuckoofilter", maker[*cuckoo.Filter]{
		make: func(g bloom.Geometry) *cuckoo.Filter { return cuckoo.NewFilter(uint(slots(g))) },
		add: func(f *cuckoo.Filter, ids []strategies.ID) {
			for _, id := range ids {
				f.Insert(eight(id)) // if it finds no place, the fingerprint of another article is lost
			}
		},
		seen: func(all []*cuckoo.Filter, ids []strategies.ID, seen []bool) {
			inAny(all, ids, seen, func(f *cuckoo.Filter, id strategies.ID) bool { return f.Lookup(eight(id)) })
		},
		empty:  func(f *cuckoo.Filter) *cuckoo.Filter { f.Reset(); return f },
		addKey: func(f *cuckoo.Filter, key []byte) { f.Insert(key) },
		hasKey: func(f *cuckoo.Filter, key []byte) bool { return f.Lookup(key) },
	})
	cuckoos.random = true
	cuckoos.made = func(g bloom.Geometry) bloom.Geometry { return bloom.Geometry{Bits: 8 * slots(g)} }
	// Each of the fingerprints in two buckets of four equals the unseen article's with probability 1/255 (Fan et al.,
	// "Cuckoo filter: practically better than Bloom", 2014, §5.1), at the mean load.
	cuckoos.theory = func(g bloom.Geometry) float64 {
		load := min(1, float64(items)/float64(g.Bits/8))
		return -math.Expm1(2 * 4 * load * math.Log1p(-1./255))
	}

	fuse := library{
		name: "binary fuse", kinds: []string{"single"},
		users: func(_ kind, n int) users { return make(fuses, n) },
		made: func(bloom.Geometry) bloom.Geometry {
			one := make(fuses, 1)
			one.Record(0, stopwatch.Candidates(1)[:items])
			return bloom.Geometry{Bits: 8 * len(one[0].Fingerprints)}
		},
		theory: func(bloom.Geometry) float64 { return 1. / 256 },
	}
	return []library{
		ours(), build("bits-and-blooms", blooms), hashedOnce, holimans, booms, ristretto, cuckoos, fuse,
	}
}

func powerOfTwo(n int) int { return 1 << mathbits.Len(uint(n-1)) }

// fuses are binary fuse filters. One cannot be added to: Record replaces it by a filter of the given articles.
type fuses []*xorfilter.BinaryFuse[uint8]

func (f fuses) Seen(user int, candidates []strategies.ID, seen []bool) {
	for i, id := range candidates {
		seen[i] = f[user].Contains(uint64(id))
	}
}

func (f fuses) Record(user int, shown []strategies.ID) {
	keys := make([]uint64, len(shown)) // the library may reorder them
	for i, id := range shown {
		keys[i] = uint64(id)
	}
	f[user] = catalogue.Must(xorfilter.NewBinaryFuse[uint8](keys))
}

// ours is the suite as a library: its single filter of any geometry, and its strategies.
func ours() library {
	l := build(standing.Ours, maker[*histories]{
		make: func(g bloom.Geometry) *histories {
			s := catalogue.Must(single.New(single.Config{Capacity: items, Geometry: g}))
			return &histories{kind{ours: s}, make([][]byte, 1), make([]int, 1)}
		},
		add:  func(h *histories, ids []strategies.ID) { h.Record(0, ids) },
		seen: func(all []*histories, ids []strategies.ID, seen []bool) { all[0].Seen(0, ids, seen) },
	})
	l.users = func(k kind, n int) users { return &histories{k, make([][]byte, n), make([]int, n)} }
	return l
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
