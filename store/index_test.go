package store

import (
	"flag"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"
	"unsafe"

	"dejavu/strategies"
)

var newcomers = flag.Int("newcomers", 200_000, "keys in TestIndexPauses")

// No newcomer waits for the index to grow longer than one request in a thousand takes
// anyway (TestShowCosts). The same keys come to three indexes, one after the other: what
// takes long each time is the index, and what once is the machine. At ten million:
//
//	go test ./store -run TestIndexPauses -newcomers 10000000 -v
func TestIndexPauses(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // whose pauses are not the index's
	const shards = 256
	salt := strategies.RandomSecret().Salt(1)
	waited := slices.Repeat([]time.Duration{time.Hour}, *newcomers)
	for range 3 {
		indexes := make([]index, shards)
		runtime.GC()
		for key := range waited {
			hash := spread(salt, uint64(key))
			x := &indexes[hash>>32*shards>>32]
			begin := time.Now()
			if x.find(hash, uint64(key)) >= 0 || x.add(hash, uint64(key)) < 0 {
				t.Fatalf("key %d: known before, or not to be known", key)
			}
			x.grow(salt)
			waited[key] = min(waited[key], time.Since(begin))
		}
	}
	slices.Sort(waited)
	n := len(waited) - 1
	t.Logf("%d newcomers wait %v at p50, %v at p99.9, %v at most", n+1, waited[n/2], waited[n/1000*999], waited[n])
	// A table made anew at twice its size would take a millisecond even at so few.
	if waited[n] > 300*time.Microsecond {
		t.Errorf("a newcomer waits %v for the index", waited[n])
	}
}

// An index counts every page that it has, and the tables that lead to them.
func TestIndexBytes(t *testing.T) {
	var x index
	if got := x.bytes(); got != 0 {
		t.Errorf("an index of nobody takes %d bytes", got)
	}
	salt := strategies.RandomSecret().Salt(1)
	for key := range uint64(100_000) {
		if x.add(spread(salt, key), key) < 0 {
			t.Fatal("no room for key ", key)
		}
		x.grow(salt)
	}
	want := len(x.users)*int(unsafe.Sizeof(*x.users[0])) +
		(len(x.buckets)+len(x.beyond))*int(unsafe.Sizeof(*x.buckets[0])) +
		8*(cap(x.users)+cap(x.buckets)+cap(x.beyond))
	if got := x.bytes(); got != int64(want) || len(x.beyond) == 0 {
		t.Errorf("%d users take %d bytes, want %d", x.given, got, want)
	}
}
