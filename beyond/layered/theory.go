package layered

import "dejavu/bloom"

// Held is the number of distinct articles in each layer.
type Held struct{ Day, Week, All int }

// Held returns what the layers hold after days of counts articles, all distinct. The last day has at least one. Layers
// hold the day, its week and everything or, if articles are moved, the day, the rest of its week, and all before.
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

// FPRHeld returns the probability that at least one layer reports an unseen article as seen: the union of their rates
// (bloom.Exact). Layers between which articles are moved share positions: their rate is bloom.ExactShared, just below.
func (f *Filter) FPRHeld(h Held) float64 {
	if f.Moved {
		return bloom.ExactShared(f.All, h.Day, h.Week, h.All)
	}
	return bloom.Union(bloom.Exact(h.Day, f.Day), bloom.Exact(h.Week, f.Week), bloom.Exact(h.All, f.All))
}

// FPRDays is FPRHeld of Held.
func (f *Filter) FPRDays(counts []int) float64 { return f.FPRHeld(f.Held(counts)) }

// oneDay returns what the layers hold if all articles are of one day.
func (f *Filter) oneDay(read int) Held {
	if f.Moved {
		return Held{Day: read}
	}
	return Held{read, read, read}
}

// Bytes returns the length of a history of one day, header included.
func (f *Filter) Bytes(read int) int { return f.SizeAt(read, 0) }

// BytesDays returns the length of the history on the given day of a user who comes every day.
func (f *Filter) BytesDays(days int) int {
	switch {
	case !f.Moved || days <= 1:
		return f.SizeAt(days, day)
	case days <= daysPerWeek:
		return f.SizeAt(days, week)
	}
	return f.SizeAt(days, all)
}

// FPR returns the rate of articles of one day.
func (f *Filter) FPR(read int) float64 { return f.FPRHeld(f.oneDay(read)) }

// Asymptotic is FPR by the textbook approximation (bloom.Asymptotic).
func (f *Filter) Asymptotic(read int) float64 {
	h := f.oneDay(read)
	return bloom.Union(bloom.Asymptotic(h.Day, f.Day), bloom.Asymptotic(h.Week, f.Week), bloom.Asymptotic(h.All, f.All))
}

// Window returns the number of all articles: nothing is ever forgotten.
func (f *Filter) Window(read int) int { return bloom.All(read) }

// One returns the filter to compare the layers with: as many bits as all three, and the best number of hashes for the
// given number of articles (bloom.BestHashes).
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

// FillTheory returns the expected share of set bits after articles of one day (bloom.Fill).
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
