package layered

import (
	"dejavu/bloom"
	"dejavu/strategies"
)

// Where an article goes into all layers they are three filters, one behind the other, of independent probes:
// a layer has the IDs times a salt of its own. Else a coarse layer would repeat what a fine one says.

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

// seenByAll asks the recent layers first, and each of the others for what is still new.
func (f *Filter) seenByAll(history []byte, today int, candidates []strategies.ID, seen []bool) {
	var salted [block]strategies.ID
	var fresh [block]uint8 // the candidates that no layer holds so far
	var held [block]bool
	for first := recent(load(history), today); len(candidates) > 0; {
		all := min(len(candidates), block)
		for i := range all {
			fresh[i], seen[i] = uint8(i), false
		}
		for i, n := first, all; i < Layers && n > 0; i++ {
			for j, at := range fresh[:n] {
				salted[j] = candidates[at] * strategies.ID(f.salts[i])
			}
			l, array := f.layer(history, i)
			bloom.Query(l, array, 1, salted[:n], held[:n])
			left := 0
			for j, at := range fresh[:n] {
				fresh[left] = at
				if held[j] {
					seen[at] = true
				} else {
					left++
				}
			}
			n = left
		}
		candidates, seen = candidates[all:], seen[all:]
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
	for i := range f.layers {
		l, array := f.layer(history, i)
		bloom.InsertSalted(l, array, f.salts[i], shown)
	}
	return history
}

// Where articles are moved the layers are lanes: the day alone, the week and the day, or all three.

// recordMoved moves what is older than the day and adds the articles to the day's layer.
func (f *Filter) recordMoved(history []byte, today int, shown []strategies.ID) []byte {
	if len(history) == 0 {
		history = f.begin(history, state{day: today, layers: 1})
	} else if s := load(history); today > s.day {
		history = f.turn(history, s, today)
	}
	layers := f.Index(history) + 1
	bloom.Insert(f.lanes.First(layers), history, 1<<(layers-1), shown)
	return history
}

// turn ends a day: it goes into the week, or with all of the week into all time.
func (f *Filter) turn(history []byte, s state, today int) []byte {
	layers, wanted := f.Index(history)+1, 2 // the first day is the week
	lanes := f.lanes.First(layers)
	if over := recent(s, today) == all; layers == Layers && !over {
		lanes.Merge(history, 2, 1)
	} else {
		for from := 1; from < layers; from++ {
			lanes.Merge(history, from, 0)
		}
		if over {
			wanted = Layers
		}
	}
	s = state{day: today, layers: max(layers, wanted)}
	history = f.lanes.Grow(history, headerBytes, s.layers, 0)
	s.store(history)
	return history
}
