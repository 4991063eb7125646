package layered

import (
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Where articles are moved the layers are lanes, the oldest first: the day
// alone, the week and the day, or all three.

func (f *Filter) lanes(layers int) bloom.Lanes {
	return bloom.Lanes{Geometry: f.All, Count: layers}
}

// seenMoved asks all lanes at once. Nothing expires, whatever the day.
func (f *Filter) seenMoved(history []byte, candidates []strategies.ID, seen []bool) {
	layers := load(history).layers
	bloom.Query(f.lanes(layers), history, 1<<layers-1, candidates, seen)
}

// firstMoved asks one lane after the other. A day that is over is taken for what
// it will be when the next article comes.
func (f *Filter) firstMoved(history []byte, today int, candidates []strategies.ID, layer []int) {
	s := load(history)
	var seen [block]bool
	for begin := 0; begin < len(candidates); begin += block {
		some := candidates[begin:min(begin+block, len(candidates))]
		for i := s.layers - 1; i >= 0; i-- {
			bloom.Query(f.lanes(s.layers), history, 1<<i, some, seen[:len(some)])
			by := max(s.layers-1-i, recent(s, today))
			for j := range some {
				if seen[j] {
					layer[begin+j] = min(layer[begin+j], by)
				}
			}
		}
	}
}

// recordMoved moves what is older than the day and adds the articles to the
// day's layer.
func (f *Filter) recordMoved(history []byte, today int, shown []strategies.ID) []byte {
	if len(history) == 0 {
		history = f.begin(history, state{day: today, layers: 1})
	} else if s := load(history); today > s.day {
		history = f.turn(history, s, today)
	}
	layers := load(history).layers
	bloom.Insert(f.lanes(layers), history, 1<<(layers-1), shown)
	return history
}

// turn ends a day: it goes into the week, or with all of the week into all time.
func (f *Filter) turn(history []byte, s state, today int) []byte {
	lanes := f.lanes(s.layers)
	switch over := recent(s, today) == all; {
	case s.layers == 1 && !over:
		history = f.widen(history, 2) // the day is the week
	case s.layers == 1:
		history = f.widen(history, 3)
	case s.layers == 2:
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
	size := f.sizes[layers-1]
	history = slices.Grow(history, size-len(history))[:size]
	for ; s.layers < layers; s.layers++ {
		bloom.Widen(f.lanes(s.layers), history[:f.sizes[s.layers]], 0)
	}
	s.store(history)
	return history
}
