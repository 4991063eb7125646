package strategytest

import (
	"math/rand/v2"

	"dejavu/strategies"
)

// IDs returns n uniform 64-bit identities, the same for the same seed on every machine.
func IDs(seed uint64, n int) []strategies.ID {
	ids := make([]strategies.ID, n)
	fill(generator(seed, 0), ids)
	return ids
}

// generator returns the random numbers of a stream (a user, say). PCGs that start close stay close: so it mixes first.
func generator(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(splitMix(seed), splitMix(seed^splitMix(stream+1))))
}

// fill draws ids from r, mixed once more as an article's key is hashed.
func fill(r *rand.Rand, ids []strategies.ID) {
	for i := range ids {
		ids[i] = strategies.ID(splitMix(r.Uint64()))
	}
}

// splitMix is the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014, figure 17): a bijection in which every bit of the argument sways every bit of the result.
func splitMix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// peculiar are identities on which an implementation stumbles that uses one as a mark or sees too few bits.
var peculiar = []strategies.ID{0, 1, 2, 1 << 31, 1 << 32, 1 << 63, 1<<64 - 1}

// shownLife draws what one user is shown, the peculiar articles among it: distinct, or a quarter of them shown before.
func shownLife(r *rand.Rand, n int, repeats bool) []strategies.ID {
	ids := make([]strategies.ID, n)
	fill(r, ids)
	for i, at := range r.Perm(n)[:min(n, len(peculiar))] {
		ids[at] = peculiar[i]
	}
	if repeats {
		for i := 1; i < n; i++ {
			if r.IntN(4) == 0 {
				// As often the last few as any age at all.
				ids[i] = ids[i-1-r.IntN(1+r.IntN(i))]
			}
		}
	}
	return ids
}

// Ask returns which of the candidates a history remembers.
func Ask(s strategies.Strategy, history []byte, candidates []strategies.ID) []bool {
	seen := make([]bool, len(candidates))
	s.Seen(history, candidates, seen)
	return seen
}

// Count is how many of the candidates were seen.
func Count(seen []bool) (n int) {
	for _, s := range seen {
		if s {
			n++
		}
	}
	return n
}
