//go:build amd64 || arm64

package store

import "unsafe"

// prefetch asks for lines cache lines from p on, at least one, without waiting. For memory of others it does nothing.
//
//go:noescape
func prefetch(p unsafe.Pointer, lines int)
