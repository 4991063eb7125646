package sized

import (
	"encoding/binary"
	"fmt"
)

// Folds reports whether histories of class from can be folded to class to: both
// probe as often, and from has a whole multiple of the positions of to.
func (f *Family) Folds(from, to int) bool {
	big, small := f.filters[from].Geometry, f.filters[to].Geometry
	return big.Hashes == small.Hashes && big.Bits%small.Bits == 0
}

// Fold shrinks a history to another class, in place, and returns it. It then is,
// byte for byte, what that class would have made of the same articles: nothing
// is forgotten, and the class's theory holds from then on. A newcomer's history
// stays empty.
//
// It returns the history as it was and an error where the class is not one of
// the family, or not one that the history's can be folded to (Folds). No filter
// can be unfolded: that would take the keys.
func (f *Family) Fold(history []byte, class int) ([]byte, error) {
	if class < 0 || class >= len(f.filters) {
		return history, fmt.Errorf("sized: fold to class %d, want 0 to %d", class, len(f.filters)-1)
	}
	from, ok := f.ClassOf(history)
	if !ok {
		return history, nil
	}
	big, small := f.filters[from].lane, f.filters[class].lane
	if !f.Folds(from, class) {
		return history, fmt.Errorf("sized: class %d of %v cannot be folded to class %d of %v: want as many hashes and a divisor of the bits",
			from, big.Geometry, class, small.Geometry)
	}
	fold(history[:big.Bytes()], big.Bits, big.Bits/small.Bits)
	history = history[:small.Bytes()+headerBytes]
	history[len(history)-1] = byte(class)
	return history, nil
}

// fold reduces the bits of an array, in place, by the given ratio. What follows
// the last byte of the result is left undefined.
//
// It is exact because the position of a 32-bit half h of a product is
// floor(h*m/2^32) (bloom.Geometry.Positions), and floor(floor(r*x)/r) is
// floor(x): position p among r*m is position p/r among m.
func fold(array []byte, bits, ratio int) {
	for ; ratio%2 == 0; ratio /= 2 {
		array = halve(array)
		bits /= 2
	}
	if ratio > 1 {
		foldPlain(array, bits, ratio)
	}
}

// foldPlain is fold in its plain statement, bit by bit. A bit of the result is
// written when the bits there and before it have been read.
func foldPlain(array []byte, bits, ratio int) {
	for p := range (bits/ratio + 7) / 8 * 8 { // to the end of the last byte, which is blank there
		var set byte
		for from := p * ratio; from < min(bits, (p+1)*ratio); from++ {
			set |= array[from>>3] >> (from & 7) & 1
		}
		array[p>>3] = array[p>>3]&^(1<<(p&7)) | set<<(p&7)
	}
}

// halve is fold by two, 64 positions at a time, and returns the half that
// holds the result. Beyond the last position the array is blank.
func halve(array []byte) []byte {
	half := array[:(len(array)+1)/2]
	to := half
	for ; len(array) >= 8; array, to = array[8:], to[4:] {
		binary.LittleEndian.PutUint32(to, pairs(binary.LittleEndian.Uint64(array)))
	}
	var rest [8]byte
	copy(rest[:], array)
	word := pairs(binary.LittleEndian.Uint64(rest[:]))
	for i := range to {
		to[i] = byte(word >> (8 * i))
	}
	return half
}

// pairs is the OR of each two neighbouring bits.
func pairs(w uint64) uint32 {
	w = (w | w>>1) & 0x5555555555555555
	w = (w | w>>1) & 0x3333333333333333
	w = (w | w>>2) & 0x0f0f0f0f0f0f0f0f
	w = (w | w>>4) & 0x00ff00ff00ff00ff
	w = (w | w>>8) & 0x0000ffff0000ffff
	return uint32(w | w>>16)
}
