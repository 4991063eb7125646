package bloom

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"dejavu/internal/kernel"
	"dejavu/internal/kernel/kerneltest"
	"dejavu/strategies/strategytest"
)

// drawLanes draws any lanes, half of them with six hashes, and many that nearly fill the registers.
func drawLanes(r *rand.Rand, most int) Lanes {
	l := Lanes{hashes: 6, count: 1 + r.IntN(MaxLanes)}
	if r.IntN(2) == 0 {
		l.hashes = kerneltest.Log(r, 1, MaxHashes)
	}
	if r.IntN(3) > 0 {
		l.count = []int{1, 1, 2, 3 + r.IntN(7), 5, wordLanes, wordLanes + 1}[r.IntN(7)]
	}
	least := 1
	if l.count > 1 {
		least = MinLaneBits
	}
	l.bits = kerneltest.Log(r, least, max(least, most/l.count))
	if r.IntN(2) == 0 {
		bytes := []int{4, 508, 512, 767, 1024}[r.IntN(5)] + r.IntN(8) - 4
		l.bits = max(least, (8*bytes-r.IntN(8))/l.count)
	}
	return l
}

// memories returns guarded memory for an array, for candidates or articles, and for answers.
func memories(t *testing.T) (memories [3][]byte) {
	for i := range memories {
		memories[i] = strategytest.Guarded(t, 1<<17)
	}
	return memories
}

// fillArray sets most bits, so that candidates fail late: at random, or all but a few of the last.
func fillArray(array []byte, r *rand.Rand) {
	ors, last := 1+r.IntN(4), len(array)
	for i := range array {
		array[i] = 0
		for range ors {
			array[i] |= byte(r.Uint32())
		}
	}
	if r.IntN(3) == 0 {
		for i := range array {
			array[i] = 0xff
		}
		clear(array[max(0, last-1-r.IntN(8)):])
	}
}

// Every kernel answers queries, records articles and adds lanes as plain Go does, whose bits are those that Positions
// lists. No kernel reads or writes beyond its memory.
func TestDrawnCalls(t *testing.T) {
	memory := memories(t)
	kerneltest.Draw(t, 6000, "023c4c5121f3ccfd", func(_ int, r *rand.Rand) (about string, returned []byte) {
		l, n := drawLanes(r, 1<<18), r.IntN(70)
		if r.IntN(40) == 0 {
			n = r.IntN(5000)
		}
		array := kerneltest.Place[byte](memory[0], l.Bytes()+l.slack(), r)
		ids, seen := kerneltest.Place[uint64](memory[1], n, r), kerneltest.Place[bool](memory[2], n, r)
		live := r.Uint64() >> r.IntN(64)
		fillArray(array[:l.Bytes()], r)
		clear(array[l.Bytes():])
		for i := range ids {
			ids[i], seen[i] = r.Uint64(), r.IntN(2) == 0
		}
		Query(l, array, live, ids, seen)
		for i, id := range ids[:min(n, 20)] {
			if want := defined(l, array, live, id); kernel.Now() == kernel.Plain && seen[i] != want {
				t.Fatalf("%+v: candidate %d of %d among lanes %b is %v, want %v", l, i, n, live, seen[i], want)
			}
		}
		returned = append(fmt.Append(nil, seen), array...)
		clear(array[:l.Bytes()])
		ids = ids[:min(n, 1000)]
		Insert(l, array, live, ids)
		if kernel.Now() == kernel.Plain && n < 100 {
			want := make([]byte, len(array))
			for _, id := range ids {
				for _, p := range l.Geometry().Positions(nil, id) {
					for lane := range l.count {
						bit := p*l.count + lane
						want[bit/8] |= byte(live>>lane&1) << (bit % 8)
					}
				}
			}
			copy(want[l.Bytes():], array[l.Bytes():])
			strategytest.EqualSlices(t, array, want, "%+v: bits of %d articles in lanes %b", l, n, live)
		}
		returned = append(returned, array...)
		if wide := (Lanes{l.bits, l.hashes, l.count + 1}); wide.count <= MaxLanes && l.bits >= MinLaneBits {
			wider := kerneltest.Place[byte](memory[1], wide.Bytes()+Slack+1, r)
			copy(wider, array[:l.Bytes()])
			AddLane(wide, wider, r.IntN(l.count)*r.IntN(2))
			returned = append(returned, wider[:wide.Bytes()]...)
		}
		return fmt.Sprintf("%+v, lanes %b, %d candidates", l, live, n), append(returned, array...)
	})
}

// Every kernel answers any number of candidates up to 8,200 as plain Go answers the first of a longer list, and records
// any number up to 4,100 as plain Go records them one by one. The first draws are of all kernels for six hashes.
func TestDrawnNumbers(t *testing.T) {
	const most, mostArticles = 8200, 4100
	guarded := memories(t)
	kerneltest.Draw(t, 7, "", func(draw int, r *rand.Rand) (about string, returned []byte) {
		l := drawLanes(r, 1<<14)
		if draw < 7 {
			l = Lanes{[]int{4064, 4057, 4100, 4064, 812, 500, 100}[draw], 6, []int{1, 1, 1, 2, 5, 9, 40}[draw]}
		}
		array := kerneltest.Place[byte](guarded[0], l.Bytes()+l.slack(), r)
		fillArray(array[:l.Bytes()], r)
		ids, live := make([]uint64, most), ones(l.count)
		for i := range ids {
			ids[i] = r.Uint64()
		}
		want, wrong, seen := make([]bool, most+1), make([]bool, most+1), make([]bool, most+1)
		queryPlain(&l, array, live, ids, want)
		for i := range want {
			wrong[i] = !want[i]
		}
		step := 1
		if testing.Short() || kernel.Now() < kernel.AVX2 { // which take no blocks
			step = 89
		}
		for n := 0; n <= most; n += step {
			copy(seen, wrong)
			Query(l, array, live, ids[:n], seen)
			if !bytes.Equal(asBytes(seen[:n]), asBytes(want[:n])) || seen[n] != wrong[n] {
				t.Fatalf("draw %d, kernels: %v, %+v: other answers to %d candidates", draw, kernel.Now(), l, n)
			}
		}
		l.bits = max(1<<16/l.count, MinLaneBits)
		one, all := make([]byte, l.Bytes()+Slack+1), make([]byte, l.Bytes()+Slack+1)
		if step = 1 + draw%4*5; testing.Short() || kernel.Now() == kernel.Plain {
			step = 89
		}
		for n, done := step, 0; n <= mostArticles; n += step {
			insertPlain(l, one, 1, ids[done:n])
			done = n
			clear(all)
			if Insert(l, all, 1, ids[:n]); !bytes.Equal(one, all) {
				t.Fatalf("draw %d, kernels: %v, %+v: other bits for %d articles", draw, kernel.Now(), l, n)
			}
		}
		return "", nil
	})
}

func asBytes(all []bool) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(all))), len(all))
}
