package store_test

import (
	"bytes"
	"slices"
	"testing"

	"dejavu/store"
	"dejavu/strategies"
	_ "dejavu/strategies/strategytest/seeded"

	"dejavu/strategies/strategytest"
	"pgregory.net/rapid"
)

// A model is what the store promises to be: a map of slices.
type model struct {
	strategy strategies.Strategy
	idle     store.Timestamp
	history  map[int][]byte
	last     map[int]store.Timestamp
}

func (m *model) forget(user int, now store.Timestamp) bool {
	last, ok := m.last[user]
	if !ok || m.idle == 0 || now < last || now-last < m.idle {
		return false
	}
	delete(m.history, user)
	delete(m.last, user)
	return true
}

func (m *model) set(user int, at store.Timestamp, h []byte) {
	delete(m.history, user)
	delete(m.last, user)
	if len(h) > 0 {
		m.history[user], m.last[user] = h, at
	}
}

func (m *model) record(user int, now store.Timestamp, shown []strategies.ID) {
	if len(shown) == 0 {
		return
	}
	m.forget(user, now)
	m.set(user, max(now, m.last[user]), m.strategy.Record(slices.Clone(m.history[user]), shown))
}

// TestAgainstModel drives a store and the model through the same random life:
// growth, shrinking, expiry with clocks that jump back and forth, sweeps,
// loading and clearing. Long articles make a chunk hold few histories, so that
// pools of several chunks fill and empty.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		users := rapid.IntRange(1, 40).Draw(t, "users")
		strategy := ladder{
			stride: rapid.SampledFrom([]int{8, 1500}).Draw(t, "stride"),
			fresh:  rapid.Bool().Draw(t, "fresh"),
		}
		m := &model{
			strategy, store.Timestamp(rapid.SampledFrom([]int{0, 1, 100}).Draw(t, "idle")),
			map[int][]byte{},
			map[int]store.Timestamp{},
		}
		s, err := store.New[int](store.Config{
			Unsalted: true,
			Strategy: strategy, Users: users, Idle: m.idle,
			Shards: rapid.IntRange(1, 3).Draw(t, "shards"),
		})
		strategytest.Must(t, err)
		var now store.Timestamp = 1000
		user := func(t *rapid.T) int {
			// Mostly the clock moves on, sometimes back, sometimes a day.
			now += store.Timestamp(rapid.SampledFrom([]int{0, 1, 7, 60, 100, 250}).Draw(t, "after"))
			now -= store.Timestamp(rapid.SampledFrom([]int{0, 0, 0, 1, 99, 100, 101}).Draw(t, "before"))
			return rapid.IntRange(0, users-1).Draw(t, "user")
		}
		articles := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) strategies.ID {
			return strategies.ID(rapid.IntRange(0, 30).Draw(t, "article"))
		}), 0, 12)
		t.Repeat(map[string]func(*rapid.T){
			"record": func(t *rapid.T) {
				u, shown := user(t), articles.Draw(t, "shown")
				s.Record(u, now, shown)
				m.record(u, now, shown)
			},
			"record everyone": func(t *rapid.T) {
				id := strategies.ID(user(t) + 1)
				for u := range users {
					s.Record(u, now, []strategies.ID{id})
					m.record(u, now, []strategies.ID{id})
				}
			},
			"seen": func(t *rapid.T) {
				u, candidates := user(t), articles.Draw(t, "candidates")
				m.forget(u, now)
				got, want := make([]bool, len(candidates)), make([]bool, len(candidates))
				s.Seen(u, now, candidates, got)
				strategy.Seen(m.history[u], candidates, want)
				if !slices.Equal(got, want) {
					t.Fatalf("user %d has seen %v of %v, want %v", u, got, candidates, want)
				}
			},
			"replay": func(t *rapid.T) {
				u := user(t)
				var requests []store.Past
				var all []strategies.ID
				var want []bool
				for range rapid.IntRange(0, 4).Draw(t, "requests") {
					shown := articles.Draw(t, "shown")
					m.forget(u, now)
					seen := make([]bool, len(shown))
					strategy.Seen(m.history[u], shown, seen)
					m.record(u, now, shown)
					requests = append(requests, store.Past{At: now, N: uint32(len(shown))})
					all, want = append(all, shown...), append(want, seen...)
					user(t) // the clock goes on
				}
				got := make([]bool, len(all))
				s.Replay(u, requests, all, got)
				if !slices.Equal(got, want) {
					t.Fatalf("user %d had seen %v of %v at %v, want %v", u, got, all, requests, want)
				}
			},
			"history": func(t *rapid.T) {
				u := user(t)
				m.forget(u, now)
				if got := s.History(u, now, []byte("x")); !bytes.Equal(got[1:], m.history[u]) {
					t.Fatalf("history of user %d is %v, want %v", u, got[1:], m.history[u])
				}
			},
			"put": func(t *rapid.T) {
				u := user(t)
				h := strategy.Record(nil, articles.Draw(t, "shown"))
				strategytest.Must(t, s.Put(u, now, h))
				m.set(u, now, slices.Clone(h))
			},
			"forget": func(t *rapid.T) {
				user(t)
				want := 0
				for u := range users {
					if m.forget(u, now) {
						want++
					}
				}
				if got := s.Forget(now); got != want {
					t.Fatalf("forgot %d at %d, want %d", got, now, want)
				}
			},
			"clear": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "really") > 0 {
					return
				}
				s.Clear()
				clear(m.history)
				clear(m.last)
			},
			"": func(t *rapid.T) {
				strategytest.Must(t, s.Check())
				compare(t, s, m, users)
			},
		})
	})
}

// compare looks at everything that can be seen without a clock. The histories
// are read at time 0, when none has expired.
func compare(t *rapid.T, s *store.Store[int], m *model, users int) {
	var payload int64
	for u := range users {
		last, ok := s.Last(u)
		want, wantOK := m.last[u]
		if ok != wantOK || last != want {
			t.Fatalf("last of user %d is %d, %v, want %d, %v", u, last, ok, want, wantOK)
		}
		if got := s.History(u, 0, nil); !bytes.Equal(got, m.history[u]) {
			t.Fatalf("history of user %d is %v, want %v", u, got, m.history[u])
		}
		payload += int64(len(m.history[u]))
	}
	if st := s.Stats(); st.Users != len(m.history) || st.Payload != payload {
		t.Fatalf("Stats say %d users, %d bytes, want %d, %d", st.Users, st.Payload, len(m.history), payload)
	}
}
