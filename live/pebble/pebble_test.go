package main

import (
	"errors"
	"testing"
	"time"

	"dejavu/live/elsewhere"
	"dejavu/live/exposure/exposuretest"
	"dejavu/store"
)

// Many callers: no article is shown twice, none is lost, also after the database was
// closed and opened again; another strategy is refused.
func TestPebble(t *testing.T) {
	h := elsewhere.Histories{
		Layout: exposuretest.Layout(t, "queue"), Secret: exposuretest.Secret(t), Idle: time.Hour,
		Clock: func() store.Timestamp { return 9 },
	}
	dir := t.TempDir()
	p, err := Open(dir, 1<<20, true, h)
	if err != nil {
		t.Fatal(err)
	}
	crowd := exposuretest.Crowd{Users: 4, Articles: 40}
	crowd.Show(t, 4, p)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if p, err = Open(dir, 1<<20, true, h); err != nil {
		t.Fatal(err)
	}
	crowd.Remembered(t, p)
	if err := p.Forget(t.Context(), "user 1"); err != nil {
		t.Error(err)
	}
	if b, err := p.History(t.Context(), "user 1"); err != nil || len(b) > 0 {
		t.Errorf("after Forget: %d bytes, %v", len(b), err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	h.Layout = exposuretest.Layout(t, "chain")
	if _, err := Open(dir, 1<<20, true, h); !errors.Is(err, store.ErrMismatch) {
		t.Errorf("another strategy: %v", err)
	}
}
