//go:build linux && !heapslabs

package store

import "syscall"

// regionBytes is the address space taken at a time; memory becomes resident
// only as it is written.
const regionBytes = 64 << 20

// pages gets chunks from the operating system, outside the collector's heap.
// There the collector would let garbage grow to the size of the slabs before it
// looks (its goal is a multiple of the live heap), and would hold on to slabs
// given back until it does; build with the tag heapslabs to see it.
//
// Huge pages are not asked for, though they make a cold request faster: a chunk
// given back would be a part of one, which the kernel frees only in need.
//
// Its zero value is ready to use.
type pages struct {
	regions [][]byte // as mapped
	fresh   []byte   // the end of the last region, not handed out yet
	given   [][]byte // chunks whose memory was given back; their addresses remain
}

func (p *pages) get(bytes int) []byte {
	if n := len(p.given); n > 0 {
		chunk := p.given[n-1]
		p.given[n-1] = nil
		p.given = p.given[:n-1]
		return chunk
	}
	if len(p.fresh) < bytes {
		region, err := syscall.Mmap(-1, 0, max(regionBytes/bytes, 1)*bytes,
			syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
		if err != nil {
			// Out of address space or of mappings: the heap may still have room,
			// and where it has none the runtime says so.
			return make([]byte, bytes)
		}
		p.regions = append(p.regions, region)
		p.fresh = region
	}
	chunk := p.fresh[:bytes:bytes]
	p.fresh = p.fresh[bytes:]
	return chunk
}

// populate makes a chunk resident in one call, since it is about to be filled:
// two thirds of the time that as many page faults take. A kernel before 5.14
// does not know the advice, and the faults come.
func populate(chunk []byte) {
	const madvPopulateWrite = 23
	_ = syscall.Madvise(chunk, madvPopulateWrite)
}

// put gives the memory of a chunk back. On a kernel with pages larger than a
// granule the advice may be refused; then the memory waits here to be used again.
func (p *pages) put(chunk []byte) {
	_ = syscall.Madvise(chunk, syscall.MADV_DONTNEED)
	p.given = append(p.given, chunk)
}

func (p *pages) unmap() {
	for _, region := range p.regions {
		_ = syscall.Munmap(region)
	}
	*p = pages{}
}

// listed is how many slice headers the lists have room for.
func (p *pages) listed() int { return cap(p.regions) + cap(p.given) }
