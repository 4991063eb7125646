package partition

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"dejavu/internal/atomicfile"
	"dejavu/live/log"
	"dejavu/store"
	"github.com/cespare/xxhash/v2"
)

// A snapshot's file is a header, followed by what store.WriteSnapshot writes. Numbers are little-endian.
//
//	8 magic, 4 number of the partition, 4 of how many, 8 next, 8 from, 4 check, 16 identity of the log,
//	8 xxHash of the bytes before
//
// Version 1, whose magic ends in 1, has no identity, and fits any log.
//
// The histories include all records before next. Calls that may be repeated are in the records beginning at from. The
// file's name contains the partition and next, so that an older snapshot never replaces a newer one.
const (
	magic       = "dejavu\x00\x04" // 2 and 3 are the journal's
	magic1      = "dejavu\x00\x01"
	headerBytes = 60
	kept        = 2 // snapshots of a partition: if the newest is damaged, the older serves
)

type header struct {
	Number, Of uint32
	Next, From log.Offset
	Check      uint32
	Log        log.Identity
}

func (h *header) bytes() []byte {
	b, _ := binary.Append([]byte(magic), binary.LittleEndian, h) // fails for other types only
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
}

func readHeader(r io.Reader) (h header, err error) {
	var room [headerBytes]byte
	b := room[:]
	if _, err = io.ReadFull(r, b[:len(magic)]); err == nil && string(b[:len(magic)]) == magic1 {
		b = b[:headerBytes-len(h.Log)]
	}
	if err == nil {
		_, err = io.ReadFull(r, b[len(magic):])
	}
	if err != nil {
		return h, fmt.Errorf("%w: header: %w", store.ErrDamaged, err)
	}
	if begins := string(b[:len(magic)]); begins != magic && begins != magic1 {
		return h, fmt.Errorf("%w: it begins with %q, which no partition's snapshot does", store.ErrDamaged, begins)
	}
	sum := len(b) - 8
	if xxhash.Sum64(b[:sum]) != binary.LittleEndian.Uint64(b[sum:]) {
		return h, fmt.Errorf("%w: header checksum mismatch", store.ErrDamaged)
	}
	clear(room[sum:])
	_, _ = binary.Decode(room[len(magic):], binary.LittleEndian, &h) // fails for other types only
	if h.From < 0 || h.From > h.Next {
		return h, fmt.Errorf("%w: its calls are from offset %d, its histories to %d", store.ErrDamaged, h.From, h.Next)
	}
	return h, nil
}

func readHeaderOf(path string) (h header, err error) {
	f, err := os.Open(path)
	if err != nil {
		return h, err
	}
	defer f.Close()
	return readHeader(f)
}

func (c *Config) prefix() string { return fmt.Sprintf("partition-%04d-", c.Number) }

const suffix = ".snapshot"

