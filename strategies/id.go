package strategies

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"github.com/dchest/siphash"

	"dejavu/internal/mix"
)

// MD5 returns the paper's digest of an article's key: the high 64 bits of its MD5 (§3), big-endian. XXHash is faster.
func MD5(key []byte) ID {
	sum := md5.Sum(key)
	return ID(binary.BigEndian.Uint64(sum[:8]))
}

// XXHash returns the 64-bit xxHash of an article's key, seed 0. Use it unless you want the paper's digest, or strangers
// choose keys: they could hide an article or fill filters (Secret).
func XXHash(key []byte) ID { return ID(xxhash.Sum64(key)) }

// XXHashString is XXHash of a string, without copying it.
func XXHashString(key string) ID { return ID(xxhash.Sum64String(key)) }

// Number returns the ID of an article whose key is a number, such as a row of a table. Every bit of the ID depends on
// all of the number, and no two numbers share an ID. ID(n) works as well with strategies, which mix every ID.
func Number(n uint64) ID { return ID(mix.Mix(n)) }

// SecretBytes is the minimum length in bytes of NewSecret's key.
const SecretBytes = 16

// A Secret is the key of digests and salts. Without it nobody can choose article keys by the bits that they set: 500
// chosen keys raise a single filter's false positive rate from 2 % to 16 %. Digest prevents that for all users, Salt
// for each separately. The zero value is no secret.
type Secret struct{ k0, k1, name uint64 }

// NewSecret derives a secret from a key of at least SecretBytes. Keep the key secret, and as long as the histories.
func NewSecret(key []byte) (Secret, error) {
	if len(key) < SecretBytes {
		return Secret{}, fmt.Errorf("strategies: the secret's key has %d bytes, want %d or more", len(key), SecretBytes)
	}
	sum := sha256.Sum256(key)
	le := binary.LittleEndian
	return Secret{le.Uint64(sum[:]), le.Uint64(sum[8:]), le.Uint64(sum[16:])}, nil
}

// RandomSecret returns a secret that ends with the process.
func RandomSecret() Secret {
	var key [SecretBytes]byte
	_, _ = rand.Read(key[:]) // never fails
	s, _ := NewSecret(key[:])
	return s
}

// IsZero reports whether s is no secret.
func (s Secret) IsZero() bool { return s == Secret{} }

// Fingerprint identifies the secret without revealing it.
func (s Secret) Fingerprint() uint64 { return s.name }

// Digest returns a key's ID: the 64-bit SipHash-2-4 under the secret.
func (s Secret) Digest(key []byte) ID { return ID(siphash.Hash(s.k0, s.k1, key)) }

// DigestString is Digest of a string, without copying it.
func (s Secret) DigestString(key string) ID {
	return s.Digest(unsafe.Slice(unsafe.StringData(key), len(key)))
}

// Salt returns a user's salt. Do not publish salts: they reveal the secret.
func (s Secret) Salt(user uint64) Salt {
	high, low := bits.Mul64(user^s.k0, s.k1|1)
	before := high ^ low
	high, low = bits.Mul64(before^s.k1, s.k0|1)
	return Salt{before, high ^ low}
}

// A Salt is a user's own permutation of IDs, every bit of which depends on all bits of the ID and on the salt. Without
// one, an article has the same positions in every user's filter, and popular articles may hide it from many users.
type Salt struct{ before, between uint64 }

// ID returns the salted ID.
func (s Salt) ID(id ID) ID { return ID(mix.Salt(uint64(id), s.before, s.between)) }

// Append appends the salted IDs to dst.
func (s Salt) Append(dst, ids []ID) []ID {
	n := len(dst)
	dst = slices.Grow(dst, len(ids))[:n+len(ids)]
	mix.SaltAll(dst[n:], ids, s.before, s.between)
	return dst
}
