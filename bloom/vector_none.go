//go:build !amd64 || purego || race

package bloom

// There are no vectors here: every ID is for the plain kernels.

const vectors = noVectors

type vectorKind int

const noVectors vectorKind = 0

func (vectorKind) String() string { return "none" }

func queryVectors(vectorKind, *Lanes, []byte, uint64, []uint64, []bool) int { return 0 }

func (vectorKind) holds(*Lanes) bool { return false }

func queryHeld(*Lanes, []byte, uint64, []uint64, []bool) int { return 0 }

const inserts = plainInserts

type insertKind int

const plainInserts insertKind = 0

func (insertKind) String() string { return "plain" }

func insertBy(_ insertKind, l *Lanes, array []byte, lanes uint64, articles []uint64) {
	insertPlain(*l, array, lanes, articles)
}

func hasInserts() insertKind { return plainInserts }

func sliceQuickly(_, _ []byte, _, _, _ int) bool { return false }

func widenQuickly([]byte, int, int, int, uint64, uint64) bool { return false }

func hasVectors() vectorKind { return noVectors }
