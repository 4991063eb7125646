// Package partition keeps the histories of a part of the users. A snapshot and the log after it make them durable.
//
// A record is appended to the log and applied to the histories under one lock, so both have the same order. A call is
// answered when its record is durable. A snapshot is copied under the lock, with the offset of the next record. It is
// renamed into place when all records before that are durable. Records carry their time, which never runs backwards:
// what has expired does not depend on who looks.
package partition

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/store"
	"dejavu/strategies"
)

// A Config configures a partition.
type Config struct {
	_          struct{}
	Number, Of int
	Layout     layout.Layout
	Secret     strategies.Secret
	Idle       store.Timestamp // as in store.Config
	Retries    int             // how many calls are remembered
	Log        log.Log
	Logs       []log.Identity // of snapshots that can be read: Folder.Logs, whose last is Log's own
	Dir        string         // of snapshots, shared by all instances
}

// A Partition answers calls from Begin until Close.
type Partition struct {
	c     Config
	check uint32

	mu      sync.Mutex // guards all below
	store   *store.Store[uint64]
	next    log.Offset // after the last record in the histories
	saved   log.Offset // next, as in the last snapshot
	now     store.Timestamp
	retries retries
	last    *log.Ticket // of the last record; earlier ones become durable before it
	failed  error       // why no call is answered any more

	decoded, written record // buffers
	encoded          []byte
	requests         []store.Request[uint64]
	index            []int
}

// An Asked is one request of a call: its index, and the user's digest.
type Asked struct {
	Index int
	User  uint64
}

func (c *Config) store() store.Config {
	return store.Config{Strategy: c.Layout.Strategy, Idle: c.Idle, Shards: 1, Secret: c.Secret}
}

// Begin ends the replay: the next record's offset is at least next. It returns the last known time.
func (p *Partition) Begin(next log.Offset) (last store.Timestamp) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = max(p.next, next)
	return p.now
}

// Apply replays a record. If the snapshot includes it, only its calls are remembered, as they may be repeated.
func (p *Partition) Apply(at log.Offset, encoded []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &p.decoded
	if err := r.decode(encoded); err != nil {
		return fmt.Errorf("partition %d: offset %d: %w", p.c.Number, at, err)
	}
	if r.check != p.check {
		return fmt.Errorf("partition %d: offset %d: the record is of another strategy or secret: "+
			"its check is %08x, want %08x", p.c.Number, at, r.check, p.check)
	}
	held := at < p.next
	if !held {
		p.now = max(p.now, store.Timestamp(r.time))
		p.next = at + 1
	}
	for i := range r.exposures {
		e := &r.exposures[i]
		p.retries.add(e.User, e.Request, at, store.Timestamp(r.time), e.Articles)
		if e.Kind == Cleared {
			clear(p.retries.where)
		}
		if !held {
			p.apply(e)
		}
	}
	return nil
}

func (p *Partition) apply(e *Exposure) {
	switch e.Kind {
	case Shown, Recorded:
		p.store.Record(e.User, p.now, e.Articles)
	case Forgotten:
		p.store.Remove(e.User)
	case Cleared:
		p.store.Clear()
		clear(p.retries.where)
	}
}

// enter locks the partition for a call at time now.
func (p *Partition) enter(now store.Timestamp) error {
	p.mu.Lock()
	if err := p.failed; err != nil {
		p.mu.Unlock() // after failed was read
		return err
	}
	p.now = max(p.now, now)
	return nil
}

