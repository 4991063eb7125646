package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// A Snapshot says what a snapshot holds: the histories of a store's users at
// one moment, as Save and WriteSnapshot write them, and Open and ReadSnapshot
// bring them back.
//
// The format, version 2, all numbers little-endian. A checksum is the 64-bit
// xxHash, seed 0, of all bytes of its part before it.
//
//	header   8 magic, 4 version, 4 Users, 4 Idle, 4 Now,
//	         4 length of About, 4 number of Sizes,
//	         4 what users are known by (0 int, 1 uint64, 2 string), 4 Salted (0 or 1),
//	         8 Fingerprint, About, 4 for each of Sizes,
//	         8 checksum
//	blocks   4 "HIST", 4 shard, 4 length of each history, 4 number of histories;
//	         for each 8 the user's Digest, 4 the time it was last recorded at, its bytes;
//	         8 checksum
//	end      4 "END.", 4 zero, 8 Histories, 8 Payload,
//	         8 xxHash of the checksums of header and blocks, in their order,
//	         8 checksum
//
// A block holds at most 1 MiB of histories, or one. Its shard is the one it came
// from, which no other store needs to have: it only tells a loader which blocks
// to keep together. A user without a history is in no block.
//
// Checksums tell damage, not malice: who can write the file can write a valid one.
type Snapshot struct {
	// About is what the writer said of the strategy and of the articles' IDs.
	About string

	// Users and Idle are those of the store that was saved.
	Users int
	Idle  Timestamp

	// Type is what its users are known by: "int", "uint64" or "string".
	Type string

	// Salted is whether its articles are; Fingerprint is that of the secret that salts
	// and the digests of strings come from, 0 where there are neither.
	Salted      bool
	Fingerprint uint64

	// Now is when it was saved, on the store's clock.
	Now Timestamp

	// Sizes are the lengths in bytes that its histories could have.
	Sizes []int

	Histories int   // users who have a history
	Payload   int64 // the sum of its lengths, in bytes
	Bytes     int64 // the length of the snapshot
}

// What can be wrong with a snapshot, besides that it cannot be read at all;
// errors.Is tells them apart.
var (
	// ErrDamaged is a snapshot that is not what was written: cut short, changed,
	// continued, or not a snapshot. An older one may serve.
	ErrDamaged = errors.New("damaged")

	// ErrMismatch is a snapshot that is whole, and not for this store: of another
	// strategy, for more users, or in another version of the format.
	ErrMismatch = errors.New("does not fit")
)

const (
	magic         = "\x89dejavu\n" // neither text nor what a change of line ends leaves alone
	formatVersion = 2
	mostAbout     = 1024 // bytes

	fixedBytes = 48 // of the header before About
	headBytes  = 16 // of a block before its histories
	entryBytes = 12 // of an entry before its history
	endBytes   = 40
	sumBytes   = 8
	blockBytes = 1 << 20 // of entries, the most in a block of several
)

const (
	markHistories = "HIST"
	markEnd       = "END."
)

// perBlock is how many histories of a length a block holds at most.
func perBlock(size int) int { return max(1, blockBytes/(entryBytes+size)) }

// checkAbout reports why a description cannot be written.
func checkAbout(about string) error {
	if about == "" || len(about) > mostAbout || !utf8.ValidString(about) {
		return fmt.Errorf("about is %d bytes of text, %.40q, want 1 to %d of valid UTF-8", len(about), about, mostAbout)
	}
	return nil
}

// appendSum appends the checksum of the bytes from start on.
func appendSum(b []byte, start int) []byte {
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b[start:]))
}

// summed reports whether a part ends with its checksum.
func summed(part []byte) bool {
	body := part[:len(part)-sumBytes]
	return xxhash.Sum64(body) == sumOf(part)
}

// sumOf is the checksum that a part ends with.
func sumOf(part []byte) uint64 { return binary.LittleEndian.Uint64(part[len(part)-sumBytes:]) }

// header is the snapshot's first part.
func (s *Snapshot) header() []byte {
	le := binary.LittleEndian
	b := append([]byte(nil), magic...)
	for _, field := range []uint32{
		formatVersion, uint32(s.Users), uint32(s.Idle), uint32(s.Now), uint32(len(s.About)), uint32(len(s.Sizes)),
		uint32(slices.Index(types[:], s.Type)), uint32(bit(s.Salted)),
	} {
		b = le.AppendUint32(b, field)
	}
	b = le.AppendUint64(b, s.Fingerprint)
	b = append(b, s.About...)
	for _, size := range s.Sizes {
		b = le.AppendUint32(b, uint32(size))
	}
	return appendSum(b, 0)
}

// end is the snapshot's last part; whole is over the checksums of all others.
func (s *Snapshot) end(whole uint64) []byte {
	le := binary.LittleEndian
	b := append([]byte(nil), markEnd...)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, uint64(s.Histories))
	b = le.AppendUint64(b, uint64(s.Payload))
	b = le.AppendUint64(b, whole)
	return appendSum(b, 0)
}

// fits reports why the snapshot is not for a store of that configuration, of which an
// empty one would be as told.
func (s *Snapshot) fits(c Config, empty Snapshot, about string) error {
	if s.About != about {
		return fmt.Errorf("%w: its histories are of %q, want %q", ErrMismatch, s.About, about)
	}
	if s.Type != empty.Type {
		return fmt.Errorf("%w: its users are known by %s, want %s", ErrMismatch, s.Type, empty.Type)
	}
	if s.Salted != empty.Salted {
		return fmt.Errorf("%w: its articles are salted: %t, want %t (Config.Unsalted)", ErrMismatch, s.Salted, empty.Salted)
	}
	if s.Fingerprint != empty.Fingerprint {
		return fmt.Errorf("%w: it is of the secret %016x, want %016x (Config.Secret)", ErrMismatch, s.Fingerprint,
			empty.Fingerprint)
	}
	sizes := c.Strategy.Sizes()
	for _, size := range s.Sizes {
		if !slices.Contains(sizes, size) {
			return fmt.Errorf("%w: its histories, of %q, have lengths %s, the strategy's Sizes are %s",
				ErrMismatch, about, listed(s.Sizes), listed(sizes))
		}
	}
	if s.Users > c.Users {
		return fmt.Errorf("%w: it is of %d users, want at most the %d of Users", ErrMismatch, s.Users, c.Users)
	}
	return nil
}

// types are what users can be known by, by kind.
var types = [...]string{numbers: "int", keys: "uint64", digests: "string"}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// listed is a list of lengths, shortened where it is long.
func listed(sizes []int) string {
	const most = 12
	if len(sizes) <= most {
		return fmt.Sprint(sizes)
	}
	return strings.TrimSuffix(fmt.Sprint(sizes[:most]), "]") + fmt.Sprintf(" ... %d], %d in all", sizes[len(sizes)-1],
		len(sizes))
}
