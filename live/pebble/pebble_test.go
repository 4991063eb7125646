package main

import (
	"errors"
	"testing"
	"time"

	"dejavu/live/exposure/exposuretest"
	"dejavu/live/keyvalue"
	"dejavu/store"
)

// Many callers: no article is shown twice, none is lost, also after the database was
// closed and opened again; another strategy is refused.
func TestPebble(t *testing.T) {
	dir := t.TempDir()
	open := func(strategy string) (*keyvalue.Keeper, error) {
		p, err := Open(dir, 1<<20, true)
		if err != nil {
			t.Fatal(err)
		}
		return keyvalue.New(t.Context(), p, keyvalue.Histories{
			Layout: exposuretest.Layout(t, strategy), Secret: exposuretest.Secret(t), Idle: time.Hour,
			Clock: func() store.Timestamp { return 9 },
		})
	}
	k, err := open("queue")
	if err != nil {
		t.Fatal(err)
	}
	crowd := exposuretest.Crowd{Users: 4, Articles: 40}
	crowd.Show(t, 4, k)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if k, err = open("queue"); err != nil {
		t.Fatal(err)
	}
	crowd.Remembered(t, k)
	if err := k.Forget(t.Context(), "user 1"); err != nil {
		t.Error(err)
	}
	if b, err := k.History(t.Context(), "user 1"); err != nil || len(b) > 0 {
		t.Errorf("after Forget: %d bytes, %v", len(b), err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open("chain"); !errors.Is(err, store.ErrMismatch) {
		t.Errorf("another strategy: %v", err)
	}
}