func (c *Config) snapshots() ([]string, error) {
	entries, err := os.ReadDir(c.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range slices.Backward(entries) { // the newest first
		middle, ok := strings.CutPrefix(e.Name(), c.prefix())
		if ok && len(middle) == 16+len(suffix) && strings.HasSuffix(middle, suffix) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// A Loaded describes what Load loaded.
type Loaded struct {
	From      log.Offset // where to begin to read the log
	Histories int
	Bytes     int64
	Damaged   []error // newer snapshots could not be read
}

// Load returns a partition with the histories of its newest snapshot, if any. Call Apply for later records, then Begin.
func Load(ctx context.Context, c Config) (*Partition, Loaded, error) {
	r := retries{most: c.Retries, where: map[call]int{}}
	p := &Partition{c: c, check: c.Layout.Check(c.Secret), retries: r}
	var found Loaded
	names, err := c.snapshots()
	if err != nil {
		return nil, found, fmt.Errorf("partition %d: snapshots: %w", c.Number, err)
	}
	for _, name := range names {
		path := filepath.Join(c.Dir, name)
		err := p.load(ctx, path, &found)
		if err == nil {
			return p, found, nil
		}
		err = fmt.Errorf("snapshot %s: %w", path, err)
		if !errors.Is(err, store.ErrDamaged) && !errors.Is(err, fs.ErrNotExist) { // removed by another instance
			return nil, found, fmt.Errorf("%w; start with the version and configuration that wrote it, "+
				"or restore log and snapshots from one backup", err)
		}
		found.Damaged = append(found.Damaged, err)
	}
	// If the log was trimmed after a damaged snapshot, reading it fails.
	p.store, err = store.New[uint64](c.store())
	return p, found, err
}

func (p *Partition) load(ctx context.Context, path string, found *Loaded) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h, err := readHeader(f)
	if err != nil {
		return err
	}
	c := &p.c
	if int(h.Number) != c.Number || int(h.Of) != c.Of {
		return fmt.Errorf("%w: it is of partition %d of %d, want %d of %d",
			store.ErrMismatch, h.Number, h.Of, c.Number, c.Of)
	}
	if h.Log != (log.Identity{}) && !slices.Contains(c.Logs, h.Log) {
		return fmt.Errorf("%w: it is of log %v, want %v", store.ErrMismatch, h.Log, c.Logs)
	}
	// Another layout or secret is an error of the store, which says what differs.
	s, snapshot, err := store.ReadSnapshot[uint64](ctx, f, c.store(), c.Layout.About())
	if err != nil {
		return err
	}
	p.store, p.now, p.next = s, snapshot.Now, h.Next
	found.From, found.Histories, found.Bytes = h.From, snapshot.Histories, snapshot.Bytes
	return nil
}

// Snapshot writes a snapshot and removes old ones. It returns its length, and the offset before which no snapshot needs
// a record. Calls wait only while the histories are copied in memory.
func (p *Partition) Snapshot(ctx context.Context) (needed log.Offset, bytes int64, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("partition %d: snapshot: %w", p.c.Number, err)
		}
	}()
	if err := atomicfile.MakeFolder(p.c.Dir); err != nil {
		return 0, 0, err
	}
	if err := p.enter(0); err != nil {
		return 0, 0, err
	}
	unlock := sync.OnceFunc(p.mu.Unlock)
	defer unlock()
	p.saved = p.next
	h := header{uint32(p.c.Number), uint32(p.c.Of), p.next, p.retries.from(p.now, p.next), p.check, log.Identity{}}
	if n := len(p.c.Logs); n > 0 {
		h.Log = p.c.Logs[n-1]
	}
	last, now, snapshot := p.last, p.now, store.Snapshot{}
	path := filepath.Join(p.c.Dir, fmt.Sprintf("%s%016x%s", p.c.prefix(), uint64(h.Next), suffix))
	err = atomicfile.Replace(ctx, path, 0o600, func(w io.Writer) (err error) {
		if _, err = w.Write(h.bytes()); err == nil {
			snapshot, err = p.store.WriteSnapshot(ctx, w, p.c.Layout.About(), now, unlock)
		}
		if err != nil {
			return err
		}
		return last.Wait(ctx) // others may load the snapshot: it must not be ahead of the log
	})
	if err != nil {
		return 0, 0, err
	}
	needed, err = p.c.removeOld()
	return needed, snapshot.Bytes, err
}

// removeOld removes old snapshots, and returns the offset from which the others need records.
func (c *Config) removeOld() (needed log.Offset, err error) {
	names, err := c.snapshots()
	if err != nil || len(names) < kept {
		return 0, err
	}
	for _, name := range names[kept:] {
		if err := os.Remove(filepath.Join(c.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	path := filepath.Join(c.Dir, names[kept-1])
	h, err := readHeaderOf(path)
	if errors.Is(err, fs.ErrNotExist) { // another instance removed it
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return h.From, nil
}

// RemoveLeftovers removes unfinished snapshots of killed processes that nobody has written to for age.
func RemoveLeftovers(dir string, age time.Duration) error {
	left, err := fs.Glob(os.DirFS(dir), "partition-*.saving")
	for _, name := range left {
		path := filepath.Join(dir, name)
		info, gone := os.Lstat(path)
		if gone == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) >= age {
			err = cmp.Or(err, os.Remove(path))
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("snapshots: %w", err)
	}
	return nil
}
