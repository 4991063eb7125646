package quotient

import (
	"encoding/binary"
	"math/bits"
)

// Bits are numbered from the low one of the first byte on. A history has eight
// bytes and more (minRange), so that a word can be read anywhere in it: one that
// would end behind the history is the history's last, shifted.

// mostBits is how many bits read and write take: what a word of eight bytes has of
// them wherever the first is in its byte.
const mostBits = 57

// read is n bits from the given one on, up to mostBits, all inside of the history.
func read(history []byte, bit, n int) uint64 {
	at := min(bit>>3, len(history)-8)
	return binary.LittleEndian.Uint64(history[at:]) >> ((bit - at<<3) & 63) & (1<<n - 1)
}

// write overwrites n bits from the given one on, up to mostBits.
func write(history []byte, bit, n int, value uint64) {
	at := min(bit>>3, len(history)-8)
	shift := (bit - at<<3) & 63
	mask := uint64(1<<n-1) << shift
	word := binary.LittleEndian.Uint64(history[at:])
	binary.LittleEndian.PutUint64(history[at:], word&^mask|value<<shift&mask)
}

// move copies n bits to another place, which may overlap the first.
func move(history []byte, to, from, n int) {
	if to > from { // from the last on
		for n > 0 {
			some := min(n, mostBits)
			n -= some
			write(history, to+n, some, read(history, from+n, some))
		}
		return
	}
	for done := 0; done < n; done += mostBits {
		some := min(n-done, mostBits)
		write(history, to+done, some, read(history, from+done, some))
	}
}

// blank unsets the bits from one on and before another.
func blank(history []byte, from, end int) {
	for ; from < end; from += mostBits {
		write(history, from, min(end-from, mostBits), 0)
	}
}

// ones counts the bits that are set from one on and before another.
func ones(history []byte, from, end int) (n int) {
	for ; from < end; from += mostBits {
		n += bits.OnesCount64(read(history, from, min(end-from, mostBits)))
	}
	return n
}

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

// place is where, 0 to 63, the set bit of a word is that has n others before it; the
// word has as many. The sums say in which byte: Vigna, "Broadword implementation of
// rank/select queries", WEA 2008.
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
