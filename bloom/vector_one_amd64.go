//go:build goexperiment.simd

package bloom

import (
	"simd/archsimd"
	"unsafe"
)

// oneConstants is what queryVectorOne loads. A candidate's six positions come as
// three vectors of 16, its high and its low probe of one product side by side.
// They are scaled by 8, so that the upper word of an element is
//
//	s b11 b10 b9 b8 b7 b6 b5 | b4 b3 b2 b1 b0 and three bits of no use
//
// for position b, of 12 bits, b11 the sign. The upper byte indexes four tables
// of the array's bytes, those numbered 0, 1, 2 and 3 modulo 4, 128 each; b4 and
// b3 choose among them, and b2 to b0 are the bit. Gathered from all three
// vectors, four bytes for each of a candidate's halves, either is one register.
type oneConstants struct {
	powers
	words [32]uint16 // the upper words of the first two vectors
	upper [64]uint8  // the upper bytes of those and of the third, which comes twice
	lower [64]uint8  // the lower bytes
	bit   [64]uint8  // 1 << b2b1b0, whatever follows

	// The bytes numbered 0 modulo 4 of two registers, then those numbered 1; and
	// 2, then 3.
	even, odd [64]uint8

	lane  [2][block]uint64 // matrices that bring every other bit of a byte into its low half
	pairs [64]int8         // 1 and 16 in turn, to join two halves
	low   [64]uint8        // the lower bytes of words
}

// vectorOne is allocated, so that it lies at a multiple of 64 bytes.
var vectorOne = func() *oneConstants {
	c := &oneConstants{powers: newPowers()}
	for i := range 16 {
		c.words[2*i], c.words[2*i+1] = uint16(32+2*i+1), uint16(2*i+1)
	}
	for i := range 64 {
		element := i &^ 3
		c.lower[i] = [...]uint8{64 + 2, 0, 64 + 2, 2}[i%4] + uint8(element)
		c.upper[i] = c.lower[i] + 1
		c.bit[i] = 1 << (i >> 3)
		c.even[i] = uint8(i%32*4 + i/32)
		c.odd[i] = c.even[i] + 2
		c.pairs[i] = [...]int8{1, 16}[i%2]
		c.low[i] = uint8(2 * i)
	}
	for lane := range c.lane {
		for i := range block {
			for bit := range 4 { // the row of the lowest bit is the last
				c.lane[lane][i] |= 1 << (2*bit + lane) << (8 * (7 - bit))
			}
		}
	}
	return c
}()

// oneOfTwo is 64 bytes of a lane, from the 128 bytes of two lanes.
func (c *oneConstants) oneOfTwo(from unsafe.Pointer, at, lane int) archsimd.Uint8x64 {
	matrix, pairs := archsimd.LoadUint64x8(&c.lane[lane]), archsimd.LoadInt8x64(&c.pairs)
	x := loadTable(from, at).GaloisFieldAffineTransform(matrix, 0).DotProductPairsSaturated(pairs)
	y := loadTable(from, at+64).GaloisFieldAffineTransform(matrix, 0).DotProductPairsSaturated(pairs)
	return x.AsUint8x64().ConcatPermute(y.AsUint8x64(), archsimd.LoadUint8x64(&c.low))
}

