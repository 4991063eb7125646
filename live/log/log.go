// Package log defines the log that the exposure service writes before it answers: a sequence of records for each
// partition of the users. Packages journal (one process, one folder) and kafka implement it.
//
// After a Ticket's Wait returns nil, every later Read reads the record and all records appended to its partition before
// it, each once, in the order of Append. Other records may be read or not.
package log

import (
	"context"
	"encoding/hex"
	"errors"
	"sync/atomic"
)

// An Identity distinguishes a log from all others, and never changes. Zero means unknown.
type Identity [16]byte

// String returns the identity in hex.
func (i Identity) String() string { return hex.EncodeToString(i[:]) }

// ParseIdentity reads what String returns.
func ParseIdentity(s string) (i Identity, ok bool) {
	b, err := hex.DecodeString(s)
	return i, err == nil && copy(i[:], b) == len(i) && len(b) == len(i)
}

// An Offset is the place of a record in its partition. They ascend, not always by 1; 0 is at or before the first.
type Offset int64

// Errors for errors.Is.
var (
	// ErrConflict means that another process writes too, and the record is void: read the partition again.
	ErrConflict = errors.New("another process writes to the partition")
	// ErrGone means that a Read began before the log's oldest record.
	ErrGone = errors.New("the log no longer has the records")
	// ErrShort means that a Read began after the log's end: it is another log, or lost records.
	ErrShort = errors.New("the log ends before")
	// ErrStalled means that the log cannot be written now. It resumes by itself.
	ErrStalled = errors.New("the log cannot be written")
)

// Each handles a record that was read.
type Each func(partition int, at Offset, record []byte) error

// A Log is safe for concurrent use, but only one goroutine at a time may append to a partition.
type Log interface {
	// Read calls each for the records of the partitions in from, beginning at their offsets, up to the log's end when
	// Read begins. No later record has an offset below next. Calls for one partition come in order, for several perhaps
	// concurrently. The record is valid during the call only. An error of each ends the Read.
	//
	// A partition must be read before it is appended to. Appends by all but its last reader are void (ErrConflict).
	Read(ctx context.Context, from map[int]Offset, each Each) (next map[int]Offset, err error)
	// Append adds a copy of the record to a partition and returns at once. It is durable once Wait returns nil.
	Append(partition int, record []byte) (Offset, *Ticket, error)
	// Trim allows the log to drop a partition's records before an offset.
	Trim(ctx context.Context, partition int, before Offset) error
	// Err returns an ErrStalled with the reason while the log cannot be written, or nil.
	Err() error
	// Close waits for what was appended, and ends.
	Close() error
}

// A Ticket is one Append, or several that become durable together.
type Ticket struct {
	woken  chan struct{}         // closed with the first answer
	answer atomic.Pointer[error] // of Wait, nil: it waits
}

// NewTicket returns a ticket that is not settled.
func NewTicket() *Ticket { return &Ticket{woken: make(chan struct{})} }

// Stall makes Wait return an error until the ticket is settled. Only the first call counts. A nil ticket is ignored.
func (t *Ticket) Stall(why error) {
	if t != nil && t.answer.CompareAndSwap(nil, &why) {
		close(t.woken)
	}
}

// Settle ends the wait: if err is nil, the records are durable. It is called once.
func (t *Ticket) Settle(err error) {
	if t.answer.Swap(&err) == nil {
		close(t.woken)
	}
}

// Wait returns nil when the records are durable, and an error when they may not be or the context is done. ErrStalled
// means that they will be, if the process lives. A nil ticket's records are durable.
func (t *Ticket) Wait(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if t.answer.Load() == nil {
		select {
		case <-t.woken:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return *t.answer.Load()
}
