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
	draws, long := effort(t, quick)
	sum, start, failures, draw := fnv.New64a(), time.Now(), map[kernel.Kind]int{}, 0
	for ; draw < draws || time.Since(start) < long; draw++ {
		var want []byte
		for _, kind := range kernel.Kinds() {
			about, got, fault := call(kind, draw, run)
			if kind == kernel.Plain {
				want = got
			}
			if fault == nil && !bytes.Equal(got, want) {
				fault = differs(got, want)
			}
			if fault == nil {
				continue
			}
			if failures[kind]++; failures[kind] < 4 {
				t.Errorf("draw %d, kernels: %v, %s: %v", draw, kind, about, fault)
			}
		}
		if _, err := sum.Write(want); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%016x", sum.Sum64()); draw == quick-1 && digest != "" && got != digest {
			t.Errorf("the digest of %d draws is %s, want %s", quick, got, digest)
		}
	}
	t.Logf("%d draws in %v, failures by kernel: %v of %v", draw, time.Since(start), failures, kernel.Kinds())
}

func call(kind kernel.Kind, draw int, run func(int, *rand.Rand) (string, []byte)) (about string, got []byte, fault any) {
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

func differs(got, want []byte) error {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	return fmt.Errorf("returned %d bytes, plain Go %d, and byte %d differs", len(got), len(want), at)
}

// effort returns how many draws to make at least, and for how long.
func effort(t *testing.T, quick int) (draws int, long time.Duration) {
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

// Log draws a number from least to most, both included, all orders of magnitude being as likely. Every fourth is a
// power of two or next to one.
func Log(r *rand.Rand, least, most int) int {
	n := 1 << r.IntN(bits.Len(uint(most-least+1)))
	if near := n + r.IntN(3) - 1; r.IntN(4) == 0 && least <= near && near <= most {
		return near
	}
	return least + r.IntN(min(2*n, most-least+1))
}
