//go:build amd64 || arm64

package store

import "unsafe"

// prefetch asks for lines cache lines from p on, at least one, and does not wait for them. A load would hold
// up everything behind it; there is no way to say this in Go, hence the few lines of assembly. Asking for
// memory that is not the process's does nothing.
//
//go:noescape
func prefetch(p unsafe.Pointer, lines int)
