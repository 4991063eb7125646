// Package layered is three Bloom filters of different age: for the last day, the last seven days, and all time, as the
// article "Bloom filters in recommender systems" (§4) proposes. It does not say which layers an article goes into.
// There are two readings:
//
//   - An article goes into all three layers. The day's layer is blanked when another day begins, the week's every
//     seventh day, the third never.
//   - Moved: an article lies in one layer, by its age. A day that is over moves into the week, and a week into all
//     time, by a union of bits. The three layers are lanes of one array, all of the last layer's size.
//
// Every article is remembered for ever. A candidate is new if all three layers say so, so that their false positive
// rates add up: three layers at 1 % have 2.97 %, where one filter of as many bytes has 0.3 %.
//
// Time comes from outside, by On: weeks are the days 0 to 6, 7 to 13 and so on. Without it, the last day goes on.
package layered

import (
	"encoding/binary"
	"fmt"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Config is the three filters' parameters.
type Config struct {
	_              struct{}
	Day, Week, All bloom.Geometry // of the layers; one and the same where Moved

	// Moved is the reading in which an article lies in one layer only, of bloom.MinLaneBits bits or more.
	Moved bool
}

// Layers is how many there are.
const Layers = 3

const daysPerWeek = 7

// Month and MonthMoved are for 150 articles on each of thirty days, with 1 % in each full layer (bloom.BestGeometry).
var (
	thirty = bloom.Geometry{Bits: 43171, Hashes: 7}
	Month  = Config{
		Day: bloom.Geometry{Bits: 1441, Hashes: 7}, Week: bloom.Geometry{Bits: 10075, Hashes: 7}, All: thirty,
	}
	MonthMoved = Config{Day: thirty, Week: thirty, All: thirty, Moved: true}
)

// headerBytes follow the arrays: the last day in 16 bits, little-endian, the
// number of layers that there are in a byte, and a byte of zeros.
const headerBytes = 4

// A Filter is the strategy of layers. It implements strategies.Dated and strategies.Theory. Where articles are moved
// a history has the day's layer alone on the first day, two in the first week, and three from the second week on.
type Filter struct {
	Config
	strategies.Layout

	// By the layer, the day's first.
	layers [Layers]bloom.Lanes // where an article goes into all
	at     [Layers]int         // where they begin: all time, the week, the day
	salts  [Layers]uint64      // that make the layers independent

	lanes bloom.Lanes // all layers, where articles are moved
}

// The layers, in the order in which they are asked.
const (
	day = iota
	week
	all
)

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	f, lanes := &Filter{Config: c}, 1
	if c.Moved {
		lanes = Layers
	}
	for i, g := range []bloom.Geometry{c.Day, c.Week, c.All} {
		name := [...]string{"Day", "Week", "All"}[i]
		l, err := bloom.NewLanes(g, lanes)
		if err != nil {
			return nil, fmt.Errorf("layered: %s: %w", name, err)
		}
		if c.Moved && g != c.All {
			return nil, fmt.Errorf("layered: %s is %v, want %v as All, for layers that are moved", name, g, c.All)
		}
		f.layers[i], f.lanes = l.First(1), l
		f.salts[i] = bloom.Salt(all - i)
	}
	if c.Moved {
		f.Layout = strategies.NewLayout("layered", c, headerBytes, f.lanes.LaneBytes()...)
		return f, nil
	}
	f.at[week] = f.layers[all].Bytes()
	f.at[day] = f.at[week] + f.layers[week].Bytes()
	f.Layout = strategies.NewLayout("layered", c, headerBytes, f.at[day]+f.layers[day].Bytes())
	return f, nil
}

type state struct { // what the header says
	day    int // the last
	layers int // in use
}

func load(history []byte) state {
	word := binary.LittleEndian.Uint32(history[len(history)-headerBytes:])
	return state{day: int(word & 0xffff), layers: int(word >> 16)}
}

// store writes the header of a history on a day.
func (f *Filter) store(history []byte, day int) {
	layers := Layers
	if f.Moved {
		layers = f.Index(history) + 1
	}
	binary.LittleEndian.PutUint32(history[len(history)-headerBytes:], uint32(day|layers<<16))
}

