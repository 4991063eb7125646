package layered

import (
	"dejavu/bloom"
	"dejavu/strategies"
)

// Where an article goes into all layers they are three filters, one behind the
// other, whose probes are independent: a layer has the IDs times a salt of its
// own. With the same probes a coarse layer would repeat what a fine one says.

// block is how many candidates are salted at a time.
const block = 128

// layer is the array of one, and its layout.
func (f *Filter) layer(history []byte, i int) (bloom.Lanes, []byte) {
	l := f.layers[i]
	return l, history[f.at[i]:][:l.Bytes()]
}

// recent is the first layer to ask: one whose time is over holds nothing.
func recent(s state, today int) int {
	switch {
	case today <= s.day:
		return day
	case today/daysPerWeek == s.day/daysPerWeek:
		return week
	}
	return all
}

// seenByAll asks the recent layers first, and each of the others for what is
// still new.
func (f *Filter) seenByAll(history []byte, today int, candidates []strategies.ID, seen []bool) {
	var layer [block]int
	for first := recent(load(history), today); len(candidates) > 0; {
		n := min(len(candidates), block)
		f.ask(history, first, candidates[:n], layer[:n])
		for i, by := range layer[:n] {
			seen[i] = by < Layers
		}
		candidates, seen = candidates[n:], seen[n:]
	}
}

func (f *Filter) firstByAll(history []byte, today int, candidates []strategies.ID, layer []int) {
	for first := recent(load(history), today); len(candidates) > 0; {
		n := min(len(candidates), block)
		f.ask(history, first, candidates[:n], layer[:n])
		candidates, layer = candidates[n:], layer[n:]
	}
}

// ask says which layer, from the given one on, is the first to take each of a
// block of candidates for seen.
func (f *Filter) ask(history []byte, from int, candidates []strategies.ID, layer []int) {
	var salted [block]strategies.ID
	var fresh [block]uint8 // which candidates no layer knows so far
	var seen [block]bool
	n := len(candidates)
	for i := range n {
		fresh[i], layer[i] = uint8(i), Layers
	}
	for ; from < Layers && n > 0; from++ {
		salt := strategies.ID(f.salts[from])
		for i, at := range fresh[:n] {
			salted[i] = candidates[at] * salt
		}
		l, array := f.layer(history, from)
		bloom.Query(l, array, 1, salted[:n], seen[:n])
		left := 0
		for i, at := range fresh[:n] {
			fresh[left] = at
			if seen[i] {
				layer[at] = from
			} else {
				left++
			}
		}
		n = left
	}
}

// recordByAll blanks the layers whose time is over and adds the articles to all.
func (f *Filter) recordByAll(history []byte, today int, shown []strategies.ID) []byte {
	if len(history) == 0 {
		history = f.begin(history, state{day: today, layers: Layers})
	} else if s := load(history); today > s.day {
		for i := range recent(s, today) {
			_, array := f.layer(history, i)
			clear(array)
		}
		s.day = today
		s.store(history)
	}
	var salted [block]strategies.ID
	for len(shown) > 0 {
		n := min(len(shown), block)
		for i := range f.layers {
			for j, id := range shown[:n] {
				salted[j] = id * strategies.ID(f.salts[i])
			}
			l, array := f.layer(history, i)
			bloom.Insert(l, array, 1, salted[:n])
		}
		shown = shown[n:]
	}
	return history
}
