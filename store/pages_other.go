//go:build !linux || heapslabs

package store

import "math"

// Chunks are on the heap here. They have no pointers; memory given back is resident until a collection.

const (
	mostSmall = math.MaxInt32 // chunks of any length are allocated whole
	stepShare = 8             // a small chunk is copied to grow
)

func reserve(int) []byte { return nil }

func populate([]byte) {}

func release([]byte) bool { return false }

func enlarge([]byte) {}

func unmap([]byte) {}
