// Package kerneltest compares the kernels of a processor, and processors with each other, by calls drawn at random.
package kerneltest

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/bits"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"dejavu/internal/garbage"
	"dejavu/internal/kernel"
)

// Draw calls run once for each draw and each kernel, with garbage in reused memory and with a generator that depends on
// the draw alone. All kernels must return the same bytes; about says what was drawn. The digest pins what the first
// quick draws return on every processor: 16 hexadecimal digits, or "" if they differ by design.
//
// There are quick draws, unless the environment says DRAW=10m, or DRAW=2000x for 2,000 draws.
func Draw(t *testing.T, quick int, digest string, run func(draw int, r *rand.Rand) (about string, returned []byte)) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	draws, long := Effort(t, quick)
	sum, start, failures, draw := fnv.New64a(), time.Now(), map[kernel.Kind]int{}, 0
	for ; draw < draws || time.Since(start) < long; draw++ {
		var want []byte
		for _, kind := range kernel.Kinds() {
			about, got, fault := call(kind, draw, run)
			if kind == kernel.Plain {
				want = got
			}
			if fault == nil && !bytes.Equal(got, want) {
				fault = fmt.Errorf("returned %d bytes other than the %d of plain Go", len(got), len(want))
			}
			if fault == nil {
				continue
			}
			if failures[kind]++; failures[kind] < 4 {
				t.Errorf("draw %d, kernels: %v, %s: %v", draw, kind, about, fault)
			}
		}
		_, _ = sum.Write(want)
		if got := fmt.Sprintf("%016x", sum.Sum64()); draw == quick-1 && digest != "" && got != digest {
			t.Errorf("the digest of %d draws is %s, want %s", quick, got, digest)
		}
	}
	t.Logf("%d draws in %v, failures by kernel: %v of %v", draw, time.Since(start), failures, kernel.Kinds())
}

func call(
	kind kernel.Kind, draw int, run func(int, *rand.Rand) (string, []byte),
) (about string, got []byte, fault any) {
	defer kernel.Use(kind)()
	defer garbage.On()()
	defer func() {
		if p := recover(); p != nil {
			fault = p
		}
	}()
	about, got = run(draw, rand.New(rand.NewPCG(2016, uint64(draw))))
	return about, got, nil
}

// Effort returns how many draws to make at least, and for how long: quick draws, unless the environment says DRAW.
func Effort(t testing.TB, quick int) (draws int, long time.Duration) {
	t.Helper()
	text := os.Getenv("DRAW")
	if number, ok := strings.CutSuffix(text, "x"); ok {
		if n, err := strconv.Atoi(number); err == nil {
			return n, 0
		}
	}
	long, err := time.ParseDuration(text)
	if text != "" && err != nil {
		t.Fatalf("DRAW is %q: write a time, as 10m, or a number of draws, as 2000x", text)
	}
	return quick, long
}

// Log draws a number from least to most, all orders of magnitude alike, every fourth a power of two or next to one.
func Log(r *rand.Rand, least, most int) int {
	span := uint64(most-least) + 1
	order := r.IntN(bits.Len64(span))
	if near := 1<<order + r.IntN(3) - 1; r.IntN(4) == 0 && least <= near && near <= most {
		return near
	}
	return least + int(r.Uint64N(min(2<<order, span)))
}

// Length draws how many numbers a call takes: mostly up to 70, and else near a power of two up to 2^16.
func Length(r *rand.Rand) int {
	if r.IntN(25) == 0 {
		return 1<<(6+r.IntN(11)) + r.IntN(9) - 4
	}
	return r.IntN(71)
}

// Place returns n values at the beginning of memory, with any alignment, or where memory ends.
func Place[T any](memory []byte, n int, r *rand.Rand) []T {
	size := int(unsafe.Sizeof(*new(T)))
	at := size * r.IntN(min(64, (len(memory)-n*size)/size+1))
	if r.IntN(2) == 0 {
		at = len(memory) - n*size
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory[at:]))), n)
}
