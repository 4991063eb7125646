package bloom

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"dejavu/internal/kernel/kerneltest"
	"dejavu/strategies/strategytest"
)

// Lanes of 500 random geometries, arrays of random bits at the end or the beginning of memory, and random calls: masks
// of lanes that do not exist, lists for them, slices that are too short although their capacity is not. No call reads
// or writes beyond the array and its slack, and a short slice is a panic before any access. A long run, with the
// compiler's checks of pointers:
//
//	DRAW=1000000x go test -gcflags=all=-d=checkptr -run StayInside ./bloom
func TestLanesStayInside(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const geometries = 500
	tries, _ := kerneltest.Effort(t, 60_000)
	memory := strategytest.Guarded(t, 1<<17)
	for i := range geometries {
		r := rand.New(rand.NewPCG(14, uint64(i)))
		g, count := Geometry{MinLaneBits + r.IntN(1<<(6+r.IntN(8))), 1 + r.IntN(12)}, 1+r.IntN(MaxLanes)
		switch i % 4 {
		case 0: // the unrolled kernels
			g.Hashes = 6
		case 1:
			g.Hashes, count = 6, []int{1, 2, 5, 7}[r.IntN(4)]
		case 2:
			g.Bits, count = 1+r.IntN(4200), 1
		}
		l := strategytest.Value(NewLanes(g, count))
		for range tries / geometries {
			if err := tryInside(l, memory, r); err != nil {
				t.Fatalf("geometry %d, %v x %d: %v", i, g, count, err)
			}
		}
	}
}

// tryInside makes one random call.
func tryInside(l Lanes, memory []byte, r *rand.Rand) (err error) {
	need := l.Bytes() + l.slack()
	size := need + r.IntN(9)
	room := memory[len(memory)-size:] // to the end
	switch r.IntN(8) {
	case 0, 1, 2:
		room = memory[:size+64] // from the beginning, and with capacity
	case 3:
		room = make([]byte, size) // where checkptr knows what is whose
	}
	array, behind := room[:size], bytes.Clone(room[size:])
	for range 20 {
		array[r.IntN(size)] = byte(r.Uint32())
	}
	ids := make([]uint64, r.IntN(40))
	if r.IntN(8) == 0 {
		ids = make([]uint64, 40+r.IntN(1000)) // a long list
	}
	for i := range ids {
		ids[i] = r.Uint64()
	}
	seen := make([]bool, len(ids))
	mask := r.Uint64()
	if r.IntN(2) == 0 {
		mask = 1 << r.IntN(64)
	}
	name, call, wants := "", func([]byte) {}, need
	idle := mask&ones(l.count) == 0 || len(ids) == 0 // nothing to do, whatever the slice
	switch r.IntN(8) {
	case 0, 1:
		idle = idle || need == 1 // an empty array is a newcomer's
		name, call = "Query", func(a []byte) { Query(l, a, mask, ids, seen) }
	case 2, 3:
		ids = ids[:min(len(ids), 2000/l.count)]
		name, call = "Insert", func(a []byte) { Insert(l, a, mask, ids) }
		if l.hashes != 6 || l.count == 1 { // by bytes
			wants = l.Bytes()
		}
	case 4:
		idle = mask&ones(l.count) == 0
		name, call, wants = "Clear", func(a []byte) { l.Clear(a, mask) }, l.Bytes()
	case 5:
		idle = false
		name, call, wants = "Ones", func(a []byte) { l.Ones(a, mask); _ = l.Check("", a); l.Used(a) }, l.Bytes()
	case 6:
		lane := r.IntN(l.count)
		idle = false
		name, call, wants = "Extract", func(a []byte) { Extract(l, a, lane) }, l.Bytes()
	case 7:
		if size < l.Bytes()+Slack {
			return nil
		}
		idle = false
		rotate := r.IntN(max(l.count-1, 1))
		name, call, wants = "AddLane", func(a []byte) { AddLane(l, a, rotate) }, l.Bytes()+Slack
	}
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%s, mask %#x, %d IDs, a slice of %d bytes for %d: %v", name, mask, len(ids), size, need, fault)
		}
	}()
	call(array)
	if !bytes.Equal(room[size:], behind) {
		return fmt.Errorf("%s, mask %#x, %d IDs: bytes behind the slice are changed", name, mask, len(ids))
	}
	before := bytes.Clone(array)
	if !panics(func() { call(array[: wants-1 : size]) }) && !idle {
		return fmt.Errorf("%s, mask %#x, %d IDs: a slice of %d bytes does, want %d", name, mask, len(ids), wants-1, wants)
	}
	if !bytes.Equal(array, before) {
		return fmt.Errorf("%s: too short a slice is changed", name)
	}
	return nil
}

