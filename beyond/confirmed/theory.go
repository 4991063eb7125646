package confirmed

import "dejavu/bloom"

// collision is the chance that an unseen article's ID is one given other.
const collision = 1. / (1 << 64)

// listed is how many articles the list has after read articles.
func (s *Strategy) listed(read int) int { return min(bloom.All(read), s.Last) }

// recorded is how many articles the inner strategy was shown after read articles.
func (s *Strategy) recorded(read int) int {
	if s.Rule == Ahead {
		return read - s.listed(read)
	}
	return read
}

// Bytes is the list, in whole steps, with its header, and the inner history.
func (s *Strategy) Bytes(read int) int {
	if read <= 0 {
		return 0
	}
	return s.front(s.listed(read)) + s.Inner.Bytes(s.recorded(read))
}

// FPR is, for Both, the chance that an unseen article's ID is one of those listed, and the inner strategy
// remembers it; with the other rules it is that of the inner strategy and that chance together, for Ahead
// with fewer articles in the inner strategy: FPR(read-Last) of it.
func (s *Strategy) FPR(read int) float64 {
	rate := s.Inner.FPR(s.recorded(read))
	if s.Rule != Both {
		return s.either(rate, read)
	}
	sum := 0.
	for age := range s.listed(read) {
		if s.innerRemembers(read, age+1) {
			sum += collision
		} else {
			sum += collision * rate
		}
	}
	return sum
}

// Asymptotic is FPR with the inner strategy's rate by the textbook approximation, where it knows one.
func (s *Strategy) Asymptotic(read int) float64 {
	inner, ok := s.Inner.(interface{ Asymptotic(read int) float64 })
	if !ok || s.Rule == Both {
		return s.FPR(read)
	}
	return s.either(inner.Asymptotic(s.recorded(read)), read)
}

// either is the chance that the inner strategy, at a rate, or the list reports an unseen article as seen.
func (s *Strategy) either(rate float64, read int) float64 {
	return bloom.Union(rate, float64(s.listed(read))*collision)
}

// Window is, for Both, the shorter one of list and inner window, and for Ahead
// their sum. For Beside it is how far back every article is in one or the other.
func (s *Strategy) Window(read int) int {
	listed, inner := s.listed(read), s.Inner.Window(s.recorded(read))
	switch s.Rule {
	case Both:
		return min(listed, inner)
	case Ahead:
		return listed + inner
	}
	window := max(listed, inner)
	for s.innerRemembers(read, window+1) {
		window++
	}
	return window
}

// Remembers reports whether the article of an age, 1 being the newest, is certainly remembered.
func (s *Strategy) Remembers(read, age int) bool {
	if age < 1 || age > read {
		return false
	}
	recorded := s.recorded(read)
	listed, inner := age <= s.Last, s.innerRemembers(recorded, age-(read-recorded))
	if s.Rule == Both {
		return listed && inner
	}
	return listed || inner
}

// innerRemembers is Remembers of the inner strategy, or its window.
func (s *Strategy) innerRemembers(read, age int) bool {
	if inner, ok := s.Inner.(interface{ Remembers(read, age int) bool }); ok {
		return inner.Remembers(read, age)
	}
	return age <= s.Inner.Window(read)
}

// HeaderBytes is the header of the list and that of the inner strategy. The IDs are payload.
func (s *Strategy) HeaderBytes() int {
	if inner, ok := s.Inner.(interface{ HeaderBytes() int }); ok {
		return headerBytes + inner.HeaderBytes()
	}
	return headerBytes
}
