// Package classes gives each user a Bloom filter of a fitting size ("Bloom filters in recommender systems", §5): users
// are sorted into classes by the number of articles they read. Best computes the boundaries that cost the fewest
// bytes.
//
// Every history stores its class in one byte, and every class reads and extends the histories of all. A history cannot
// move to a larger class, because that would need the IDs: a user who outgrows the class keeps everything, at a
// growing false positive rate. Nothing is forgotten: the caller drops idle histories.
package classes

import (
	"fmt"
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

// A Class represents the users of up to Capacity articles, more than the class before it, and their filter.
type Class struct {
	_        struct{}
	Capacity int            // articles, at least 1
	Geometry bloom.Geometry // bits and hashes
}

// Config lists the classes of a family, by ascending capacity. New classes may only be added at the end.
type Config struct {
	_       struct{}
	Classes []Class // 1 to MaxClasses
}

// MaxClasses limits the classes to what one byte of a history can number.
const MaxClasses = 1 << 8

// Ladder has five classes, each of twice the bits of the one before: 32 to 510 bytes, for 31 to 500 articles.
var Ladder = Config{Classes: []Class{
	{Capacity: 31, Geometry: bloom.Geometry{Bits: 255, Hashes: 6}},
	{Capacity: 62, Geometry: bloom.Geometry{Bits: 510, Hashes: 6}},
	{Capacity: 124, Geometry: bloom.Geometry{Bits: 1020, Hashes: 6}},
	{Capacity: 250, Geometry: bloom.Geometry{Bits: 2040, Hashes: 6}},
	{Capacity: 500, Geometry: bloom.Geometry{Bits: 4080, Hashes: 6}},
}}

// headerBytes follow the filter: the number of the class.
const headerBytes = 1

// A Family holds the strategies of its classes. It holds parameters only.
type Family struct{ filters []Filter }

// A Filter is the strategy of one class. It implements strategies.Strategy for histories of all the family's classes,
// and strategies.Theory for its own class.
type Filter struct {
	Class             // its parameters
	strategies.Layout // of histories of all classes
	bloom.Theory
	family *Family
	class  int
	lane   bloom.Lanes
}

// New returns the family, or an error that names the field out of range.
func New(c Config) (*Family, error) {
	if n := len(c.Classes); n < 1 || n > MaxClasses {
		return nil, fmt.Errorf("classes: Classes has %d, want 1 to %d", n, MaxClasses)
	}
	f := &Family{filters: make([]Filter, len(c.Classes))}
	var arrays []int
	least := 1
	for i, class := range c.Classes {
		if class.Capacity < least {
			return nil, fmt.Errorf("classes: Capacity of class %d is %d, want at least %d", i, class.Capacity, least)
		}
		lane, err := bloom.NewLanes(class.Geometry, 1)
		if err != nil {
			return nil, fmt.Errorf("classes: class %d: %w", i, err)
		}
		f.filters[i] = Filter{class, strategies.Layout{}, bloom.NewTheory(class.Geometry, bloom.All), f, i, lane}
		arrays = append(arrays, lane.Bytes())
		least = class.Capacity + 1
	}
	slices.Sort(arrays)
	layout := strategies.NewLayout("classes", c, headerBytes, slices.Compact(arrays)...)
	for i := range f.filters {
		f.filters[i].Layout = layout
	}
	return f, nil
}

// Len returns the number of classes.
func (f *Family) Len() int { return len(f.filters) }

// Class returns the strategy of class i, from 0; it panics beyond the last.
func (f *Family) Class(i int) *Filter { return &f.filters[i] }

// Of returns the class of a user who reads that many articles: the first whose capacity suffices, or the last.
func (f *Family) Of(articles int) int {
	at, _ := slices.BinarySearchFunc(f.filters, articles, func(c Filter, n int) int { return c.Capacity - n })
	return min(at, len(f.filters)-1)
}

// held returns the filter of a history, or of a newcomer's first. It returns no lanes for a class that does not exist.
func (f *Filter) held(history []byte) bloom.Lanes {
	if len(history) == 0 {
		return f.lane
	}
	if class := int(history[len(history)-1]); class < len(f.family.filters) {
		if lane := f.family.filters[class].lane; len(history) == lane.Bytes()+headerBytes {
			return lane
		}
	}
	return bloom.Lanes{}
}

// Seen tests each candidate against the history's filter, whatever its class.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	bloom.Query(f.held(history), history, 1, candidates, seen)
}

// Record sets the articles' bits. A newcomer's first article brings the whole filter of this class; other histories
// keep their class.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	if len(history) == 0 {
		history = strategies.Grow(history, f.Bytes(1))
		history[len(history)-1] = byte(f.class)
	}
	bloom.Insert(f.held(history), history, 1, shown)
	return history
}

// Validate accepts nothing, or the bits of one filter of the family, at least one of them set, and its class.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	lane := f.held(history)
	if lane.Count() == 0 {
		return fmt.Errorf("classes: no class %d, of %d, has histories of %d bytes", history[len(history)-1],
			len(f.family.filters), len(history))
	}
	return lane.Check("classes", history, bloom.Some)
}

// Bytes returns the length of the filter and the header as soon as one article was shown.
func (f *Filter) Bytes(read int) int { return min(bloom.All(read), 1) * (f.lane.Bytes() + headerBytes) }

// Fill counts the set bits of a history, and its bits.
func (f *Filter) Fill(history []byte) (set, of int) { return f.held(history).Fill(history, 1) }
