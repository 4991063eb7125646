package scalable

import (
	"errors"
	"fmt"
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

// StretchedConfig is the parameters of a filter that doubles in place.
type StretchedConfig struct {
	_         struct{}
	Capacity  int            // articles before the first doubling, at least 1; twice as many before the second
	Geometry  bloom.Geometry // at first
	Doublings int            // at most, 1 to 20
}

// A Stretched filter is what moving a full filter into a larger one comes to
// without the keys, for comparison. An article that probes position p of m
// would probe 2p or 2p+1 of 2m, and the bits do not say which, so that both are
// set. No article is forgotten; but the share of ones is that of the full
// filter still, and so is the rate, at once: a larger filter has been bought,
// and what it holds already fills it as before. Only later articles set one bit
// a probe. Rebuilding it from the keys would need a list of them, at eight bytes
// each; Filter leaves the old one alone instead.
//
// It implements strategies.Strategy and strategies.Theory.
type Stretched struct {
	StretchedConfig
	sizes []int
}

// NewStretched returns the strategy, or an error that names the field out of range.
func NewStretched(c StretchedConfig) (*Stretched, error) {
	const most = 20
	if c.Doublings < 1 || c.Doublings > most {
		return nil, fmt.Errorf("scalable: Doublings is %d, want 1 to %d", c.Doublings, most)
	}
	if capacity := maxCapacity >> c.Doublings; c.Capacity < 1 || c.Capacity > capacity {
		return nil, fmt.Errorf("scalable: Capacity is %d, want 1 to %d", c.Capacity, capacity)
	}
	if err := c.Geometry.Validate(); err != nil {
		return nil, fmt.Errorf("scalable: %w", err)
	}
	if bits := bloom.MaxBits >> c.Doublings; c.Geometry.Bits > bits {
		return nil, fmt.Errorf("scalable: Geometry.Bits is %d, want at most %d to double %d times", c.Geometry.Bits, bits, c.Doublings)
	}
	s := &Stretched{StretchedConfig: c}
	for doubled := range c.Doublings + 1 {
		s.sizes = append(s.sizes, s.lane(doubled).Bytes()+headerBytes)
	}
	return s, nil
}

// lane is the filter after so many doublings.
func (s *Stretched) lane(doubled int) bloom.Lanes {
	g := s.Geometry
	g.Bits <<= doubled
	return bloom.Lanes{Geometry: g, Count: 1}
}

// load is how often the filter of a history has doubled, and how many articles
// it holds; of a full one that cannot double any more, its capacity.
func (s *Stretched) load(history []byte) (doubled, count int) {
	h := history[len(history)-headerBytes:]
	doubled, _ = slices.BinarySearch(s.sizes, len(history))
	return doubled, int(h[0]) | int(h[1])<<8 | int(h[2])<<16
}

// Seen tests each candidate against the filter.
func (s *Stretched) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 {
		clear(seen)
		return
	}
	doubled, _ := s.load(history)
	bloom.Query(s.lane(doubled), history, 1, candidates, seen)
}

// Record sets the articles' bits, and doubles the filter for the article that
// finds it full.
func (s *Stretched) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	doubled, count := 0, 0
	if len(history) > 0 {
		doubled, count = s.load(history)
	}
	last := doubled
	for last < s.Doublings && count+len(shown) > s.Capacity<<last {
		last++
	}
	history = slices.Grow(history, s.sizes[last]-len(history))
	if len(history) == 0 {
		history = history[:s.sizes[0]]
		clear(history)
	}
	for {
		n, room := len(shown), s.Capacity<<doubled-count
		if doubled < s.Doublings {
			n = min(n, room)
		}
		bloom.Insert(s.lane(doubled), history, 1, shown[:n])
		count += min(n, room)
		if shown = shown[n:]; len(shown) == 0 {
			break
		}
		history = history[:s.sizes[doubled+1]]
		stretch(history, s.lane(doubled).Bytes(), s.lane(doubled+1).Bytes())
		doubled++
	}
	store(history, count)
	return history
}

// twice is every byte with each of its bits twice.
var twice = func() (table [256]uint16) {
	for b := range table {
		for i := range 8 {
			table[b] |= uint16(b>>i&1) * 3 << (2 * i)
		}
	}
	return table
}()

// stretch doubles every bit of the array's first bytes, in place, and clears
// what follows.
func stretch(history []byte, from, to int) {
	for i := from - 1; i >= 0; i-- {
		two := twice[history[i]]
		if 2*i+1 < to {
			history[2*i+1] = byte(two >> 8)
		}
		history[2*i] = byte(two)
	}
	clear(history[to:])
}

// HeaderBytes is how many bytes of every history are header, beside the filter.
func (s *Stretched) HeaderBytes() int { return headerBytes }

