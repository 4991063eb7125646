package strategies

import (
	"crypto/md5"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// MD5 returns the paper's digest of an article's key: the high 64 bits of its MD5 (§3), the first eight bytes
// read as a big-endian number. MD5 is no longer collision-resistant against an adversary; for deduplication
// only its uniformity matters, and XXHash gives the same at a fraction of the cost.
func MD5(key []byte) ID {
	sum := md5.Sum(key)
	return ID(binary.BigEndian.Uint64(sum[:8]))
}

// XXHash returns the 64-bit xxHash of an article's key, seed 0: the digest to use unless the paper's own is
// wanted, or strangers choose keys. It keeps no secret: who publishes chosen keys can hide an article, or
// fill filters (Secret). A Salt for each user (package store has one by default) makes the choice worthless,
// as does Secret.Digest in XXHash's place.
func XXHash(key []byte) ID { return ID(xxhash.Sum64(key)) }

// XXHashString is XXHash of a string, without copying it.
func XXHashString(key string) ID { return ID(xxhash.Sum64String(key)) }
