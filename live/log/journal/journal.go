// Package journal is a log in the process's own folder, for a service of one instance that needs no other server.
// docs/live-inside.md describes it and its tests: segments, which are files of blocks, one for each commit, and a mark.
//
// The mark holds the number and checksum of the last block. It is written after the commit, so that it never says more
// than is durable. A start cuts off an unfinished block: one behind the mark with nothing behind it. Anything else
// wrong is an error. The newest segment ends with zeros, which blocks overwrite, so that a sync need only write data.
package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"dejavu/live/log"
)

// An offset is the number of a block and, in its lowest bits, the place in it.
const (
	placeBits    = 24
	maxRecord    = 1 << 28 // bytes
	segmentBytes = 64 << 20
	segmentAge   = time.Minute
	markAge      = time.Second // for which the mark is not synced at most
	retryEvery   = 100 * time.Millisecond
)

var (
	errClosed = errors.New("log: closed")
	zeros     [1 << 20]byte // never written to, so that it takes no memory
	ahead     = len(zeros)  // zeros written with a block that has no room; tests take fewer
)

// A Log is a journal.
type Log struct {
	Identity log.Identity // random, drawn when the log was begun
	Mended   []string     // what Open found unfinished, and cut off

	folder string
	mark   *os.File // locked

	// The writer's own.
	file  *os.File  // the newest segment
	begun time.Time // its first block was written, zero: none was
	stale bool      // the mark is not synced
	age   time.Duration
	room  int64 // the length of the newest segment, with its zeros
	lazy  bool

	files sync.RWMutex // held while segments are read, or removed

	mu       sync.Mutex // guards all below
	segments []uint64   // their first blocks, ascending
	size     int64      // of the newest
	places   mark       // of what is durable
	filling  *batch
	stalled  error // why nothing is written at present
	closed   bool
	trimmed  []uint64 // by partition, the first block that is still needed

	wake chan struct{}
	done chan struct{} // the writer has ended

	Meter Meter
}

// A Meter counts what was written, for a metrics page.
type Meter struct{ Commits, Records, Bytes, Nanos atomic.Int64 }

type batch struct {
	number uint64
	count  int
	bytes  []byte // room for the block's head; for each record its partition, its length, and itself
	ticket *log.Ticket
}

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
	b := l.filling
	if b.count == 0 {
		b.ticket = log.NewTicket()
		if l.stalled != nil {
			b.ticket.Stall(l.stalled)
		}
		b.bytes = append(b.bytes[:0], make([]byte, headBytes)...)
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
	ticker := time.NewTicker(markAge)
	defer ticker.Stop()
	if l.Err() != nil {
		_ = l.until(nil, l.reserve)
	}
	spare := &batch{}
	for {
		select {
		case <-ticker.C:
			_ = l.until(nil, l.syncMark)
			continue
		case <-l.wake:
			runtime.Gosched() // so that who is about to append shares the commit
		}
		l.mu.Lock()
		b, closed := l.filling, l.closed
		if b.count > 0 {
			spare.number, spare.count, spare.bytes = b.number+1, 0, spare.bytes[:0]
			l.filling, spare = spare, b
		}
		l.mu.Unlock()
		if b.count > 0 {
			err := l.Err()
			if err == nil { // otherwise the log was closed, and the block before this one is missing
				m := l.places
				b.bytes = m.Reached.seal(b.bytes)
				err = l.until(b.ticket, func() error { return l.commit(b, m) })
			}
			b.ticket.Settle(err)
			b.ticket = nil
		}
		if closed {
			return
		}
	}
}

// until calls do until it succeeds, or once more after the log was closed. Meanwhile Err and the tickets give the
// reason.
func (l *Log) until(waiting *log.Ticket, do func() error) error {
	for {
		err := do()
		if err != nil {
			err = fmt.Errorf("%w: %w", log.ErrStalled, l.explained(err))
		}
		l.mu.Lock()
		l.stalled = err
		if err != nil && l.filling.count > 0 {
			l.filling.ticket.Stall(err)
		}
		closed := l.closed
		l.mu.Unlock()
		if err == nil || closed {
			return err
		}
		waiting.Stall(err) // when Err says so, too
		time.Sleep(retryEvery)
	}
}

// commit writes a block that reaches to m. After an error it can be called again.
func (l *Log) commit(b *batch, m mark) error {
	began := time.Now()
	if l.size >= segmentBytes || !l.begun.IsZero() && time.Since(l.begun) >= l.age {
		old, size := l.file, l.size
		if err := l.create(); err != nil {
			return err
		}
		if err := errors.Join(old.Truncate(size), old.Close()); err != nil {
			return err
		}
	}
	size := l.size + int64(len(b.bytes))
	if _, err := l.file.WriteAt(b.bytes, l.size); err != nil {
		return err
	}
	if size > l.room {
		n, _ := l.file.WriteAt(zeros[:ahead], size) // if they do not fit, a block may
		l.room = size + int64(n)
	}
	if !l.lazy {
		if err := syncData(l.file); err != nil { // the system may now think it written: write all again
			l.room = l.size
			return errors.Join(err, l.file.Truncate(l.size))
		}
	}
	l.stale = true
	if err := m.write(l.mark); err != nil {
		return err
	}
	if l.begun.IsZero() {
		l.begun = began
	}
	l.mu.Lock()
	l.places, l.size = m, size
	l.mu.Unlock()
	l.Meter.Commits.Add(1)
	l.Meter.Records.Add(int64(b.count))
	l.Meter.Bytes.Add(int64(len(b.bytes)))
	l.Meter.Nanos.Add(int64(time.Since(began)))
	return nil
}

func (l *Log) syncMark() error {
	if !l.stale || l.lazy {
		return nil
	}
	err := syncData(l.mark)
	l.stale = err != nil
	return err
}

// reserve writes zeros where the next blocks come, if there is any room. No room is an error.
func (l *Log) reserve() error {
	n, err := l.file.WriteAt(zeros[:ahead], l.size)
	if l.room = l.size + int64(n); n > 0 {
		return nil
	}
	return err
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
	// The zeros go. If a power cut brings them back they do no harm.
	return errors.Join(l.Err(), l.syncMark(), l.file.Truncate(l.size), l.file.Close(), l.mark.Close())
}

// Sync says whether commits are synced from now on, while nothing is under way. It is for measurements.
func (l *Log) Sync(on bool) { l.lazy = !on }

// Err implements log.Log.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stalled
}

// explained adds to an error which log it is of and, if that cannot be used, what to do.
func (l *Log) explained(err error) error {
	err = fmt.Errorf("log %s: %w", l.folder, err)
	if errors.Is(err, errDamaged) || errors.Is(err, log.ErrGone) || errors.Is(err, log.ErrShort) {
		err = fmt.Errorf("%w; restore log and snapshots from one backup, or move the log's folder away and start with "+
			"--new-log, which loses what no snapshot has", err)
	}
	return err
}

func segmentPath(folder string, first uint64) string {
	return filepath.Join(folder, fmt.Sprintf("%016x.segment", first))
}
