package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"dejavu/internal/atomicfile"
)

// A Snapshot describes a snapshot: the histories of a store's users, as Save and WriteSnapshot write them.
//
// The format, version 4, all numbers little-endian. A checksum is the 64-bit xxHash, seed 0, of its part before it.
//
//	header   8 magic, 4 version, 4 Users, 4 Idle, 4 Now, 4 length of About, 4 number of Sizes,
//	         4 what users are known by (0 number, 1 integer, 2 string), 4 Salted (0 or 1),
//	         8 Fingerprint, 4 length of Strategy, 4 zero, About, Strategy,
//	         4 for each of Sizes, 8 checksum
//	blocks   4 "HIST", 4 shard, 4 length of each history, 4 number of histories; for each 8 the user's number,
//	         key, or digest of the string, 4 the time it was last recorded at, its bytes; 8 checksum
//	end      4 "END.", 4 zero, 8 Histories, 8 Payload,
//	         8 xxHash of the checksums of header and blocks, in their order, 8 checksum
//
// A block contains at most 1 MiB of histories, or one. Checksums detect damage, not forgery.
//
// Snapshots of version 3, which 0.1.0 wrote, are read too. They lack Strategy and the two numbers after Fingerprint, so
// that only About and Sizes identify the strategy.
type Snapshot struct {
	About       string    // the caller's description of the strategy and of the articles' IDs
	Users       int       // of the store that was saved
	Idle        Timestamp // of the store that was saved
	Type        string    // how its users are identified: "number" (Config.Users), "integer" or "string" (keys)
	Strategy    string    // the strategies.Fingerprint; "" up to version 3
	Salted      bool      // whether article IDs are mixed with a salt
	Version     int       // version of the file format
	Fingerprint uint64    // of the secret behind salts and strings' digests, or 0
	Now         Timestamp // when it was saved, on the store's clock
	Sizes       []int     // the lengths in bytes that its histories could have
	Histories   int       // users who have a history
	Payload     int64     // the sum of the lengths of the histories, in bytes
	Bytes       int64     // the length of the snapshot
}

// Errors of a snapshot that can be read; use errors.Is.
var (
	// ErrDamaged means that the data is corrupt or not a snapshot. Try an older one.
	ErrDamaged = errors.New("damaged")
	// ErrMismatch means that the snapshot has another strategy, more users, or another version.
	ErrMismatch = errors.New("does not fit")
)

const (
	magic         = "\x89dejavu\n" // byte and line end change if a program takes it for text
	formatVersion = 4
	earlierFormat = 3
	mostAbout     = 1024    // bytes
	mostStrategy  = 1 << 16 // bytes
	markHistories = "HIST"
	markEnd       = "END."
	fixedBytes    = 56 // of the header before About
	fixedBefore   = 48 // up to version 3
	headBytes     = 16 // of a block, before its histories
	entryBytes    = 12 // of an entry, before its history
	endBytes      = 32 // of the end, before its checksum
	sumBytes      = 8
	blockBytes    = 1 << 20 // the most in a block of several entries
)

