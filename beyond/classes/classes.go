// Package classes gives each user a Bloom filter of a fitting size ("Bloom filters in recommender systems", §5): users
// are sorted into classes by the number of articles they read. Best computes the boundaries that cost the fewest
// bytes.
//
// Every history stores its class in one byte, and every class reads and extends the histories of all. A history cannot
// move to a larger class, because that would need the IDs: a user who outgrows the class keeps everything, at a
// growing false positive rate. Nothing is forgotten: the caller drops idle histories.
package classes

import (
	"cmp"
	"fmt"
	"math"
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

// A Filter is the strategy of one class: it reads and extends histories of all. Its Theory is of its own.
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

// Record sets the articles' bits. A newcomer's first article brings the class's filter; histories keep their class.
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

// Best returns at most the given number of classes, such that a population's histories are the shortest in total, and
// no user's rate exceeds fpr when all is read. Histogram[n] is the number of users who read n articles. It returns an
// error if classes is not 1 to MaxClasses, the histogram has no users or over 2^40, or no geometry meets fpr.
func Best(histogram []int64, classes int, fpr float64) (Config, error) {
	if err := cmp.Or(
		strategies.Within("classes: classes", classes, 1, MaxClasses), strategies.ValidShare("classes: fpr", fpr),
	); err != nil {
		return Config{}, err
	}
	const most = 1 << 40 // times the longest history there are 2^61 bytes
	var ends []Class     // possible classes, one for each length
	users := []int64{}   // users[i] read at most ends[i].Capacity
	all, readers := int64(0), int64(0)
	for n, some := range histogram {
		if some < 0 || some > most-all {
			return Config{}, fmt.Errorf("classes: histogram has %d users of %d articles, want 0 to 2^40 in all", some, n)
		}
		if all += some; n == 0 || some == 0 {
			continue
		}
		g, err := shortest(n, fpr)
		if err != nil {
			return Config{}, err
		}
		readers += some
		if last := len(ends) - 1; last >= 0 && ends[last].Geometry.Bits == g.Bits {
			ends, users = ends[:last], users[:last]
		}
		ends, users = append(ends, Class{Capacity: n, Geometry: g}), append(users, readers)
	}
	if len(ends) == 0 {
		return Config{}, fmt.Errorf("classes: histogram has no user of an article")
	}
	return Config{Classes: partition(ends, users, min(classes, len(ends)))}, nil
}

// shortest returns a filter of the fewest whole bytes, and then hashes, that meets fpr for n articles.
func shortest(n int, fpr float64) (bloom.Geometry, error) {
	g, err := bloom.BestGeometry(n, fpr)
	if err != nil {
		return g, strategies.In("classes", err)
	}
	g.Bits = (g.Bits + 7) / 8 * 8
	for g.Hashes = 1; bloom.Exact(n, g) > fpr; {
		g.Hashes++
	}
	return g, nil
}

// partition chooses the ends of the given number of classes that minimise the bytes of all users, if all users of a
// class have its longest history. With best(c, j) the fewest bytes of the users up to j in c classes,
//
//	best(c, j) = min over i < j of best(c-1, i) + (users[j]-users[i])*length(j),
//
// where the i of the minimum never falls as j rises.
func partition(ends []Class, users []int64, classes int) (chosen []Class) {
	length := func(j int) int64 { return int64(ends[j].Geometry.Bits/8 + headerBytes) }
	before, now := make([]int64, len(ends)), make([]int64, len(ends))
	for j := range ends {
		now[j] = users[j] * length(j)
	}
	from := make([][]int, classes) // from[c][j] is the i of the minimum
	for c := 1; c < classes; c++ {
		before, now = now, before
		from[c] = make([]int, len(ends))
		for j := c; j < len(ends); j++ {
			now[j] = math.MaxInt64
			for i := max(c-1, from[c][j-1]); i < j; i++ {
				if bytes := before[i] + (users[j]-users[i])*length(j); bytes < now[j] {
					now[j], from[c][j] = bytes, i
				}
			}
		}
	}
	for c, j := classes-1, len(ends)-1; ; c-- {
		if chosen = append(chosen, ends[j]); c == 0 {
			break
		}
		j = from[c][j]
	}
	slices.Reverse(chosen)
	return chosen
}

// A Share sums up the users of a class.
type Share struct {
	Users int64   // who read at least one article
	Bytes int64   // of their histories, headers included, together
	End   float64 // mean exact false positive rate (bloom.Exact) over the users, when all is read
}

// Shares returns for each class what its users cost, and what they get, if each user's history is from the first
// article on of the class that fits (Of). Histogram[n] is the number of users who read n articles, none negative.
func (f *Family) Shares(histogram []int64) []Share {
	shares := make([]Share, len(f.filters))
	for n, users := range histogram {
		if n > 0 && users > 0 {
			class := f.Of(n)
			s := &shares[class]
			s.Users += users
			s.Bytes += users * int64(f.filters[class].Bytes(1))
			s.End += float64(users) * f.filters[class].FPR(n)
		}
	}
	for i := range shares {
		if s := &shares[i]; s.Users > 0 {
			s.End /= float64(s.Users)
		}
	}
	return shares
}

// Total sums up all classes.
func Total(shares []Share) (total Share) {
	for _, s := range shares {
		total.Users += s.Users
		total.Bytes += s.Bytes
		total.End += s.End * float64(s.Users)
	}
	if total.Users > 0 {
		total.End /= float64(total.Users)
	}
	return total
}