// Show answers the requests in asked. Wait for the ticket before you tell anybody.
func (p *Partition) Show(now store.Timestamp, requests []exposure.Show, asked []Asked) (*log.Ticket, error) {
	if err := p.enter(now); err != nil {
		return nil, err
	}
	defer p.mu.Unlock()
	p.requests, p.index = p.requests[:0], p.index[:0]
	for _, a := range asked {
		r := &requests[a.Index]
		if shown, known := p.retries.find(a.User, r.Request, p.now); known {
			r.Shown = append(r.Shown, shown...)
			continue
		}
		p.index = append(p.index, a.Index)
		one := store.Request[uint64]{User: a.User, Candidates: r.Candidates, Limit: r.Limit}
		if n := len(p.requests); n < cap(p.requests) {
			one.Shown = p.requests[:n+1][n].Shown[:0] // memory of an earlier call
		}
		p.requests = append(p.requests, one)
	}
	if len(p.requests) == 1 {
		r := &p.requests[0]
		r.Shown = p.store.Show(r.User, p.now, r.Candidates, r.Limit, r.Shown)
	} else {
		p.store.ShowAll(p.now, p.requests)
	}
	p.written.exposures = p.written.exposures[:0]
	for k := range p.requests {
		r, s := &requests[p.index[k]], &p.requests[k]
		before := len(r.Shown)
		r.Shown = slices.Grow(r.Shown, len(s.Shown))
		for _, at := range s.Shown {
			r.Shown = append(r.Shown, r.Candidates[at])
		}
		if shown := r.Shown[before:]; len(shown) > 0 {
			e := Exposure{Kind: Shown, User: s.User, Request: r.Request, Articles: shown}
			p.written.exposures = append(p.written.exposures, e)
		}
	}
	clear(p.requests) // these refer to the callers' memory
	if len(p.written.exposures) == 0 {
		return p.last, nil
	}
	return p.append()
}

// Record records articles that the caller chose, or forgets a user. Its ticket is like Show's.
func (p *Partition) Record(now store.Timestamp, e Exposure) (*log.Ticket, error) {
	if err := p.enter(now); err != nil {
		return nil, err
	}
	defer p.mu.Unlock()
	if _, known := p.retries.find(e.User, e.Request, p.now); known {
		return p.last, nil
	}
	p.apply(&e)
	p.written.exposures = append(p.written.exposures[:0], e)
	return p.append()
}

// append appends what was applied. If that fails, the histories are ahead of the log, and the partition stops.
func (p *Partition) append() (*log.Ticket, error) {
	r := &p.written
	r.check, r.time = p.check, uint32(p.now)
	p.encoded = r.append(p.encoded[:0])
	at, ticket, err := p.c.Log.Append(p.c.Number, p.encoded)
	if err != nil {
		p.failed = fmt.Errorf("%w: %w", exposure.ErrUnavailable, err)
		return nil, p.failed
	}
	for i := range r.exposures {
		e := &r.exposures[i]
		p.retries.add(e.User, e.Request, at, p.now, e.Articles)
		e.Articles = nil // memory of the caller
	}
	p.next, p.last = at+1, ticket
	return ticket, nil
}

// Seen answers like store.Seen. What it sees may not be durable yet.
func (p *Partition) Seen(now store.Timestamp, user uint64, candidates []strategies.ID, seen []bool) error {
	if err := p.enter(now); err != nil {
		return err
	}
	defer p.mu.Unlock()
	p.store.Seen(user, p.now, candidates, seen[:0])
	return nil
}

// History returns a copy of a user's history.
func (p *Partition) History(now store.Timestamp, user uint64) ([]byte, error) {
	if err := p.enter(now); err != nil {
		return nil, err
	}
	defer p.mu.Unlock()
	return p.store.History(user, p.now, nil), nil
}

// Forget drops expired histories, and returns their number.
func (p *Partition) Forget(now store.Timestamp) int {
	if p.enter(now) != nil {
		return 0
	}
	defer p.mu.Unlock()
	return p.store.Forget(p.now)
}

// Touch appends an empty record if there was none since the last snapshot. So the next snapshot gets a new name, and an
// old one, which still contains what was forgotten, is removed.
func (p *Partition) Touch() error {
	if err := p.enter(0); err != nil {
		return err
	}
	defer p.mu.Unlock()
	if p.next != p.saved {
		return nil
	}
	p.written.exposures = p.written.exposures[:0]
	_, err := p.append()
	return err
}

// Stats returns the store's Stats.
func (p *Partition) Stats() store.Stats { return p.store.Stats() }

// Fail stops the partition because it differs from the log. Err keeps the first reason.
func (p *Partition) Fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = cmp.Or(p.failed, fmt.Errorf("%w: %w", exposure.ErrUnavailable, err))
}

// Err returns why the partition stopped answering, or nil.
func (p *Partition) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

// Close releases the memory. Later calls return errors.
func (p *Partition) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = cmp.Or(p.failed, fmt.Errorf("partition %d: %w", p.c.Number, exposure.ErrElsewhere))
	p.store.Clear()
}
