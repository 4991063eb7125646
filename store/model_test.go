package store_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"dejavu/store"
	"dejavu/strategies"
	_ "dejavu/strategies/strategytest/seeded"

	"dejavu/strategies/strategytest"
	"pgregory.net/rapid"
)

// A model describes what the store promises: a map of slices, and some counts.
type model struct {
	strategy strategies.Strategy
	idle     store.Timestamp
	history  map[int][]byte
	last     map[int]store.Timestamp

	asked, hits, recorded, expired int64
}

func newModel(s strategies.Strategy, idle store.Timestamp) *model {
	return &model{strategy: s, idle: idle, history: map[int][]byte{}, last: map[int]store.Timestamp{}}
}

func (m *model) forget(user int, now store.Timestamp) bool {
	last, ok := m.last[user]
	if !ok || m.idle == 0 {
		return false
	}
	if now < last || now-last < m.idle {
		return false
	}
	m.set(user, 0, nil)
	m.expired++
	return true
}

func (m *model) set(user int, at store.Timestamp, h []byte) {
	delete(m.history, user)
	delete(m.last, user)
	if len(h) > 0 {
		m.history[user], m.last[user] = h, at
	}
}

func (m *model) record(user int, at store.Timestamp, shown []strategies.ID) {
	if len(shown) == 0 {
		return
	}
	m.forget(user, at)
	m.set(user, max(at, m.last[user]), m.strategy.Record(slices.Clone(m.history[user]), shown))
	m.recorded += int64(len(shown))
}

func (m *model) seen(user int, now store.Timestamp, candidates []strategies.ID) []bool {
	m.forget(user, now)
	seen := make([]bool, len(candidates))
	m.strategy.Seen(m.history[user], candidates, seen)
	m.asked += int64(len(seen))
	for _, s := range seen {
		if s {
			m.hits++
		}
	}
	return seen
}

// show is Store.Show of candidates as the strategy knows them.
func (m *model) show(user int, at store.Timestamp, mixed []strategies.ID, limit int) (shown []int) {
	if limit < 1 || len(mixed) == 0 {
		return nil
	}
	seen := m.seen(user, at, mixed)
	var record []strategies.ID
	for i, id := range mixed {
		if !seen[i] && len(shown) < limit && !slices.Contains(record, id) {
			record, shown = append(record, id), append(shown, i)
		}
	}
	m.record(user, at, record)
	return shown
}

// The next store reuses the memory that the last one gave back.
var modelArena store.Arena

// TestAgainstModel drives a store and the model through the same random life: growth, shrinking, expiry with
// clocks that jump back and forth, sweeps, requests alone and together, loading and clearing. Long articles
// make a chunk hold few histories, so that pools of several chunks fill and empty.
func TestAgainstModel(t *testing.T) {
	t.Run("numbered", func(t *testing.T) { againstModel(t, 40, func(n int) int { return n }) })
	t.Run("strings", func(t *testing.T) { againstModel(t, 200, func(n int) string { return fmt.Sprint("user ", n) }) })
	t.Run("keys", func(t *testing.T) { againstModel(t, 200, func(n int) uint64 { return uint64(n) << 40 }) })
}