// Sizes is the filter and its header after every doubling.
func (s *Stretched) Sizes() []int { return s.sizes }

// Validate accepts nothing, or a filter and a header that agree with each other.
func (s *Stretched) Validate(history []byte) error {
	if len(history) == 0 {
		return nil
	}
	if _, found := slices.BinarySearch(s.sizes, len(history)); !found {
		return fmt.Errorf("scalable: history of %d bytes, want 0 or one of %d", len(history), s.sizes)
	}
	doubled, count := s.load(history)
	least := 1
	if doubled > 0 {
		least = s.Capacity<<(doubled-1) + 1
	}
	if most := s.Capacity << doubled; count < least || count > most {
		return fmt.Errorf("scalable: the filter holds %d articles, want %d to %d", count, least, most)
	}
	lane := s.lane(doubled)
	switch {
	case lane.Padded(history):
		return fmt.Errorf("scalable: a bit is set beyond the filter's %d", lane.Bits)
	case lane.Ones(history, 1) == 0:
		return errors.New("scalable: a filter without one bit set, want at least one article's")
	}
	return nil
}

// held is, after read articles, how often the filter has doubled.
func (s *Stretched) held(read int) int {
	doubled := 0
	for doubled < s.Doublings && read > s.Capacity<<doubled {
		doubled++
	}
	return doubled
}

// Bytes is the filter as it is now, and the header.
func (s *Stretched) Bytes(read int) int {
	if read == 0 {
		return 0
	}
	return s.sizes[s.held(read)]
}

// Window is everything: nothing is ever cleared.
func (s *Stretched) Window(read int) int { return read }

// FPR is the chance that all k positions of a fresh article are set, by
// inclusion and exclusion Σ_j (−1)^j C(k,j) A(j) over the chance A(j) that j of
// its probes meet clear bits only. For these, an article that was recorded
// when the filter had m bits must have missed the places among m that they come
// from: c of them with chance (1 − c/m)^k. How many places j probes have, and
// how many are left when places of 2m fall together in pairs, is counted size
// by size. Rates below about 1e-12 drown in rounding.
func (s *Stretched) FPR(read int) float64 {
	newest := s.held(read)
	sum, choose := 0., 1.
	for j := range s.Hashes() + 1 {
		sum += choose * s.clear(j, newest, read)
		choose *= -float64(s.Hashes()-j) / float64(j+1)
	}
	return min(max(sum, 0), 1)
}

// Hashes is how many positions an article probes, whatever the size.
func (s *Stretched) Hashes() int { return s.Geometry.Hashes }

// clear is A(j) of FPR, the newest size first.
func (s *Stretched) clear(j, newest, read int) float64 {
	places := make([]float64, j+1) // chances of so many
	places[0] = 1
	m := float64(s.Geometry.Bits << newest)
	for range j {
		for c := j; c > 0; c-- {
			places[c] = places[c]*float64(c)/m + places[c-1]*(m-float64(c)+1)/m
		}
		places[0] = 0
	}
	for size := newest; size >= 0; size-- {
		before := 0
		if size > 0 {
			before = s.Capacity << (size - 1)
		}
		articles := read - before
		if size < newest {
			articles = s.Capacity<<size - before
		}
		m = float64(s.Geometry.Bits << size)
		for c := range places {
			places[c] *= power(max(1-float64(c)/m, 0), articles*s.Hashes())
		}
		if size > 0 {
			places = paired(places, m)
		}
	}
	sum := 0.
	for _, p := range places {
		sum += p
	}
	return sum
}

// paired is how the chances of so many places among m turn into those of pairs
// of places: one place after the other, which lies beside one that is alone in
// its pair so far, or begins a pair.
func paired(places []float64, m float64) []float64 {
	pairs := make([]float64, len(places))
	alone := make([][]float64, len(places)+1) // chances by pairs begun and pairs with one place
	for i := range alone {
		alone[i] = make([]float64, len(places)+1)
	}
	alone[0][0] = 1
	for c := range places {
		for begun := range places {
			for one := range places {
				pairs[begun] += places[c] * alone[begun][one]
			}
		}
		next := make([][]float64, len(alone))
		for i := range next {
			next[i] = make([]float64, len(alone))
		}
		for begun := range places {
			for one := range places {
				p := alone[begun][one] / (m - float64(c))
				if p == 0 {
					continue
				}
				if one > 0 {
					next[begun][one-1] += p * float64(one)
				}
				next[begun+1][one+1] += p * max(m-2*float64(begun), 0)
			}
		}
		alone = next
	}
	return pairs
}

// power is x to the n, n being whole and not negative.
func power(x float64, n int) float64 {
	p := 1.
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p *= x
		}
		x *= x
	}
	return p
}
