package layered

import "dejavu/bloom"

// Held is how many distinct articles the layers hold.
type Held struct{ Day, Week, All int }

// Held is what the layers hold after the last of some days, of which the i-th, from day 0 on, had counts[i]
// articles, all distinct, and the last day at least one. Layers that nobody moves anything between hold the
// day, its week and everything; others the day, the rest of its week, and what was before.
func (f *Filter) Held(counts []int) (h Held) {
	today := len(counts) - 1
	for i, n := range counts {
		this := i/daysPerWeek == today/daysPerWeek
		if i == today {
			h.Day += n
		}
		if this && (i < today || !f.Moved) {
			h.Week += n
		}
		if !this || !f.Moved {
			h.All += n
		}
	}
	return h
}

// FPRHeld is the chance that at least one layer reports an unseen article as a seen one: the union of their
// rates (bloom.Exact), three times 1 % being 2.97 %. It is exact for layers that are asked with independent
// probes; where articles are moved the layers share positions, and the rate is bloom.ExactShared, just below.
func (f *Filter) FPRHeld(h Held) float64 {
	if f.Moved {
		return bloom.ExactShared(f.All, h.Day, h.Week, h.All)
	}
	return bloom.Union(bloom.Exact(h.Day, f.Day), bloom.Exact(h.Week, f.Week), bloom.Exact(h.All, f.All))
}

// FPRDays is FPRHeld after days of so many articles, from day 0 on (Held).
func (f *Filter) FPRDays(counts []int) float64 { return f.FPRHeld(f.Held(counts)) }

// oneDay is what the layers hold when all articles are of one day.
func (f *Filter) oneDay(read int) Held {
	if f.Moved {
		return Held{Day: read}
	}
	return Held{read, read, read}
}

// Bytes is that of articles which are all of one day, the header included.
func (f *Filter) Bytes(read int) int { return f.SizeAt(read, 0) }

// BytesDays is the length of the history on the days-th day of a user who comes every day from day 0 on.
func (f *Filter) BytesDays(days int) int {
	switch {
	case !f.Moved || days <= 1:
		return f.SizeAt(days, day)
	case days <= daysPerWeek:
		return f.SizeAt(days, week)
	}
	return f.SizeAt(days, all)
}

// FPR is that of articles of one day. Where each goes into all layers the day's is the first to fill.
func (f *Filter) FPR(read int) float64 { return f.FPRHeld(f.oneDay(read)) }

// Asymptotic is FPR by the textbook approximation (bloom.Asymptotic).
func (f *Filter) Asymptotic(read int) float64 {
	h := f.oneDay(read)
	return bloom.Union(bloom.Asymptotic(h.Day, f.Day), bloom.Asymptotic(h.Week, f.Week), bloom.Asymptotic(h.All, f.All))
}

// Window returns the number of all articles: nothing is ever forgotten.
func (f *Filter) Window(read int) int { return bloom.All(read) }

// One returns the filter to compare the layers with: one of the same payload, all three layers', with the
// hashes that suit so many articles best (bloom.BestHashes).
func (f *Filter) One(articles int) bloom.Geometry {
	return bloom.BestHashes(min(f.Day.Bits+f.Week.Bits+f.All.Bits, bloom.MaxBits), articles)
}

// Fill counts the set bits in the layers of the history, and their bits.
func (f *Filter) Fill(history []byte) (ones, of int) {
	if f.Moved {
		return f.lanes.First(f.Index(history)+1).Fill(history, ^uint64(0))
	}
	for i, l := range f.layers {
		of += l.Geometry().Bits
		if len(history) > 0 {
			_, array := f.layer(history, i)
			ones += l.Ones(array, 1)
		}
	}
	return ones, of
}

// FillTheory is the share of set bits expected of articles which are all of one day (bloom.Fill).
func (f *Filter) FillTheory(read int) float64 {
	if f.Moved {
		return bloom.Fill(read, f.All)
	}
	var ones, bits float64
	for _, l := range f.layers {
		g := l.Geometry()
		ones += bloom.Fill(read, g) * float64(g.Bits)
		bits += float64(g.Bits)
	}
	return ones / bits
}
