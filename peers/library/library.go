// Package library puts public filter libraries behind one interface, so that the paper's strategies can be
// built from each the way an engineer would build them, and be compared with ours.
//
// Nothing of a library is changed or copied. Each gets the geometry asked for where its interface allows that,
// and Library.Rounds says where not. An ID goes in the cheapest way there is: as the hash, or as eight bytes. A user's
// memory is held as such an engineer would: pointers to filters, one slice of them per user for a chain.
//
// The interface costs a dynamic call a request: the loops over articles and links call a library's filters statically.
package library

import (
	"encoding/binary"
	"runtime/debug"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/single"
	"dejavu/store"
	"dejavu/strategies"
)

// A Filter is one filter of a library, asked about articles by their keys, as the library's users would feed
// it: hashed by the library where it hashes, and otherwise by strategies.XXHash.
type Filter struct {
	Add func(key []byte)
	Has func(key []byte) bool
}

// Users are the memories of so many users, numbered from 0, all of one kind, each for one goroutine at a time.
type Users interface {
	// Seen sets seen[i] where the user's memory holds candidates[i].
	Seen(user int, candidates []strategies.ID, seen []bool)
	Record(user int, shown []strategies.ID) // adds the articles just shown, oldest first
}

// A Forgetter makes a user a newcomer, and may reuse the memory. Users of single filters, which fill up, are some.
type Forgetter interface{ Forget(user int) }

// The paper's parameters.
const (
	links     = 5
	perLink   = 100
	capacity  = 500
	threshold = 300
)

// The paper's geometries: a filter for 500 articles (§5), of the dual filter too (§6), and a chain's link for 100 (§7).
var (
	One  = bloom.Geometry{Bits: 4064, Hashes: 6}
	Link = bloom.Geometry{Bits: 812, Hashes: 6}
)

// A Library is one way to build the paper's strategies.
type Library struct {
	Name   string // short, for tables
	Module string // path and version
	Takes  string // how articles go in
	Rounds string // what becomes of the geometry asked for; empty where it is kept
	// New makes one filter; nil where the library's are built at once, of all articles.
	New func(asked bloom.Geometry) Filter
	// Users makes the memories of so many users, by the names of Kinds that the library has a way for.
	Users  map[string]func(users int) Users
	Static bool // Record builds the memory anew, of the articles it is given alone
	// Like names the library whose filters these are, asked in another way: memory and false positives do not differ.
	Like   string
	Random bool // the library draws random numbers that nobody can seed
	// Geometry is what the library makes of the geometry asked for: how many bits a filter really has, and 0 hashes where
	// its structure has other parameters. FPR is what theory says of one filter of n articles.
	Geometry func(asked bloom.Geometry) bloom.Geometry
	FPR      func(asked bloom.Geometry, n int) float64
}

// All lists the libraries, new ones at each call.
func All() []Library {
	return append(bitsAndBlooms(), holiman(), boomFilters(), ristretto(), cuckoo(), fuse())
}

// A Kind is one of the paper's strategies.
type Kind struct {
	Name  string
	Ours  strategies.Strategy // in the paper's configuration
	Shown int                 // articles after which a user's memory is fullest
	Wears bool                // whether it fills up, and must be emptied to go on
}

// Kinds are the single filter, the dual filter just before the slave takes over, and the chain.
var Kinds = []Kind{
	{"single", catalogue.Must(single.New(single.Paper)), capacity, true},
	{"dual", catalogue.Must(dual.New(dual.Paper)), capacity - 1, false},
	{"chain", catalogue.Must(chain.New(chain.Paper)), capacity, false},
}

// module is a path and the version that this program is built with, where the build tells: a test binary does not.
func module(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == path {
				return path + " " + m.Version
			}
		}
	}
	return path
}

// Ours is the suite as a library of some name: its single filter of any geometry, and its strategies.
func Ours(name string) Library {
	a := &adapter[*histories]{
		make: func(g bloom.Geometry) *histories {
			return newHistories(catalogue.Must(single.New(single.Config{Capacity: capacity, Geometry: g})), 1)
		},
		add:  func(h *histories, ids []strategies.ID) { h.Record(0, ids) },
		seen: func(all []*histories, ids []strategies.ID, seen []bool) { all[0].Seen(0, ids, seen) },
	}
	l := a.build(Library{Name: name})
	for _, k := range Kinds {
		l.Users[k.Name] = func(users int) Users { return newHistories(k.Ours, users) }
	}
	return l
}

// histories are the memories of a strategy of ours, a slice per user: what a caller who keeps the bytes himself has.
type histories struct {
	strategy strategies.Strategy
	users    [][]byte
}

func newHistories(s strategies.Strategy, users int) *histories {
	return &histories{s, make([][]byte, users)}
}

func (h *histories) Seen(user int, candidates []strategies.ID, seen []bool) {
	h.strategy.Seen(h.users[user], candidates, seen)
}

func (h *histories) Record(user int, shown []strategies.ID) {
	h.users[user] = h.strategy.Record(h.users[user], shown)
}

func (h *histories) Forget(user int) { h.users[user] = h.users[user][:0] }

// Stored are the memories of a strategy of ours in the suite's store, side by side, and users safe from each other.
type Stored struct{ *store.Store[int] }

// NewStored makes the store.
func NewStored(s strategies.Strategy, users int) Stored {
	return Stored{catalogue.Must(store.New[int](store.Config{Unsalted: true, Strategy: s, Users: users}))}
}

