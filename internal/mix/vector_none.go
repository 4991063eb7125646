//go:build !amd64 || purego || race

package mix

func saltByVectors(dst, src []uint64, before, between uint64) int { return 0 }
