// Package keyvalue keeps histories in a key-value store: Redis. A call reads a user's value, extends it, and
// writes it back where it is still the one that was read; otherwise it begins anew. So several services may
// share the database, and what it says is durable is.
package keyvalue

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"time"

	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/store"
	"dejavu/strategies"
)

// A Database holds a value for every user, who is known by a digest. Its methods are safe for concurrent use.
type Database interface {
	// Claim notes what the database's values are, where it holds no such note yet, and returns the note that it holds.
	Claim(ctx context.Context, about string) (was string, err error)
	// Get returns the users' values, empty where there is none.
	Get(ctx context.Context, users []uint64) ([][]byte, error)
	// Swap changes users' values, each wholly and only where it still is the old one, and says which it changed.
	Swap(ctx context.Context, changes []Change) (made []bool, err error)
	io.Closer
}

// A Change is a user's value before and after; no bytes where there is none.
type Change struct {
	User     uint64
	Old, New []byte
}

// Histories says what values mean.
type Histories struct {
	_      struct{}
	Layout layout.Layout
	Secret strategies.Secret
	Idle   time.Duration // 0: never
	Clock  func() store.Timestamp
}

// A Keeper is an exposure.Keeper over a database.
type Keeper struct {
	Histories
	db Database
}

// New returns the keeper of a database's histories. One of another strategy or secret is refused, and then closed.
func New(ctx context.Context, db Database, h Histories) (*Keeper, error) {
	name := func(l layout.Layout) string {
		return fmt.Sprintf("%s, secret %016x", l.About(), h.Secret.Fingerprint())
	}
	about := name(h.Layout)
	was, err := db.Claim(ctx, about)
	if err == nil && was != about {
		err = fmt.Errorf("%w: its histories are of %q, want %q%s", store.ErrMismatch, was, about,
			h.Layout.Hint(func(l layout.Layout) bool { return name(l) == was }))
	}
	if err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("histories: %w", err)
	}
	return &Keeper{h, db}, nil
}

// Close closes the database.
func (k *Keeper) Close() error { return k.db.Close() }

func (k *Keeper) user(name string) (uint64, strategies.Salt) {
	digest := uint64(k.Secret.DigestString(name))
	return digest, k.Layout.Salt(k.Secret, digest)
}

func (k *Keeper) get(ctx context.Context, users ...uint64) (raw [][]byte, values []value, err error) {
	if raw, err = k.db.Get(ctx, users); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", exposure.ErrUnavailable, err)
	}
	values = make([]value, len(users))
	for i := range users {
		if values[i], err = k.decode(raw[i]); err != nil {
			return nil, nil, fmt.Errorf("histories: user %016x: %w", users[i], err)
		}
	}
	return raw, values, nil
}

// A change is what a call does to a user's value. Extend, called at each try, says whether there is something to write.
type change struct {
	user   uint64
	extend func(v *value) bool
}

// apply makes changes of different users: it reads and writes the values of all at once, until all are written.
func (k *Keeper) apply(ctx context.Context, changes ...change) error {
	for len(changes) > 0 {
		users := make([]uint64, len(changes))
		for i, c := range changes {
			users[i] = c.user
		}
		raw, values, err := k.get(ctx, users...)
		if err != nil {
			return err
		}
		var writes []Change
		var writing []change
		for i, c := range changes {
			if v := &values[i]; c.extend(v) {
				writes, writing = append(writes, Change{c.user, raw[i], v.bytes()}), append(writing, c)
			}
		}
		if len(writes) == 0 {
			return nil
		}
		made, err := k.db.Swap(ctx, writes)
		if err != nil {
			return fmt.Errorf("%w: %w", exposure.ErrUnavailable, err)
		}
		changes = changes[:0]
		for i, c := range writing {
			if !made[i] {
				changes = append(changes, c)
			}
		}
	}
	return nil
}

// ShowAll implements exposure.Keeper, with limits of at most config.RedisLimit.
func (k *Keeper) ShowAll(ctx context.Context, requests []exposure.Show) error {
	for len(requests) > 0 {
		// As far as every user comes once.
		var changes []change
		users := map[string]bool{}
		for i := range requests {
			s, before := &requests[i], len(requests[i].Shown)
			if s.Limit > config.RedisLimit {
				return fmt.Errorf("limit is %d, want at most %d: a value has one byte for it", s.Limit, config.RedisLimit)
			}
			if users[s.User] {
				break
			}
			users[s.User] = true
			user, salt := k.user(s.User)
			changes = append(changes, change{user, func(v *value) bool {
				s.Shown = s.Shown[:before]
				return k.show(v, salt, s)
			}})
		}
		requests = requests[len(changes):]
		if err := k.apply(ctx, changes...); err != nil {
			return err
		}
	}
	return nil
}

// Seen implements exposure.Keeper.
func (k *Keeper) Seen(ctx context.Context, name string, candidates []strategies.ID, seen []bool) error {
	user, salt := k.user(name)
	_, values, err := k.get(ctx, user)
	if err == nil {
		k.strategy().Seen(values[0].history, salt.Append(nil, candidates), seen)
	}
	return err
}

// Record implements exposure.Keeper.
func (k *Keeper) Record(ctx context.Context, name string, request uint64, articles []strategies.ID) error {
	user, salt := k.user(name)
	return k.apply(ctx, change{user, func(v *value) bool { return k.record(v, salt, request, articles) }})
}

// Forget implements exposure.Keeper.
func (k *Keeper) Forget(ctx context.Context, name string) error {
	user, _ := k.user(name)
	return k.apply(ctx, change{user, func(v *value) bool {
		known := len(v.history) > 0
		*v = value{}
		return known
	}})
}

// History implements exposure.Keeper.
func (k *Keeper) History(ctx context.Context, name string) ([]byte, error) {
	user, _ := k.user(name)
	_, values, err := k.get(ctx, user)
	if err != nil {
		return nil, err
	}
	return values[0].history, nil
}

// Partitions implements exposure.Keeper: every instance serves all users.
func (k *Keeper) Partitions() (of int, here []int) { return 1, []int{0} }

// Ready implements exposure.Keeper: it asks for a user.
func (k *Keeper) Ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err := k.db.Get(ctx, []uint64{0})
	return err
}

// A value is what the database has of a user: 4 bytes of its last time, 8 of the last request's number, 1 that counts
// the articles recorded for that, themselves, and the history. So a user's last request can be repeated, and no other.
type value struct {
	last    uint32
	request uint64
	shown   []strategies.ID
	history []byte
}

const valueBytes = 13

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
		if !seen[i] && len(record) < s.Limit && !slices.Contains(record, id) {
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
