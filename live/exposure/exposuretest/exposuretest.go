// Package exposuretest is what every exposure.Keeper is held to, and what their tests are
// made of.
package exposuretest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/strategies"
)

// Secret is a service's in a test.
func Secret(t testing.TB) strategies.Secret {
	t.Helper()
	secret, err := strategies.NewSecret([]byte(strings.Repeat("k", 16)))
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// Layout is that of a strategy of the catalogue.
func Layout(t testing.TB, strategy string) layout.Layout {
	t.Helper()
	l, err := layout.Make(layout.Choice{Name: strategy})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A Crowd is users who are each shown the same articles.
type Crowd struct{ Users, Articles int }

// User is the name of the nth.
func (c Crowd) User(n int) string { return fmt.Sprint("user ", n) }

func (c Crowd) articles() []strategies.ID {
	all := make([]strategies.ID, c.Articles)
	for i := range all {
		all[i] = strategies.ID(i+1) * 0x9e3779b97f4a7c15
	}
	return all
}

// Show has so many callers at once, each of whom asks one of the keepers for one article
// for every user at a time, until all articles must have been shown. A strategy that
// remembers exactly shows each to every user once.
func (c Crowd) Show(t testing.TB, callers int, keepers ...exposure.Keeper) {
	t.Helper()
	all := c.articles()
	var mu sync.Mutex
	shown := map[string]int{}
	var group sync.WaitGroup
	for w := range callers {
		group.Go(func() {
			for i := w; i < c.Articles; i += callers {
				var requests []exposure.Show
				for u := range c.Users {
					requests = append(requests, exposure.Show{User: c.User(u), Candidates: all, Limit: 1})
				}
				if err := keepers[w%len(keepers)].ShowAll(t.Context(), requests); err != nil {
					t.Error(err)
					return
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
	if len(shown) != c.Users*c.Articles {
		t.Errorf("%d articles of users were shown, want each of %d once", len(shown), c.Users*c.Articles)
	}
	for k, n := range shown {
		if n != 1 {
			t.Errorf("%s was shown %d times", k, n)
		}
	}
}

// Remembered checks that a keeper knows all that was shown.
func (c Crowd) Remembered(t testing.TB, k exposure.Keeper) {
	t.Helper()
	all := c.articles()
	for u := range c.Users {
		seen := make([]bool, c.Articles)
		if err := k.Seen(t.Context(), c.User(u), all, seen); err != nil {
			t.Fatal(err)
		}
		if i := slices.Index(seen, false); i >= 0 {
			t.Fatalf("%s: article %d is forgotten", c.User(u), i)
		}
	}
}
