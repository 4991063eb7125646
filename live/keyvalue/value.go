package keyvalue

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"dejavu/live/exposure"
	"dejavu/store"
	"dejavu/strategies"
)

// A value is what the database has of a user: 4 bytes of the time it was last recorded at, 8 of the last
// request's number, 1 that counts the articles which that request was shown and recorded, themselves, and the
// history. So the last request of a user can be repeated, and no other.
type value struct {
	last    uint32
	request uint64
	shown   []strategies.ID
	history []byte
}

const (
	valueBytes = 13
	mostShown  = 255
)

// bytes is nil for a newcomer.
func (v *value) bytes() []byte {
	if len(v.history) == 0 {
		return nil
	}
	le := binary.LittleEndian
	b := le.AppendUint32(nil, v.last)
	b = le.AppendUint64(b, v.request)
	b = append(b, byte(len(v.shown)))
	for _, id := range v.shown {
		b = le.AppendUint64(b, uint64(id))
	}
	return append(b, v.history...)
}

// decode reads a value of which nothing has expired.
func (h *Histories) decode(b []byte) (v value, err error) {
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
	v.history = slices.Clone(b[valueBytes+8*len(v.shown):])
	if err := h.Layout.Validate(v.history); err != nil {
		return v, err
	}
	if idle := int64(h.Idle / time.Second); idle > 0 && int64(h.Clock())-int64(v.last) >= idle {
		return value{}, nil
	}
	return v, nil
}

// strategy is the layout's as it is today.
func (h *Histories) strategy() strategies.Strategy {
	if d, ok := h.Layout.Strategy.(strategies.Dated); ok {
		return d.On(int(h.Clock() / store.Day))
	}
	return h.Layout.Strategy
}

// show answers a request, to which it appends, and says whether there is something to write.
func (h *Histories) show(v *value, salt strategies.Salt, s *exposure.Show) bool {
	if s.Request != 0 && v.request == s.Request {
		s.Shown = append(s.Shown, v.shown...)
		return false
	}
	before, mixed, seen := len(s.Shown), salt.Append(nil, s.Candidates), make([]bool, len(s.Candidates))
	h.strategy().Seen(v.history, mixed, seen)
	var record []strategies.ID
	for i, id := range mixed {
		if !seen[i] && len(record) < min(s.Limit, mostShown) && !slices.Contains(record, id) {
			record, s.Shown = append(record, id), append(s.Shown, s.Candidates[i])
		}
	}
	if len(record) == 0 {
		return false
	}
	h.extend(v, s.Request, record)
	if s.Request != 0 {
		v.shown = s.Shown[before:]
	}
	return true
}

// record adds articles that the caller chose, and says whether there is something to write.
func (h *Histories) record(v *value, salt strategies.Salt, request uint64, articles []strategies.ID) bool {
	if request != 0 && v.request == request {
		return false
	}
	h.extend(v, request, salt.Append(nil, articles))
	return true
}

func (h *Histories) extend(v *value, request uint64, mixed []strategies.ID) {
	v.last, v.request, v.shown = max(v.last, uint32(h.Clock())), request, nil
	v.history = h.strategy().Record(v.history, mixed)
}
