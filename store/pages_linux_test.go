//go:build linux && !heapslabs

package store

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"dejavu/strategies/strategytest"
)

// Linux has marked regions with huge pages, and no others.
func TestHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip(err)
	}
	for _, huge := range []bool{false, true} {
		s := &source{bytes: 16 * granule, huge: huge}
		chunk, _ := s.take()
		var from, to uintptr
		at, found := uintptr(unsafe.Pointer(&chunk[0])), 0
		for line := range strings.Lines(string(strategytest.Value(os.ReadFile("/proc/self/smaps")))) {
			var a, b uintptr
			if n, _ := fmt.Sscanf(line, "%x-%x", &a, &b); n == 2 {
				from, to = a, b
			}
			if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && from <= at && at < to {
				found++
				strategytest.Equal(t, strings.Contains(flags, " hg"), huge, "flags of the region: %s", flags)
			}
		}
		strategytest.Equal(t, found, 1, "regions with the chunk")
		s.put(chunk)
		s.unmap()
	}
}

// An arena knows what is resident and who has it: while chunks are handed out and given back, when a region returns
// to it, when the next store draws on the region, and when a region with a hole goes to the operating system instead.
func TestPagesAccount(t *testing.T) {
	const chunk = 16 * granule
	arena := new(Arena)
	say := func(what string, touched, drawn int64, regions int) {
		t.Helper()
		if a, b, c := arena.touched.Load(), arena.drawn.Load(), len(arena.regions); a != touched || b != drawn ||
			c != regions {
			t.Errorf("%s: %d bytes resident, %d drawn, %d regions; want %d, %d, %d", what, a, b, c, touched, drawn, regions)
		}
	}
	first := &source{bytes: chunk, arena: arena}
	for i := range 3 {
		if c, resident := first.take(); len(c) != chunk || resident {
			t.Errorf("chunk %d: %d bytes, resident %t", i, len(c), resident)
		}
	}
	say("three chunks", 3*chunk, 3*chunk, 0)
	first.unmap()
	say("given back", 3*chunk, 0, 1)
	strategytest.Equal(t, arena.Idle(), 3*chunk, "bytes idle")

	second := &source{bytes: chunk, arena: arena}
	var taken [][]byte
	for i, want := range []bool{true, true, true, false, false} {
		c, resident := second.take()
		taken = append(taken, c)
		strategytest.Equal(t, resident, want, "chunk %d of a used region is resident", i)
	}
	say("used again", 5*chunk, 5*chunk, 0)
	taken[0][0], taken[1][0] = 1, 1
	second.put(taken[0])
	say("a spare", 5*chunk, 5*chunk, 0)
	second.put(taken[1])
	say("a spare and a hole", 4*chunk, 4*chunk, 0)
	if spares, _ := second.idleBytes(); spares != chunk || second.inUse != 3 {
		t.Errorf("%d bytes at hand, %d chunks in use", spares, second.inUse)
	}
	for i, want := range []byte{1, 0} {
		if again, resident := second.take(); &again[0] != &taken[1-i][0] || resident != (want == 1) || again[0] != want {
			t.Errorf("empty chunk %d is not handed out next, the resident one first", i)
		}
	}
	say("both used again", 5*chunk, 5*chunk, 0)
	for _, c := range taken {
		second.put(c)
	}
	second.unmap()
	say("a region with a hole", 0, 0, 0)

	third := &source{bytes: 2 * regionBytes, arena: arena}
	if c, _ := third.take(); len(c) != 2*regionBytes {
		t.Errorf("%d bytes in one piece", len(c))
	}
	say("longer than a region", 2*regionBytes, 2*regionBytes, 0)
	third.unmap()
	say("and given back", 0, 0, 0)
}

// A growing pool has at most 1/128 of its blocks as room, a page, and what chunks waste.
func TestSpareRoom(t *testing.T) {
	c := classesOf([]int{510}, 64<<10, layoutOf(keys, 1))[0]
	src, p := &source{bytes: 64 << 10}, &pool{}
	for n := range 5000 {
		p.add(&c, src, 0, uint64(n))
		spare := p.warm - (n%c.perChunk+1)*c.stride()
		strategytest.AtMost(t, spare, (n/128+1)*c.stride()+granule, "bytes of room behind %d blocks", n+1)
	}
	strategytest.AtLeast(t, len(p.chunks), 2, "chunks")
	p.cut(src, 0)
	src.unmap()
}
