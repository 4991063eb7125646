package layered

import (
	"dejavu/bloom"
	"dejavu/strategies"
)

// Where articles are moved the layers are lanes, the oldest first: the day
// alone, the week and the day, or all three.

// seenMoved asks all lanes at once. Nothing expires, whatever the day.
func (f *Filter) seenMoved(history []byte, candidates []strategies.ID, seen []bool) {
	bloom.Query(f.lanes.First(f.Index(history)+1), history, ^uint64(0), candidates, seen)
}

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
	layers := f.Index(history) + 1
	lanes := f.lanes.First(layers)
	switch over := recent(s, today) == all; {
	case layers == 1 && !over:
		history = f.widen(history, 2) // the day is the week
	case layers == 1:
		history = f.widen(history, 3)
	case layers == 2:
		lanes.Merge(history, 1, 0)
		if over {
			history = f.widen(history, 3)
		}
	case over:
		lanes.Merge(history, 1, 0)
		lanes.Merge(history, 2, 0)
	default:
		lanes.Merge(history, 2, 1)
	}
	load := load(history)
	load.day = today
	load.store(history)
	return history
}

// widen adds blank lanes behind those there are.
func (f *Filter) widen(history []byte, layers int) []byte {
	s := load(history)
	history = f.lanes.Grow(history, headerBytes, layers, 0)
	s.layers = layers
	s.store(history)
	return history
}
