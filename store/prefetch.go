//go:build amd64 || arm64

package store

import "unsafe"

// prefetch asks for lines cache lines from p on, at least one, and does not wait for them, which cannot be
// said in Go. Asking for memory that is not the process's does nothing.
//
//go:noescape
func prefetch(p unsafe.Pointer, lines int)
