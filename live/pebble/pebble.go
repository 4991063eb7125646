package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"dejavu/live/elsewhere"
	"dejavu/live/exposure"
	"dejavu/store"
	"dejavu/strategies"
)

// stripes is how many locks the users share.
const stripes = 1024

// A Pebble is an exposure.Keeper whose histories are in a Pebble: a value under the eight
// bytes of the user's digest. Requests for one user come one after the other under a
// lock; what was written is synced together by Pebble's own group commit.
type Pebble struct {
	h     elsewhere.Histories
	db    *pebble.DB
	write *pebble.WriteOptions
	locks [stripes]sync.Mutex
}

// Open opens the database in a folder, or makes it.
func Open(dir string, cache int64, synced bool, h elsewhere.Histories) (*Pebble, error) {
	c := pebble.NewCache(cache)
	defer c.Unref()
	db, err := pebble.Open(dir, &pebble.Options{Cache: c, Logger: quiet{}, MemTableSize: 64 << 20})
	if err != nil {
		return nil, fmt.Errorf("pebble: %w", err)
	}
	p := &Pebble{h: h, db: db, write: pebble.NoSync}
	if synced {
		p.write = pebble.Sync
	}
	// Histories of another strategy or secret must not be extended.
	name, about := []byte("layout"), h.About()
	was, err := p.get(name)
	if err == nil && len(was) > 0 && string(was) != about {
		err = fmt.Errorf("pebble %s: %w: its histories are of %q, want %q", dir, store.ErrMismatch, was, about)
	}
	if err == nil {
		err = db.Set(name, []byte(about), pebble.Sync)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return p, nil
}

// quiet is a logger that says nothing but what is fatal.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}

// Fatalf panics: Pebble goes on no longer.
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// Close closes the database.
func (p *Pebble) Close() error { return p.db.Close() }

// Bytes is what the database takes on the disk, once all is in its tables.
func (p *Pebble) Bytes() (int64, error) {
	err := p.db.Flush()
	return int64(p.db.Metrics().DiskSpaceUsage()), err
}

// get is a copy of a value, nil where there is none.
func (p *Pebble) get(key []byte) ([]byte, error) {
	b, closer, err := p.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: pebble: %w", exposure.ErrUnavailable, err)
	}
	b = slices.Clone(b)
	return b, closer.Close()
}

func (p *Pebble) read(key []byte) (elsewhere.Value, error) {
	b, err := p.get(key)
	if err != nil {
		return elsewhere.Value{}, err
	}
	v, err := p.h.Decode(b)
	if err != nil {
		err = fmt.Errorf("pebble: %x: %w", key, err)
	}
	return v, err
}

// user is a user's digest, key and salt.
func (p *Pebble) user(name string) (digest uint64, key []byte, salt strategies.Salt) {
	digest = uint64(p.h.Secret.DigestString(name))
	return digest, binary.BigEndian.AppendUint64(nil, digest), p.h.Secret.Salt(digest)
}

// ShowAll implements exposure.Keeper: all values in one batch.
func (p *Pebble) ShowAll(_ context.Context, requests []exposure.Show) error {
	var at []int
	for i := range requests {
		digest, _, _ := p.user(requests[i].User)
		at = append(at, int(digest%stripes))
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for _, i := range at {
		p.locks[i].Lock()
		defer p.locks[i].Unlock()
	}
	batch := p.db.NewBatch()
	defer batch.Close()
	changed := map[string]elsewhere.Value{} // a user may come twice
	for i := range requests {
		r := &requests[i]
		_, key, salt := p.user(r.User)
		v, ok := changed[string(key)]
		if !ok {
			var err error
			if v, err = p.read(key); err != nil {
				return err
			}
		}
		if p.h.Show(&v, salt, r) {
			changed[string(key)] = v
		}
	}
	for key, v := range changed {
		if err := batch.Set([]byte(key), v.Append(nil), nil); err != nil {
			return err
		}
	}
	if len(changed) == 0 {
		return nil
	}
	if err := batch.Commit(p.write); err != nil {
		return fmt.Errorf("%w: pebble: %w", exposure.ErrUnavailable, err)
	}
	return nil
}

// Seen implements exposure.Keeper.
func (p *Pebble) Seen(_ context.Context, user string, candidates []strategies.ID, seen []bool) error {
	_, key, salt := p.user(user)
	v, err := p.read(key)
	if err == nil {
		p.h.Seen(v, salt, candidates, seen)
	}
	return err
}

// Record implements exposure.Keeper.
func (p *Pebble) Record(_ context.Context, user string, request uint64, articles []strategies.ID) error {
	digest, key, salt := p.user(user)
	lock := &p.locks[digest%stripes]
	lock.Lock()
	defer lock.Unlock()
	v, err := p.read(key)
	if err != nil || !p.h.Record(&v, salt, request, articles) {
		return err
	}
	if err := p.db.Set(key, v.Append(nil), p.write); err != nil {
		return fmt.Errorf("%w: pebble: %w", exposure.ErrUnavailable, err)
	}
	return nil
}

// Forget implements exposure.Keeper.
func (p *Pebble) Forget(_ context.Context, user string) error {
	digest, key, _ := p.user(user)
	lock := &p.locks[digest%stripes]
	lock.Lock()
	defer lock.Unlock()
	if err := p.db.Delete(key, p.write); err != nil {
		return fmt.Errorf("%w: pebble: %w", exposure.ErrUnavailable, err)
	}
	return nil
}

// History implements exposure.Keeper.
func (p *Pebble) History(_ context.Context, user string) ([]byte, error) {
	_, key, _ := p.user(user)
	v, err := p.read(key)
	return p.h.Alive(v), err
}

// Partitions implements exposure.Keeper.
func (p *Pebble) Partitions() (of int, here []int) { return 1, []int{0} }

// Ready implements exposure.Keeper.
func (p *Pebble) Ready() error { return nil }
