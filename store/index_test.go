package store

import (
	"bytes"
	"flag"
	"io"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var newcomers = flag.Int("newcomers", 200_000, "keys in TestIndexPauses")

// testSalt returns the salt of keys in tests of the index, by seed.
func testSalt(seed byte) strategies.Salt {
	secret, err := strategies.NewSecret(bytes.Repeat([]byte{seed}, strategies.SecretBytes))
	if err != nil {
		panic(err)
	}
	return secret.Salt(1)
}

// An index equals a map from hashes to places: it grows to thousands of users and shrinks to none, over and over, with
// consecutive and with random keys.
func TestIndexAgainstMap(t *testing.T) {
	for seed := range uint64(8) {
		salt, random := testSalt(byte(seed)), rand.New(rand.NewPCG(31, seed))
		var x index
		want, keys := map[uint64]entry{}, []uint64(nil)
		most, crowded := int64(0), []int{6000, 60}[seed/4] // many users, or few in buckets that move as a small page grows
		for step := range 60_000 {
			grows := step/10_000%2 == 0
			if n := len(keys); n == 0 || random.IntN(10) < 7 == grows && n < crowded {
				key := uint64(step)
				if seed%2 == 0 {
					key = random.Uint64()
				}
				e := x.add(uint32(spread(salt, key)), location(step+1))
				e.last = Timestamp(step)
				want[key], keys = *e, append(keys, key)
			} else {
				i := random.IntN(n)
				x.remove(uint32(spread(salt, keys[i])), want[keys[i]].at)
				delete(want, keys[i])
				keys[i], keys = keys[n-1], keys[:n-1]
			}
			most = max(most, x.bytes())
			if step%1000 != 999 && len(keys) > 3 {
				continue
			}
			if err := x.check(); err != nil || x.live != len(want) {
				t.Fatalf("seed %d, step %d: %d users, want %d: %v", seed, step, x.live, len(want), err)
			}
			for key, e := range want {
				if got := x.at(uint32(spread(salt, key)), e.at); *got != e {
					t.Fatalf("seed %d, step %d: key %x has %+v, want %+v", seed, step, key, *got, e)
				}
			}
		}
		for _, key := range keys {
			x.remove(uint32(spread(salt, key)), want[key].at)
		}
		if err := x.check(); err != nil || x.live != 0 || x.bytes() > 1024 || most < int64(crowded)*12 {
			t.Errorf("seed %d: an index that had %d bytes has %d for %d users: %v", seed, most, x.bytes(), x.live, err)
		}
	}
}

// No request waits for the index to grow or shrink. One that adds or removes a user moves the users of one bucket, 48
// at most (18 are expected before it is split: by Poisson's law one in 10^9 has more). Its time is logged, the
// shortest of three rounds: what is long each time is due to the index, what is long once to the machine. At ten
// million users it is less than one request in a thousand takes anyway (TestShowCosts):
//
//	go test ./store -run TestIndexPauses -newcomers 10000000 -v
func TestIndexPauses(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // whose pauses are not the index's
	const shards = 256
	salt := testSalt(1)
	waited := slices.Repeat([]time.Duration{time.Hour}, 2**newcomers)
	moved, buckets := 0, 0
	for range 3 {
		indexes := make([]index, shards)
		runtime.GC()
		for i := range waited {
			key := i % *newcomers
			hash := spread(salt, uint64(key))
			x := &indexes[hash>>32*shards>>32]
			before := x.main.n
			begin := time.Now()
			if i < *newcomers {
				x.add(uint32(hash), location(key+1))
			} else {
				x.remove(uint32(hash), location(key+1))
			}
			waited[i] = min(waited[i], time.Since(begin))
			if n := max(before, x.main.n) - 1; n > 0 && before != x.main.n {
				low := n - 1<<(bits.Len(uint(n))-1)
				moved = max(moved, x.users(low)+x.users(n))
				buckets++
			}
		}
	}
	slices.Sort(waited)
	n := len(waited) - 1
	t.Logf("%d who come and go wait %v at p50, %v at p99.9, %v at most; buckets of up to %d users were split or merged",
		n+1, waited[n/2], waited[n/1000*999], waited[n], moved)
	if moved > 48 || buckets < *newcomers/4 {
		t.Errorf("%d buckets were split or merged, of up to %d users", buckets, moved)
	}
}

// users returns how many users a bucket and its continuations hold, 0 if there is no such bucket.
func (x *index) users(n int) (sum int) {
	if n >= x.main.n {
		return 0
	}
	for b := x.main.at(n); b != nil; b = x.next(b) {
		sum += b.count()
	}
	return sum
}

// An index counts every page that it has, and the tables that lead to them.
func TestIndexBytes(t *testing.T) {
	var x index
	strategytest.Equal(t, x.bytes(), 0, "an index of nobody takes bytes")
	salt := testSalt(2)
	for key := range uint64(100_000) {
		x.add(uint32(spread(salt, key)), location(key+1))
	}
	want := (len(x.main.pages)+len(x.overflow.pages))*4096 + int(headerBytes)*(cap(x.main.pages)+cap(x.overflow.pages))
	if got := x.bytes(); got != int64(want) || len(x.overflow.pages) == 0 {
		t.Errorf("%d users take %d bytes, want %d", x.live, got, want)
	}
}

// The shortest chunk of 32 KiB or more, in pages of 4 KiB, of which every length of history leaves 0.5 % or less; or
// else, up to 256 KiB, the one of which it leaves least. Worked by hand: each history has 2 bytes of owner.
func TestChunkBytes(t *testing.T) {
	lie := func(sizes []int, want int) {
		t.Helper()
		strategytest.Equal(t, chunkBytesFor(sizes, layoutOf(numbers, len(sizes))), want,
			"histories of %d bytes lie in chunks of", sizes)
	}
	lie([]int{510}, 32<<10)        // 64 of them
	lie([]int{4094, 6142}, 36<<10) // 9 and 6
	lie([]int{40_958}, 40<<10)     // one
	lie([]int{40_959}, 61*4096)    // six, and 1.6 % is left; of fewer more, for each is a page and a byte longer
}

// Of several errors the first in the snapshot is reported, whichever occurs first.
func TestFirstErrorIsKept(t *testing.T) {
	var in input
	for _, number := range []int{5, 3, 4} {
		in.note(&block{number: number, offset: 7}, io.ErrUnexpectedEOF)
	}
	if got, want := in.err.Error(), "block 3, at byte 7: unexpected EOF"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
