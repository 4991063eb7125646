//go:build !linux || heapslabs

package store

import "math"

// Chunks lie in the collector's heap here. There is nothing to scan; memory given back is resident until a collection.

const (
	mostSmall = math.MaxInt32 // a whole chunk has its memory at once
	stepShare = 8             // and a small one is copied to grow
)

func reserve(int) []byte { return nil }

func populate([]byte) {}

func release([]byte) bool { return false }

func unmap([]byte) {}
