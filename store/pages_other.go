//go:build !linux || heapslabs

package store

// pages gets chunks from the collector's heap. They hold no pointers, so there
// is nothing to scan; memory given back is resident until a collection.
type pages struct{ arena *Arena }

func (*pages) get(bytes int) (chunk []byte, resident bool) { return make([]byte, bytes), true }
func (*pages) put([]byte)                                  {}
func (*pages) unmap()                                      {}
func (*pages) listed() int64                               { return 0 }

// populate does nothing: the collector's heap comes as it is touched.
func populate([]byte) {}

func unmap([]byte) {}
