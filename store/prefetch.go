//go:build amd64 || arm64

package store

import "unsafe"

// prefetch prefetches this number of cache lines from p on, at least one. Any address is allowed.
//
//go:noescape
func prefetch(p unsafe.Pointer, lines int)
