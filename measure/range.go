package measure

// A Range is the numbers From to To-1, of users or filters. What follows from the seed adds up over ranges.
type Range struct{ From, To int }

// Len is how many numbers there are.
func (r Range) Len() int { return r.To - r.From }

// Part is the i-th, from 0, of n consecutive parts, whose lengths differ by one at most. Part 0 of a range
// that is not empty is not empty: what is measured once, is measured there.
func (r Range) Part(i, n int) Range {
	edge := func(i int) int { return r.From + int((int64(r.Len())*int64(i)+int64(n)-1)/int64(n)) }
	return Range{edge(i), edge(i + 1)}
}
