//go:build goexperiment.simd

package bloom

import (
	"simd/archsimd"
	"unsafe"
)

// lanesConstants is what queryVectorLanes loads for a number of lanes. A word
// holds one position; those of the high probes of 16 candidates fill the lower
// half of a register, those of the low probes the upper.
type lanesConstants struct {
	powers
	words    [32]uint16 // the upper words of two vectors, in this order
	all      [32]uint16 // all bits
	count    [32]uint16 // lanes << 13: a position times this has its byte in the upper word
	twice    [64]int8   // the lower byte of a word, twice
	next     [32]uint16 // 1 in the upper byte
	turn     [32]uint16 // the first position whose lanes reach beyond byte 255
	distance [32]uint16 // from a position's last lane to the top of its two bytes; it repeats after 8
}

// vectorLanes has the constants by number of lanes, each at a multiple of 64
// bytes. Eight lanes would not fit count.
var vectorLanes = func() (all [8]*lanesConstants) {
	for lanes := 1; lanes < len(all); lanes++ {
		c := &lanesConstants{powers: newPowers()}
		for i := range block {
			c.words[i], c.words[block+i] = uint16(4*i+3), uint16(32+4*i+3)
			c.words[2*block+i], c.words[3*block+i] = uint16(4*i+1), uint16(32+4*i+1)
		}
		for i := range c.twice {
			c.twice[i] = int8(i % 16 &^ 1) // within 16 bytes
		}
		for i := range c.words {
			c.all[i] = 1<<16 - 1
			c.count[i] = uint16(lanes << 13)
			c.next[i] = 1 << 8
			c.turn[i] = uint16(2048 / lanes)
			c.distance[i] = uint16(16 - lanes - lanes*i%8)
		}
		all[lanes] = c
	}
	return all
}()

// queryVectorLanes answers from up to seven lanes in 449 to 511 bytes. The lanes
// of a position lie in two neighbouring bytes, looked up side by side. They are
// brought to the top of their word, where the AND over six positions leaves the
// lanes that hold the candidate.
func queryVectorLanes(l Lanes, array unsafe.Pointer, live uint64, candidates, seen unsafe.Pointer, n int) {
	c := vectorLanes[l.count]
	top := uint16(live << (16 - l.count))
	// Beyond the array's end the table has nothing, but byte 255 once more: the
	// positions from the turn on may begin in it, and find it where an index of
	// 8 bits has it.
	last := archsimd.LoadUint8x64SlicePart(unsafe.Slice((*byte)(unsafe.Add(array, 448)), l.Bytes()-448)).
		Merge(loadTable(array, 192), archsimd.Mask8x64FromBits(1<<63-1))
	m := archsimd.BroadcastUint16x32(uint16(l.bits))
	upperWord := archsimd.BroadcastUint32x16(uint32(l.bits << 16)).AsInt16x32()
	lowerWord := archsimd.BroadcastUint32x16(uint32(l.bits)).AsUint16x32()
	for i := 0; i < n; i += 2 * block {
		// The last two blocks may begin inside those before them, or be the same.
		first, second := min(i, n-block), min(i+block, n-block)
		x, y := loadBlock(candidates, first), loadBlock(candidates, second)
		found := archsimd.LoadUint16x32(&c.all)
		for k := range c.powers {
			power := archsimd.LoadUint64x8(&c.powers[k])
			w := x.Mul(power).AsUint16x32()
			px := w.AsInt16x32().DotProductPairs(upperWord).Add(w.MulHigh(lowerWord).AsInt32x16()).AsUint16x32()
			w = y.Mul(power).AsUint16x32()
			py := w.AsInt16x32().DotProductPairs(upperWord).Add(w.MulHigh(lowerWord).AsInt32x16()).AsUint16x32()

			// Of p and p + m the smaller, unsigned, is the position, whether p is
			// m too small or not.
			p := px.ConcatPermute(py, archsimd.LoadUint16x32(&c.words))
			p = p.Min(p.Add(m))
			index := p.MulHigh(archsimd.LoadUint16x32(&c.count)).AsUint8x64().
				PermuteOrZeroGrouped(archsimd.LoadInt8x64(&c.twice)).AsUint16x32().
				Add(archsimd.LoadUint16x32(&c.next)).AsUint8x64()

			var zero archsimd.Int8x64
			bit7 := index.AsInt8x64().Less(zero)
			begin := loadTable(array, 128).ConcatPermute(loadTable(array, 192), index).
				Merge(loadTable(array, 0).ConcatPermute(loadTable(array, 64), index), bit7).AsUint16x32()
			end := loadTable(array, 384).ConcatPermute(last, index).
				Merge(loadTable(array, 256).ConcatPermute(loadTable(array, 320), index), bit7).AsUint16x32()
			both := end.Merge(begin, p.GreaterEqual(archsimd.LoadUint16x32(&c.turn)))
			found = found.And(both.ShiftLeft(archsimd.LoadUint16x32(&c.distance).Permute(p)))
		}
		lanes := found.GetLo().And(found.GetHi()).And(archsimd.BroadcastUint16x16(top))
		answers := lanes.Min(archsimd.BroadcastUint16x16(1)).TruncateToUint8().AsUint64x2()
		*(*uint64)(unsafe.Add(seen, first)) = answers.GetElem(0)
		*(*uint64)(unsafe.Add(seen, second)) = answers.GetElem(1)
	}
	archsimd.ClearAVXUpperBits()
}
