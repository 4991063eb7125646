// Package library puts public filter libraries behind one interface, so that the paper's strategies can be
// built from each the way an engineer would build them, and be compared with ours.
//
// Nothing of a library is changed or copied. Each gets the geometry that it is asked for where its interface
// allows that, and Library.Rounds says where not. An article's 64-bit ID goes in the cheapest way the
// interface has: as the hash where it takes one, as eight bytes otherwise. A user's memory is held as such an
// engineer would hold it: pointers to the library's filters, one slice of them per user for a chain.
//
// The cost of the interface is one dynamic call a request, as in package strategies:
// the loops over articles and links call a library's filters statically.
package library

import (
	"runtime/debug"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
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

// Users are the memories of so many users, numbered from 0, all of one kind.
// They are not safe for concurrent use on the same user.
type Users interface {
	// Seen sets seen[i] where the user's memory holds candidates[i].
	Seen(user int, candidates []strategies.ID, seen []bool)

	// Record adds the articles just shown, oldest first.
	Record(user int, shown []strategies.ID)
}

// A Forgetter makes a user a newcomer, whose memory may be kept for reuse. Users of single
// filters, which fill up, are Forgetters.
type Forgetter interface{ Forget(user int) }

// The paper's parameters.
const (
	links     = 5
	perLink   = 100
	capacity  = 500
	threshold = 300
)

// The geometries of the paper: one filter for 500 articles (§5), which serves
// the dual filter too (§6), and a link of the chain for 100 (§7).
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
	Users map[string]func(users int) Users

	// Static says that Record builds the memory anew, of the articles it is given alone.
	Static bool

	// Like names the library whose filters these are, asked in another way: in
	// memory and in false positives they do not differ. Empty for most.
	Like string

	// Random says that the library draws random numbers that nobody can seed.
	Random bool

	round func(asked bloom.Geometry) bloom.Geometry // nil where Geometry is what was asked for
	fpr   func(asked bloom.Geometry, n int) float64 // nil for a Bloom filter of Geometry
}

// Geometry is what the library makes of the geometry asked for: how many bits a filter
// really has, and 0 hashes where its structure has other parameters.
func (l Library) Geometry(asked bloom.Geometry) bloom.Geometry {
	if l.round == nil {
		return asked
	}
	return l.round(asked)
}

// FPR is what theory says of one filter of n articles.
func (l Library) FPR(asked bloom.Geometry, n int) float64 {
	if l.fpr == nil {
		return bloom.Exact(n, l.Geometry(asked))
	}
	return l.fpr(asked, n)
}

// All lists the libraries, new ones at each call.
func All() []Library {
	return []Library{bitsAndBlooms(), hashedOnce(), holiman(), boomFilters(), ristretto(), cuckoo(), fuse()}
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
	{"single", must(single.New(single.Paper)), capacity, true},
	{"dual", must(dual.New(dual.Paper)), capacity - 1, false},
	{"chain", must(chain.New(chain.Paper)), capacity, false},
}

// module is a module's path and the version that this program is built with,
// where the build tells: a test binary does not.
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
			return newHistories(must(single.New(single.Config{Capacity: capacity, Geometry: g})), 1)
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

func newHistories(s strategies.Strategy, users int) *histories { return &histories{s, make([][]byte, users)} }

func (h *histories) Seen(user int, candidates []strategies.ID, seen []bool) {
	h.strategy.Seen(h.users[user], candidates, seen)
}

func (h *histories) Record(user int, shown []strategies.ID) { h.users[user] = h.strategy.Record(h.users[user], shown) }

func (h *histories) Forget(user int) { h.users[user] = h.users[user][:0] }

// Stored are the memories of a strategy of ours in the suite's store, where
// millions lie side by side, and users are safe from each other.
type Stored struct{ *store.Store[int] }

// NewStored makes the store.
func NewStored(s strategies.Strategy, users int) Stored {
	return Stored{must(store.New[int](store.Config{Unsalted: true, Strategy: s, Users: users}))}
}

// Seen asks the store.
func (s Stored) Seen(user int, candidates []strategies.ID, seen []bool) { s.Store.Seen(user, 0, candidates, seen) }

// Record tells the store.
func (s Stored) Record(user int, shown []strategies.ID) { s.Store.Record(user, 0, shown) }