// Seen tests each candidate against the layers, as on the history's last day.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	f.SeenOn(history, 0, candidates, seen)
}

// SeenOn is Seen as on a day. It does not ask a layer whose time is over.
func (f *Filter) SeenOn(history []byte, today int, candidates []strategies.ID, seen []bool) {
	switch {
	case len(history) == 0:
		clear(seen)
	case f.Moved:
		// All lanes at once: nothing expires, whatever the day.
		bloom.Query(f.lanes.First(f.Index(history)+1), history, ^uint64(0), candidates, seen)
	default:
		f.seenByAll(history, today, candidates, seen)
	}
}

// Record adds the articles to the history's last day.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	return f.RecordOn(history, 0, shown)
}

// RecordOn is Record on a day, whose first article ends the day before.
func (f *Filter) RecordOn(history []byte, today int, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	if len(history) == 0 {
		history = strategies.Grow(history, f.Sizes()[0])
		f.store(history, today)
	} else if s := load(history); today > s.day {
		history = f.turn(history, recent(s, today))
		f.store(history, today)
	}
	if f.Moved {
		layers := f.Index(history) + 1
		bloom.Insert(f.lanes.First(layers), history, 1<<(layers-1), shown)
		return history
	}
	for i := range f.layers {
		l, array := f.layer(history, i)
		bloom.InsertSalted(l, array, f.salts[i], shown)
	}
	return history
}

// On returns the strategy as it is on a day (strategies.Dated).
func (f *Filter) On(day int) strategies.Strategy { return strategies.OnDay(f, day) }

var names = [Layers]string{"day", "week", "all time"}

// Validate accepts nothing, or layers and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	s := load(history)
	if s.layers < 1 || s.layers > Layers || f.Moved && len(history) != f.Sizes()[s.layers-1] || !f.Moved &&
		s.layers != Layers {
		return fmt.Errorf("layered: header says %d layers in a history of %d bytes", s.layers, len(history))
	}
	if f.Moved {
		lanes, wanted := f.lanes.First(s.layers), uint64(1)<<s.layers-1
		if s.layers == Layers {
			wanted = 0b101 // the week's layer is blank on its first day
		}
		if used := lanes.Used(history); used&wanted != wanted {
			return fmt.Errorf("layered: bits are set in the lanes %b, want them in %b", used, wanted)
		}
		return lanes.Check("layered", history)
	}
	for i := range f.layers {
		l, array := f.layer(history, i)
		if err := l.Check("layered: the layer of "+names[i], array, bloom.Some); err != nil {
			return err
		}
	}
	return nil
}

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

// seenByAll asks the layers whose time is not over.
func (f *Filter) seenByAll(history []byte, today int, candidates []strategies.ID, seen []bool) {
	var salted [block]strategies.ID
	var held [block]bool
	clear(seen[:len(candidates)])
	for first := recent(load(history), today); len(candidates) > 0; {
		n := min(len(candidates), block)
		for i := first; i < Layers; i++ {
			for j, id := range candidates[:n] {
				salted[j] = bloom.Salted(id, f.salts[i])
			}
			l, array := f.layer(history, i)
			bloom.Query(l, array, 1, salted[:n], held[:n])
			for j := range n {
				seen[j] = seen[j] || held[j]
			}
		}
		candidates, seen = candidates[n:], seen[n:]
	}
}

// turn ends a day: the layers before first are over. It blanks them or, where articles are moved and the layers are
// lanes, the newest the last, moves the day into the week, or both into all time.
func (f *Filter) turn(history []byte, first int) []byte {
	if !f.Moved {
		for i := range first {
			_, array := f.layer(history, i)
			clear(array)
		}
		return history
	}
	layers := f.Index(history) + 1
	lanes := f.lanes.First(layers)
	if layers == Layers && first == week {
		lanes.Merge(history, 2, 1)
	} else {
		for from := 1; from < layers; from++ {
			lanes.Merge(history, from, 0)
		}
	}
	return f.lanes.Grow(history, headerBytes, first+1, 0) // the first day is the week: two lanes, or all
}
