package library

import (
	"encoding/binary"

	"dejavu/bloom"
	"dejavu/strategies"
)

// singles is one filter per user (§5), the zero F while there is none.
type singles[F comparable] struct {
	*adapter[F]
	users []F
}

func (s *singles[F]) newcomer(user int) bool {
	var none F
	return s.users[user] == none
}

func (s *singles[F]) Seen(user int, candidates []strategies.ID, seen []bool) {
	if s.newcomer(user) {
		clear(seen)
		return
	}
	s.seen(s.users[user:user+1], candidates, seen)
}

func (s *singles[F]) Record(user int, shown []strategies.ID) {
	if s.newcomer(user) {
		s.users[user] = s.make(One)
	}
	s.add(s.users[user], shown)
}

func (s *singles[F]) Forget(user int) {
	if !s.newcomer(user) {
		s.users[user] = s.empty(s.users[user])
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
	if p.count == 0 {
		clear(seen)
		return
	}
	d.seen(p.filters[:1], candidates, seen)
}

func (d *duals[F]) Record(user int, shown []strategies.ID) {
	p := &d.users[user]
	for len(shown) > 0 {
		if p.count == 0 {
			p.filters[0] = d.make(One)
		}
		until := threshold
		if p.count >= threshold {
			until = capacity
		}
		n := min(len(shown), until-p.count)
		d.add(p.filters[0], shown[:n])
		if p.count >= threshold {
			d.add(p.filters[1], shown[:n])
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
	r := &c.users[user]
	if len(r.links) == 0 {
		clear(seen)
		return
	}
	c.seen(r.links, candidates, seen)
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
	make  func(bloom.Geometry) F
	add   func(filter F, ids []strategies.ID)
	seen  func(filters []F, ids []strategies.ID, seen []bool) // is it in any?
	empty func(filter F) F                                    // the same one, cleared, or another

	// Of a library that hashes keys itself; nil where it takes hashes.
	addKey func(filter F, key []byte)
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

// eight is an ID as eight bytes, for libraries that hash bytes.
func eight(id strategies.ID) []byte { return binary.LittleEndian.AppendUint64(make([]byte, 0, 8), uint64(id)) }

// build fills in a library's filters and the three strategies.
func (a *adapter[F]) build(l Library) Library {
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
