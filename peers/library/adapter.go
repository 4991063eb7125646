package library

import (
	"encoding/binary"

	"dejavu/bloom"
	"dejavu/strategies"
)

// An adapter is how a library's filters of type F, a pointer type, are made and asked.
type adapter[F comparable] struct {
	make  func(bloom.Geometry) F
	add   func(filter F, ids []strategies.ID)
	seen  func(filters []F, ids []strategies.ID, seen []bool) // is it in any?
	empty func(filter F) F                                    // the same one, cleared, or another

	// Of a library that hashes keys itself; nil where it takes hashes.
	addKey func(filter F, key []byte)
	hasKey func(filter F, key []byte) bool
}

// addEach and inAny are the loops of add and seen. Called with a function by its name,
// they are inlined together with it, so that each library's filters are called statically.
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

// eight is an ID as eight bytes, for libraries that hash bytes.
func eight(id strategies.ID) (key [8]byte) {
	binary.LittleEndian.PutUint64(key[:], uint64(id))
	return key
}

// build fills in a library's filters and the three strategies.
func (a *adapter[F]) build(l Library) Library {
	l.New = func(g bloom.Geometry) Filter { return a.byKey(a.make(g)) }
	l.Singles = func(users int) Users { return &singles[F]{a, make([]F, users)} }
	l.Duals = func(users int) Users { return &duals[F]{a, make([]pair[F], users)} }
	l.Chains = func(users int) Users { return &chains[F]{a, make([]ring[F], users)} }
	return l
}

// byKey is a filter that is given keys.
func (a *adapter[F]) byKey(f F) Filter {
	if a.addKey != nil {
		return Filter{
			func(key []byte) { a.addKey(f, key) },
			func(key []byte) bool { return a.hasKey(f, key) },
		}
	}
	return Filter{
		func(key []byte) { a.add(f, []strategies.ID{strategies.XXHash(key)}) },
		func(key []byte) bool {
			var seen [1]bool
			a.seen([]F{f}, []strategies.ID{strategies.XXHash(key)}, seen[:])
			return seen[0]
		},
	}
}
