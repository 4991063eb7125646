package bloom

import "math"

// WindowBound is how many bits any structure needs that remembers the last n
// articles for certain, may remember up to slack more, and takes what is older or
// fresh for seen with a probability of at most fpr (Naor and Yogev, "Sliding Bloom
// filters", 2013): n·log2(1/fpr) + n·max(log2(n/slack), log2 log2(1/fpr)), but for
// a term of order n that they leave open and that is left out here, so that a
// structure may lie a little below it. n and slack are at least 1, fpr is in (0, 1/2].
func WindowBound(n, slack int, fpr float64) float64 {
	bits := -math.Log2(fpr)
	return float64(n) * (bits + max(math.Log2(float64(n)/float64(slack)), math.Log2(bits)))
}
