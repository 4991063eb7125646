package matrix

import (
	"slices"

	"dejavu/internal/cycle"
	"dejavu/internal/garbage"
	"dejavu/strategies"
)

// Record adds the articles to the active link. When that is full, it is solved and replaces the oldest link.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := f.load(history)
	// The last of two cycles drops all before, so a longer list is cut by whole cycles.
	cycle := f.Links * f.Articles
	if over := len(shown) - 2*cycle; over > 0 {
		shown = shown[over/cycle*cycle:]
	}
	room := garbage.Fill(rooms.Get().(*workroom))
	defer rooms.Put(room)
	keys, fresh, x := room.keys[:], &room.fresh, &room.columns
	if len(history) > 0 {
		f.decode(history, s, keys)
	}
	history = f.grow(history, s, len(shown))
	for len(shown) > 0 {
		some := min(len(shown), f.Articles-s.Count)
		for i, id := range shown[:some] {
			fresh[i] = f.key(id)
		}
		slices.Sort(fresh[:some])
		merge(keys[:s.Count+some], s.Count, fresh[:some])
		s.Count, shown = s.Count+some, shown[some:]
		if s.Count == f.Articles {
			seed := f.solve(s.Next, keys[:s.Count], x)
			if seed == unsolved {
				*x = columns{} // the columns do not matter, but must not be another user's
			}
			f.write(history, s.Next, x)
			history[f.seedsAt(f.room(history).links)+s.Next] = seed
			s.Count = 0
			if s.Next++; s.Next == f.Links {
				s.Next, s.Full = 0, true
			}
		}
	}
	f.encode(history, keys[:s.Count])
	s.Store(history)
	return history
}

// merge puts sorted keys among the first n.
func merge(keys []uint32, n int, more []uint32) {
	for i := len(keys) - 1; len(more) > 0; i-- {
		if last := more[len(more)-1]; n > 0 && keys[n-1] > last {
			n--
			keys[i] = keys[n]
		} else {
			keys[i], more = last, more[:len(more)-1]
		}
	}
}

// grow makes room for more articles. What follows the columns is then blank, except the seeds.
func (f *Filter) grow(history []byte, s cycle.Parts, more int) []byte {
	all := f.closed(s)*f.Articles + s.Count + more
	links := min(all/f.Articles, f.Links)
	was, i, j := f.room(history), f.Index(history), f.roomFor(links, all%f.Articles)
	if len(history) > 0 && j <= i {
		return history
	}
	var seeds [maxLinks]byte
	if len(history) > 0 {
		at := f.seedsAt(was.links)
		copy(seeds[:was.links], history[at:])
		clear(history[at:])
	}
	history = strategies.Grow(history, f.Sizes()[j])
	copy(history[f.seedsAt(f.rooms[j].links):], seeds[:f.closed(s)])
	return history
}
