package chain

import (
	"cmp"
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Best returns the chain with the shortest history that remembers at least window articles at every moment and has a
// rate of at most fpr, in (0, 1), when all links are full. Among equals it prefers fewer hashes, then fewer links. It
// takes ten or twenty milliseconds. It returns an error if window is not 1 to 3669961 or no chain meets fpr.
//
// One link is always about to be cleared, which favours many links; each may have a rate of about fpr/links, which
// favours few. The minimum is flat, at five links for 10 %, seven for 2 % and ten for 0.1 %.
func Best(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("chain", window, maxCapacity*(MaxLinks-1)+1, fpr); err != nil {
		return Config{}, err
	}
	var chains []Config // one for each number of links and hashes, without Bits
	lowest := 1.        // of any chain
	for links := 2; links <= MaxLinks; links++ {
		capacity := least(window, links)
		if capacity > maxCapacity || links > 2 && capacity == least(window, links-1) {
			continue // one link fewer needs the same capacity
		}
		lowest = min(lowest, union(links, capacity))
		for hashes := 1; hashes <= bloom.MaxHashes; hashes++ {
			chains = append(chains, Config{Links: links, Capacity: capacity, Geometry: bloom.Geometry{Hashes: hashes}})
		}
	}
	// The lower bound finds a nearly shortest chain cheaply. Most others cannot be shorter.
	likely, found := shortest(Config{}, chains, fpr, nil)
	if found {
		likely.Geometry.Bits = 0
		likely, _ = shortest(Config{}, []Config{likely}, fpr, rate)
		likely, found = shortest(likely, chains, fpr, rate)
	}
	if !found {
		return Config{}, strategies.Unmet("chain", window, fpr, lowest)
	}
	return likely, nil
}

// least returns the smallest capacity for a window: a rotation leaves links-1 full links and takes one article.
func least(window, links int) int { return max(1, (window-1+links-2)/(links-1)) }

// shortest chooses the Bits of others and returns the shortest chain; best competes if it has links. Among equals the
// fewest hashes win, then the fewest links. If exact is nil, the lower bound replaces the rate.
func shortest(best Config, others []Config, fpr float64, exact func(Config) float64) (_ Config, found bool) {
	for _, c := range others {
		limit := bloom.MaxBits
		if best.Links > 0 {
			bytes := (best.Geometry.Bits*best.Links + 7) / 8
			if cmp.Or(cmp.Compare(c.Geometry.Hashes, best.Geometry.Hashes), cmp.Compare(c.Links, best.Links)) >= 0 {
				bytes--
			}
			limit = min(limit, 8*bytes/c.Links)
		}
		possible := func(bits int) bool {
			c.Geometry.Bits = bits
			return atLeast(c) <= fpr*(1+1e-9) // tolerate rounding
		}
		meets := func(bits int) bool {
			c.Geometry.Bits = bits
			return exact == nil || exact(c) <= fpr
		}
		if c.Geometry.Bits = bloom.Least(bloom.MinLaneBits, limit, possible, meets); c.Geometry.Bits <= limit {
			best = c
		}
	}
	return best, best.Links > 0
}

func rate(c Config) float64 {
	return bloom.ExactShared(c.Geometry, slices.Repeat([]int{c.Capacity}, c.Links)...)
}

// atLeast returns a lower bound of rate in a hundredth of its time; a chain sized by it lacks a bit or two a link. Both
// sum over the number d of distinct positions of an article. If a link of m bits has I bits set, the chance that d
// given bits are among them is E[I(I-1)...(I-d+1)] / (m(m-1)...(m-d+1)). With E[I] for I it is no larger (Jensen).
func atLeast(c Config) float64 {
	g := c.Geometry
	m := float64(g.Bits)
	ones, set, sum := bloom.Fill(c.Capacity, g)*m, 1., 0.
	for i, chance := range bloom.Distinct(g)[1:] {
		set *= max(0, ones-float64(i)) / (m - float64(i))
		found := 0. // chance that any of the links looked at reports the article as seen
		for range c.Links {
			found += (1 - found) * set
		}
		sum += chance * found
	}
	return sum
}
