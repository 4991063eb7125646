// Package embedded is a log in a file of the process's own, for a service of one instance that needs no other server.
//
// The file is a bbolt database, which is never torn: a commit writes new pages, syncs them, and makes them
// count by a checksummed page that it syncs in turn; a process that is killed in between leaves the commit
// before it. Requests share commits. What is appended while one commit is under way makes up the next, so
// that a busy service pays two syncs of the disk for hundreds of requests, and an idle one two for each.
//
// The file is locked: a second process that opens it is refused. The records of all partitions lie in it side
// by side, and the space of what was trimmed is used again. The file does not shrink.
package embedded

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"dejavu/live/log"
)

// An offset is the number of a batch and, in its lowest bits, the place in it.
const (
	placeBits = 24
	maxRecord = 1 << 28 // bytes
)

var (
	batches     = []byte("batches")
	castagnoli  = crc32.MakeTable(crc32.Castagnoli)
	errClosed   = errors.New("log: closed")
	lockTimeout = 2 * time.Second
)

// A Log is an embedded log.
type Log struct {
	db   *bbolt.DB
	path string

	mu      sync.Mutex // guards all below
	filling *batch
	failed  error // nothing more is written
	closed  bool
	trimmed []uint64 // by partition, the first batch that is still needed
	cut     uint64   // all batches before are deleted

	wake chan struct{}
	done chan struct{} // the writer has ended

	Meter Meter
}

// A Meter counts what was written, for a metrics page.
type Meter struct{ Commits, Records, Bytes, Nanos atomic.Int64 }

type batch struct {
	number uint64
	count  int
	bytes  []byte // a checksum; for each record its partition, its length, and itself
	ticket *log.Ticket
}

// Open opens the log in the file at path, or makes it, of so many partitions.
func Open(path string, partitions int) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: lockTimeout, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
	})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, fmt.Errorf("log %s: another process has it open", path)
	}
	if err != nil {
		return nil, fmt.Errorf("log %s: %w", path, err)
	}
	l := &Log{
		db: db, path: path, trimmed: make([]uint64, partitions), wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	last := uint64(0)
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(batches)
		if err == nil {
			_, last, err = ends(b)
		}
		return err
	})
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("log %s: %w", path, err)
	}
	l.filling = &batch{number: last + 1}
	go l.write()
	return l, nil
}

func number(key []byte) (uint64, error) {
	if len(key) != 8 {
		return 0, fmt.Errorf("a key of %d bytes, %x, want 8", len(key), key)
	}
	return binary.BigEndian.Uint64(key), nil
}

func ends(b *bbolt.Bucket) (oldest, newest uint64, err error) {
	first, _ := b.Cursor().First()
	last, _ := b.Cursor().Last()
	if first == nil {
		return 0, 0, nil
	}
	oldest, err = number(first)
	newest, err2 := number(last)
	return oldest, newest, errors.Join(err, err2)
}

func keyOf(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

// Append implements log.Log.
func (l *Log) Append(partition int, record []byte) (log.Offset, *log.Ticket, error) {
	if len(record) > maxRecord {
		return 0, nil, fmt.Errorf("log: a record of %d bytes, want at most %d", len(record), maxRecord)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, nil, errClosed
	}
	if l.failed != nil {
		return 0, nil, l.failed
	}
	b := l.filling
	if b.count == 0 {
		b.ticket = log.NewTicket()
		b.bytes = append(b.bytes[:0], 0, 0, 0, 0)
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	at := log.Offset(b.number<<placeBits | uint64(b.count))
	b.count++
	b.bytes = binary.AppendUvarint(b.bytes, uint64(partition))
	b.bytes = binary.AppendUvarint(b.bytes, uint64(len(record)))
	b.bytes = append(b.bytes, record...)
	return at, b.ticket, nil
}

func (l *Log) write() {
	defer close(l.done)
	spare := &batch{}
	for range l.wake {
		l.mu.Lock()
		b, closed := l.filling, l.closed
		if b.count > 0 {
			spare.number, spare.count, spare.bytes = b.number+1, 0, spare.bytes[:0]
			l.filling, spare = spare, b
		}
		l.mu.Unlock()
		if b.count > 0 {
			err := l.commit(b)
			if err != nil {
				l.mu.Lock()
				l.failed = err
				next := l.filling
				l.mu.Unlock()
				if next.count > 0 { // nothing is added to it any more
					next.ticket.Settle(err)
					next.count = 0
				}
			}
			b.ticket.Settle(err)
			b.ticket = nil
		}
		if closed {
			return
		}
	}
}

// sealed is a batch with its checksum, in its first bytes.
func sealed(b []byte) []byte {
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
	return b
}

func (l *Log) commit(b *batch) error {
	began := time.Now()
	sealed(b.bytes)
	err := l.db.Update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(batches)
		bucket.FillPercent = 1 // keys ascend
		return bucket.Put(keyOf(b.number), b.bytes)
	})
	if err != nil {
		return fmt.Errorf("log %s: %w", l.path, err)
	}
	l.Meter.Commits.Add(1)
	l.Meter.Records.Add(int64(b.count))
	l.Meter.Bytes.Add(int64(len(b.bytes)))
	l.Meter.Nanos.Add(int64(time.Since(began)))
	return nil
}

