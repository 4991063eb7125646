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

// A Snapshot says what a snapshot holds: the histories of a store's users at one moment, as Save and
// WriteSnapshot write them, and Open and ReadSnapshot bring them back.
//
// The format, version 2, all numbers little-endian. A checksum is the 64-bit xxHash, seed 0, of all bytes of
// its part before it.
//
//	header   8 magic, 4 version, 4 Users, 4 Idle, 4 Now, 4 length of About, 4 number of Sizes,
//	         4 what users are known by (0 int, 1 uint64, 2 string), 4 Salted (0 or 1),
//	         8 Fingerprint, About, 4 for each of Sizes, 8 checksum
//	blocks   4 "HIST", 4 shard, 4 length of each history, 4 number of histories; for each 8 the user's number,
//	         key, or digest of the string, 4 the time it was last recorded at, its bytes; 8 checksum
//	end      4 "END.", 4 zero, 8 Histories, 8 Payload,
//	         8 xxHash of the checksums of header and blocks, in their order, 8 checksum
//
// A block holds at most 1 MiB of histories, or one. Its shard only tells a loader which blocks to keep
// together. A user without a history is in no block. Checksums tell damage, not malice.
type Snapshot struct {
	About       string    // what the writer said of the strategy and of the articles' IDs
	Users       int       // of the store that was saved
	Idle        Timestamp // of the store that was saved
	Type        string    // what its users are known by: "int", "uint64" or "string"
	Salted      bool      // whether its articles are
	Fingerprint uint64    // of the secret of salts and of strings' digests, 0 where there are neither
	Now         Timestamp // when it was saved, on the store's clock
	Sizes       []int     // the lengths in bytes that its histories could have
	Histories   int       // users who have a history
	Payload     int64     // the sum of its lengths, in bytes
	Bytes       int64     // the length of the snapshot
}

// What can be wrong with a snapshot, besides that it cannot be read at all; errors.Is tells them apart.
var (
	// ErrDamaged is a snapshot that is not what was written, or none. An older one may serve.
	ErrDamaged = errors.New("damaged")
	// ErrMismatch is a whole snapshot of another strategy, for more users, or in another version.
	ErrMismatch = errors.New("does not fit")
)

const (
	magic         = "\x89dejavu\n" // neither text nor what a change of line ends leaves alone
	formatVersion = 2
	mostAbout     = 1024 // bytes

	markHistories = "HIST"
	markEnd       = "END."

	fixedBytes = 48 // of the header before About
	headBytes  = 16 // of a block before its histories
	entryBytes = 12 // of an entry before its history
	endBytes   = 32 // of the end before its checksum
	sumBytes   = 8
	blockBytes = 1 << 20 // of entries, the most in a block of several
)

// The fixed parts of a snapshot, as encoding/binary writes and reads them; no error comes of their types.
type (
	header struct {
		Magic                                                 [8]byte
		Version, Users, Idle, Now, About, Sizes, Kind, Salted uint32
		Fingerprint                                           uint64
	}
	head struct {
		Mark               [4]byte
		Shard, Size, Count uint32
	}
	end struct {
		Mark                      [4]byte
		Zero                      uint32
		Histories, Payload, Whole uint64
	}
)

// A block is histories of one length, as they lie in the snapshot.
type block struct {
	bytes       []byte // all of it, its checksum included
	size, count int

	number int   // from 1, and
	offset int64 // of its first byte, where it is read
}

// length is how many bytes the block has, its checksum included.
func (b *block) length() int { return headBytes + b.count*(entryBytes+b.size) + sumBytes }

// entry is the i-th history of a block, whose it is, and when it was last recorded.
func (b *block) entry(i int) (user uint64, last Timestamp, history []byte) {
	e := b.bytes[headBytes+i*(entryBytes+b.size):][: entryBytes+b.size : entryBytes+b.size]
	return binary.LittleEndian.Uint64(e), Timestamp(binary.LittleEndian.Uint32(e[8:])), e[entryBytes:]
}

func perBlock(size int) int { return max(1, blockBytes/(entryBytes+size)) }