// The fixed parts of a snapshot. encoding/binary returns no error for these types.
type (
	header struct {
		Magic                                                 [8]byte
		Version, Users, Idle, Now, About, Sizes, Kind, Salted uint32
		Fingerprint                                           uint64
		Strategy, Zero                                        uint32
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

type block struct {
	bytes       []byte // with the checksum
	size, count int

	number int   // from 1, if it was read
	offset int64 // of its first byte, if it was read
}

func (b *block) length() int { return headBytes + b.count*(entryBytes+b.size) + sumBytes }

func (b *block) entry(i int) (user uint64, last Timestamp, history []byte) {
	e := b.bytes[headBytes+i*(entryBytes+b.size):][: entryBytes+b.size : entryBytes+b.size]
	return binary.LittleEndian.Uint64(e), Timestamp(binary.LittleEndian.Uint32(e[8:])), e[entryBytes:]
}

func perBlock(size int) int { return max(1, blockBytes/(entryBytes+size)) }

func seal(part []byte) []byte { return binary.LittleEndian.AppendUint64(part, xxhash.Sum64(part)) }

func sealed(part []byte) bool {
	return xxhash.Sum64(part[:len(part)-sumBytes]) == binary.LittleEndian.Uint64(sum(part))
}

func sum(part []byte) []byte { return part[len(part)-sumBytes:] }

func (s *Snapshot) header() []byte {
	h := header{
		Magic: [8]byte([]byte(magic)), Version: uint32(s.Version), Users: uint32(s.Users), Idle: uint32(s.Idle),
		Now: uint32(s.Now), About: uint32(len(s.About)), Sizes: uint32(len(s.Sizes)),
		Kind: uint32(slices.Index(types[:], s.Type)), Fingerprint: s.Fingerprint, Strategy: uint32(len(s.Strategy)),
	}
	if s.Salted {
		h.Salted = 1
	}
	part, _ := binary.Append(nil, binary.LittleEndian, h)
	part = append(append(part, s.About...), s.Strategy...)
	for _, size := range s.Sizes {
		part = binary.LittleEndian.AppendUint32(part, uint32(size))
	}
	return seal(part)
}

// end returns the snapshot's last part; whole is the hash of all other checksums.
func (s *Snapshot) end(whole uint64) []byte {
	e := end{[4]byte([]byte(markEnd)), 0, uint64(s.Histories), uint64(s.Payload), whole}
	part, _ := binary.Append(nil, binary.LittleEndian, e)
	return seal(part)
}

func (s *Snapshot) count(b block) {
	s.Histories += b.count
	s.Payload += int64(b.count) * int64(b.size)
}

func (s *Store[U]) empty(about string) Snapshot {
	e := Snapshot{
		About: about, Users: s.users, Idle: s.idle, Type: types[s.kind], Strategy: s.name, Salted: s.salted,
		Version: formatVersion,
	}
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

// WriteSnapshot writes all histories that have not expired at time now to w. About describes, in 1 to 1024 bytes, what
// they depend on beside strategy and secret: how keys become IDs. Reading needs the same.
//
// Requests may go on meanwhile. Each shard is copied at one moment under its lock, 5 ms for 20 MB. The copies take the
// memory of one shard for each processor. If copied is not nil, it is called after all shards were copied, perhaps not
// after an error: later recordings are not in the snapshot. Once ctx is done, the error wraps ctx.Err(). It is an error
// if the store is closed or cleared before all were copied.
func (s *Store[U]) WriteSnapshot(ctx context.Context, w io.Writer, about string, now Timestamp, copied func(),
) (snapshot Snapshot, err error) {
	if snapshot, err = s.write(ctx, w, about, now, copied); err != nil {
		return Snapshot{}, fmt.Errorf("store: snapshot: %w", err)
	}
	return snapshot, nil
}

func (s *Store[U]) write(ctx context.Context, w io.Writer, about string, now Timestamp, copied func(),
) (snapshot Snapshot, err error) {
	if err := checkAbout(about); err != nil {
		return snapshot, err
	}
	if s.drawn && (s.salted || s.kind == digests) {
		return snapshot, errors.New(
			"its secret was drawn by New and is known to nobody, so that it could not be read again: set Config.Secret")
	}
	ended := s.ended.Load()
	snapshot = s.empty(about)
	snapshot.Now = now
	out := output{ctx: ctx, w: w, snapshot: &snapshot, sums: xxhash.New()}
	begin := snapshot.header()
	out.write(begin, block{bytes: begin})
	var claimed, taken atomic.Int64
	var group sync.WaitGroup
	turns := make([]chan struct{}, len(s.shards)+1) // turns[i] is closed when shard i may be written
	for i := range turns {
		turns[i] = make(chan struct{})
	}
	close(turns[0])
	for range min(runtime.GOMAXPROCS(0), len(s.shards)) {
		group.Go(func() {
			var c shardCopy
			for failed := false; !failed && ctx.Err() == nil; {
				i := int(claimed.Add(1)) - 1
				if i >= len(s.shards) {
					return
				}
				err := c.take(&s.shards[i], len(s.shards), now, ended)
				if err == nil && int(taken.Add(1)) == len(s.shards) && copied != nil {
					copied()
				}
				for _, b := range c.blocks { // without a lock
					seal(b.bytes[:len(b.bytes)-sumBytes])
				}
				<-turns[i]
				out.err = cmp.Or(out.err, err)
				out.write(c.bytes, c.blocks...)
				failed = out.err != nil
				close(turns[i+1])
			}
		})
	}
	group.Wait()
	runtime.KeepAlive(s)
	end := snapshot.end(out.sums.Sum64())
	out.write(end, block{bytes: end}) // not written if a shard is missing
	if out.err != nil {
		err = fmt.Errorf("after %d bytes: %w", snapshot.Bytes, out.err)
	}
	return snapshot, err
}

type output struct {
	ctx      context.Context
	w        io.Writer
	snapshot *Snapshot
	sums     *xxhash.Digest // of the checksums of all parts
	err      error          // the first; nothing is written after it
}

func (o *output) write(bytes []byte, parts ...block) {
	for _, p := range parts {
		_, _ = o.sums.Write(sum(p.bytes)) // never fails
		o.snapshot.count(p)
	}
	for chunk := range slices.Chunk(bytes, blockBytes) {
		if o.err == nil {
			o.err = o.ctx.Err()
		}
		if o.err != nil {
			return
		}
		var n int
		n, o.err = o.w.Write(chunk)
		o.snapshot.Bytes += int64(n)
	}
}

type shardCopy struct {
	bytes  []byte
	blocks []block
}

// take copies the histories of a shard, without checksums. It fails if the store ended since ended was read.
func (c *shardCopy) take(sh *shard, shards int, now Timestamp, ended int64) error {
	c.bytes, c.blocks = c.bytes[:0], c.blocks[:0]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for need := sh.snapshotBytes(); cap(c.bytes) < need; need = sh.snapshotBytes() {
		// Take a little more, so that the next shard probably fits too.
		sh.mu.Unlock()
		c.bytes = slices.Grow([]byte(nil), need+need/16)
		sh.mu.Lock()
	}
	switch {
	case sh.closed:
		return errors.New("the store is closed: save before Close")
	case sh.ended.Load() != ended:
		return errors.New("the store was cleared meanwhile: save again")
	}
	for k := range sh.pools {
		c.takePool(sh, k, shards, now)
	}
	return nil
}

// takePool copies a pool in the order of memory.
func (c *shardCopy) takePool(sh *shard, k, shards int, now Timestamp) {
	le := binary.LittleEndian
	p, class := &sh.pools[k], &sh.classes[k]
	b := block{size: class.size}
	finish := func() {
		if b.count > 0 {
			c.bytes = append(c.bytes, make([]byte, sumBytes)...)
			b.bytes = c.bytes[len(c.bytes)-b.length():]
			h := head{[4]byte([]byte(markHistories)), sh.number, uint32(b.size), uint32(b.count)}
			_, _ = binary.Encode(b.bytes, le, h)
			c.blocks = append(c.blocks, b)
			b.count = 0
		}
	}
	for n := range p.used {
		at := class.at(k, n)
		whole := p.whole(class, at)
		owner := class.ownerOf(whole)
		e := sh.entryOf(owner, at)
		if sh.expired(e.last, now) {
			continue
		}
		if b.count == perBlock(b.size) {
			finish()
		}
		if b.count == 0 {
			c.bytes = append(c.bytes, make([]byte, headBytes)...)
		}
		b.count++
		c.bytes = le.AppendUint64(c.bytes, sh.digest(owner, shards))
		c.bytes = le.AppendUint32(c.bytes, uint32(e.last))
		c.bytes = append(c.bytes, whole[class.owner:]...)
	}
	finish()
}

// snapshotBytes returns the most bytes that the shard's blocks take. The caller has locked it.
func (sh *shard) snapshotBytes() (bytes int) {
	for k := range sh.pools {
		used, size := sh.pools[k].used, sh.classes[k].size
		most := perBlock(size)
		bytes += used*(entryBytes+size) + (used+most-1)/most*(headBytes+sumBytes)
	}
	return bytes
}

// Save writes a snapshot to the file at path, as WriteSnapshot does. Even if the process is killed or the power fails,
// path contains the whole old snapshot or the new one.
//
// The new file is first called path and ".saving". If two Saves write to one path at once, the later returns an error
// (on Unix, on file systems with locks and for processes of one user). If path is a symbolic link, its target is
// replaced. A new file has mode 0600; one that is replaced keeps its permissions.
func (s *Store[U]) Save(ctx context.Context, path, about string, now Timestamp) (snapshot Snapshot, err error) {
	err = atomicfile.Replace(ctx, path, 0o600, func(w io.Writer) (err error) {
		snapshot, err = s.write(ctx, w, about, now, nil)
		return err
	})
	if err != nil {
		return Snapshot{}, fmt.Errorf("store: snapshot %s: %w", path, err)
	}
	return snapshot, nil
}