func againstModel[U store.User](t *testing.T, most int, name func(int) U) {
	key := secret(t, "keyed")
	rapid.Check(t, func(t *rapid.T) {
		users := rapid.IntRange(1, most).Draw(t, "users")
		strategy := ladder{stride: rapid.SampledFrom([]int{8, 1500}).Draw(t, "stride"), fresh: rapid.Bool().Draw(t, "fresh")}
		m := newModel(strategy, store.Timestamp(rapid.SampledFrom([]int{0, 1, 100}).Draw(t, "idle")))
		config := store.Config{
			Unsalted: rapid.Bool().Draw(t, "unsalted"), Secret: key,
			Strategy: strategy, Idle: m.idle, Shards: rapid.IntRange(1, 3).Draw(t, "shards"),
			HugePages: rapid.Bool().Draw(t, "huge"),
		}
		if rapid.Bool().Draw(t, "arena") {
			config.Arena = &modelArena
		}
		if _, numbered := any(name(0)).(int); numbered {
			config.Users = users
		}
		s := strategytest.Value(store.New[U](config))
		defer s.Clear()
		now := store.Timestamp(1 << 20)
		user := func(t *rapid.T) int {
			// Mostly the clock moves on, sometimes back, sometimes a day.
			now += store.Timestamp(rapid.SampledFrom([]int{0, 1, 7, 60, 100, 250}).Draw(t, "after"))
			now -= store.Timestamp(rapid.SampledFrom([]int{0, 0, 0, 1, 99, 100, 101}).Draw(t, "before"))
			return rapid.IntRange(0, users-1).Draw(t, "user")
		}
		articles := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) strategies.ID {
			return strategies.ID(rapid.IntRange(0, 30).Draw(t, "article"))
		}), 0, 12)
		mixed := func(user int, ids []strategies.ID) []strategies.ID {
			if salt, salted := s.Salt(name(user)); salted {
				return salt.Append(nil, ids)
			}
			return ids
		}
		// asking draws users who ask together, some of them twice, and their candidates.
		asking := func(t *rapid.T) (all []int, candidates [][]strategies.ID) {
			user(t) // the clock goes on
			for range rapid.IntRange(0, 70).Draw(t, "requests") {
				all = append(all, rapid.IntRange(0, users-1).Draw(t, "user"))
				candidates = append(candidates, articles.Draw(t, "candidates"))
			}
			return all, candidates
		}
		t.Repeat(map[string]func(*rapid.T){
			"record": func(t *rapid.T) {
				u, shown := user(t), articles.Draw(t, "shown")
				s.Record(name(u), now, shown)
				if len(shown) > 0 {
					m.record(u, now, mixed(u, shown))
				}
			},
			"record everyone": func(t *rapid.T) {
				id := []strategies.ID{strategies.ID(user(t) + 1)}
				for u := range users {
					s.Record(name(u), now, id)
					m.record(u, now, mixed(u, id))
				}
			},
			"seen": func(t *rapid.T) {
				u, candidates := user(t), articles.Draw(t, "candidates")
				got := s.Seen(name(u), now, candidates, []bool{true})[1:]
				if want := m.seen(u, now, mixed(u, candidates)); !slices.Equal(got, want) {
					t.Fatalf("user %d has seen %v of %v, want %v", u, got, candidates, want)
				}
			},
			"seen together": func(t *rapid.T) {
				all, candidates := asking(t)
				var requests []store.Request[U]
				for i, u := range all {
					requests = append(requests, store.Request[U]{User: name(u), Candidates: candidates[i]})
				}
				s.SeenAll(now, requests)
				for i, u := range all {
					if want := m.seen(u, now, mixed(u, candidates[i])); !slices.Equal(requests[i].Seen, want) {
						t.Fatalf("of requests together user %d has seen %v of %v, want %v", u, requests[i].Seen, candidates[i], want)
					}
				}
			},
			"show": func(t *rapid.T) {
				u, candidates, limit := user(t), articles.Draw(t, "candidates"), rapid.IntRange(-1, 13).Draw(t, "limit")
				got := s.Show(name(u), now, candidates, limit, []int{99})[1:]
				if want := m.show(u, now, mixed(u, candidates), limit); !slices.Equal(got, want) {
					t.Fatalf("user %d is shown %v of %v, want %v", u, got, candidates, want)
				}
			},
			"show together": func(t *rapid.T) {
				all, candidates := asking(t)
				var requests []store.Request[U]
				for i, u := range all {
					requests = append(requests, store.Request[U]{User: name(u), Candidates: candidates[i], Limit: 3})
				}
				s.ShowAll(now, requests)
				for i, u := range all {
					want := m.show(u, now, mixed(u, candidates[i]), 3)
					if got := requests[i].Shown; !slices.Equal(got, want) {
						t.Fatalf("of requests together user %d is shown %v of %v, want %v", u, got, candidates[i], want)
					}
				}
			},
			"replay": func(t *rapid.T) {
				u := user(t)
				var requests []store.Past
				var all []strategies.ID
				var want []bool
				for range rapid.IntRange(0, 4).Draw(t, "requests") {
					shown := articles.Draw(t, "shown")
					want = append(want, m.seen(u, now, mixed(u, shown))...)
					m.record(u, now, mixed(u, shown))
					requests = append(requests, store.Past{At: now, N: uint32(len(shown))})
					all = append(all, shown...)
					user(t) // the clock goes on
				}
				got := strategytest.Value(s.Replay(name(u), requests, all, nil))
				if !slices.Equal(got, want) {
					t.Fatalf("user %d had seen %v of %v at %v, want %v", u, got, all, requests, want)
				}
			},
			"history": func(t *rapid.T) {
				u := user(t)
				m.forget(u, now)
				if got := s.History(name(u), now, []byte("x")); !bytes.Equal(got[1:], m.history[u]) {
					t.Fatalf("history of user %d is %v, want %v", u, got[1:], m.history[u])
				}
			},
			"put": func(t *rapid.T) {
				u := user(t)
				h := strategy.Record(nil, articles.Draw(t, "shown"))
				strategytest.Must(t, s.Put(name(u), now, h))
				m.set(u, now, slices.Clone(h))
			},
			"remove": func(t *rapid.T) {
				u := user(t)
				s.Remove(name(u))
				m.set(u, 0, nil)
			},
			"export": func(t *rapid.T) {
				user(t)
				other := config
				other.Shards = 4 - config.Shards
				into := strategytest.Value(store.New[U](other))
				defer into.Clear()
				for e := range s.Export(now) {
					strategytest.Must(t, into.Import(e))
				}
				held := 0
				for u := range users {
					h, last := m.history[u], m.last[u]
					if m.idle > 0 && now >= last && now-last >= m.idle {
						h = nil
					}
					at, _ := into.Last(name(u))
					if got := into.Raw(name(u)); !bytes.Equal(got, h) || len(h) > 0 && at != last {
						t.Fatalf("of user %d came %v of %d, want %v of %d", u, got, at, h, last)
					}
					held += min(len(h), 1)
				}
				if got := into.Stats().Users; got != held {
					t.Fatalf("%d users came, want %d", got, held)
				}
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
				compare(t, s, m, users, name)
			},
		})
	})
}

// compare looks at everything that can be seen without a clock.
func compare[U store.User](t *rapid.T, s *store.Store[U], m *model, users int, name func(int) U) {
	var payload int64
	for u := range users {
		last, ok := s.Last(name(u))
		want, wantOK := m.last[u]
		if ok != wantOK || last != want {
			t.Fatalf("last of user %d is %d, %v, want %d, %v", u, last, ok, want, wantOK)
		}
		if got := s.Raw(name(u)); !bytes.Equal(got, m.history[u]) {
			t.Fatalf("history of user %d is %v, want %v", u, got, m.history[u])
		}
		payload += int64(len(m.history[u]))
	}
	st := s.Stats()
	if st.Users != len(m.history) || st.Payload != payload {
		t.Fatalf("Stats say %d users, %d bytes, want %d, %d", st.Users, st.Payload, len(m.history), payload)
	}
	if st.Asked != m.asked || st.Hits != m.hits || st.Recorded != m.recorded || st.Expired != m.expired {
		t.Fatalf("Stats are %+v, the model's %+v", st, m)
	}
}
