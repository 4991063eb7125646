//go:build !amd64 || purego || race

package mix

var hasVectors = false // as its benchmark asks

func saltByVectors(dst, src []uint64, before, between uint64) int { return 0 }
