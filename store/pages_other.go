//go:build !linux || heapslabs

package store

// pages gets chunks from the collector's heap. They hold no pointers, so there
// is nothing to scan; memory given back is resident until a collection.
type pages struct{}

func (*pages) get(bytes int) []byte { return make([]byte, bytes) }
func (*pages) put([]byte)           {}
func (*pages) unmap()               {}
func (*pages) listed() int          { return 0 }

// populate does nothing: the collector's heap comes as it is touched.
func populate([]byte) {}