// queryVectorOne answers from a filter of its own, or from one of two lanes,
// whose bits it gathers first. Positions that come out m too small count from
// the array's end, and so do the tables' upper halves: nothing is loaded beyond
// it, and nothing need be corrected.
func queryVectorOne(l Lanes, array unsafe.Pointer, lane int, candidates, seen unsafe.Pointer, n int) {
	c := vectorOne
	end := unsafe.Add(array, l.Bytes()-256*l.count)
	even, odd := archsimd.LoadUint8x64(&c.even), archsimd.LoadUint8x64(&c.odd)

	var room [5 * block]uint64
	aside := unsafe.Pointer(&room)
	aside = unsafe.Add(aside, -uintptr(aside)&63)

	var t0, t1, t2, t3 archsimd.Uint8x64
	if l.count == 1 {
		t0, t1, t2, t3 = loadTable(array, 0), loadTable(array, 64), loadTable(array, 128), loadTable(array, 192)
	} else {
		t0, t1 = c.oneOfTwo(array, 0, lane), c.oneOfTwo(array, 128, lane)
		t2, t3 = c.oneOfTwo(array, 256, lane), c.oneOfTwo(array, 384, lane)
	}
	u, v := t0.ConcatPermute(t1, even), t2.ConcatPermute(t3, even)
	a0, b0 := u.SetHi(v.GetLo()), v.SetLo(u.GetHi())
	u, v = t0.ConcatPermute(t1, odd), t2.ConcatPermute(t3, odd)
	c0, d0 := u.SetHi(v.GetLo()), v.SetLo(u.GetHi())
	b0.Store((*[64]uint8)(aside))
	d0.Store((*[64]uint8)(unsafe.Add(aside, 128)))

	if l.count == 1 {
		t0, t1, t2, t3 = loadTable(end, 0), loadTable(end, 64), loadTable(end, 128), loadTable(end, 192)
	} else {
		t0, t1 = c.oneOfTwo(end, 0, lane), c.oneOfTwo(end, 128, lane)
		t2, t3 = c.oneOfTwo(end, 256, lane), c.oneOfTwo(end, 384, lane)
	}
	u, v = t0.ConcatPermute(t1, even), t2.ConcatPermute(t3, even)
	a1, b1 := u.SetHi(v.GetLo()), v.SetLo(u.GetHi())
	u, v = t0.ConcatPermute(t1, odd), t2.ConcatPermute(t3, odd)
	c1, d1 := u.SetHi(v.GetLo()), v.SetLo(u.GetHi())
	b1.Store((*[64]uint8)(unsafe.Add(aside, 64)))
	d1.Store((*[64]uint8)(unsafe.Add(aside, 192)))

	upperWord := archsimd.BroadcastUint32x16(uint32(8 * l.bits << 16)).AsInt16x32()
	lowerWord := archsimd.BroadcastUint32x16(uint32(8 * l.bits)).AsUint16x32()
	for i := 0; i < n; i += block {
		// The last block may begin inside the one before it.
		first := min(i, n-block)
		id := loadBlock(candidates, first)
		w := id.Mul(archsimd.LoadUint64x8(&c.powers[0])).AsUint16x32()
		x := w.AsInt16x32().DotProductPairs(upperWord).Add(w.MulHigh(lowerWord).AsInt32x16()).AsUint16x32()
		w = id.Mul(archsimd.LoadUint64x8(&c.powers[1])).AsUint16x32()
		y := w.AsInt16x32().DotProductPairs(upperWord).Add(w.MulHigh(lowerWord).AsInt32x16()).AsUint16x32()
		w = id.Mul(archsimd.LoadUint64x8(&c.powers[2])).AsUint16x32()
		z := w.AsInt16x32().DotProductPairs(upperWord).Add(w.MulHigh(lowerWord).AsInt32x16()).AsUint8x64()

		xy := x.ConcatPermute(y, archsimd.LoadUint16x32(&c.words)).AsUint8x64()
		lower := xy.ConcatPermute(z, archsimd.LoadUint8x64(&c.lower))
		bits := archsimd.LoadUint8x64(&c.bit).Permute(lower)
		var zero archsimd.Int8x64
		signs := lower.AsInt8x64()
		b4, b3 := signs.Less(zero), signs.Add(signs).Less(zero)
		upper := xy.ConcatPermute(z, archsimd.LoadUint8x64(&c.upper))
		ac := c0.ConcatPermute(c1, upper).Merge(a0.ConcatPermute(a1, upper), b4)
		bd := loadTable(aside, 128).ConcatPermute(loadTable(aside, 192), upper).
			Merge(loadTable(aside, 0).ConcatPermute(loadTable(aside, 64), upper), b4)
		missing := bits.AndNot(bd.Merge(ac, b3)).AsUint64x8()
		*(*uint64)(unsafe.Add(seen, first)) = eightBools(missing.Equal(zero.AsUint64x8()).ToBits())
	}
	archsimd.ClearAVXUpperBits()
}

// eightBools is the bits of a byte as bytes, 0 or 1, the lowest first.
func eightBools(set uint8) uint64 {
	const each = 0x0101010101010101
	bit := uint64(set) * each & 0x8040201008040201
	return (bit + 0x7f*each) >> 7 & each
}
