package store

import (
	"slices"
	"sync"
)

const (
	granule    = 4096      // chunks are whole pages of memory
	leastChunk = 32 << 10  // bytes: small, for every shard has a few half-full ones
	mostChunk  = 256 << 10 // bytes: beyond, it is not worth looking for a better fit
	fitLoss    = 0.005     // a chunk that wastes no more than this fits well enough
	maxSpares  = 64        // empty chunks kept at hand
)

// chunkBytesFor chooses the length of a chunk, one for all pools of a store, so that a chunk which one pool
// has emptied can serve any other: the shortest that every length of history fills to within fitLoss, or else
// the one that does best.
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

// A source hands out the chunks of a store, all of one length, and takes them back. It keeps a few empty ones
// at hand, at most one for every 64 in use, so that pools which breathe do not trouble the operating system;
// the memory of the others is given back at once.
type source struct {
	bytes int // the length of a chunk

	mu     sync.Mutex // guards all below
	inUse  int        // chunks handed out
	spares [][]byte   // empty, their memory still resident
	pages  pages      // where chunks come from and go to
}

// get returns a chunk. Its content is arbitrary.
func (s *source) get() []byte {
	chunk, resident := s.take()
	if !resident {
		populate(chunk) // not under the lock: it takes a while
	}
	return chunk
}

// take returns a chunk and whether its memory is resident.
func (s *source) take() (chunk []byte, resident bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inUse++
	if n := len(s.spares); n > 0 {
		chunk = s.spares[n-1]
		s.spares = slices.Delete(s.spares, n-1, n)
		return chunk, true
	}
	return s.pages.get(s.bytes)
}

// put takes a chunk back. Small ones, made by the pool itself, are left to the collector.
func (s *source) put(chunk []byte) {
	if len(chunk) != s.bytes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inUse--
	s.spares = append(s.spares, chunk)
	for n := len(s.spares); n > min((s.inUse+63)/64, maxSpares); n-- {
		s.pages.put(s.spares[n-1])
		s.spares = slices.Delete(s.spares, n-1, n)
	}
}

// unmap gives all chunks back, and those in use must not be touched again. The source can be used on.
func (s *source) unmap() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inUse, s.spares = 0, nil
	s.pages.unmap()
}

// held is how many bytes of empty chunks the source keeps at hand, and how many its lists take.
func (s *source) held() (spareBytes, listBytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.spares)) * int64(s.bytes), headerBytes*int64(cap(s.spares)) + s.pages.listed()
}
