// Package library puts public filter libraries behind one face, so that the
// paper's strategies can be built from each the way an engineer would build
// them, and be compared with ours.
//
// Nothing of a library is changed or copied. Each gets the geometry that it is
// asked for where its interface allows that, and Library.Rounds says where not.
// An article's 64-bit ID goes in the cheapest way the interface has: as the
// hash where it takes one, as eight bytes otherwise. A reader's memory is held
// as such an engineer would hold it: pointers to the library's filters, one
// slice of them per reader for a chain.
//
// The cost of the face is one dynamic call a request, as in package strategies:
// loops over articles and links are written out per library, with static calls.
package library

import (
	"encoding/binary"

	"dejavu/bloom"
	"dejavu/strategies"
)

// A Filter is one filter of a library.
type Filter interface {
	// Add makes the filter hold an article.
	Add(id strategies.ID)

	// Has reports whether it holds the article, or takes it for one it holds.
	Has(id strategies.ID) bool

	// AddKey and HasKey are Add and Has of an article's key, as the library's
	// users would feed it: hashed by the library where it hashes, and otherwise
	// by strategies.XXHash.
	AddKey(key []byte)
	HasKey(key []byte) bool

	// Empty returns a filter that holds nothing: the same one, cleared, or
	// another where the library cannot clear.
	Empty() Filter
}

// Users are the memories of so many readers, numbered from 0, all of one kind.
// They are not safe for concurrent use on the same reader.
type Users interface {
	// Seen sets seen[i] where the reader's memory holds candidates[i].
	Seen(user int, candidates []strategies.ID, seen []bool)

	// Record adds the articles just shown, oldest first.
	Record(user int, shown []strategies.ID)

	// Forget makes the reader a newcomer, whose memory may be kept for reuse.
	Forget(user int)
}

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

	// Geometry is what the library makes of the geometry asked for. Its zero
	// value says that the library's structure has other parameters.
	Geometry func(asked bloom.Geometry) bloom.Geometry

	// Bits is how many bits a filter's table really has.
	Bits func(asked bloom.Geometry) int

	// FPR is what theory says of one filter of n articles.
	FPR func(asked bloom.Geometry, n int) float64

	// New makes one filter; nil where the library's are built at once, of all
	// articles.
	New func(asked bloom.Geometry) Filter

	// Singles, Duals and Chains make the strategies of the paper for so many
	// readers; nil where the library has no way.
	Singles, Duals, Chains func(users int) Users

	// Static says that Record builds the memory anew, of the articles it is
	// given alone.
	Static bool

	// Like names the library whose filters these are, asked in another way: in
	// memory and in false positives they do not differ. Empty for most.
	Like string

	// Random says that the library draws random numbers that nobody can seed.
	Random bool
}

// operations are one library's on filters of type F, a pointer type.
type operations[F any] struct {
	make  func(bloom.Geometry) F
	add   func(filter F, ids []strategies.ID)
	seen  func(filters []F, ids []strategies.ID, seen []bool) // is it in any?
	empty func(filter F) F                                    // as Filter.Empty
}

// strategiesOf fills in the three strategies.
func strategiesOf[F comparable](l Library, ops operations[F]) Library {
	o := &ops
	l.Singles = func(users int) Users { return &singles[F]{ops: o, users: make([]F, users)} }
	l.Duals = func(users int) Users { return &duals[F]{ops: o, users: make([]pair[F], users)} }
	l.Chains = func(users int) Users { return &chains[F]{ops: o, users: make([]ring[F], users)} }
	return l
}

// bloomTheory fills in what follows from a Bloom filter's geometry.
func bloomTheory(l Library) Library {
	l.Bits = func(asked bloom.Geometry) int { return l.Geometry(asked).Bits }
	l.FPR = func(asked bloom.Geometry, n int) float64 { return bloom.Exact(n, l.Geometry(asked)) }
	return l
}

// kept is the Geometry of a library that rounds nothing.
func kept(asked bloom.Geometry) bloom.Geometry { return asked }

// eight is an ID as eight bytes, for libraries that hash bytes.
func eight(id strategies.ID) (key [8]byte) {
	binary.LittleEndian.PutUint64(key[:], uint64(id))
	return key
}

// All lists the libraries, new ones at each call.
func All() []Library {
	return []Library{bitsAndBlooms(), hashedOnce(), holiman(), boomFilters(), ristretto(), cuckoo(), fuse()}
}
