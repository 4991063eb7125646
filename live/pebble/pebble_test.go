package main

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"dejavu/live/elsewhere"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/store"
	"dejavu/strategies"
)

// Many callers: no article is shown twice, none is lost, also after the database was
// closed and opened again; another strategy is refused.
func TestPebble(t *testing.T) {
	l, err := layout.Make(layout.Choice{Name: "queue"})
	if err != nil {
		t.Fatal(err)
	}
	secret, err := strategies.NewSecret([]byte("0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	h := elsewhere.Histories{Layout: l, Secret: secret, Idle: time.Hour, Clock: func() store.Timestamp { return 9 }}
	dir := t.TempDir()
	p, err := Open(dir, 1<<20, true, h)
	if err != nil {
		t.Fatal(err)
	}
	const users, articles = 4, 40
	all := make([]strategies.ID, articles)
	for i := range all {
		all[i] = strategies.ID(i+1) * 0x9e3779b97f4a7c15
	}
	var mu sync.Mutex
	shown := map[string]int{}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range articles / 4 {
				var requests []exposure.Show
				for u := range users {
					requests = append(requests, exposure.Show{User: fmt.Sprint("user ", u), Candidates: all, Limit: 1})
				}
				if err := p.ShowAll(t.Context(), requests); err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, r := range requests {
					for _, id := range r.Shown {
						shown[fmt.Sprint(r.User, id)]++
					}
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if len(shown) != users*articles {
		t.Errorf("%d articles were shown, want %d", len(shown), users*articles)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if p, err = Open(dir, 1<<20, true, h); err != nil {
		t.Fatal(err)
	}
	seen := make([]bool, articles)
	for u := range users {
		if err := p.Seen(t.Context(), fmt.Sprint("user ", u), all, seen); err != nil || fmt.Sprint(seen) != fmt.Sprint(allTrue(articles)) {
			t.Errorf("user %d: seen %v, %v", u, seen, err)
		}
	}
	if err := p.Forget(t.Context(), "user 1"); err != nil {
		t.Error(err)
	}
	if b, err := p.History(t.Context(), "user 1"); err != nil || len(b) > 0 {
		t.Errorf("after Forget: %d bytes, %v", len(b), err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if h.Layout, err = layout.Make(layout.Choice{Name: "chain"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, 1<<20, true, h); !errors.Is(err, store.ErrMismatch) {
		t.Errorf("another strategy: %v", err)
	}
}

func allTrue(n int) []bool {
	b := make([]bool, n)
	for i := range b {
		b[i] = true
	}
	return b
}
