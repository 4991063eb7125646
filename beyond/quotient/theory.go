package quotient

import (
	"fmt"
	"math"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Window400 is the filter for a window of 400 articles, as long as the chain's of
// the paper (§7), at its rate of 2 %.
var Window400 = Config{Generations: 8, Generation: 57, Range: 22572}

const maxWindow = (maxGenerations-1)*maxGeneration + 1

// Sized returns the filter of the fewest bytes, and of those the one of the fewest generations, that
// remembers window articles at every moment and reports an unseen one as seen with a probability of at most
// fpr, in (0, 1), whenever it is asked. It returns an error where window is not 1 to 8322946 or a Range of
// 2^30 does not meet fpr.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("quotient", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	var best Config
	shortest := math.MaxInt
	for generations := 2; generations <= maxGenerations; generations++ {
		c := Config{Generations: generations, Generation: max(1, (window-1+generations-2)/(generations-1))}
		if c.Generation > maxGeneration {
			continue
		}
		least, ok := bloom.LeastFingerprints(c.articles(), fpr, maxRange)
		if !ok {
			continue
		}
		c.Range = max(minRange, least)
		if unary, open := c.lengths(c.articles(), c.low()); unary+open < shortest {
			best, shortest = c, unary+open
		}
	}
	if shortest == math.MaxInt {
		return Config{}, fmt.Errorf("quotient: fpr is %v, which takes a range of more than %d at %d articles", fpr, maxRange,
			window)
	}
	return best, nil
}

// after is how many of the newest articles a history has, after so many.
func (f *Filter) after(read int) int {
	if read <= f.articles() {
		return read
	}
	return f.articles() - f.Generation + (read-1)%f.Generation + 1
}

// Bytes is the articles, in whole generations, and the header.
func (f *Filter) Bytes(read int) int {
	return f.SizeAt(read, f.roomFor(min((read-1)/f.Generation+1, f.Generations)))
}

// FPR is the chance that an unseen article's fingerprint is among those held, 1 - (1 - 1/Range)^N. It is
// exact, as fingerprints are independent and uniform but for 2^-34.
func (f *Filter) FPR(read int) float64 { return bloom.FingerprintFPR(f.after(read), f.Range) }

// Window is all articles held: the youngest generation, and the full ones before.
func (f *Filter) Window(read int) int { return f.after(read) }
