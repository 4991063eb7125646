// Package layered keeps three Bloom filters of different age: for the last day, the last seven days, and all time, as
// the article "Bloom filters in recommender systems" (§4) proposes. Every article goes into all three. The day's layer
// is cleared every day, the week's every seventh day, the third never.
//
// Every article is remembered for ever. A candidate is new only if all three layers say so, so their false positive
// rates add up: three layers at 1 % reach 2.97 %, where one filter of the same size has 0.3 %.
//
// The caller sets the day with On: weeks are the days 0 to 6, 7 to 13 and so on. Without it, the last day goes on.
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
	Day, Week, All bloom.Geometry
}

const (
	layers      = 3
	daysPerWeek = 7

	// headerBytes follow the arrays: 16 bits with the last day, little-endian, the number of layers, and a zero.
	headerBytes = 4
)

// Month is for 150 articles on each of thirty days, with 1 % in each full layer (bloom.BestGeometry).
var Month = Config{
	Day: bloom.Geometry{Bits: 1441, Hashes: 7}, Week: bloom.Geometry{Bits: 10075, Hashes: 7},
	All: bloom.Geometry{Bits: 43171, Hashes: 7},
}

// A Filter is the strategy of layers. It implements strategies.Dated and strategies.Theory. Each layer multiplies IDs
// by its own salt, so that a coarse layer does not repeat a fine one's false positives.
type Filter struct {
	Config
	strategies.Layout
	layers [layers]layer // the day's first
}

type layer struct {
	bloom.Lanes
	name string
	at   int // where it begins in a history: all time, the week, the day
	salt uint64
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	f := &Filter{Config: c}
	for i, g := range []bloom.Geometry{c.Day, c.Week, c.All} {
		name := [...]string{"Day", "Week", "All"}[i]
		lane, err := bloom.NewLanes(g, 1)
		if err != nil {
			return nil, fmt.Errorf("layered: %s: %w", name, err)
		}
		f.layers[i] = layer{Lanes: lane, name: name, salt: bloom.Salt(layers - 1 - i)}
	}
	end := 0
	for i := layers - 1; i >= 0; i-- {
		f.layers[i].at = end
		end += f.layers[i].Bytes()
	}
	f.Layout = strategies.NewLayout("layered", c, headerBytes, end)
	return f, nil
}

func (l layer) array(history []byte) []byte { return history[l.at:][:l.Bytes()] }

func lastDay(history []byte) int {
	return int(binary.LittleEndian.Uint16(history[len(history)-headerBytes:]))
}

// over returns how many layers have nothing of today: their time ended after the last day.
func over(last, today int) int {
	switch {
	case today <= last:
		return 0
	case today/daysPerWeek == last/daysPerWeek:
		return 1
	}
	return 2
}

// Seen tests each candidate against the layers, as on the history's last day.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	f.SeenOn(history, 0, candidates, seen)
}

// SeenOn is Seen as on a day. It does not ask a layer whose time is over.
func (f *Filter) SeenOn(history []byte, today int, candidates []strategies.ID, seen []bool) {
	clear(seen)
	if len(history) == 0 {
		return
	}
	for _, l := range f.layers[over(lastDay(history), today):] {
		bloom.QuerySalted(l.Lanes, l.array(history), l.salt, candidates, seen)
	}
}

// Record adds the articles to the history's last day.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	return f.RecordOn(history, 0, shown)
}

// RecordOn is Record on a day. A day's first article ends the day before.
func (f *Filter) RecordOn(history []byte, today int, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	if len(history) == 0 {
		history = strategies.Grow(history, f.Sizes()[0])
	} else {
		last := lastDay(history)
		for _, l := range f.layers[:over(last, today)] {
			clear(l.array(history))
		}
		today = max(today, last)
	}
	binary.LittleEndian.PutUint32(history[len(history)-headerBytes:], uint32(today|layers<<16))
	for _, l := range f.layers {
		bloom.InsertSalted(l.Lanes, l.array(history), l.salt, shown)
	}
	return history
}

// On returns the strategy as it is on a day (strategies.Dated).
func (f *Filter) On(day int) strategies.Strategy { return strategies.OnDay(f, day) }

// Validate accepts nothing, or layers and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	if n := binary.LittleEndian.Uint16(history[len(history)-2:]); n != layers {
		return fmt.Errorf("layered: header says %d layers, want %d", n, layers)
	}
	for _, l := range f.layers {
		if err := l.Check("layered: the layer "+l.name, l.array(history), bloom.Some); err != nil {
			return err
		}
	}
	return nil
}

// Held is the number of distinct articles in each layer.
type Held struct{ Day, Week, All int }

// Held returns what the layers hold after days of counts articles, all distinct. The last day has at least one.
func (f *Filter) Held(counts []int) (h Held) {
	today := len(counts) - 1
	for i, n := range counts {
		h.All += n
		if i/daysPerWeek == today/daysPerWeek {
			h.Week += n
		}
		if i == today {
			h.Day += n
		}
	}
	return h
}

// FPRHeld returns the chance that at least one layer reports an unseen article as seen, the union of exact rates.
func (f *Filter) FPRHeld(h Held) float64 {
	return bloom.Union(bloom.Exact(h.Day, f.Day), bloom.Exact(h.Week, f.Week), bloom.Exact(h.All, f.All))
}

// FPRDays is FPRHeld of Held.
func (f *Filter) FPRDays(counts []int) float64 { return f.FPRHeld(f.Held(counts)) }

// FPR returns the rate of articles of one day.
func (f *Filter) FPR(read int) float64 { return f.FPRHeld(Held{read, read, read}) }

// Bytes returns the length of the layers and the header as soon as one article was shown.
func (f *Filter) Bytes(read int) int { return f.SizeAt(read, 0) }

// Window returns the number of all articles: nothing is ever forgotten.
func (f *Filter) Window(read int) int { return bloom.All(read) }

// One returns the single filter of the same total bits to compare with, with the best hashes for articles.
func (f *Filter) One(articles int) bloom.Geometry {
	return bloom.BestHashes(min(f.Day.Bits+f.Week.Bits+f.All.Bits, bloom.MaxBits), articles)
}
