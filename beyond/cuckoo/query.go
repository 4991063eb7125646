package cuckoo

import (
	"encoding/binary"

	"dejavu/bloom"
	"dejavu/strategies"
)

// query sets seen[i] to whether one of the two buckets of candidates[i] holds its
// key. All slots of a bucket are compared in one word: the difference of a key,
// and a key's worth of ones, reach the bit behind it wherever they differ.
func (f *Filter) query(t *table, history []byte, candidates []strategies.ID, seen []bool) {
	seen = seen[:len(candidates)]
	m, fingerprints := uint64(f.Buckets), f.fingerprints
	bucketBits, shift := uint64(t.slots)*uint64(t.bits), t.shift&63
	low, above := uint64(1)<<shift-1, (t.key-t.shift)&63
	firsts, keys, behind := t.firsts, t.keys, t.behind
	for i, id := range candidates {
		// What of, other and encode say.
		product := uint64(id) * bloom.Multiplier
		bucket := product >> 32 * m >> 32
		fingerprint := uint64(uint32(product))*fingerprints>>32 + 1
		other := fingerprint*fingerprint*bloom.Multiplier>>32*(m/2)>>32*2 + 1 - bucket
		other += m & uint64(int64(other)>>63)

		at := bucket >> shift * bucketBits
		word := binary.LittleEndian.Uint64(history[at>>3:]) >> (at & 7)
		differ := (word^(fingerprint|bucket&low<<above)*firsts)&keys + keys
		at = other >> shift * bucketBits
		word = binary.LittleEndian.Uint64(history[at>>3:]) >> (at & 7)
		differ &= (word^(fingerprint|other&low<<above)*firsts)&keys + keys
		seen[i] = differ&behind != behind
	}
}

// queryStash adds to seen what lies in the stash.
func (f *Filter) queryStash(t *table, history []byte, candidates []strategies.ID, seen []bool) {
	for _, e := range f.inStash(t, history) {
		other := f.other(e).bucket
		for i, id := range candidates {
			if c := f.of(id); c.fingerprint == e.fingerprint && (c.bucket == e.bucket || c.bucket == other) {
				seen[i] = true
			}
		}
	}
}
