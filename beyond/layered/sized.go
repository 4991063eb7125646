package layered

import (
	"fmt"
	"math"
	"sort"

	"dejavu/bloom"
)

// Sized returns layers for window articles, however they spread over the days,
// all of one day at worst: each layer has room for all of them, and they take a
// fresh article for seen with a probability of at most fpr together. Every
// article goes into all layers, and none is ever forgotten; the rate rises
// beyond with more articles than window. Who knows the days asks SizedFor.
func Sized(window int, fpr float64) (Config, error) {
	if window < 1 {
		return Config{}, fmt.Errorf("layered: window is %d, want 1 or more", window)
	}
	return SizedFor(Held{window, window, window}, fpr)
}

// SizedFor returns the layers, in the reading in which every article goes into
// all, that take a fresh article for seen with a probability of at most fpr, in
// (0, 1), where they hold so many articles. Of the rate each layer has a share
// in proportion to its articles, which makes the sum of their bits least (by
// Lagrange's multiplier, for bits in proportion to -log of the rate); the
// article with the proposal gives each the same, which takes more. It returns an
// error where an argument is out of range or no geometry meets it.
func SizedFor(h Held, fpr float64) (Config, error) {
	counts, err := validHeld(h, fpr)
	if err != nil {
		return Config{}, err
	}
	sum := float64(h.Day + h.Week + h.All)
	var g [Layers]bloom.Geometry
	for i, n := range counts {
		// Shares whose union is fpr: the factors 1-share multiply to 1-fpr.
		share := -math.Expm1(math.Log1p(-fpr) * float64(n) / sum)
		if i > 0 && n == counts[i-1] {
			g[i] = g[i-1]
			continue
		}
		if g[i], err = bloom.BestGeometry(n, share); err != nil {
			return Config{}, fmt.Errorf("layered: a layer of %d articles at %v: %w", n, share, err)
		}
	}
	return Config{Day: g[day], Week: g[week], All: g[all]}, nil
}

// SizedMoved returns the smallest layers, in the reading in which articles are
// moved, that take a fresh article for seen with a probability of at most fpr, in
// (0, 1), where they hold so many articles. It returns an error where an argument
// is out of range or no geometry meets it.
func SizedMoved(h Held, fpr float64) (Config, error) {
	if _, err := validHeld(h, fpr); err != nil {
		return Config{}, err
	}
	// One filter that holds all errs at least as often as its parts together.
	most, err := bloom.BestGeometry(h.Day+h.Week+h.All, fpr)
	if err != nil {
		return Config{}, fmt.Errorf("layered: layers of %d articles at %v: %w", h.Day+h.Week+h.All, fpr, err)
	}
	best := most
	best.Bits = max(best.Bits, bloom.MinLaneBits)
	for hashes := max(1, most.Hashes-3); hashes <= min(most.Hashes+4, bloom.MaxHashes); hashes++ {
		meets := func(bits int) bool {
			return bloom.ExactShared(bloom.Geometry{Bits: bits, Hashes: hashes}, h.Day, h.Week, h.All) <= fpr
		}
		limit := best.Bits
		if hashes > best.Hashes {
			limit-- // a draw goes to fewer hashes
		}
		if limit < bloom.MinLaneBits || !meets(limit) {
			continue
		}
		best.Bits = bloom.MinLaneBits + sort.Search(limit-bloom.MinLaneBits, func(i int) bool { return meets(bloom.MinLaneBits + i) })
		best.Hashes = hashes
	}
	return Config{Day: best, Week: best, All: best, Moved: true}, nil
}

func validHeld(h Held, fpr float64) (counts [Layers]int, err error) {
	counts = [Layers]int{h.Day, h.Week, h.All}
	for i, n := range counts {
		if n < 1 {
			return counts, fmt.Errorf("layered: %d articles in the layer of %s, want 1 or more", n, names[i])
		}
	}
	if !(fpr > 0 && fpr < 1) {
		return counts, fmt.Errorf("layered: fpr is %v, want it between 0 and 1, both excluded", fpr)
	}
	return counts, nil
}
