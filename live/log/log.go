// Package log defines what the exposure service writes before it answers: a sequence of records for each partition of
// the users. Packages journal (one process, one folder) and kafka implement it.
//
// After a Ticket's Wait returns nil, every later Read reads the record and all records appended to its partition before
// it, each once, in the order of Append. Other records may be read or not.
package log

import (
	"context"
	"encoding/hex"
	"errors"
	"sync"
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

// Errors that callers tell apart, by errors.Is.
var (
	// ErrConflict means that a record is void as another process writes too: the partition must be read again.
	ErrConflict = errors.New("another process writes to the partition")
	// ErrGone means that a Read began before the log's oldest record.
	ErrGone = errors.New("the log no longer has the records")
	// ErrShort means that a Read began behind the log's end: it is another log, or lost records.
	ErrShort = errors.New("the log ends before")
	// ErrStalled means that the log cannot be written now, and resumes by itself when it can.
	ErrStalled = errors.New("the log cannot be written")
)

// Each receives a record that was read.
type Each func(partition int, at Offset, record []byte) error

// A Log is safe for concurrent use, but only one goroutine at a time may append to a partition.
type Log interface {
	// Read passes the partitions' records, each from its offset on, to each, up to the log's end when Read begins. It
	// returns lower bounds of the next offsets. Calls for one partition come in order, for several maybe at once. The
	// record is valid during the call only. An error of each ends the Read.
	//
	// A partition must be read before it is appended to. Appends by all but its last reader are void (ErrConflict).
	Read(ctx context.Context, from map[int]Offset, each Each) (next map[int]Offset, err error)
	// Append puts a copy of the record at a partition's end and returns at once. It is durable when Wait has returned nil.
	Append(partition int, record []byte) (Offset, *Ticket, error)
	// Trim allows the log to drop a partition's records before an offset.
	Trim(ctx context.Context, partition int, before Offset) error
	// Err returns an ErrStalled with the reason while the log cannot be written, or nil.
	Err() error
	// Close waits for what was appended and ends.
	Close() error
}

// A Ticket is one Append, or several that become durable together.
type Ticket struct {
	done, stalled chan struct{} // are closed by Settle and Stall
	err, why      error
	once          sync.Once
}

// NewTicket returns a ticket that is not settled.
func NewTicket() *Ticket { return &Ticket{done: make(chan struct{}), stalled: make(chan struct{})} }

// Stall lets Wait return an error until the ticket is settled. The first call counts; a nil ticket is left as it is.
func (t *Ticket) Stall(why error) {
	if t != nil {
		t.once.Do(func() { t.why = why; close(t.stalled) })
	}
}

// Settle ends the wait: with nil the records are durable. It is called once.
func (t *Ticket) Settle(err error) {
	t.err = err
	close(t.done)
}

// Wait returns when the records are durable, may not be, or the context is done. ErrStalled means that they will become
// durable later, if the process lives. A nil ticket's records are durable.
func (t *Ticket) Wait(ctx context.Context) error {
	if t == nil {
		return nil
	}
	select {
	case <-t.done:
		return t.err
	default:
	}
	select {
	case <-t.done:
		return t.err
	case <-t.stalled:
		return t.why
	case <-ctx.Done():
		return ctx.Err()
	}
}