// panics reports whether a call panics. A memory fault is not caught.
func panics(call func()) (panicked bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, fault := p.(interface{ Addr() uintptr }); fault {
				panic(p)
			}
			panicked = true
		}
	}()
	call()
	return false
}

// No lanes: nothing is seen, and nothing touched.
func TestNoLanes(t *testing.T) {
	var l Lanes
	ids, seen := []uint64{1, 2, 3}, []bool{true, true, true}
	Query(l, nil, 1, ids, seen)
	if seen[0] || seen[1] || seen[2] {
		t.Errorf("no lanes have seen %v", seen)
	}
	for _, array := range [][]byte{nil, bytes.Repeat([]byte{0xff}, 20)} {
		before := bytes.Clone(array)
		Insert(l, array, 1, ids)
		InsertSalted(l, array, Salt(1), ids)
		l.Clear(array, 1)
		Extract(l, array, 0)
		AddLane(l, array, 0)
		if n, used, err := l.Ones(array, 1), l.Used(array), l.Check("", array); n != 0 || used != 0 || err != nil {
			t.Errorf("no lanes have %d bits, in %b, stray ones %v", n, used, err)
		}
		if after := l.Grow(array, 4, 1, 0); !bytes.Equal(after, before) || !bytes.Equal(array, before) {
			t.Errorf("no lanes have changed %x to %x", before, array)
		}
	}
	if l.Bytes() != 0 || l.Count() != 0 || l.Geometry() != (Geometry{}) || l.First(3) != l || len(l.LaneBytes()) != 0 {
		t.Errorf("the zero Lanes are %+v", l)
	}
}

func TestNewLanes(t *testing.T) {
	for _, tt := range []struct {
		g     Geometry
		count int
		want  string
	}{
		{Geometry{1, 1}, 1, ""},
		{Geometry{64, 6}, MaxLanes, ""},
		{Geometry{MaxBits, MaxHashes}, MaxLanes, ""}, // 956,301,312 bits fit an int of 32
		{Geometry{0, 6}, 1, "geometry 0/6: Bits is 0, want 1 to 16777216"},
		{Geometry{-1, 6}, 1, "geometry -1/6: Bits is -1, want 1 to 16777216"}, // once ended the process in Query
		{Geometry{MaxBits + 1, 6}, 1, "geometry 16777217/6: Bits is 16777217, want 1 to 16777216"},
		{Geometry{812, 0}, 5, "geometry 812/0: Hashes is 0, want 1 to 64"},
		{Geometry{812, 6}, 0, "geometry 812/6: 0 lanes, want 1 to 57"},
		{Geometry{812, 6}, 58, "geometry 812/6: 58 lanes, want 1 to 57"},
		{Geometry{812, 6}, -1, "geometry 812/6: -1 lanes, want 1 to 57"},
		{Geometry{1, 1}, 26, "geometry 1/1: Bits is 1, want at least 64"}, // once a panic in Query
		{Geometry{63, 6}, 2, "geometry 63/6: Bits is 63, want at least 64"},
	} {
		l, err := NewLanes(tt.g, tt.count)
		switch {
		case tt.want == "" && (err != nil || l.Geometry() != tt.g || l.Count() != tt.count ||
			l.Bytes() != (tt.g.Bits*tt.count+7)/8):
			t.Errorf("%v x %d: %+v, %v", tt.g, tt.count, l, err)
		case tt.want != "" && (err == nil || err.Error() != tt.want || l != Lanes{}):
			t.Errorf("%v x %d: %+v, %v, want %s", tt.g, tt.count, l, err, tt.want)
		}
	}
}
