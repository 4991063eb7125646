package store_test

import (
	"fmt"
	"testing"

	"dejavu/store"
	"dejavu/strategies/strategytest"
)

// A shard is copied into as much memory as its blocks take, where nothing has expired.
func TestSnapshotRoom(t *testing.T) {
	// A block has 873 histories of 1200 bytes, and a shard more of them.
	for _, s := range []*store.Store[int]{
		lived(t, store.Config{Unsalted: true, Strategy: climb{3, 5}, Users: 60, Shards: 7}),
		lived(t, store.Config{Unsalted: true, Strategy: climb{1200}, Users: 6000, Shards: 3}),
	} {
		if room, taken := s.SnapshotRoom(); fmt.Sprint(room) != fmt.Sprint(taken) {
			t.Errorf("room for %v bytes, and %v are taken", room, taken)
		}
		s.Clear()
	}
}

// Positions of histories leave room for as many users of a shard as its index finds, and
// for fewer where there are hundreds of lengths.
func TestMostKeyed(t *testing.T) {
	for classes, want := range map[int]int{
		1: 1<<24 - 2, 63: 1<<24 - 2, 127: 1<<24 - 1<<16, 128: 1<<23 - 1<<16, 16383: 1<<17 - 1<<16,
	} {
		strategytest.Equal(t, store.MostKeyed(classes), want, "%d lengths leave room for users", classes)
	}
}