// Close implements log.Log.
func (l *Log) Close() error {
	l.mu.Lock()
	was := l.closed
	l.closed = true
	l.mu.Unlock()
	if was {
		return nil
	}
	select {
	case l.wake <- struct{}{}:
	default: // it is to wake anyhow, and sees that the log is closed
	}
	<-l.done
	return l.db.Close()
}

// Sync says whether commits are synced from now on, while nothing is under way. It is for measurements: without syncs
// what was acknowledged survives the process, not the machine.
func (l *Log) Sync(on bool) { l.db.NoSync = !on }

// Err is why nothing more can be appended, nil where it can.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Read implements log.Log.
func (l *Log) Read(ctx context.Context, from map[int]log.Offset, each log.Each) (map[int]log.Offset, error) {
	next := map[int]log.Offset{}
	first := ^uint64(0)
	for p, at := range from {
		next[p] = at
		first = min(first, uint64(at)>>placeBits)
	}
	err := l.db.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(batches)
		if err := covers(bucket, from); err != nil {
			return err
		}
		c := bucket.Cursor()
		for key, value := c.Seek(keyOf(first)); key != nil; key, value = c.Next() {
			if err := ctx.Err(); err != nil {
				return err
			}
			n, err := number(key)
			if err != nil {
				return err
			}
			if err := readBatch(n, value, from, each); err != nil {
				return err
			}
			for p := range next {
				next[p] = max(next[p], log.Offset((n+1)<<placeBits))
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("log %s: %w", l.path, err)
	}
	return next, nil
}

// covers reports why the log does not have all from some offsets on.
func covers(b *bbolt.Bucket, from map[int]log.Offset) error {
	oldest, newest, err := ends(b)
	if err != nil {
		return err
	}
	for p, at := range from {
		switch n := uint64(at) >> placeBits; {
		case n < oldest && oldest > 1:
			return fmt.Errorf("%w: partition %d is to be read from batch %d, the oldest is %d", log.ErrGone, p, n, oldest)
		case n > newest+1 || n == newest+1 && at&(1<<placeBits-1) != 0:
			return fmt.Errorf("%w: partition %d is to be read from batch %d, the last is %d", log.ErrShort, p, n, newest)
		}
	}
	return nil
}

func readBatch(n uint64, value []byte, from map[int]log.Offset, each log.Each) error {
	damaged := func(what string) error {
		return fmt.Errorf("batch %d of %d bytes is damaged: %s", n, len(value), what)
	}
	if len(value) < 4 {
		return damaged("no checksum")
	}
	if crc32.Checksum(value[4:], castagnoli) != binary.LittleEndian.Uint32(value) {
		return damaged("the checksum is not its own")
	}
	rest := value[4:]
	for place := uint64(0); len(rest) > 0; place++ {
		p, a := binary.Uvarint(rest)
		size, b := uint64(0), 0
		if a > 0 {
			size, b = binary.Uvarint(rest[a:])
		}
		if a <= 0 || b <= 0 || size > uint64(len(rest)-a-b) || p > 1<<31-1 {
			return damaged(fmt.Sprintf("no record at %d bytes before its end", len(rest)))
		}
		record := rest[a+b:][:size]
		rest = rest[a+b+int(size):]
		at := log.Offset(n<<placeBits | place)
		if begin, asked := from[int(p)]; asked && at >= begin {
			if err := each(int(p), at, record); err != nil {
				return err
			}
		}
	}
	return nil
}

// deletedAtOnce is how many batches one transaction of Trim deletes, so that commits do not wait long for it.
const deletedAtOnce = 512

// Trim implements log.Log: a batch that all have trimmed is deleted, but for the newest, which says the next number.
func (l *Log) Trim(ctx context.Context, partition int, before log.Offset) error {
	l.mu.Lock()
	l.trimmed[partition] = max(l.trimmed[partition], uint64(before)>>placeBits)
	first, from := slices.Min(l.trimmed), l.cut
	l.mu.Unlock()
	for from < first {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := l.db.Update(func(tx *bbolt.Tx) (err error) {
			from, err = deleteSome(tx.Bucket(batches), first)
			return err
		})
		if err != nil {
			return fmt.Errorf("log %s: trim: %w", l.path, err)
		}
	}
	l.mu.Lock()
	l.cut = max(l.cut, from)
	l.mu.Unlock()
	return nil
}

// deleteSome deletes some batches before a number, never the newest, and says before which number there are none now.
func deleteSome(bucket *bbolt.Bucket, before uint64) (none uint64, err error) {
	oldest, newest, err := ends(bucket)
	if err != nil {
		return 0, err
	}
	end := min(before, newest, oldest+deletedAtOnce)
	for n := oldest; n < end; n++ {
		if err := bucket.Delete(keyOf(n)); err != nil {
			return 0, err
		}
	}
	if end == newest {
		return before, nil
	}
	return end, nil
}
