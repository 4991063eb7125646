package classes

import (
	"fmt"
	"math"
	"slices"

	"dejavu/bloom"
)

// Best returns the classes, at most so many, that give a population the shortest histories in total, and so
// on average, where the filter of each user has a false positive rate of at most fpr, in (0, 1), when the
// user has read everything. Histogram[n] is how many users read n articles; those of none need nothing.
//
// Every class ends at its heaviest user, and every filter fills whole bytes. The boundaries are optimal,
// found by dynamic programming over the distinct lengths, of which there are L, in L*log(L) steps a class.
//
// It returns an error where classes is not 1 to MaxClasses, the histogram is empty, negative or of more than
// 2^40 users, or no geometry meets fpr.
func Best(histogram []int64, classes int, fpr float64) (Config, error) {
	if classes < 1 || classes > MaxClasses {
		return Config{}, fmt.Errorf("classes: classes is %d, want 1 to %d", classes, MaxClasses)
	}
	counts, err := read(histogram)
	if err != nil {
		return Config{}, err
	}
	geometries, err := shortest(counts, fpr)
	if err != nil {
		return Config{}, err
	}
	var ends []Class   // possible classes, one for each length
	users := []int64{} // users[i] read at most ends[i].Capacity
	total := int64(0)
	for i, n := range counts {
		total += histogram[n]
		if last := len(ends) - 1; last >= 0 && ends[last].Geometry.Bits == geometries[i].Bits {
			ends, users = ends[:last], users[:last]
		}
		ends, users = append(ends, Class{Capacity: n, Geometry: geometries[i]}), append(users, total)
	}
	lengths := make([]int64, len(ends))
	for i, c := range ends {
		lengths[i] = int64(c.Geometry.Bits/8 + headerBytes)
	}
	c := Config{}
	for _, end := range partition(users, lengths, min(classes, len(ends))) {
		c.Classes = append(c.Classes, ends[end])
	}
	return c, nil
}

// read lists the numbers of articles that some user of a histogram read, without 0.
func read(histogram []int64) (counts []int, err error) {
	const most = 1 << 40 // times the longest history there are 2^61 bytes
	users := int64(0)
	for n, some := range histogram {
		if some < 0 || some > most-users {
			return nil, fmt.Errorf("classes: histogram has %d users of %d articles, want 0 to 2^40 in all", some, n)
		}
		users += some
		if n > 0 && some > 0 {
			counts = append(counts, n)
		}
	}
	if len(counts) == 0 {
		return nil, fmt.Errorf("classes: histogram has no user of an article")
	}
	return counts, nil
}

// partition cuts the lengths, which ascend, into so many classes, at most as many as there are: users[i]
// users can do with lengths[i] or less, and all users of a class have its longest. It returns the last index
// of each class such that the bytes of all users are the fewest.
//
// With best(c, j) the fewest bytes of the users up to j in c classes,
//
//	best(c, j) = min over i < j of best(c-1, i) + (users[j]-users[i])*lengths[j],
//
// where the i of the minimum never falls as j rises, because lengths do not: so the middle j is asked first,
// and halves what is to be asked for the others.
func partition(users, lengths []int64, classes int) (ends []int) {
	n := len(lengths)
	before, now := make([]int64, n), make([]int64, n)
	for j := range n {
		now[j] = users[j] * lengths[j]
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
				if bytes := before[i] + (users[middle]-users[i])*lengths[middle]; bytes < least {
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

// shortest returns, for each number of articles, ascending, a filter of as few
// whole bytes as any whose rate is at most fpr; of those the one of the fewest
// hashes. It is bloom.BestGeometry for thousands of numbers in milliseconds.
func shortest(counts []int, fpr float64) ([]bloom.Geometry, error) {
	if !(fpr > 0 && fpr < 1) { // also where it is NaN
		return nil, fmt.Errorf("classes: fpr is %v, want it between 0 and 1, both excluded", fpr)
	}
	geometries := make([]bloom.Geometry, len(counts))
	low := 1 // bytes
	for i, n := range counts {
		// No filter does with less than n*log2(1/fpr)/ln 2 bits, and the best takes a few more.
		least := float64(n) * -math.Log(fpr) / (math.Ln2 * math.Ln2)
		low = max(low, int(min(least, bloom.MaxBits))/8)
		likely := func(int) bool { return true }
		low = bloom.Least(low, bloom.MaxBits/8, likely, func(bytes int) bool { return fewest(n, 8*bytes, fpr) > 0 })
		if low > bloom.MaxBits/8 {
			return nil, fmt.Errorf(
				"classes: no filter of at most %d bits and %d hashes holds %d articles at a false-positive rate of %g",
				bloom.MaxBits, bloom.MaxHashes, n, fpr)
		}
		geometries[i] = bloom.Geometry{Bits: 8 * low, Hashes: fewest(n, 8*low, fpr)}
	}
	return geometries, nil
}

// fewest is the fewest hashes with which a filter of so many bits meets fpr at n
// articles, or 0 where none do.
func fewest(n, bits int, fpr float64) int {
	optimum := float64(bits) / float64(n) * math.Ln2 // of the asymptotic rate
	for k := 1; k <= bloom.MaxHashes; k++ {
		g := bloom.Geometry{Bits: bits, Hashes: k}
		// The rate is at least the fill's power, by Jensen's inequality, whose
		// rounding the margin allows for.
		if math.Pow(bloom.Fill(n, g), float64(k)) > fpr*(1+1e-9) {
			if float64(k) > optimum+1 {
				return 0 // more hashes only raise it
			}
			continue
		}
		if bloom.Exact(n, g) <= fpr {
			return k
		}
	}
	return 0
}
