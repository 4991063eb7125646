//go:build linux && !heapslabs

package store

import "testing"

// An arena knows what is resident and who has it: while chunks are handed out and given
// back, when a region returns to it, when the next store draws on the region, and when a
// region with a hole goes to the operating system instead.
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
	first := pages{arena: arena}
	for i := range 3 {
		if c, resident := first.get(chunk); len(c) != chunk || resident {
			t.Errorf("chunk %d: %d bytes, resident %t", i, len(c), resident)
		}
	}
	say("three chunks", 3*chunk, 3*chunk, 0)
	first.unmap()
	say("given back", 3*chunk, 0, 1)
	if idle := arena.Idle(); idle != 3*chunk {
		t.Errorf("%d bytes idle", idle)
	}

	second := pages{arena: arena}
	for i, want := range []bool{true, true, true, false, false} {
		if _, resident := second.get(chunk); resident != want {
			t.Errorf("chunk %d of a used region is resident: %t", i, resident)
		}
	}
	say("used again", 5*chunk, 5*chunk, 0)
	c, _ := second.get(chunk)
	c[0] = 1
	second.put(c)
	say("a hole", 5*chunk, 5*chunk, 0)
	if again, resident := second.get(chunk); &again[0] != &c[0] || resident || again[0] != 0 {
		t.Errorf("the hole is not what is handed out next, empty")
	}
	second.put(c)
	second.unmap()
	say("a region with a hole", 0, 0, 0)

	third := pages{arena: arena}
	if c, _ := third.get(2 * regionBytes); len(c) != 2*regionBytes {
		t.Errorf("%d bytes in one piece", len(c))
	}
	say("longer than a region", 2*regionBytes, 2*regionBytes, 0)
	third.unmap()
	say("and given back", 0, 0, 0)
}
