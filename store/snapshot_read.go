package store

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// ReadSnapshot returns a new store with the histories of a snapshot, and what the
// snapshot says of itself. About must be what the snapshot was written with.
// Shards and Idle need not be those of the store that was saved, Users must be at
// least as many, and the strategy may have more Sizes, as a longer chain has.
//
// Each history goes through the strategy's Validate (unless Config.TrustSnapshots).
// The whole of r is read, and there must be nothing after the snapshot. After an
// error there is no store. Errors say which block, at which byte, and are ErrDamaged
// or ErrMismatch unless they come from r, from ctx or from the configuration.
//
// Once ctx is done nothing more is read, and the error wraps ctx.Err(). It uses,
// beside the store, a MiB for each processor, or the longest history where that is
// longer.
func ReadSnapshot[U User](ctx context.Context, r io.Reader, c Config, about string) (*Store[U], Snapshot, error) {
	s, snapshot, err := read[U](ctx, r, c, about)
	if err != nil {
		return nil, Snapshot{}, fmt.Errorf("store: snapshot: %w", err)
	}
	return s, snapshot, nil
}

func read[U User](ctx context.Context, r io.Reader, c Config, about string) (*Store[U], Snapshot, error) {
	if err := checkAbout(about); err != nil {
		return nil, Snapshot{}, err
	}
	if err := ctx.Err(); err != nil {
		return nil, Snapshot{}, err
	}
	s, err := New[U](c) // before any of r, for its errors are the caller's own
	if err != nil {
		return nil, Snapshot{}, err
	}
	in := newInput(r)
	if err = in.header(); err == nil {
		if err = in.snapshot.fits(c, s.empty(), about); err == nil {
			err = in.blocks(ctx, s.load)
		}
	}
	if err != nil {
		s.Clear()
		return nil, Snapshot{}, err
	}
	runtime.KeepAlive(s)
	return s, in.snapshot, nil
}

// load puts the histories of a block into the store, which is fresh: a user who
// has one already is in the snapshot twice.
func (s *Store[U]) load(b block) error {
	for i := 0; i < b.count && !s.trust; i++ {
		user, _, history := b.entry(i)
		if err := s.strategy.Validate(history); err != nil {
			return fmt.Errorf("%w: history of user %d: %w", ErrDamaged, user, err)
		}
	}
	var sh *shard
	defer func() {
		if sh != nil {
			sh.mu.Unlock()
		}
	}()
	for i := range b.count {
		user, last, history := b.entry(i)
		next, u := s.place(user)
		if next != sh {
			if sh != nil {
				sh.mu.Unlock()
			}
			sh = next
			sh.mu.Lock()
		}
		sh.know(&u)
		if sh.block(u.local) != nil {
			return fmt.Errorf("%w: user %d has two histories", ErrDamaged, user)
		}
		if !sh.replace(&u, nil, history) {
			return fmt.Errorf("%w: history of user %d has %d bytes", ErrMismatch, user, len(history))
		}
		sh.entry(u.local).last = last
	}
	return nil
}

// A block is histories of one length, as they lie in the snapshot.
type block struct {
	number      int    // from 1
	offset      int64  // of its first byte
	bytes       []byte // all of it, its checksum included
	size, count int
}

// length is how many bytes the block has, its checksum included.
func (b *block) length() int { return headBytes + b.count*(entryBytes+b.size) + sumBytes }

// entry is the i-th history of a block, whose it is, and when it was last recorded.
func (b *block) entry(i int) (user uint64, last Timestamp, history []byte) {
	e := b.bytes[headBytes+i*(entryBytes+b.size):][: entryBytes+b.size : entryBytes+b.size]
	return binary.LittleEndian.Uint64(e), Timestamp(binary.LittleEndian.Uint32(e[8:])), e[entryBytes:]
}

// check reports what is wrong with a block apart from its histories.
func (b *block) check(s *Snapshot) error {
	if !summed(b.bytes) {
		return fmt.Errorf("%w: %d bytes do not match their checksum", ErrDamaged, len(b.bytes)-sumBytes)
	}
	for i := range b.count {
		if user, _, _ := b.entry(i); s.Type == types[numbers] && user >= uint64(s.Users) {
			return fmt.Errorf("%w: history of user %d, want 0 to %d", ErrDamaged, user, s.Users-1)
		}
	}
	return nil
}

// An input reads the parts of a snapshot in their order. No length is believed
// before it is known to be one that a snapshot can have.
type input struct {
	r        *bufio.Reader
	snapshot Snapshot       // as far as it has been read
	sums     *xxhash.Digest // of the checksums of all parts
	number   int            // of the block before
	ended    bool           // the end was read
	head     [headBytes]byte
}

func newInput(r io.Reader) *input {
	// A small buffer: what is long goes past it.
	return &input{r: bufio.NewReaderSize(r, 4096), sums: xxhash.New()}
}

// read fills b with what comes next of a part.
func (in *input) read(b []byte) error {
	n, err := io.ReadFull(in.r, b)
	in.snapshot.Bytes += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends at byte %d, before its end", ErrDamaged, in.snapshot.Bytes)
	}
	return err
}

