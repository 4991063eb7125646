package cuckoo

import "math"

// Theory is for distinct articles, none of which was taken back.

// held is how many articles the generations alive hold after read.
func (f *Filter) held(read int) int {
	if read <= 0 {
		return 0
	}
	full := min((read-1)/f.Capacity, f.Generations-1)
	return (read-1)%f.Capacity + 1 + full*f.Capacity
}

// Bytes is the table that is meant for the articles alive, with a stash and the
// header, and stays when they are fewer again. A stash that is too short makes the
// history longer; of 3.1 million generations of readers of Standard none ended with
// even one entry in it, and four fit (see Fillable).
func (f *Filter) Bytes(read int) int {
	if read <= 0 {
		return 0
	}
	return f.sizes[f.enough(min(read, f.Generations*f.Capacity))]
}

// classes is how many articles there can be that the filter can tell apart: a
// fingerprint and a pair of buckets, one of even and one of odd difference to it.
func (f *Filter) classes() float64 { return float64(f.fingerprints) * float64(f.Buckets) / 2 }

// FPR is the chance that a fresh article is like one of the n alive, that is, has
// its fingerprint and its pair of buckets: 1 − (1 − 1/M)^n with M = (2^b − 1)·m/2,
// exactly, wherever the entries lie and however full the table is. (Fan et al.,
// 2014, §5.1, bound it for a full one, see Classical.)
func (f *Filter) FPR(read int) float64 {
	return -math.Expm1(float64(f.held(read)) * math.Log1p(-1/f.classes()))
}

// Classical is FPR by the formula of Fan et al. (2014, §5.1), 1 − (1 − 2^−b)^(2s),
// for as many slots of two buckets as are taken in the mean, 2n/m, and not for all
// the 2s that there are.
func (f *Filter) Classical(read int) float64 {
	slots := 2 * float64(f.held(read)) / float64(f.Buckets)
	return -math.Expm1(slots * math.Log1p(-math.Exp2(-float64(f.Fingerprint))))
}

// Window is what the generations alive were shown: with a full one behind each
// that expired, (Generations-1)*Capacity + 1 to Generations*Capacity.
func (f *Filter) Window(read int) int { return f.held(read) }

// LostByOne is how many of the articles alive are forgotten, in the mean, when one
// false positive is taken back after read articles. It takes one copy of those that
// it is like: if that is one alone, n·(1/M)·(1 − 1/M)^(n−1) of the cases that FPR
// counts, that one is forgotten; the others are as long remembered as the newest
// copy, which stays.
func (f *Filter) LostByOne(read int) float64 {
	n, m := float64(f.held(read)), f.classes()
	if n == 0 {
		return 0
	}
	return n / m * math.Exp((n-1)*math.Log1p(-1/m)) / f.FPR(read)
}

// Fill counts the slots that are taken, those in the stash too, and all of the
// table.
func (f *Filter) Fill(history []byte) (taken, of int) {
	if len(history) == 0 {
		return 0, f.tables[0].buckets * f.Slots
	}
	t := f.table(len(history))
	for slot := range t.buckets * t.slots {
		if t.get(history, t.at(slot)) != 0 {
			taken++
		}
	}
	for place := 0; place < t.stash && get(history, t.stashed(place), t.place) != 0; place++ {
		taken++
	}
	return taken, t.buckets * t.slots
}

// FillTheory is the share of slots that are taken after read articles.
func (f *Filter) FillTheory(read int) float64 {
	if read <= 0 {
		return 0
	}
	t := f.tables[f.enough(min(read, f.Generations*f.Capacity))]
	return float64(f.held(read)) / float64(t.buckets*t.slots)
}
