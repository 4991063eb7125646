package main

import (
	"math"
	mathbits "math/bits"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	bits "github.com/bits-and-blooms/bloom/v3"
	"github.com/dgraph-io/ristretto/v2/z"
	boom "github.com/tylertreat/BoomFilters"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/store"
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
	{"chain", 5, 100, bloom.Geometry{Bits: 812, Hashes: 6}, must(chain.New(chain.Paper))},
}

// memories holds the memories of users, numbered from 0, who are shown a question's keys.
type memories interface {
	record(user, from, to int)
	seen(user, from, to int, seen []bool)
}

// A library of Go builds the paper's strategies from its filters.
type library struct {
	name  string
	kinds string                              // names of the kinds that are built
	users func(kind, question, int) memories  // of n users
	made  func(bloom.Geometry) bloom.Geometry // what the library makes of a geometry
}

// A maker makes, fills and asks a library's filters of type F, a pointer type, with keys of type K: bytes if the
// library hashes them, or else their hashes.
type maker[F comparable, K any] struct {
	keys  func(question) []K
	make  func(bloom.Geometry) F
	add   func(F, K)
	has   func(F, K) bool
	clear func(F) F                     // returns the same filter, or another
	any   func(filters []F, key K) bool // nil, or reports whether any filter has the key
}

func bytes(q question) [][]byte         { return q.keys }
func hashes(q question) []strategies.ID { return q.ids }

func build[F comparable, K any](name, kinds string, m maker[F, K]) library {
	return library{
		name: name, kinds: kinds,
		users: func(k kind, q question, n int) memories {
			return &filters[F, K]{m, k, m.keys(q), make([]F, n*k.links), make([]mark, n)}
		},
		made: func(asked bloom.Geometry) bloom.Geometry { return asked },
	}
}

// filters holds users' filters side by side.
type filters[F comparable, K any] struct {
	maker[F, K]
	kind
	keys  []K
	all   []F // the zero F before its first article
	marks []mark
}

// A mark is the filter of a user that takes articles, and how many it holds.
type mark struct{ active, count int }

