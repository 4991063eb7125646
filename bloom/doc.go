// Package bloom holds what every Bloom filter of the suite shares: geometry and sizing, the false positive
// rate in closed form, and the bit-sliced lanes in which the filters of one user lie.
//
// A Bloom filter (Bloom 1970) is m bits and k probes: an article sets the bits at k positions derived from
// its ID, and is taken for a member while all k are set. A member is always recognised; a stranger passes
// with the probability that Exact gives. At the paper's size, 4064 bits for 500 articles, that costs one byte
// an article and about 2 % of false positives. The functions on arrays take plain bytes and keep no state.
package bloom
