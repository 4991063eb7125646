package store

import "runtime"

// Forget drops every history that has expired at time now and returns how many
// it dropped. As long as no clock runs back behind now, no answer depends on
// whether Forget is called, only the memory held: without it, who never comes
// back is never forgotten. It locks one shard at a time, for about a nanosecond
// a user and the copy of a block for every history dropped.
func (s *Store) Forget(now Timestamp) int {
	defer runtime.KeepAlive(s)
	if s.idle == 0 {
		return 0
	}
	dropped := 0
	for i := range s.shards {
		dropped += s.shards[i].forget(now)
	}
	return dropped
}

func (sh *shard) forget(now Timestamp) (dropped int) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for local := range sh.words {
		if w := &sh.words[local]; w.at != nowhere && sh.expired(w, now) {
			sh.drop(local)
			dropped++
		}
	}
	return dropped
}

// Clear makes every user a newcomer and gives the memory of all histories
// back at once, without waiting for the collector to find that the store is
// garbage. The store can be used on.
func (s *Store) Clear() {
	defer runtime.KeepAlive(s)
	// All shards at once: no user may come back before the memory is gone.
	for i := range s.shards {
		s.shards[i].mu.Lock()
		defer s.shards[i].mu.Unlock()
	}
	s.chunks.keepAll() // one by one is slow
	for i := range s.shards {
		s.shards[i].clear()
	}
	s.chunks.unmap()
}

// Reset makes every user a newcomer and keeps the memory for the histories to
// come, where Clear gives it back: memory is expensive to get, a microsecond or two
// for 4 KiB. Stats counts what is kept among Slabs. The store must not be in use
// meanwhile.
func (s *Store) Reset() {
	defer runtime.KeepAlive(s)
	s.chunks.keepAll()
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		sh.clear()
		sh.mu.Unlock()
	}
	s.chunks.release()
}

// clear makes the shard's users newcomers. The shard is locked.
func (sh *shard) clear() {
	clear(sh.words)
	for k := range sh.pools {
		sh.pools[k].cut(sh.chunks, 0)
		sh.pools[k].used = 0
	}
}
