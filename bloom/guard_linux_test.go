package bloom

import (
	"math/rand/v2"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"
)

// guarded is memory between two pages that must not be touched.
func guarded(t *testing.T) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	all, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no memory to guard: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	for _, guard := range [][]byte{all[:page], all[2*page:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Skipf("no guard: %v", err)
		}
	}
	return all[page : 2*page]
}

// Arrays, candidates and answers that end where memory ends, or begin where it
// begins: a load or a store beyond them is a fault, and here a panic.
func TestQueryStaysInside(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	arrays, ids, answers := guarded(t), guarded(t), guarded(t)
	r := rand.New(rand.NewPCG(10, 10))
	for _, s := range vectorShapes {
		noise := noise(s.Lanes, r)
		size := s.Bytes()
		if s.count > 1 {
			size += Slack
		}
		for n := range 41 {
			for _, end := range []bool{false, true} {
				array, list, seen := arrays[:size], ids[:8*n], answers[:n]
				if end {
					array, list, seen = arrays[len(arrays)-size:], ids[len(ids)-8*n:], answers[len(answers)-n:]
				}
				copy(array, noise)
				candidates := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(list))), n)
				for i := range candidates {
					candidates[i] = r.Uint64()
				}
				func() {
					defer func() {
						if fault := recover(); fault != nil {
							t.Errorf("%v x %d, %d candidates, at the end of memory %v: %v", s.Geometry(), s.count, n, end, fault)
						}
					}()
					Query(s.Lanes, array, s.live, candidates, unsafe.Slice((*bool)(unsafe.Pointer(unsafe.SliceData(seen))), n))
				}()
				for i, id := range candidates {
					if want := defined(s.Lanes, array, s.live, id); seen[i] == 1 != want {
						t.Fatalf("%v x %d: candidate %d of %d is %d, want %v", s.Geometry(), s.count, i, n, seen[i], want)
					}
				}
			}
		}
	}
}

// The same for more lanes than a 32-bit load covers, with as little behind the
// array as may be and a byte more.
func TestQueryOfManyLanesStaysInside(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	memory := guarded(t)
	ids, seen := benchmarkIDs(500), make([]bool, 500)
	for _, l := range monthShapes() {
		size := l.Bytes() + Slack
		if size >= len(memory) {
			continue
		}
		for _, array := range [][]byte{memory[:size], memory[len(memory)-size:], memory[len(memory)-size-1:]} {
			func() {
				defer func() {
					if fault := recover(); fault != nil {
						t.Errorf("%v x %d, %d bytes: %v", l.Geometry(), l.count, len(array), fault)
					}
				}()
				Query(l, array, ones(l.count), ids, seen)
				l.Clear(array, 5)
			}()
		}
	}
}
