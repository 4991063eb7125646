package apbf

import "dejavu/internal/mix"

// Position returns where the slice at a place of the ring keeps an ID.
func Position(f *Filter, id uint64, place int) int {
	hash := place % f.Hashes
	half := uint64(uint32(mix.Mix(id) * powers[hash/2] >> (32 - hash%2*32)))
	return int(half * uint64(f.Bits) >> 32)
}

// Consecutive evaluates the recursion of FPR. Rate and Remembered are FPR's and Filter's, for any k and l.
func Consecutive(chances []float64, k int) float64 { return consecutive(chances, k) }
func Rate(c Config, read int) float64              { return c.run(read, ones) }
func Remembered(c Config, age int) float64         { return (&Filter{Config: c}).Remembered(age) }