// Seen asks the store.
func (s Stored) Seen(user int, candidates []strategies.ID, seen []bool) {
	s.Store.Seen(user, 0, candidates, seen[:0])
}

// Record tells the store.
func (s Stored) Record(user int, shown []strategies.ID) { s.Store.Record(user, 0, shown) }

// singles is one filter per user (§5), the zero F while there is none.
type singles[F comparable] struct {
	*adapter[F]
	users []F
}

func (s *singles[F]) made(user int) []F {
	if s.users[user] == *new(F) {
		return nil
	}
	return s.users[user : user+1]
}

func (s *singles[F]) Seen(user int, candidates []strategies.ID, seen []bool) {
	s.seen(s.made(user), candidates, seen)
}

func (s *singles[F]) Record(user int, shown []strategies.ID) {
	if s.made(user) == nil {
		s.users[user] = s.make(One)
	}
	s.add(s.users[user], shown)
}

func (s *singles[F]) Forget(user int) {
	for _, f := range s.made(user) {
		s.users[user] = s.empty(f)
	}
}

// pair is a user's master and slave (§6), the slave there from the threshold on.
type pair[F comparable] struct {
	filters [2]F // the master first
	count   int  // articles in the master
}

type duals[F comparable] struct {
	*adapter[F]
	users []pair[F]
}

func (d *duals[F]) Seen(user int, candidates []strategies.ID, seen []bool) {
	p := &d.users[user]
	d.seen(p.filters[:min(p.count, 1)], candidates, seen)
}

func (d *duals[F]) Record(user int, shown []strategies.ID) {
	p := &d.users[user]
	for len(shown) > 0 {
		if p.count == 0 {
			p.filters[0] = d.make(One)
		}
		to, until := p.filters[:1], threshold
		if p.count >= threshold {
			to, until = p.filters[:], capacity
		}
		n := min(len(shown), until-p.count)
		for _, f := range to {
			d.add(f, shown[:n])
		}
		p.count += n
		shown = shown[n:]
		switch p.count {
		case threshold:
			p.filters[1] = d.make(One)
		case capacity: // the old master is garbage
			var none F
			p.filters = [2]F{p.filters[1], none}
			p.count = capacity - threshold
		}
	}
}

// ring is a user's chain (§7), head and all of it queried.
type ring[F comparable] struct {
	links       []F
	head, count int32 // the link that fills, and the articles in it
}

type chains[F comparable] struct {
	*adapter[F]
	users []ring[F]
}

func (c *chains[F]) Seen(user int, candidates []strategies.ID, seen []bool) {
	c.seen(c.users[user].links, candidates, seen)
}

func (c *chains[F]) Record(user int, shown []strategies.ID) {
	r := &c.users[user]
	for len(shown) > 0 {
		switch {
		case r.links == nil:
			r.links = append(make([]F, 0, links), c.make(Link))
		case r.count < perLink:
		case len(r.links) < links:
			r.links = append(r.links, c.make(Link))
			r.head, r.count = int32(len(r.links)-1), 0
		default:
			r.head, r.count = (r.head+1)%links, 0
			r.links[r.head] = c.empty(r.links[r.head])
		}
		n := min(len(shown), perLink-int(r.count))
		c.add(r.links[r.head], shown[:n])
		r.count += int32(n)
		shown = shown[n:]
	}
}

// An adapter is how a library's filters of type F, a pointer type, are made and asked.
type adapter[F comparable] struct {
	make   func(bloom.Geometry) F
	add    func(filter F, ids []strategies.ID)
	seen   func(filters []F, ids []strategies.ID, seen []bool) // is it in any?
	empty  func(filter F) F                                    // the same one, cleared, or another
	addKey func(filter F, key []byte)                          // nil where it takes hashes
	hasKey func(filter F, key []byte) bool
}

// addEach and inAny are the loops of add and seen. Called with a function by its name, they are inlined together with
// it, so that each library's filters are called statically.
func addEach[F any](filter F, ids []strategies.ID, add func(F, strategies.ID)) {
	for _, id := range ids {
		add(filter, id)
	}
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

func (a *adapter[F]) build(l Library) Library {
	if l.Geometry == nil { // it is as asked for
		l.Geometry = func(asked bloom.Geometry) bloom.Geometry { return asked }
	}
	if l.FPR == nil { // it is that of a Bloom filter
		l.FPR = func(asked bloom.Geometry, n int) float64 { return bloom.Exact(n, l.Geometry(asked)) }
	}
	if a.addKey == nil {
		a.addKey = func(f F, key []byte) { a.add(f, []strategies.ID{strategies.XXHash(key)}) }
		a.hasKey = func(f F, key []byte) bool {
			var seen [1]bool
			a.seen([]F{f}, []strategies.ID{strategies.XXHash(key)}, seen[:])
			return seen[0]
		}
	}
	l.New = func(g bloom.Geometry) Filter {
		f := a.make(g)
		return Filter{func(key []byte) { a.addKey(f, key) }, func(key []byte) bool { return a.hasKey(f, key) }}
	}
	l.Users = map[string]func(users int) Users{
		"single": func(users int) Users { return &singles[F]{a, make([]F, users)} },
		"dual":   func(users int) Users { return &duals[F]{a, make([]pair[F], users)} },
		"chain":  func(users int) Users { return &chains[F]{a, make([]ring[F], users)} },
	}
	return l
}
