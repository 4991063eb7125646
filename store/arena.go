package store

import (
	"slices"
	"sync"
	"sync/atomic"
)

// An Arena is memory that stores use one after the other: what one that is cleared, or garbage, gives back
// stays resident for the next. Memory is expensive to get, a microsecond or two for 4 KiB. The zero value is
// an empty arena; it must not be copied, and is safe for concurrent use. It helps on Linux; elsewhere it
// stays empty.
type Arena struct {
	mu      sync.Mutex
	regions []region // that no store has

	touched atomic.Int64 // bytes of all regions, the stores' too, that are resident
	drawn   atomic.Int64 // of those, bytes of the chunks that stores hold
}

// A region is a stretch of address space that chunks are cut from.
type region struct {
	bytes   []byte
	touched int // as many bytes, from the first on, are resident
}

// Idle is how many bytes of physical memory the arena has that no store holds. A nil arena has none.
func (s *Arena) Idle() int64 {
	if s == nil {
		return 0
	}
	return s.touched.Load() - s.drawn.Load()
}

// Release gives the idle memory back to the operating system.
func (s *Arena) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.regions {
		s.touched.Add(-int64(r.touched))
		unmap(r.bytes)
	}
	s.regions = nil
}

func (s *Arena) take() (region, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.regions)
	if n == 0 {
		return region{}, false
	}
	r := s.regions[n-1]
	s.regions = slices.Delete(s.regions, n-1, n)
	return r, true
}

func (s *Arena) give(r region) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.regions = append(s.regions, r)
}
