package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mix is package mix's Mix, of every ID.
func (b *block) mix() {
	fold := func(by uint8) {
		for _, h := range b.halves {
			t := b.vector()
			VPSRLQ(U8(by), h.id, t)
			b.xor(t, h.id, h.id)
		}
	}
	fold(32)
	b.timesTo("mixFirst", b)
	fold(29)
	for _, h := range b.halves {
		b.xor(b.constants["mixBetween"], h.id, h.id)
	}
	b.timesTo("mixSecond", b)
	fold(32)
}

// mix is the same of IDs in registers of their own.
func mix(ids []reg.GPVirtual) {
	fold := func(by uint64) {
		for _, id := range ids {
			t := GP64()
			MOVQ(id, t)
			SHRQ(Imm(by), t)
			XORQ(t, id)
		}
	}
	each := func(do func(by, id Op), with uint64) {
		by := GP64()
		MOVQ(U64(with), by)
		for _, id := range ids {
			do(by, id)
		}
	}
	times := func(by, id Op) { IMULQ(by, id) }
	fold(32)
	each(times, mixFirst)
	fold(29)
	each(XORQ, mixBetween)
	each(times, mixSecond)
	fold(32)
}
