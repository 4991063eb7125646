package store

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// Open calls ReadSnapshot for a file. If there is none, the error is fs.ErrNotExist: a new service calls New.
func Open[U User](ctx context.Context, path string, c Config, about string) (*Store[U], Snapshot, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Snapshot{}, fmt.Errorf("store: snapshot: %w", err)
	}
	defer f.Close()
	return read[U](ctx, f, c, about, " "+path)
}

// ReadSnapshot returns a new store with the histories of a snapshot, and the snapshot's description. About and the
// strategy must be the same as when it was written, or Config.Extends that strategy. Shards and Idle may differ from
// the saved store's, and Users may be larger.
//
// Each history goes through the strategy's Validate (unless Config.TrustSnapshots). Nothing may follow the snapshot.
// The error names the block and its offset, and wraps ErrDamaged or ErrMismatch unless r, ctx or c is at fault.
func ReadSnapshot[U User](ctx context.Context, r io.Reader, c Config, about string) (*Store[U], Snapshot, error) {
	return read[U](ctx, r, c, about, "")
}

func read[U User](ctx context.Context, r io.Reader, c Config, about, name string) (*Store[U], Snapshot, error) {
	in := newInput(ctx, r)
	s, err := restored[U](in, c, about)
	if err != nil {
		return nil, Snapshot{}, fmt.Errorf("store: snapshot%s: %w", name, err)
	}
	return s, in.snapshot, nil
}

func restored[U User](in *input, c Config, about string) (*Store[U], error) {
	if err := checkAbout(about); err != nil {
		return nil, err
	}
	s, err := New[U](c) // first, as its errors are not the snapshot's
	if err != nil {
		return nil, err
	}
	if err = in.header(); err == nil {
		err = in.snapshot.fits(s.empty(about), s.extends)
	}
	if err == nil {
		err = in.blocks(s.load)
	}
	if err != nil {
		s.Clear()
	}
	runtime.KeepAlive(s)
	return s, err
}

