package store

import (
	"runtime"
	"unsafe"
)

// headerBytes is the length of a slice's header, which every chunk needs once.
const headerBytes = int64(unsafe.Sizeof([]byte(nil)))

// Stats says what a store holds. Histories that have expired count until a request or Forget drops them.
type Stats struct {
	Users   int   // who have a history
	Payload int64 // the sum of the lengths of all histories, in bytes

	// Slabs is the memory the histories lie in, in bytes: Payload, the room left in chunks, and the empty
	// chunks kept at hand. Bookkeeping is all other memory: where histories lie, when they were last recorded,
	// whose they are, the tables of chunks, the shards and their staging buffers.
	Slabs, Bookkeeping int64

	// Since New: candidates asked for, those that were seen, articles recorded, histories that expired.
	Asked, Hits, Recorded, Expired int64
}

// Stats counts what the store holds, for a metrics page, say. It locks one shard at a time, for some
// nanoseconds a chunk, so that the counts of different shards are of slightly different moments.
func (s *Store[U]) Stats() Stats {
	defer runtime.KeepAlive(s)
	var st Stats
	for i := range s.shards {
		s.shards[i].addTo(&st)
	}
	spares, lists := s.chunks.held()
	st.Slabs += spares
	st.Bookkeeping += lists + int64(unsafe.Sizeof(*s)+unsafe.Sizeof(*s.chunks)) +
		int64(cap(s.classes))*int64(unsafe.Sizeof(class{}))
	return st
}

func (sh *shard) addTo(st *Stats) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	st.Bookkeeping += int64(unsafe.Sizeof(*sh)) +
		int64(cap(sh.entries))*int64(unsafe.Sizeof(entry{})) + sh.users.bytes() +
		8*int64(cap(sh.scratch.salted)+cap(sh.scratch.shown)) + int64(cap(sh.scratch.seen)) +
		int64(cap(sh.pools))*int64(unsafe.Sizeof(pool{})) +
		int64(cap(sh.staging))
	st.Asked += sh.counts.asked
	st.Hits += sh.counts.hits
	st.Recorded += sh.counts.recorded
	st.Expired += sh.counts.expired
	for k := range sh.pools {
		p := &sh.pools[k]
		st.Users += p.used
		st.Payload += int64(p.used) * int64(sh.classes[k].size)
		st.Bookkeeping += headerBytes * int64(cap(p.chunks))
		for _, chunk := range p.chunks {
			owners := sh.layout.owner * min(len(chunk)/(sh.classes[k].size+sh.layout.owner), sh.classes[k].perChunk)
			st.Bookkeeping += int64(owners)
			st.Slabs += int64(len(chunk) - owners)
		}
	}
}
