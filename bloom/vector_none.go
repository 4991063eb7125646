//go:build !amd64 || purego || race

package bloom

import "dejavu/internal/kernel"

const vectors, inserts = kernel.Plain, kernel.Plain

func queryVectors(kernel.Kind, *Lanes, []byte, uint64, []uint64, []bool) int { return 0 }

func fitsRegisters(kernel.Kind, *Lanes) bool { return false }

func queryInRegisters(*Lanes, []byte, uint64, []uint64, []bool) int { return 0 }

func insertBy(_ kernel.Kind, l *Lanes, array []byte, lanes uint64, articles []uint64) {
	insertPlain(*l, array, lanes, articles)
}

func widenQuickly([]byte, int, int, int, uint64, uint64) bool { return false }
