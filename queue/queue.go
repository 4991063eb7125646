// Package queue is the paper's §3: the IDs of the last N articles, in full.
//
// It is the exact memory that the filters are measured against: it remembers
// the last Window articles and nothing else, and takes a fresh article for a
// seen one only where two keys share a 64-bit digest, 500 in 2^64 per query.
// The price is eight bytes an article: 4000 for 500, 40 GB for ten million
// full readers.
//
// A history is a ring of IDs that grows in steps of 50. Queries meet the ring
// in one of two ways, to compare: Queue scans it once against a small table;
// Decoder builds a hash set of it on every request, as the paper describes.
package queue

import (
	"encoding/binary"
	"fmt"
	"slices"

	"dejavu/lookup"
	"dejavu/strategies"
)

// Config is the queue's parameters.
type Config struct {
	_      struct{}
	Window int // articles remembered (the paper's N), 1 to 2^24
}

// Paper is the configuration of §3: the last 500 articles.
var Paper = Config{Window: 500}

const (
	maxWindow = 1 << 24
	idBytes   = lookup.IDBytes
	step      = 50 // IDs that a ring grows by

	// headerBytes follow the IDs: a little-endian word with the number of the
	// slot behind the newest article, and wrapped where the ring has gone round.
	headerBytes = 4
	wrapped     = 1 << 31
)

// A Queue is the exact strategy. It implements strategies.Strategy and
// strategies.Theory. It accepts the histories of a shorter queue whose Window
// is a multiple of 50, and lets them grow to its own.
type Queue struct {
	window int
	sizes  []int // sizes[i] is the length of a history of step*(i+1) slots, or Window at last
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Queue, error) {
	if c.Window < 1 || c.Window > maxWindow {
		return nil, fmt.Errorf("queue: Window is %d, want 1 to %d", c.Window, maxWindow)
	}
	q := &Queue{window: c.Window}
	for slots := step; slots < c.Window; slots += step {
		q.sizes = append(q.sizes, slots*idBytes+headerBytes)
	}
	q.sizes = append(q.sizes, c.Window*idBytes+headerBytes)
	return q, nil
}

// ring is a history taken apart.
type ring struct {
	slots []byte // idBytes each
	next  int    // the slot behind the newest article, 1 to the number of slots
	round bool   // whether every slot holds an article
}

func load(history []byte) ring {
	if len(history) == 0 {
		return ring{}
	}
	end := len(history) - headerBytes
	word := binary.LittleEndian.Uint32(history[end:])
	return ring{slots: history[:end:end], next: int(word &^ wrapped), round: word&wrapped != 0}
}

func (r ring) store(history []byte) {
	word := uint32(r.next)
	if r.round {
		word |= wrapped
	}
	binary.LittleEndian.PutUint32(history[len(history)-headerBytes:], word)
}

// held is the slots that hold an article.
func (r ring) held() []byte {
	if r.round {
		return r.slots
	}
	return r.slots[:r.next*idBytes]
}

// Record writes the articles over the oldest.
func (q *Queue) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	r := load(history)
	for len(shown) > 0 {
		end := r.next*idBytes == len(r.slots)
		if short := len(r.slots) < q.window*idBytes; short && (end || r.round) {
			history, r = q.grow(history, r)
		} else if end {
			r.next, r.round = 0, true
		}
		free := r.slots[r.next*idBytes:]
		n := min(len(shown), len(free)/idBytes)
		for _, id := range shown[:n] {
			binary.LittleEndian.PutUint64(free, uint64(id))
			free = free[idBytes:]
		}
		r.next += n
		shown = shown[n:]
	}
	r.store(history)
	return history
}

// grow lengthens a full ring by a step, its oldest article first. Only the
// ring of a shorter queue can have gone round before.
func (q *Queue) grow(history []byte, r ring) ([]byte, ring) {
	count := len(r.slots)
	if r.round {
		rotate(r.slots, r.next*idBytes) // oldest first
	}
	i, _ := slices.BinarySearch(q.sizes, len(history)+1)
	size := q.sizes[i]
	history = slices.Grow(history, size-len(history))[:size]
	clear(history[count:])
	return history, ring{slots: history[:size-headerBytes], next: count / idBytes}
}

// rotate moves the first n bytes, whole IDs, to the end, in place.
func rotate(ids []byte, n int) {
	reverse(ids[:n])
	reverse(ids[n:])
	reverse(ids)
}

// reverse turns the order of the IDs around.
func reverse(ids []byte) {
	for i, j := 0, len(ids)-idBytes; i < j; i, j = i+idBytes, j-idBytes {
		a, b := binary.LittleEndian.Uint64(ids[i:]), binary.LittleEndian.Uint64(ids[j:])
		binary.LittleEndian.PutUint64(ids[i:], b)
		binary.LittleEndian.PutUint64(ids[j:], a)
	}
}

// HeaderBytes is how many bytes of every history are header, beside the
// payload that the paper accounts for.
func (q *Queue) HeaderBytes() int { return headerBytes }

// Sizes is every step up to Window IDs, each with the header.
func (q *Queue) Sizes() []int { return q.sizes }

// Validate accepts nothing, or a ring whose header fits its length.
func (q *Queue) Validate(history []byte) error {
	if len(history) == 0 {
		return nil
	}
	i, found := slices.BinarySearch(q.sizes, len(history))
	if !found {
		return fmt.Errorf("queue: history of %d bytes, want 0 or one of %d", len(history), q.sizes)
	}
	r := load(history)
	slots := len(r.slots) / idBytes
	least := 1 // a ring is as short as its articles allow
	if i > 0 {
		least = (q.sizes[i-1]-headerBytes)/idBytes + 1
	}
	if r.round {
		least = 1
	}
	if r.next < least || r.next > slots {
		return fmt.Errorf("queue: next slot is %d in a ring of %d, want %d to %d", r.next, slots, least, slots)
	}
	for _, b := range r.slots[len(r.held()):] {
		if b != 0 {
			return fmt.Errorf("queue: a slot beyond the %d articles is not blank", r.next)
		}
	}
	return nil
}
