package store

import (
	"context"
	"runtime"
	"time"
)

// Forget drops every history that has expired at time now and returns how many it dropped. As long as no
// clock runs back behind now, no answer depends on it, only the memory held. It locks one shard at a time,
// for 1024 users at a time: about a nanosecond for each, and the copy of a block for every history dropped.
func (s *Store[U]) Forget(now Timestamp) int {
	defer runtime.KeepAlive(s)
	if s.idle == 0 {
		return 0
	}
	dropped := 0
	for i := range s.shards {
		for from, more := 0, true; more; from += forgotAtOnce {
			var n int
			n, more = s.shards[i].forget(now, from)
			dropped += n
		}
	}
	return dropped
}

const forgotAtOnce = 1024

// forget drops what has expired of the users from a number on, and says whether there are more.
func (sh *shard) forget(now Timestamp, from int) (dropped int, more bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	to := min(from+forgotAtOnce, sh.numbers())
	for local := from; local < to; local++ {
		if e := sh.entry(local); e.at != nowhere && sh.expired(e.last, now) {
			u := user{local: local}
			if sh.keyed() {
				u.key = sh.users.at(local).key
				u.hash = spread(sh.places, u.key)
			}
			sh.drop(&u)
			dropped++
		}
	}
	sh.counts.expired += int64(dropped)
	return dropped, to < sh.numbers()
}

// Sweep calls Forget every so often until the context is done, at the time that clock says then. A service
// starts it in a goroutine of its own. Where Config.Idle is 0 it returns at once.
func (s *Store[U]) Sweep(ctx context.Context, every time.Duration, clock func() Timestamp) {
	if s.idle == 0 {
		return
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.Forget(clock())
		}
	}
}

// Close gives all memory back when requests under way have been answered. A request that comes later panics.
func (s *Store[U]) Close() { s.end(true) }

// Clear makes every user a newcomer and gives all memory back at once. The store can be used on.
func (s *Store[U]) Clear() { s.end(false) }

func (s *Store[U]) end(closed bool) {
	defer runtime.KeepAlive(s)
	// All shards at once: no user may come back before the memory is gone.
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		defer sh.mu.Unlock()
		clear(sh.entries)
		clear(sh.pools)
		sh.users = index{}
		sh.closed = sh.closed || closed
	}
	s.chunks.unmap()
}