func (u *filters[F, K]) seen(user, from, to int, seen []bool) {
	links := u.all[user*u.links:][:u.links]
	if last := slices.Index(links, *new(F)); last >= 0 {
		links = links[:last]
	}
	for i, key := range u.keys[from:to] {
		if u.any != nil {
			seen[i] = u.any(links, key)
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

func (u *filters[F, K]) record(user, from, to int) {
	links, m := u.all[user*u.links:][:u.links], &u.marks[user]
	for _, key := range u.keys[from:to] {
		if m.count == u.articles {
			m.active, m.count = (m.active+1)%u.links, 0
			if links[m.active] != *new(F) {
				links[m.active] = u.clear(links[m.active])
			}
		}
		if links[m.active] == *new(F) {
			links[m.active] = u.make(u.asked)
		}
		u.add(links[m.active], key)
		m.count++
	}
}

// libraries lists ours, which comes first, and the others of Go.
func libraries() []library {
	blooms := maker[*bits.BloomFilter, []byte]{
		keys:  bytes,
		make:  func(g bloom.Geometry) *bits.BloomFilter { return bits.New(uint(g.Bits), uint(g.Hashes)) },
		add:   func(f *bits.BloomFilter, key []byte) { f.Add(key) },
		has:   (*bits.BloomFilter).Test,
		clear: (*bits.BloomFilter).ClearAll,
	}
	once := blooms
	once.any = func(all []*bits.BloomFilter, key []byte) bool {
		locations := bits.Locations(key, 6)
		return slices.ContainsFunc(all, func(f *bits.BloomFilter) bool { return f.TestLocations(locations) })
	}

	// newBoom asks for the articles and the rate from which the library derives a geometry: ⌈log2 1/p⌉ hashes, and
	// ⌈n·|ln p|/(ln 2)²⌉ bits.
	newBoom := func(g bloom.Geometry) *boom.BloomFilter {
		n := math.Round(float64(g.Bits) * math.Ln2 / (float64(g.Hashes) - 0.5))
		return boom.NewBloomFilter(uint(n), math.Exp(-(float64(g.Bits)-0.5)*math.Ln2*math.Ln2/n))
	}
	booms := build("BoomFilters", "single chain", maker[*boom.BloomFilter, []byte]{
		keys:  bytes,
		make:  newBoom,
		add:   func(f *boom.BloomFilter, key []byte) { f.Add(key) },
		has:   (*boom.BloomFilter).Test,
		clear: (*boom.BloomFilter).Reset,
	})
	booms.made = func(g bloom.Geometry) bloom.Geometry {
		return bloom.Geometry{Bits: int(newBoom(g).Capacity()), Hashes: int(newBoom(g).K())}
	}

	ristretto := build("ristretto", "single chain", maker[*z.Bloom, strategies.ID]{
		keys:  hashes,
		make:  func(g bloom.Geometry) *z.Bloom { return z.NewBloomFilter(float64(g.Bits), float64(g.Hashes)) },
		add:   func(f *z.Bloom, id strategies.ID) { f.Add(uint64(id)) },
		has:   func(f *z.Bloom, id strategies.ID) bool { return f.Has(uint64(id)) },
		clear: func(f *z.Bloom) *z.Bloom { f.Clear(); return f },
	})
	ristretto.made = func(g bloom.Geometry) bloom.Geometry { // a power of two
		return bloom.Geometry{Bits: max(512, 1<<mathbits.Len(uint(g.Bits-1))), Hashes: g.Hashes}
	}
	return []library{
		ours, build("bits-and-blooms", "single chain", blooms), build("bits-and-blooms hashed once", "chain", once),
		booms, ristretto,
	}
}

// ours is the suite as a library.
var ours = library{
	name: "dejavu", kinds: "single chain",
	users: func(k kind, q question, n int) memories {
		return &histories{k, q.ids, make([][]byte, n), make([]int, n)}
	},
	made: func(asked bloom.Geometry) bloom.Geometry { return asked },
}

// histories holds memories of a strategy of ours, a slice per user. A full single filter is emptied.
type histories struct {
	kind
	ids   []strategies.ID
	users [][]byte
	count []int
}

func (h *histories) seen(user, from, to int, seen []bool) {
	h.ours.Seen(h.users[user], h.ids[from:to], seen)
}

func (h *histories) record(user, from, to int) {
	if h.links == 1 && h.count[user] == h.articles {
		h.users[user], h.count[user] = h.users[user][:0], 0
	}
	h.users[user] = h.ours.Record(h.users[user], h.ids[from:to])
	h.count[user] += to - from
}

// goSubjects lists the strategies built from libraries of Go, ours first of each kind.
func goSubjects() (all []*subject) {
	for _, k := range kinds {
		for _, l := range libraries() {
			if !strings.Contains(l.kinds, k.name) {
				continue
			}
			sub := &subject{library: l.name, name: l.name + " " + k.name, kind: k, made: l.made(k.asked)}
			if l.name == ours.name {
				sub.name = l.name + "/" + k.name
			}
			sub.ask = func(q question) (answer, error) { return l.ask(k, q), nil }
			sub.weigh = func(q question) ([]results.Row, error) { return l.weigh(k, sub.name, q), nil }
			all = append(all, sub)
		}
	}
	return all
}

// ask answers a question in this process, as the programs of other languages do.
func (l library) ask(k kind, q question) answer {
	users, seen := l.users(k, q, q.users), make([]bool, len(q.keys)-q.shown)
	begin := time.Now()
	show(users, q)
	middle := time.Now()
	for at := 0; at < len(seen); at += request {
		users.seen(at/request%q.users, q.shown+at, q.shown+at+request, seen[at:at+request])
	}
	return answer{recorded: float64(middle.Sub(begin)), asked: float64(time.Since(middle)), seen: seen}
}

// show records the articles of a question.
func show(users memories, q question) {
	for u := range q.users {
		for at := 0; at < q.each; at += q.batch {
			from := (u*q.each + at) % q.shown
			users.record(u, from, from+q.batch)
		}
	}
}

// stored holds memories of a strategy of ours in the suite's store, outside Go's heap.
type stored struct {
	*store.Store[int]
	ids []strategies.ID
}

func (s stored) seen(int, int, int, []bool) {} // only their size is asked
func (s stored) record(user, from, to int)  { s.Record(user, 0, s.ids[from:to]) }

// weigh makes the memories of a question's users, and returns the rows of the bytes and objects that they take.
func (l library) weigh(k kind, name string, q question) []results.Row {
	before := heap()
	all, outside := l.users(k, q, q.users), func() int64 { return 0 }
	if l.name == ours.name {
		s := must(store.New[int](store.Config{Unsalted: true, Strategy: k.ours, Users: q.users}))
		all, outside = stored{s, q.ids}, func() int64 { return s.Stats().Slabs }
	}
	show(all, q)
	after := heap()
	defer runtime.KeepAlive(all)
	each := func(quantity, unit string, v float64) results.Row {
		n := float64(q.users)
		return number(name, quantity, unit, max(0, v/n), by.Users.At(n))
	}
	return []results.Row{
		each(results.QBytesPerUser, results.Bytes, float64(after.HeapAlloc)-float64(before.HeapAlloc)+float64(outside())),
		each(results.QObjectsPerUser, "", float64(after.HeapObjects)-float64(before.HeapObjects)),
	}
}

// heap returns the live memory. The second collection sweeps what the first found.
func heap() (m runtime.MemStats) {
	runtime.GC()
	debug.FreeOSMemory()
	runtime.ReadMemStats(&m)
	return m
}