// header reads the first part.
func (in *input) header() error {
	le := binary.LittleEndian
	fixed := make([]byte, fixedBytes)
	if err := in.read(fixed[:len(magic)]); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if string(fixed[:len(magic)]) != magic {
		return fmt.Errorf("%w: it begins with %q, which no snapshot does", ErrDamaged, fixed[:len(magic)])
	}
	if err := in.read(fixed[len(magic):]); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if v := le.Uint32(fixed[8:]); v != formatVersion {
		return fmt.Errorf("%w: format version is %d, want %d", ErrMismatch, v, formatVersion)
	}
	users, about, sizes := le.Uint32(fixed[12:]), le.Uint32(fixed[24:]), le.Uint32(fixed[28:])
	by, salted := le.Uint32(fixed[32:]), le.Uint32(fixed[36:])
	if by >= uint32(len(types)) || salted > 1 {
		return fmt.Errorf("%w: header says users are known by %d, articles are salted by %d", ErrDamaged, by, salted)
	}
	if (users < 1) != (kind(by) != numbers) || users > maxUsers || about < 1 || about > mostAbout || sizes < 1 ||
		sizes > maxClasses {
		return fmt.Errorf("%w: header says %d users, a description of %d bytes, %d lengths of history", ErrDamaged, users,
			about, sizes)
	}
	part := append(fixed, make([]byte, int(about)+4*int(sizes)+sumBytes)...)
	if err := in.read(part[fixedBytes:]); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if !summed(part) {
		return fmt.Errorf("%w: the header does not match its checksum", ErrDamaged)
	}
	in.snapshot.Users, in.snapshot.Type = int(users), types[by]
	in.snapshot.Salted, in.snapshot.Fingerprint = salted == 1, le.Uint64(fixed[40:])
	in.snapshot.Idle, in.snapshot.Now = Timestamp(le.Uint32(fixed[16:])), Timestamp(le.Uint32(fixed[20:]))
	in.snapshot.About = string(part[fixedBytes:][:about])
	for i := range int(sizes) {
		size := le.Uint32(part[fixedBytes+int(about)+4*i:])
		in.snapshot.Sizes = append(in.snapshot.Sizes, int(min(size, maxHistory+1)))
	}
	if !utf8.ValidString(in.snapshot.About) {
		return fmt.Errorf("%w: header describes it as %q, want valid UTF-8", ErrDamaged, in.snapshot.About)
	}
	if err := checkSizes(in.snapshot.Sizes); err != nil {
		return fmt.Errorf("%w: header: %w", ErrDamaged, err)
	}
	in.sums.Write(part[len(part)-sumBytes:])
	return nil
}

// next reads a block into the memory, which it makes longer where it has to. It returns
// false after the last, when the end has been read and found right.
func (in *input) next(memory *[]byte) (b block, more bool, err error) {
	le := binary.LittleEndian
	in.number++
	b = block{number: in.number, offset: in.snapshot.Bytes}
	head := in.head[:]
	if err := in.read(head); err != nil {
		return b, false, err
	}
	switch mark := string(head[:4]); mark {
	case markEnd:
		err := in.end(head)
		return b, false, err
	case markHistories:
	default:
		return b, false, fmt.Errorf("%w: it begins with %q, want %q or %q", ErrDamaged, mark, markHistories, markEnd)
	}
	size, count := le.Uint32(head[8:]), le.Uint32(head[12:])
	if _, known := slices.BinarySearch(in.snapshot.Sizes, int(min(size, maxHistory+1))); !known {
		return b, false, fmt.Errorf("%w: histories of %d bytes, want one of %s", ErrDamaged, size, listed(in.snapshot.Sizes))
	}
	if most := perBlock(int(size)); count < 1 || int64(count) > int64(most) {
		return b, false, fmt.Errorf("%w: %d histories of %d bytes, want 1 to %d", ErrDamaged, count, size, most)
	}
	b.size, b.count = int(size), int(count)
	*memory = slices.Grow((*memory)[:0], b.length())
	b.bytes = (*memory)[:b.length():b.length()]
	copy(b.bytes, head)
	if err := in.read(b.bytes[headBytes:]); err != nil {
		return b, false, err
	}
	in.sums.Write(b.bytes[len(b.bytes)-sumBytes:])
	in.snapshot.Histories += b.count
	in.snapshot.Payload += int64(b.count) * int64(b.size)
	return b, true, nil
}

// end reads the rest of the last part.
func (in *input) end(head []byte) error {
	le := binary.LittleEndian
	part := append(head, make([]byte, endBytes-headBytes)...)
	if err := in.read(part[headBytes:]); err != nil {
		return err
	}
	if !summed(part) {
		return fmt.Errorf("%w: the end does not match its checksum", ErrDamaged)
	}
	histories, payload, whole := le.Uint64(part[8:]), le.Uint64(part[16:]), le.Uint64(part[24:])
	if histories != uint64(in.snapshot.Histories) || payload != uint64(in.snapshot.Payload) {
		return fmt.Errorf("%w: %d histories of %d bytes, but its end counts %d of %d",
			ErrDamaged, in.snapshot.Histories, in.snapshot.Payload, histories, payload)
	}
	if whole != in.sums.Sum64() || le.Uint32(part[4:]) != 0 {
		return fmt.Errorf("%w: the end does not belong to these blocks", ErrDamaged)
	}
	switch _, err := in.r.ReadByte(); {
	case errors.Is(err, io.EOF):
		in.ended = true
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: it goes on after its end", ErrDamaged)
}
