// Command pebble measures the exposure service with its histories in Pebble, a store on disk inside the
// process, beside `go run . load` in the module above, which keeps them in memory.
//
//	go run . --users 1000000
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"

	"github.com/alecthomas/kong"
	"github.com/cockroachdb/pebble/v2"

	"dejavu/experiments/usage"
	"dejavu/live/keyvalue"
	"dejavu/live/measure"
)

const stripes = 1024

// A Pebble is a keyvalue.Database under the eight bytes of the digest, synced together by Pebble's own group commit.
type Pebble struct {
	db    *pebble.DB
	write *pebble.WriteOptions
	locks [stripes]sync.Mutex
}

// Open opens the database in a folder, or makes it.
func Open(dir string, cache int64, synced bool) (*Pebble, error) {
	c := pebble.NewCache(cache)
	defer c.Unref()
	db, err := pebble.Open(dir, &pebble.Options{Cache: c, Logger: quiet{}, MemTableSize: 64 << 20})
	if err != nil {
		return nil, fmt.Errorf("pebble: %w", err)
	}
	p := &Pebble{db: db, write: pebble.NoSync}
	if synced {
		p.write = pebble.Sync
	}
	return p, nil
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}

// Fatalf panics: Pebble goes on no longer.
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// Close closes the database.
func (p *Pebble) Close() error { return p.db.Close() }

// Bytes is what the database takes on the disk, once all is in its tables.
func (p *Pebble) Bytes(context.Context) (bytes int64, of string, err error) {
	err = p.db.Flush()
	return int64(p.db.Metrics().DiskSpaceUsage()), "of disk", err
}

func (p *Pebble) get(key []byte) ([]byte, error) {
	b, closer, err := p.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pebble: %w", err)
	}
	b = slices.Clone(b)
	return b, closer.Close()
}

// Claim implements keyvalue.Database.
func (p *Pebble) Claim(_ context.Context, about string) (string, error) {
	name := []byte("layout")
	was, err := p.get(name)
	if err == nil && len(was) == 0 {
		return about, p.db.Set(name, []byte(about), pebble.Sync)
	}
	return string(was), err
}

func keyOf(user uint64) []byte { return binary.BigEndian.AppendUint64(nil, user) }

// Get implements keyvalue.Database.
func (p *Pebble) Get(_ context.Context, users []uint64) (values [][]byte, err error) {
	values = make([][]byte, len(users))
	for i, user := range users {
		if values[i], err = p.get(keyOf(user)); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Swap implements keyvalue.Database: the users' locks are held from the comparison to the commit of all in one batch.
func (p *Pebble) Swap(_ context.Context, changes []keyvalue.Change) ([]bool, error) {
	var at []int
	for _, c := range changes {
		at = append(at, int(c.User%stripes))
	}
	slices.Sort(at)
	for _, i := range slices.Compact(at) {
		p.locks[i].Lock()
		defer p.locks[i].Unlock()
	}
	batch := p.db.NewBatch()
	defer batch.Close()
	made := make([]bool, len(changes))
	for i, c := range changes {
		key := keyOf(c.User)
		now, err := p.get(key)
		if err != nil {
			return nil, err
		}
		switch made[i] = bytes.Equal(now, c.Old); {
		case !made[i]:
		case len(c.New) == 0:
			err = batch.Delete(key, nil)
		default:
			err = batch.Set(key, c.New, nil)
		}
		if err != nil {
			return nil, fmt.Errorf("pebble: %w", err)
		}
	}
	if err := batch.Commit(p.write); err != nil {
		return nil, fmt.Errorf("pebble: %w", err)
	}
	return made, nil
}

type program struct {
	measure.LoadFlags
	Cache    int64 `help:"Bytes of the block cache." default:"268435456"`
	Unsynced bool  `help:"Answer before the disk has it."`
}

func main() {
	var p program
	kong.Parse(&p, kong.Name("pebble"), usage.Numbers(),
		kong.Description("The exposure service with histories in Pebble, measured."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	open := func(_ context.Context, dir string) (keyvalue.Database, error) {
		return Open(filepath.Join(dir, "pebble"), p.Cache, !p.Unsynced)
	}
	if err := p.LoadFlags.Over(ctx, os.Stdout, open); err != nil {
		fmt.Fprintln(os.Stderr, "pebble:", err)
		os.Exit(1)
	}
}
