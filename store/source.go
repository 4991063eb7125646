package store

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	granule     = 4096      // chunks are whole pages of memory
	leastChunk  = 32 << 10  // bytes: small, as every shard has a few half-full chunks
	mostChunk   = 256 << 10 // bytes: do not look for a better fit beyond
	fitLoss     = 0.005     // a chunk may waste this share
	maxSpares   = 64        // empty chunks that stay resident
	regionBytes = 64 << 20  // of address space, reserved at a time; chunks get memory later
)

// chunkBytesFor returns the length of chunks: the shortest that wastes at most fitLoss, or the one that wastes least.
func chunkBytesFor(sizes []int, l layout) int {
	longest := sizes[len(sizes)-1] + l.owner
	first := (max(leastChunk, longest) + granule - 1) / granule * granule
	best, bestLoss := first, 2.0
	for n := first; n <= max(mostChunk, 4*first); n += granule {
		loss := 0.0
		for _, size := range sizes {
			loss = max(loss, float64(n%(size+l.owner))/float64(n))
		}
		if loss < bestLoss {
			best, bestLoss = n, loss
		}
		if loss <= fitLoss {
			break
		}
	}
	return best
}

// A source provides a store's chunks, all of one length, and takes them back. It keeps empty ones resident, at most one
// for every 64 in use, so that pools which grow and shrink avoid system calls.
//
// Chunks are cut from regions of address space outside the heap, if the system has them (reserve). On the heap, as the
// build tag heapslabs shows, garbage would grow to the size of the slabs.
type source struct {
	bytes int    // the length of a chunk
	arena *Arena // if not nil, where regions come from and return to
	huge  bool   // regions have huge pages

	mu      sync.Mutex // guards all below
	inUse   int        // chunks handed out
	empty   [][]byte   // chunks not in use
	cold    int        // of these the first cold have no memory, but addresses
	regions []region   // the last one in use only in part
	fresh   []byte     // the unused end of the last region
	warm    int        // bytes at the beginning of fresh that are resident
	drawn   int        // bytes of chunks that are in use or resident
}

// take returns a chunk of arbitrary content, and whether it has memory. If not, the caller must populate it.
func (s *source) take() (chunk []byte, resident bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inUse++
	if n := len(s.empty); n > 0 {
		chunk = s.empty[n-1]
		s.empty = slices.Delete(s.empty, n-1, n)
		if n > s.cold {
			return chunk, true
		}
		s.cold--
		s.account(s.bytes, s.bytes)
		return chunk, false
	}
	if len(s.fresh) < s.bytes && !s.open() {
		// Without address space, try the heap; the runtime then reports that memory is full.
		return make([]byte, s.bytes), true
	}
	chunk, s.fresh = s.fresh[:s.bytes:s.bytes], s.fresh[s.bytes:]
	cold := max(s.bytes-s.warm, 0)
	s.warm = max(s.warm-s.bytes, 0)
	s.account(cold, s.bytes)
	return chunk, cold == 0
}

func (s *source) open() bool {
	r, ok := region{}, false
	if s.arena != nil && s.bytes <= regionBytes {
		r, ok = s.arena.take()
	}
	if !ok {
		if r.bytes = reserve(max(regionBytes, s.bytes)); r.bytes == nil {
			return false
		}
	}
	if s.huge {
		enlarge(r.bytes)
	}
	s.closeRegion()
	s.regions = append(s.regions, r)
	s.fresh, s.warm = r.bytes, r.touched
	return true
}

func (s *source) closeRegion() {
	if n := len(s.regions); n > 0 {
		r := &s.regions[n-1]
		r.touched = max(r.touched, len(r.bytes)-len(s.fresh))
	}
}

// put takes a chunk back, but not small ones that the pool allocated itself.
func (s *source) put(chunk []byte) {
	if len(chunk) != s.bytes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inUse--
	s.empty = append(s.empty, chunk)
	for len(s.empty)-s.cold > min((s.inUse+63)/64, maxSpares) {
		if !release(s.empty[s.cold]) {
			s.empty = slices.Delete(s.empty, s.cold, s.cold+1)
			continue
		}
		s.cold++
		s.account(-s.bytes, -s.bytes)
	}
}

// unmap returns whole regions to the arena, and others to the operating system. No chunk may be in use.
func (s *source) unmap() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeRegion()
	for _, r := range s.regions {
		holes := 0
		for _, chunk := range s.empty[:s.cold] {
			if within(chunk, r.bytes) {
				holes += len(chunk)
			}
		}
		if s.arena != nil && holes == 0 && len(r.bytes) == regionBytes {
			s.arena.give(r)
			continue
		}
		s.account(holes-r.touched, 0)
		unmap(r.bytes)
	}
	s.account(0, -s.drawn)
	s.inUse, s.empty, s.cold, s.regions, s.fresh, s.warm = 0, nil, 0, nil, nil, 0
}

func (s *source) account(touched, drawn int) {
	s.drawn += drawn
	if s.arena != nil {
		s.arena.touched.Add(int64(touched))
		s.arena.drawn.Add(int64(drawn))
	}
}

func within(chunk, region []byte) bool {
	a, b := uintptr(unsafe.Pointer(unsafe.SliceData(chunk))), uintptr(unsafe.Pointer(unsafe.SliceData(region)))
	return a >= b && a-b < uintptr(len(region))
}

// idleBytes returns the bytes of empty resident chunks and of the source's lists.
func (s *source) idleBytes() (spareBytes, listBytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lists := headerBytes*int64(cap(s.empty)) + int64(unsafe.Sizeof(region{}))*int64(cap(s.regions))
	return int64(len(s.empty)-s.cold) * int64(s.bytes), lists
}

// An Arena is memory that stores use one after the other: it stays resident from one to the next, as new memory is
// expensive. The zero value is an empty arena. It is safe for concurrent use, and only useful on Linux.
type Arena struct {
	mu      sync.Mutex
	regions []region // free ones

	touched atomic.Int64 // resident bytes of all regions, the stores' too
	drawn   atomic.Int64 // of these, bytes of chunks that stores use
}

type region struct {
	bytes   []byte
	touched int // bytes at the beginning that are resident
}

// Idle returns the resident bytes that no store uses, 0 for a nil arena.
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
