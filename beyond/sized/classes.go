package sized

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"dejavu/bloom"
)

// Sized returns a family of one class, the smallest whose rate is at most fpr,
// in (0, 1), when window articles were read. That is all it can promise: nothing
// is ever forgotten, and the rate goes on climbing. It returns an error where
// window is below 1 or no geometry meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	if window < 1 {
		return Config{}, fmt.Errorf("sized: window is %d, want at least 1", window)
	}
	geometries, err := shortest([]int{window}, fpr)
	if err != nil {
		return Config{}, err
	}
	return Config{Classes: []Class{{Capacity: window, Geometry: geometries[0]}}}, nil
}

// Doubling returns classes each of which has twice the positions of the one
// before, and as many hashes, so that histories can be folded to all classes
// below (Family.Fold). The last is the smallest for capacity articles at a rate
// of at most fpr, in (0, 1), but for up to 2^(classes-1)-1 bits that make it
// divisible; the others have the capacity that keeps theirs. It returns an error
// where classes is not 1 to 24, or no such classes exist: no geometry meets fpr,
// or the smallest class has no room for a single article.
func Doubling(capacity, classes int, fpr float64) (Config, error) {
	if classes < 1 || classes > 24 { // 2^24 is bloom.MaxBits
		return Config{}, fmt.Errorf("sized: classes is %d, want 1 to 24", classes)
	}
	last, err := bloom.BestGeometry(capacity, fpr)
	if err != nil {
		return Config{}, fmt.Errorf("sized: the largest class: %w", err)
	}
	ratio := 1 << (classes - 1)
	bits := (last.Bits + ratio - 1) / ratio
	c := Config{Classes: make([]Class, classes)}
	for i := range c.Classes {
		g := bloom.Geometry{Bits: bits << i, Hashes: last.Hashes}
		holds := sort.Search(capacity, func(n int) bool { return bloom.Exact(n+1, g) > fpr })
		if holds < 1 || i > 0 && holds <= c.Classes[i-1].Capacity {
			return Config{}, fmt.Errorf("sized: %d classes for up to %d articles at %g: class %d of %v has no room for an article more than the one before",
				classes, capacity, fpr, i, g)
		}
		c.Classes[i] = Class{Capacity: holds, Geometry: g}
	}
	return c, nil
}

// Classes returns the classes, at most so many, that give a population the
// shortest histories in all, and so in the mean, where each reader has a filter
// whose rate is at most fpr, in (0, 1), when all that the reader reads is read.
// Histogram[n] is how many readers read n articles; those of none need nothing.
//
// Every class ends at the heaviest of its readers, and every filter fills whole
// bytes. The boundaries are the best there are, found by dynamic programming
// over the distinct lengths, of which there are L, in L*log(L) steps a class.
//
// It returns an error where classes is not 1 to MaxClasses, the histogram is
// empty, negative or of more than 2^40 readers, or no geometry meets fpr.
func Classes(histogram []int64, classes int, fpr float64) (Config, error) {
	if classes < 1 || classes > MaxClasses {
		return Config{}, fmt.Errorf("sized: classes is %d, want 1 to %d", classes, MaxClasses)
	}
	counts, err := read(histogram)
	if err != nil {
		return Config{}, err
	}
	geometries, err := shortest(counts, fpr)
	if err != nil {
		return Config{}, err
	}
	var ends []Class     // possible classes, one for each length
	readers := []int64{} // readers[i] read at most ends[i].Capacity
	total := int64(0)
	for i, n := range counts {
		total += histogram[n]
		if last := len(ends) - 1; last >= 0 && ends[last].Geometry.Bits == geometries[i].Bits {
			ends, readers = ends[:last], readers[:last]
		}
		ends, readers = append(ends, Class{Capacity: n, Geometry: geometries[i]}), append(readers, total)
	}
	lengths := make([]int64, len(ends))
	for i, c := range ends {
		lengths[i] = int64(bloom.Lanes{Geometry: c.Geometry, Count: 1}.Bytes() + headerBytes)
	}
	c := Config{}
	for _, end := range partition(readers, lengths, min(classes, len(ends))) {
		c.Classes = append(c.Classes, ends[end])
	}
	return c, nil
}

// read lists the numbers of articles that some reader of a histogram read,
// without 0.
func read(histogram []int64) (counts []int, err error) {
	const most = 1 << 40 // times the longest history there are 2^61 bytes
	readers := int64(0)
	for n, some := range histogram {
		if some < 0 || some > most-readers {
			return nil, fmt.Errorf("sized: histogram has %d readers of %d articles, want 0 to 2^40 in all", some, n)
		}
		readers += some
		if n > 0 && some > 0 {
			counts = append(counts, n)
		}
	}
	if len(counts) == 0 {
		return nil, fmt.Errorf("sized: histogram has no reader of an article")
	}
	return counts, nil
}

// partition cuts the lengths, which ascend, into so many classes, at most as
// many as there are: readers[i] readers can do with lengths[i] or less, and all
// readers of a class have its longest. It returns the last index of each class
// such that the bytes of all readers are the fewest.
//
// With best(c, j) the fewest bytes of the readers up to j in c classes,
//
//	best(c, j) = min over i < j of best(c-1, i) + (readers[j]-readers[i])*lengths[j],
//
// where the i of the minimum never falls as j rises, because lengths do not: so
// the middle j is asked first, and halves what is to be asked for the others.
func partition(readers, lengths []int64, classes int) (ends []int) {
	n := len(lengths)
	before, now := make([]int64, n), make([]int64, n)
	for j := range n {
		now[j] = readers[j] * lengths[j]
	}
	from := make([][]int, classes) // from[c][j] is the i of the minimum
	for c := 1; c < classes; c++ {
		before, now = now, before
		from[c] = make([]int, n)
		var solve func(j, end, low, high int)
		solve = func(j, end, low, high int) { // for j to end, i lies in low to high
			if j >= end {
				return
			}
			middle := (j + end) / 2
			least, at := int64(math.MaxInt64), low
			for i := low; i <= min(high, middle-1); i++ {
				if bytes := before[i] + (readers[middle]-readers[i])*lengths[middle]; bytes < least {
					least, at = bytes, i
				}
			}
			now[middle], from[c][middle] = least, at
			solve(j, middle, low, at)
			solve(middle+1, end, at, high)
		}
		solve(c, n, c-1, n-1)
	}
	for c, j := classes-1, n-1; ; c-- {
		if ends = append(ends, j); c == 0 {
			break
		}
		j = from[c][j]
	}
	slices.Reverse(ends)
	return ends
}
