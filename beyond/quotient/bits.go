package quotient

import "math/bits"

const (
	lowest  = 0x0101010101010101 // bit of each byte
	highest = 0x8080808080808080
)

// sums are, in each byte, the set bits of a word up to that byte, itself included.
func sums(x uint64) uint64 {
	x -= x >> 1 & 0x5555555555555555
	x = x&0x3333333333333333 + x>>2&0x3333333333333333
	return (x + x>>4) & 0x0f0f0f0f0f0f0f0f * lowest
}

// place is where, 0 to 63, the set bit of a word is that has n others before it; the word has as many. The
// sums say in which byte: Vigna, "Broadword implementation of rank/select queries", WEA 2008.
func place(x, sums, n uint64) uint64 {
	at := (n*lowest | highest - sums) & highest >> 7 * lowest >> 56 << 3 & 63 // eight for each byte before
	return at + uint64(setBit[(n-sums<<8>>at)&7][x>>at&0xff])
}

// setBit is where a byte's set bit is that has so many others before it.
var setBit = func() (table [8][256]uint8) {
	for b := range 256 {
		for n, rest := 0, b; rest != 0; n, rest = n+1, rest&(rest-1) {
			table[n][b] = uint8(bits.TrailingZeros(uint(rest)))
		}
	}
	return table
}()
