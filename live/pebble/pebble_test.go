package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/keyvalue"
	"dejavu/live/layout"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Many callers: no article is shown twice, none is lost, also after the database was
// closed and opened again; another strategy is refused.
func TestPebble(t *testing.T) {
	dir, secret := t.TempDir(), strategies.RandomSecret()
	open := func(strategy string) (*keyvalue.Keeper, error) {
		p := strategytest.Value(Open(dir, 1<<20, true))
		l := strategytest.Value(layout.Make(layout.Choice{Name: strategy}))
		return keyvalue.New(t.Context(), p, keyvalue.Histories{
			Layout: l, Secret: secret, Idle: time.Hour, Clock: func() store.Timestamp { return 9 },
		})
	}
	k := strategytest.Value(open("queue"))
	var ids []strategies.ID
	for i := range 40 {
		ids = append(ids, strategies.ID(i+1))
	}
	shown := make(chan string, 4*len(ids))
	var group sync.WaitGroup
	for range len(ids) {
		group.Go(func() {
			requests := make([]exposure.Show, 4)
			for u := range requests {
				requests[u] = exposure.Show{User: fmt.Sprint("user ", u), Candidates: ids, Limit: 1}
			}
			if err := k.ShowAll(t.Context(), requests); err != nil {
				t.Error(err)
			}
			for _, r := range requests {
				shown <- fmt.Sprint(r.User, r.Shown)
			}
		})
	}
	group.Wait()
	close(shown)
	once := map[string]bool{}
	for s := range shown {
		once[s] = true
	}
	if len(once) != 4*len(ids) {
		t.Errorf("%d articles of users were shown, want each of %d once", len(once), 4*len(ids))
	}
	strategytest.Must(t, k.Close())
	k = strategytest.Value(open("queue"))
	for u := range 4 {
		seen := make([]bool, len(ids))
		if err := k.Seen(t.Context(), fmt.Sprint("user ", u), ids, seen); err != nil || slices.Contains(seen, false) {
			t.Errorf("user %d: an article is forgotten: %v", u, err)
		}
	}
	if err := k.Forget(t.Context(), "user 1"); err != nil {
		t.Error(err)
	}
	if b, err := k.History(t.Context(), "user 1"); err != nil || len(b) > 0 {
		t.Errorf("after Forget: %d bytes, %v", len(b), err)
	}
	strategytest.Must(t, k.Close())
	if _, err := open("chain"); !errors.Is(err, store.ErrMismatch) {
		t.Errorf("another strategy: %v", err)
	}
}
