//go:build !amd64 || purego || race

package bloom

// There are no vectors here: every ID is for the plain kernels.

const vectors = noVectors

type vectorKind int

const noVectors vectorKind = 0

func (vectorKind) String() string { return "none" }

func queryVectors(vectorKind, Lanes, []byte, uint64, []uint64, []bool) int { return 0 }

func hasVectors() vectorKind { return noVectors }
