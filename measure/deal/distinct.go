package deal

import (
	"math/bits"

	"dejavu/strategies"
)

// A distinct tells which articles of a request are in it already: an open-addressed
// table, at most half full, that is used for one request after the other.
type distinct struct {
	slots []stamped
	shift int
	round uint32 // of the present request
}

// A stamped is an article, and the round of its request.
type stamped struct {
	id    strategies.ID
	round uint32
}

// begin begins a request of so many articles at most.
func (d *distinct) begin(n int) {
	d.round++
	if 2*n > len(d.slots) || d.round == 0 {
		size := bits.Len(uint(max(2*n, 64) - 1))
		d.slots = make([]stamped, max(1<<size, len(d.slots)))
		d.shift = 64 - bits.TrailingZeros(uint(len(d.slots)))
		d.round = 1
	}
}

// add is whether the article is not in the request yet; now it is.
func (d *distinct) add(id strategies.ID) bool {
	for at := int(uint64(id) * 0x9e3779b97f4a7c15 >> d.shift); ; at = (at + 1) & (len(d.slots) - 1) {
		s := &d.slots[at]
		if s.round != d.round {
			*s = stamped{id, d.round}
			return true
		}
		if s.id == id {
			return false
		}
	}
}
