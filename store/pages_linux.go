//go:build linux && !heapslabs

package store

import (
	"slices"
	"syscall"
	"unsafe"
)

// regionBytes is the address space taken at a time; memory becomes resident only as chunks are handed out. A
// longer chunk has a region to itself.
const regionBytes = 64 << 20

// pages gets chunks from the operating system, outside the collector's heap. There the collector would let
// garbage grow to the size of the slabs before it looks (its goal is a multiple of the live heap), and would
// hold on to slabs given back until it does; build with the tag heapslabs to see it.
//
// Huge pages are not asked for, though they make a cold request faster: a chunk given back would be a part of
// one, which the kernel frees only in need.
type pages struct {
	arena   *Arena   // where regions come from and go to, if not nil
	regions []region // in use, the last one in part
	fresh   []byte   // the end of the last region, not handed out yet
	warm    int      // as many bytes of fresh, from the first on, are resident
	drawn   int64    // bytes of chunks handed out and not given back
	given   [][]byte // chunks whose memory was given back; their addresses remain
}

// get returns a chunk and whether its memory is resident.
func (p *pages) get(bytes int) (chunk []byte, resident bool) {
	if n := len(p.given); n > 0 {
		chunk = p.given[n-1]
		p.given = slices.Delete(p.given, n-1, n)
		p.account(bytes, bytes)
		return chunk, false
	}
	if len(p.fresh) < bytes && !p.open(max(regionBytes, bytes)) {
		// Out of address space or of mappings: the heap may still have room, and where it has none the
		// runtime says so.
		return make([]byte, bytes), true
	}
	chunk, p.fresh = p.fresh[:bytes:bytes], p.fresh[bytes:]
	cold := max(bytes-p.warm, 0)
	p.warm = max(p.warm-bytes, 0)
	p.account(cold, bytes)
	return chunk, cold == 0
}

// open begins a region of at least so many bytes: the arena's, or a new one.
func (p *pages) open(bytes int) bool {
	r, ok := region{}, false
	if p.arena != nil && bytes == regionBytes {
		r, ok = p.arena.take()
	}
	if !ok {
		memory, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
		if err != nil {
			return false
		}
		r = region{bytes: memory}
	}
	p.close()
	p.regions = append(p.regions, r)
	p.fresh, p.warm = r.bytes, r.touched
	return true
}

// close notes how far the last region was handed out.
func (p *pages) close() {
	if n := len(p.regions); n > 0 {
		r := &p.regions[n-1]
		r.touched = max(r.touched, len(r.bytes)-len(p.fresh))
	}
}

// populate makes a chunk resident in one call, since it is about to be filled: two thirds of the time that as
// many page faults take. A kernel before 5.14 does not know the advice, and the faults come.
func populate(chunk []byte) {
	const madvPopulateWrite = 23
	_ = syscall.Madvise(chunk, madvPopulateWrite)
}

// put gives the memory of a chunk back. On a kernel with pages larger than a granule the advice may be
// refused; then the memory waits here to be used again.
func (p *pages) put(chunk []byte) {
	_ = syscall.Madvise(chunk, syscall.MADV_DONTNEED)
	p.given = append(p.given, chunk)
	p.account(-len(chunk), -len(chunk))
}

// unmap gives everything back, to the arena or to the operating system; no chunk must be touched again. To
// the arena go whole regions: one with a chunk whose memory was given back is not worth keeping.
func (p *pages) unmap() {
	p.close()
	for _, r := range p.regions {
		holes := 0
		for _, chunk := range p.given {
			if within(chunk, r.bytes) {
				holes += len(chunk)
			}
		}
		if p.arena != nil && holes == 0 && len(r.bytes) == regionBytes {
			p.arena.give(r)
			continue
		}
		p.account(holes-r.touched, 0)
		unmap(r.bytes)
	}
	p.account(0, int(-p.drawn))
	*p = pages{arena: p.arena}
}

// account adds to what the arena knows to be resident, and to hold.
func (p *pages) account(touched, drawn int) {
	p.drawn += int64(drawn)
	if p.arena != nil {
		p.arena.touched.Add(int64(touched))
		p.arena.drawn.Add(int64(drawn))
	}
}

// within reports whether a chunk was cut from a region.
func within(chunk, region []byte) bool {
	a, b := uintptr(unsafe.Pointer(unsafe.SliceData(chunk))), uintptr(unsafe.Pointer(unsafe.SliceData(region)))
	return a >= b && a-b < uintptr(len(region))
}

func unmap(memory []byte) { _ = syscall.Munmap(memory) }

// listed is how many bytes the lists take.
func (p *pages) listed() int64 {
	return int64(cap(p.regions))*int64(unsafe.Sizeof(region{})) + int64(cap(p.given))*headerBytes
}
