package bloom

// The probes of an ID x at a geometry of m bits: for i = 1, 2, ... the product
// x * Multiplier^i (mod 2^64) gives two, its high and its low 32 bits, each
// scaled to a position by multiply-shift, half * m >> 32 (High, Low). No
// division, and three multiplications for two probes. The products of one ID are
// unrelated enough that the false positive rate shows no bias against the exact
// formula, even at m = 812 (TestProbesShowNoBias), where double hashing does: k
// probes on a line through m places meet each other too often.

// Multiplier makes the products of an ID's probes: for kernels over arrays that
// are not Lanes, which Positions states in full. It is odd, so that the map is
// one-to-one, and known for the spectral quality of its powers: Steele and
// Vigna, "Computationally easy, spectrally good multipliers for congruential
// pseudorandom number generators", 2022, table for 64 bits.
const Multiplier = 0xd1342543de82ef95

// Powers of the multiplier, mod 2^64, for unrolled kernels.
const (
	Multiplier2 = Multiplier * Multiplier & (1<<64 - 1)
	Multiplier3 = Multiplier2 * Multiplier & (1<<64 - 1)
)

// High is the position, 0 to m-1, that the high half of a product gives among m
// below 2^32.
func High(product, m uint64) uint64 { return product >> 32 * m >> 32 }

// Low is the position that its low half gives.
func Low(product, m uint64) uint64 { return uint64(uint32(product)) * m >> 32 }

// Positions appends the Hashes positions of an ID to dst, in [0, Bits), not
// necessarily distinct. It is the plain statement of what Query and Insert
// inline.
func (g Geometry) Positions(dst []int, id uint64) []int {
	m, product := uint64(g.Bits), id
	for i := 0; i < g.Hashes; i += 2 {
		product *= Multiplier
		dst = append(dst, int(High(product, m)))
		if i+1 < g.Hashes {
			dst = append(dst, int(Low(product, m)))
		}
	}
	return dst
}

// Salt returns the factor that makes of an ID one for the i-th of several
// filters of one history, 0 or more, whose probes are to be independent of each
// other: id * Salt(i). Its products go on where those of filter i-1 end, if that
// has MaxHashes. Salt(0) is 1.
func Salt(i int) uint64 {
	salt := uint64(1)
	for range i * MaxHashes / 2 {
		salt *= Multiplier
	}
	return salt
}
