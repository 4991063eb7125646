// Package elsewhere keeps histories in other databases: the same calls, over a value that
// is read, extended and written back.
//
// A value is 4 bytes of the time it was last recorded at, 8 of the last request's number,
// 1 that counts the articles which that request was shown and recorded, themselves, and
// the history. So the last request of a user can be repeated, and no other.
package elsewhere

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/store"
	"dejavu/strategies"
)

// Histories says what values mean.
type Histories struct {
	_ struct{}

	Layout layout.Layout
	Secret strategies.Secret
	Idle   time.Duration // 0: never
	Clock  func() store.Timestamp
}

// About names the layout and the secret, for a database to hold beside its values.
func (h *Histories) About() string {
	return fmt.Sprintf("%s, secret %016x", h.Layout.About(), h.Secret.Fingerprint())
}

// A Value is what a user's key holds.
type Value struct {
	last    uint32
	request uint64
	shown   []strategies.ID
	History []byte
}

const (
	valueBytes = 13
	mostShown  = 255
)

// Append appends the value's bytes.
func (v *Value) Append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, v.last)
	b = le.AppendUint64(b, v.request)
	b = append(b, byte(len(v.shown)))
	for _, id := range v.shown {
		b = le.AppendUint64(b, uint64(id))
	}
	return append(b, v.History...)
}

// Decode reads a value, no bytes for a newcomer's. The history shares the bytes, which the
// caller gives away.
func (h *Histories) Decode(b []byte) (v Value, err error) {
	if len(b) == 0 {
		return v, nil
	}
	if len(b) < valueBytes || len(b) < valueBytes+8*int(b[12]) {
		return v, fmt.Errorf("value of %d bytes, want at least %d", len(b), valueBytes)
	}
	le := binary.LittleEndian
	v.last, v.request = le.Uint32(b), le.Uint64(b[4:])
	for i := range int(b[12]) {
		v.shown = append(v.shown, strategies.ID(le.Uint64(b[valueBytes+8*i:])))
	}
	v.History = b[valueBytes+8*len(v.shown):]
	return v, h.Layout.Validate(v.History)
}

// at is the strategy as it is at a time.
func (h *Histories) at(now store.Timestamp) strategies.Strategy {
	if d, ok := h.Layout.Strategy.(strategies.Dated); ok {
		return d.On(int(now / store.Day))
	}
	return h.Layout.Strategy
}

// expire makes a value that nobody extended for too long a newcomer's.
func (h *Histories) expire(v *Value, now store.Timestamp) {
	if idle := int64(h.Idle / time.Second); idle > 0 && int64(now)-int64(v.last) >= idle {
		*v = Value{}
	}
}

// Seen answers as exposure.Keeper does.
func (h *Histories) Seen(v Value, salt strategies.Salt, candidates []strategies.ID, seen []bool) {
	now := h.Clock()
	h.expire(&v, now)
	h.at(now).Seen(v.History, salt.Append(nil, candidates), seen)
}

// Alive is the value's history, nil where it has expired.
func (h *Histories) Alive(v Value) []byte {
	h.expire(&v, h.Clock())
	return v.History
}

// Show answers a request, to which it appends, and says whether there is something to
// write.
func (h *Histories) Show(v *Value, salt strategies.Salt, s *exposure.Show) bool {
	now, before := h.Clock(), len(s.Shown)
	h.expire(v, now)
	if s.Request != 0 && v.request == s.Request {
		s.Shown = append(s.Shown, v.shown...)
		return false
	}
	at, mixed, seen := h.at(now), salt.Append(nil, s.Candidates), make([]bool, len(s.Candidates))
	at.Seen(v.History, mixed, seen)
	var record []strategies.ID
	for i, id := range mixed {
		if !seen[i] && len(record) < min(s.Limit, mostShown) && !slices.Contains(record, id) {
			record, s.Shown = append(record, id), append(s.Shown, s.Candidates[i])
		}
	}
	if len(record) == 0 {
		return false
	}
	v.last, v.request, v.shown = max(v.last, uint32(now)), s.Request, nil
	if s.Request != 0 {
		v.shown = s.Shown[before:]
	}
	v.History = at.Record(v.History, record)
	return true
}

// Record adds articles, and says whether there is something to write.
func (h *Histories) Record(v *Value, salt strategies.Salt, request uint64, articles []strategies.ID) bool {
	now := h.Clock()
	h.expire(v, now)
	if request != 0 && v.request == request {
		return false
	}
	v.last, v.request, v.shown = max(v.last, uint32(now)), request, nil
	v.History = h.at(now).Record(v.History, salt.Append(nil, articles))
	return true
}
