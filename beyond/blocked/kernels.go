package blocked

import (
	"encoding/binary"
	"unsafe"

	"dejavu/bloom"
	"dejavu/strategies"
)

// The bits of an ID: x = (ID ^ salt) * multiplier, whose upper half, scaled by multiply-shift, is the block. Then,
// again and again, x = (x ^ x>>32) * multiplier gives seven bits in it, nine binary digits each, the lowest first.
// The shift is needed because the low digits of a product follow from the low digits of its factors. The salt, digits
// of the golden ratio, is there because all bits of an x of 0 are the same one, and 0 is not a rare ID in tests.
const (
	salt = 0x9e3779b97f4a7c15

	digits   = 9 // log2(BlockBits)
	products = 7 // fields of so many digits in a product
)

func first(id strategies.ID) uint64 { return (uint64(id) ^ salt) * bloom.Multiplier }

func next(x uint64) uint64 { return (x ^ x>>32) * bloom.Multiplier }

// block is the one that an ID's first product names, of those in array.
func block(array []byte, blocks, product uint64) *[blockBytes]byte {
	at := product >> 32 * blocks >> 32 * blockBytes
	return (*[blockBytes]byte)(array[at:])
}

// bitAt is, in its lowest bit, the bit of the block that the lowest nine digits
// of a product name: six for the place in a word of 64 bits, three for the word.
func bitAt(b *[blockBytes]byte, product uint64) uint64 {
	return binary.LittleEndian.Uint64(b[product>>3&56:]) >> (product & 63)
}

func setBit(b *[blockBytes]byte, product uint64) {
	word := b[product>>3&56:]
	binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|1<<(product&63))
}

// query sets seen[i] to whether all bits of candidates[i] are set.
func query(c Config, array []byte, candidates []strategies.ID, seen []bool) {
	if c.Hashes == 6 {
		query6(c, array, candidates, seen)
		return
	}
	seen, array = seen[:len(candidates)], array[:c.Blocks*blockBytes:len(array)]
	for i, id := range candidates {
		product, found := first(id), uint64(1)
		b := block(array, uint64(c.Blocks), product)
		for k := c.Hashes; k > 0; k -= products {
			product = next(product)
			fields := product
			for range min(k, products) {
				found &= bitAt(b, fields)
				fields >>= digits
			}
		}
		seen[i] = found != 0
	}
}

// query6 is query for six hashes, unrolled, and without bounds checks: the array has been seen to hold all
// blocks, in its length and not its capacity, and multiply-shift names no other.
func query6(c Config, array []byte, candidates []strategies.ID, seen []bool) {
	seen, array = seen[:len(candidates)], array[:c.Blocks*blockBytes:len(array)]
	base, blocks := unsafe.Pointer(unsafe.SliceData(array)), uint64(c.Blocks)
	for i, id := range candidates {
		x := first(id)
		b := unsafe.Add(base, x>>32*blocks>>32*blockBytes)
		x = next(x)
		found := wordAt(b, x) // shifted step by step: fewer copies than x >> 9i
		x >>= digits
		found &= wordAt(b, x)
		x >>= digits
		found &= wordAt(b, x)
		x >>= digits
		found &= wordAt(b, x)
		x >>= digits
		found &= wordAt(b, x)
		x >>= digits
		found &= wordAt(b, x)
		seen[i] = found&1 != 0
	}
}

// wordAt is bitAt without a bounds check: 56 bytes on is the last word.
func wordAt(b unsafe.Pointer, product uint64) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(b, product>>3&56))[:]) >> (product & 63)
}

// insert sets the bits of the articles.
func insert(c Config, array []byte, ids []strategies.ID) {
	array = array[: c.Blocks*blockBytes : len(array)]
	for _, id := range ids {
		product := first(id)
		b := block(array, uint64(c.Blocks), product)
		for k := c.Hashes; k > 0; k -= products {
			product = next(product)
			fields := product
			for range min(k, products) {
				setBit(b, fields)
				fields >>= digits
			}
		}
	}
}
