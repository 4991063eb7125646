package partition

import (
	"encoding/binary"
	"fmt"

	"dejavu/live/log"
	"dejavu/store"
	"dejavu/strategies"
)

// A Kind says what happened to a user.
type Kind byte

// The service chose what was Shown, the caller what was Recorded. Cleared is for all users.
const (
	Shown Kind = iota + 1
	Recorded
	Forgotten
	Cleared
)

// An Exposure is one thing that happened to a user.
type Exposure struct {
	Kind     Kind
	User     uint64 // the digest
	Request  uint64 // the caller's number for the call, or 0
	Articles []strategies.ID
}

// A record is an entry of the log: exposures with the same time.
//
//	1 version, 4 check (layout.Check), 4 time, number of exposures
//	for each: 1 kind, 8 user, 8 request, number of articles, 8 for each
//
// Numbers of fixed length are little-endian, others unsigned varints. Users are digests: the log contains no names.
type record struct {
	check     uint32
	time      uint32
	exposures []Exposure
}

const (
	version       = 1
	recordBytes   = 9
	exposureBytes = 18 // at least
)

func (r *record) append(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, version)
	b = le.AppendUint32(b, r.check)
	b = le.AppendUint32(b, r.time)
	b = binary.AppendUvarint(b, uint64(len(r.exposures)))
	for i := range r.exposures {
		e := &r.exposures[i]
		b = append(b, byte(e.Kind))
		b = le.AppendUint64(b, e.User)
		b = le.AppendUint64(b, e.Request)
		b = binary.AppendUvarint(b, uint64(len(e.Articles)))
		for _, id := range e.Articles {
			b = le.AppendUint64(b, uint64(id))
		}
	}
	return b
}

// decode reads a record into r and reuses its memory. It allocates at most a few times the record's length.
func (r *record) decode(b []byte) error {
	le, whole := binary.LittleEndian, len(b)
	wrong := func(what string) error {
		return fmt.Errorf("record of %d bytes, at byte %d: %s", whole, whole-len(b), what)
	}
	if len(b) < recordBytes {
		return wrong("it is shorter than the shortest")
	}
	if b[0] != version {
		return wrong(fmt.Sprintf("version %d, want %d", b[0], version))
	}
	r.check, r.time = le.Uint32(b[1:]), le.Uint32(b[5:])
	b = b[recordBytes:]
	const tooMany = "it counts more than it has room for"
	n, b, ok := count(b, exposureBytes)
	if !ok {
		return wrong(tooMany)
	}
	r.exposures = r.exposures[:0]
	for range n {
		if len(b) < exposureBytes {
			return wrong("it ends in an exposure")
		}
		e := Exposure{Kind: Kind(b[0]), User: le.Uint64(b[1:]), Request: le.Uint64(b[9:])}
		if e.Kind < Shown || e.Kind > Cleared {
			return wrong(fmt.Sprintf("kind %d, want %d to %d", e.Kind, Shown, Cleared))
		}
		var articles int
		if articles, b, ok = count(b[17:], 8); !ok {
			return wrong(tooMany)
		}
		if k := len(r.exposures); k < cap(r.exposures) {
			e.Articles = r.exposures[:k+1][k].Articles[:0]
		}
		for i := range articles {
			e.Articles = append(e.Articles, strategies.ID(le.Uint64(b[8*i:])))
		}
		b = b[8*articles:]
		r.exposures = append(r.exposures, e)
	}
	if len(b) > 0 {
		return wrong("it goes on after its last exposure")
	}
	return nil
}

// count reads the number of items that follow, each at least this many bytes long.
func count(b []byte, each int) (n int, rest []byte, ok bool) {
	v, size := binary.Uvarint(b)
	if size <= 0 || v > uint64(len(b)-size)/uint64(each) {
		return 0, b, false
	}
	return int(v), b[size:], true
}

type call struct{ user, request uint64 }

type answered struct {
	call
	at       log.Offset
	time     store.Timestamp
	articles []strategies.ID
}

// RetryAge is how many seconds a call is remembered. Older calls do not keep the log from being trimmed.
const RetryAge store.Timestamp = 600

// retries remembers the last calls that are in the log. A repeated call gets the same answer.
type retries struct {
	most  int        // calls to remember
	ring  []answered // grows up to most
	next  int        // index in ring of the next call
	where map[call]int
}

func (r *retries) find(user, request uint64, now store.Timestamp) (articles []strategies.ID, known bool) {
	i, known := r.where[call{user, request}]
	if !known || request == 0 || now-r.ring[i].time > RetryAge {
		return nil, false
	}
	return r.ring[i].articles, true
}

func (r *retries) add(user, request uint64, at log.Offset, now store.Timestamp, articles []strategies.ID) {
	if request == 0 || r.most == 0 {
		return
	}
	if len(r.ring) < r.most {
		r.ring = append(r.ring, answered{})
	} else if old := r.ring[r.next].call; r.where[old] == r.next {
		delete(r.where, old)
	}
	a := &r.ring[r.next]
	a.call, a.at, a.time, a.articles = call{user, request}, at, now, append(a.articles[:0], articles...)
	r.where[a.call] = r.next
	r.next = (r.next + 1) % r.most
}

// from returns the offset of the oldest call remembered at time now, or otherwise.
func (r *retries) from(now store.Timestamp, otherwise log.Offset) log.Offset {
	for i := range r.ring {
		a := &r.ring[(r.next+i)%len(r.ring)] // the oldest first
		if now-a.time <= RetryAge {          // time does not run backwards
			return a.at
		}
	}
	return otherwise
}