// fits returns an error if a store whose snapshots are like want, and which extends a strategy or "", cannot read s.
func (s *Snapshot) fits(want Snapshot, extends string) error {
	switch {
	case s.About != want.About:
		return mismatch("its histories are of %q, want %q", s.About, want.About)
	case s.Type != want.Type:
		return mismatch("its users are known by %s, want %s", s.Type, want.Type)
	case s.Salted != want.Salted:
		return mismatch("its articles are salted: %t, want %t (Config.Unsalted)", s.Salted, want.Salted)
	case s.Fingerprint != want.Fingerprint:
		return mismatch("it is of the secret %016x, want %016x (Config.Secret)", s.Fingerprint, want.Fingerprint)
	case s.Strategy != "" && s.Strategy != want.Strategy && s.Strategy != extends:
		return mismatch("its histories are of the strategy %s, want %s (Config.Strategy, or one that it continues as "+
			"Config.Extends)", s.Strategy, want.Strategy)
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

func listed(sizes []int) string {
	const most = 12
	if len(sizes) <= most {
		return fmt.Sprint(sizes)
	}
	first := strings.TrimSuffix(fmt.Sprint(sizes[:most]), "]")
	return fmt.Sprintf("%s ... %d], %d in all", first, sizes[len(sizes)-1], len(sizes))
}

func (s *Store[U]) load(b block) error {
	for i := 0; i < b.count && !s.trust; i++ {
		user, _, history := b.entry(i)
		if err := s.strategy.Validate(history); err != nil {
			return damaged("history of user %d: %w", user, err)
		}
	}
	var sh *shard
	unlock := func() {}
	defer func() { unlock() }()
	for i := range b.count {
		user, last, history := b.entry(i)
		next, u := s.place(user)
		if next != sh {
			unlock()
			next.mu.Lock()
			sh, unlock = next, next.mu.Unlock
		}
		sh.lookUp(&u, false)
		if sh.block(&u) != nil {
			return damaged("user %d has two histories", user)
		}
		if !sh.replace(&u, nil, history) {
			return mismatch("history of user %d has %d bytes", user, len(history))
		}
		u.last = last
	}
	return nil
}

// An input reads the parts of a snapshot. It checks each length before it allocates.
type input struct {
	ctx      context.Context
	mu       sync.Mutex // guards all below while several goroutines read
	r        *bufio.Reader
	snapshot Snapshot       // as far as it has been read
	sums     *xxhash.Digest // of the checksums of all parts
	number   int            // of the previous block
	ended    bool           // the end was read
	err      error
	failed   int // the number of the block with that error
}

func newInput(ctx context.Context, r io.Reader) *input {
	return &input{ctx: ctx, r: bufio.NewReaderSize(r, 4096), sums: xxhash.New()} // long reads bypass a small buffer
}

func (in *input) read(b []byte) error {
	n, err := io.ReadFull(in.r, b)
	in.snapshot.Bytes += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged("it ends at byte %d, before its end", in.snapshot.Bytes)
	}
	return err
}

// rest reads the last n bytes of a part, and adds its checksum to the sum of all.
func (in *input) rest(part []byte, n int) ([]byte, error) {
	begun := len(part)
	part = slices.Grow(part, n)[:begun+n]
	if err := in.read(part[begun:]); err != nil {
		return nil, err
	}
	_, _ = in.sums.Write(sum(part))
	return part, nil
}

func (in *input) header() error {
	if err := in.ctx.Err(); err != nil {
		return err
	}
	fixed := make([]byte, fixedBytes)
	if err := in.read(fixed[:len(magic)]); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if string(fixed[:len(magic)]) != magic {
		return damaged("it begins with %q, which no snapshot does", fixed[:len(magic)])
	}
	if err := in.read(fixed[len(magic):fixedBefore]); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	version := binary.LittleEndian.Uint32(fixed[len(magic):])
	if version < earlierFormat || version > formatVersion {
		return mismatch("format version is %d, want %d to %d", version, earlierFormat, formatVersion)
	}
	begun := fixed // the part of the header read already
	if version < formatVersion {
		begun = fixed[:fixedBefore]
	} else if err := in.read(fixed[fixedBefore:]); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	var h header
	_, _ = binary.Decode(fixed, binary.LittleEndian, &h)
	if h.Kind >= uint32(len(types)) || h.Salted > 1 || h.Zero > 0 {
		return damaged("header says users are known by %d, articles are salted by %d, and %d where 0 belongs", h.Kind,
			h.Salted, h.Zero)
	}
	if (h.Users < 1) != (kind(h.Kind) != numbers) || h.Users > maxUsers || h.About < 1 || h.About > mostAbout ||
		h.Strategy > mostStrategy || (h.Strategy < 1) != (version < formatVersion) || h.Sizes < 1 || h.Sizes > maxClasses {
		return damaged("header says %d users, a description of %d bytes, a strategy of %d, %d lengths of history", h.Users,
			h.About, h.Strategy, h.Sizes)
	}
	part, err := in.rest(begun, int(h.About+h.Strategy)+4*int(h.Sizes)+sumBytes)
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if !sealed(part) {
		return damaged("the header does not match its checksum")
	}
	s := &in.snapshot
	s.Users, s.Type, s.Salted, s.Fingerprint = int(h.Users), types[h.Kind], h.Salted == 1, h.Fingerprint
	s.Version = int(version)
	s.Idle, s.Now = Timestamp(h.Idle), Timestamp(h.Now)
	part = part[len(begun):]
	s.About, s.Strategy = string(part[:h.About]), string(part[h.About:][:h.Strategy])
	part = part[h.About+h.Strategy:]
	for i := range int(h.Sizes) {
		size := binary.LittleEndian.Uint32(part[4*i:])
		s.Sizes = append(s.Sizes, int(min(size, maxHistory+1)))
	}
	if !utf8.ValidString(s.About + s.Strategy) {
		return damaged("header describes it as %q of %q, want valid UTF-8", s.About, s.Strategy)
	}
	if err := checkSizes(s.Sizes); err != nil {
		return damaged("header: %w", err)
	}
	return nil
}

// blocks reads all blocks and the end. It calls use with every sound block, in parallel, until the first error.
func (in *input) blocks(use func(block) error) error {
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			var b block
			for in.next(&b) {
				if err := in.use(b, use); err != nil {
					in.mu.Lock()
					in.note(&b, err)
					in.mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return in.err
}

// next reads a block into b's memory. It returns false at the end, or after an error.
func (in *input) next(b *block) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.err != nil || in.ended {
		return false
	}
	in.number++
	*b = block{bytes: b.bytes[:0], number: in.number, offset: in.snapshot.Bytes}
	err := in.ctx.Err()
	if err == nil {
		err = in.block(b)
	}
	if err != nil {
		in.note(b, err)
	}
	return err == nil && !in.ended
}

func (in *input) note(b *block, err error) {
	if in.err == nil || b.number < in.failed {
		in.failed = b.number
		in.err = fmt.Errorf("block %d, at byte %d: %w", b.number, b.offset, err)
	}
}

func (in *input) block(b *block) (err error) {
	b.bytes = slices.Grow(b.bytes, headBytes)[:headBytes]
	if err := in.read(b.bytes); err != nil {
		return err
	}
	var h head
	_, _ = binary.Decode(b.bytes, binary.LittleEndian, &h)
	switch mark := string(h.Mark[:]); mark {
	case markEnd:
		return in.end(b.bytes)
	case markHistories:
	default:
		return damaged("it begins with %q, want %q or %q", mark, markHistories, markEnd)
	}
	if _, known := slices.BinarySearch(in.snapshot.Sizes, int(min(h.Size, maxHistory+1))); !known {
		return damaged("histories of %d bytes, want one of %s", h.Size, listed(in.snapshot.Sizes))
	}
	if most := perBlock(int(h.Size)); h.Count < 1 || int64(h.Count) > int64(most) {
		return damaged("%d histories of %d bytes, want 1 to %d", h.Count, h.Size, most)
	}
	b.size, b.count = int(h.Size), int(h.Count)
	b.bytes, err = in.rest(b.bytes, b.length()-headBytes)
	in.snapshot.count(*b)
	return err
}

func (in *input) end(part []byte) error {
	whole := in.sums.Sum64()
	part, err := in.rest(part, endBytes+sumBytes-len(part))
	if err != nil {
		return err
	}
	if !sealed(part) {
		return damaged("the end does not match its checksum")
	}
	var e end
	_, _ = binary.Decode(part, binary.LittleEndian, &e)
	if e.Histories != uint64(in.snapshot.Histories) || e.Payload != uint64(in.snapshot.Payload) {
		return damaged("%d histories of %d bytes, but its end counts %d of %d",
			in.snapshot.Histories, in.snapshot.Payload, e.Histories, e.Payload)
	}
	if whole != e.Whole || e.Zero != 0 {
		return damaged("the end does not belong to these blocks")
	}
	switch _, err := in.r.ReadByte(); {
	case errors.Is(err, io.EOF):
		in.ended = true
		return nil
	case err != nil:
		return err
	}
	return damaged("it goes on after its end")
}

// use checks b and calls use(b). A panic becomes an error: histories may be forged before Validate.
func (in *input) use(b block, use func(block) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if !sealed(b.bytes) {
		return damaged("%d bytes do not match their checksum", len(b.bytes)-sumBytes)
	}
	for i := range b.count {
		if user, _, _ := b.entry(i); in.snapshot.Type == types[numbers] && user >= uint64(in.snapshot.Users) {
			return damaged("history of user %d, want 0 to %d", user, in.snapshot.Users-1)
		}
	}
	return use(b)
}
