package classes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Best returns at most the given number of classes, such that a population's histories are the shortest in total, and
// no user's false positive rate exceeds fpr when the user has read everything. Histogram[n] is the number of users who
// read n articles. It returns an error if classes is not 1 to MaxClasses, the histogram is empty, negative or of more
// than 2^40 users, fpr is not in (0, 1), or no geometry meets it.
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