// seal appends its checksum to a part.
func seal(part []byte) []byte { return binary.LittleEndian.AppendUint64(part, xxhash.Sum64(part)) }

func sealed(part []byte) bool {
	return xxhash.Sum64(part[:len(part)-sumBytes]) == binary.LittleEndian.Uint64(sum(part))
}

func sum(part []byte) []byte { return part[len(part)-sumBytes:] }

func (s *Snapshot) header() []byte {
	h := header{
		Magic: [8]byte([]byte(magic)), Version: formatVersion, Users: uint32(s.Users), Idle: uint32(s.Idle),
		Now: uint32(s.Now), About: uint32(len(s.About)), Sizes: uint32(len(s.Sizes)),
		Kind: uint32(slices.Index(types[:], s.Type)), Fingerprint: s.Fingerprint,
	}
	if s.Salted {
		h.Salted = 1
	}
	part, _ := binary.Append(nil, binary.LittleEndian, h)
	part = append(part, s.About...)
	for _, size := range s.Sizes {
		part = binary.LittleEndian.AppendUint32(part, uint32(size))
	}
	return seal(part)
}

// end is the snapshot's last part; whole is over the checksums of all others.
func (s *Snapshot) end(whole uint64) []byte {
	e := end{[4]byte([]byte(markEnd)), 0, uint64(s.Histories), uint64(s.Payload), whole}
	part, _ := binary.Append(nil, binary.LittleEndian, e)
	return seal(part)
}

// count adds a part, of which only a block has histories, to what the snapshot holds.
func (s *Snapshot) count(b block) {
	s.Histories += b.count
	s.Payload += int64(b.count) * int64(b.size)
}

func (s *Store[U]) empty(about string) Snapshot {
	e := Snapshot{About: about, Users: s.users, Idle: s.idle, Type: types[s.kind], Salted: s.salted}
	if s.salted || s.kind == digests {
		e.Fingerprint = s.secret.Fingerprint()
	}
	for _, c := range s.classes {
		e.Sizes = append(e.Sizes, c.size)
	}
	return e
}

func checkAbout(about string) error {
	if about == "" || len(about) > mostAbout || !utf8.ValidString(about) {
		return fmt.Errorf("about is %d bytes of text, %.40q, want 1 to %d of valid UTF-8", len(about), about, mostAbout)
	}
	return nil
}

func damaged(reason string, values ...any) error {
	return fmt.Errorf("%w: "+reason, append([]any{ErrDamaged}, values...)...)
}

func mismatch(reason string, values ...any) error {
	return fmt.Errorf("%w: "+reason, append([]any{ErrMismatch}, values...)...)
}

// fits reports why the snapshot is not for a store whose snapshot would be want, but for its histories.
func (s *Snapshot) fits(want Snapshot) error {
	switch {
	case s.About != want.About:
		return mismatch("its histories are of %q, want %q", s.About, want.About)
	case s.Type != want.Type:
		return mismatch("its users are known by %s, want %s", s.Type, want.Type)
	case s.Salted != want.Salted:
		return mismatch("its articles are salted: %t, want %t (Config.Unsalted)", s.Salted, want.Salted)
	case s.Fingerprint != want.Fingerprint:
		return mismatch("it is of the secret %016x, want %016x (Config.Secret)", s.Fingerprint, want.Fingerprint)
	}
	for _, size := range s.Sizes {
		if !slices.Contains(want.Sizes, size) {
			return mismatch("its histories, of %q, have lengths %s, the strategy's Sizes are %s",
				want.About, listed(s.Sizes), listed(want.Sizes))
		}
	}
	if s.Users > want.Users {
		return mismatch("it is of %d users, want at most the %d of Users", s.Users, want.Users)
	}
	return nil
}

// listed is a list of lengths, shortened where it is long.
func listed(sizes []int) string {
	const most = 12
	if len(sizes) <= most {
		return fmt.Sprint(sizes)
	}
	first := strings.TrimSuffix(fmt.Sprint(sizes[:most]), "]")
	return fmt.Sprintf("%s ... %d], %d in all", first, sizes[len(sizes)-1], len(sizes))
}
