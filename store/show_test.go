package store_test

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// exact remembers up to 64 articles other than 0, eight bytes each, and can delete them.
type exact struct{}

func (exact) Sizes() []int { return []int{8 * 64} }

func (exact) Validate([]byte) error { return nil }

func (exact) ids(h []byte) (ids []strategies.ID) {
	for ; len(h) > 0; h = h[8:] {
		if id := strategies.ID(binary.LittleEndian.Uint64(h)); id != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

func (e exact) Seen(h []byte, candidates []strategies.ID, seen []bool) {
	ids := e.ids(h)
	for i, id := range candidates {
		seen[i] = slices.Contains(ids, id)
	}
}

func (e exact) Record(h []byte, shown []strategies.ID) []byte {
	ids := append(e.ids(h), shown...)
	h = slices.Grow(h[:0], 8*64)[:8*64]
	clear(h)
	for i, id := range ids {
		binary.LittleEndian.PutUint64(h[8*i:], uint64(id))
	}
	return h
}

func (e exact) Delete(h []byte, articles []strategies.ID) []byte {
	ids := slices.DeleteFunc(e.ids(h), func(id strategies.ID) bool { return slices.Contains(articles, id) })
	if len(ids) == 0 {
		return h[:0]
	}
	return e.Record(h[:0], ids)
}

// shortening deletes to a history of an invalid length.
type shortening struct{ exact }

func (shortening) Delete(h []byte, _ []strategies.ID) []byte { return h[:5] }

func TestDeletePanics(t *testing.T) {
	s := mustNew(t, store.Config{Unsalted: true, Strategy: shortening{}, Users: 2})
	s.Record(1, 0, []strategies.ID{7})
	defer func() {
		if got, _ := recover().(string); !strings.Contains(got,
			"Delete returned a history of 5 bytes, want 0 or one of its Sizes [512]") {
			t.Errorf("panic %q", got)
		}
	}()
	_ = s.Delete(1, 0, []strategies.ID{7})
}

// Of simultaneous requests for one user, no two get the same article.
func TestShowOnce(t *testing.T) {
	const goroutines, rounds = 4, 300
	s := keyed[string](t, store.Config{Strategy: exact{}, Shards: 2})
	candidates := make([]strategies.ID, 60)
	for i := range candidates {
		candidates[i] = strategies.ID(i + 1)
	}
	for round := range rounds {
		user := "reader " + string(rune('a'+round%26)) + string(rune('a'+round/26))
		var shown [goroutines][]int
		var group sync.WaitGroup
		for g := range goroutines {
			group.Go(func() {
				for range 3 {
					if g%2 == 0 {
						shown[g] = s.Show(user, 0, candidates, 5, shown[g])
						continue
					}
					requests := []store.Request[string]{
						{User: user, Candidates: candidates, Limit: 3, Shown: shown[g]},
						{User: user, Candidates: candidates, Limit: 2},
					}
					s.ShowAll(0, requests)
					shown[g] = append(requests[0].Shown, requests[1].Shown...)
				}
			})
		}
		group.Wait()
		all := slices.Concat(shown[:]...)
		slices.Sort(all)
		if len(slices.Compact(slices.Clone(all))) != len(all) || len(all) != 60 {
			t.Fatalf("round %d: shown %v: %d articles, want 60, none twice", round, shown, len(all))
		}
	}
}

// Delete deletes articles, and reports a strategy that cannot.
func TestDelete(t *testing.T) {
	s := mustNew(t, store.Config{Unsalted: true, Strategy: exact{}, Users: 2, Idle: 100})
	s.Record(1, 5, []strategies.ID{1, 2, 3})
	type ids = []strategies.ID
	for _, c := range []struct{ articles, want ids }{{ids{2, 9}, ids{1, 3}}, {nil, ids{1, 3}}, {ids{3, 1}, nil}} {
		strategytest.Must(t, s.Delete(1, 90, c.articles))
		strategytest.EqualSlices(t, (exact{}).ids(s.History(1, 90, nil)), c.want, "without %v there are", c.articles)
		if at, ok := s.Last(1); ok != (c.want != nil) || ok && at != 5 {
			t.Errorf("last recorded at %d, %v: deleting is no recording", at, ok)
		}
	}
	strategytest.ErrorSays(t, "from a newcomer", s.Delete(0, 0, []strategies.ID{1}), "")
	cannot := mustNew(t, store.Config{Strategy: flat, Users: 1})
	cannot.Record(0, 0, shownOne)
	strategytest.ErrorSays(t, "a strategy without Delete", cannot.Delete(0, 0, shownOne), "cannot delete")
}

// A calendar is a toy that remembers only the last day.
type calendar struct{ exact }

func (c calendar) On(day int) strategies.Strategy { return strategies.OnDay(c, day) }

func (c calendar) SeenOn(h []byte, day int, candidates []strategies.ID, seen []bool) {
	if len(h) > 0 && int(h[8*64-1]) != day%251 {
		h = nil
	}
	c.Seen(h, candidates, seen)
}

func (c calendar) RecordOn(h []byte, day int, shown []strategies.ID) []byte {
	if len(h) > 0 && int(h[8*64-1]) != day%251 {
		h = h[:0]
	}
	if len(h) > 0 {
		h[8*64-1] = 0 // the day is no article
	}
	h = c.Record(h, shown)
	h[8*64-1] = byte(day % 251)
	return h
}

// A dated strategy is asked on the request's day, while the day turns and requests from before midnight straggle.
func TestDays(t *testing.T) {
	s := mustNew(t, store.Config{Strategy: calendar{}, Users: 64, Secret: secret(t, "days")})
	var clock atomic.Uint32
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(14, uint64(g)))
			for range 2000 {
				now := store.Timestamp(clock.Add(60)) // 5.5 days in all
				if random.IntN(4) == 0 {
					now -= min(now, 3600) // from before midnight, now and then
				}
				user := g + 4*random.IntN(16)
				articles := []strategies.ID{strategies.ID(now / store.Day), 1 << 40}
				seen := s.Seen(user, now, articles, nil)
				var want [2]bool
				salt, _ := s.Salt(user)
				calendar{}.SeenOn(s.History(user, now, nil), int(now/store.Day), salt.Append(nil, articles), want[:])
				strategytest.EqualSlices(t, seen, want[:], "at %d", now)
				if !seen[1] {
					s.Record(user, now, articles[1:])
				}
			}
		})
	}
	group.Wait()
	s.Record(0, 10*store.Day, []strategies.ID{7})
	if !s.Seen(0, 11*store.Day-1, []strategies.ID{7}, nil)[0] {
		t.Error("forgotten on the same day")
	}
	if s.Seen(0, 11*store.Day, []strategies.ID{7}, nil)[0] {
		t.Error("remembered on the next day")
	}
}

// After Close no memory is held, and a request reports it.
func TestClose(t *testing.T) {
	s := keyed[uint64](t, store.Config{Strategy: flat, Idle: 10})
	s.Record(7, 0, shownOne)
	s.Close()
	s.Close()
	strategytest.Equal(t, s.Forget(100), 0, "forgot users after Close")
	if st := s.Stats(); st.Users != 0 || st.Slabs != 0 || s.IndexBytes() != 0 {
		t.Errorf("after Close there are %d users, %d bytes", st.Users, st.Slabs)
	}
	for what, f := range map[string]func(){
		"Seen":    func() { s.Seen(7, 0, shownOne, nil) },
		"Record":  func() { s.Record(7, 0, shownOne) },
		"Show":    func() { s.Show(7, 0, shownOne, 1, nil) },
		"ShowAll": func() { s.ShowAll(0, []store.Request[uint64]{{User: 7, Candidates: shownOne, Limit: 1}}) },
		"SeenAll": func() { s.SeenAll(0, []store.Request[uint64]{{User: 7, Candidates: shownOne}}) },
		"Put":     func() { _ = s.Put(7, 0, nil) },
		"Export":  func() { s.Export(0)(func(store.Entry) bool { return true }) },
	} {
		func() {
			defer func() {
				if p := recover(); p == nil || !regexp.MustCompile("after Close|store is closed").MatchString(p.(string)) {
					t.Errorf("%s after Close: %v", what, p)
				}
			}()
			f()
		}()
	}
}

// turned is a calendar that counts how often it is turned to a day.
type turned struct {
	calendar
	days map[int]int
}

func (c turned) On(day int) strategies.Strategy {
	c.days[day]++
	return c.calendar.On(day)
}

// The strategy is made once a day, but for requests from before midnight.
func TestDaysAreMadeOnce(t *testing.T) {
	c := turned{days: map[int]int{}}
	s := mustNew(t, store.Config{Strategy: c, Users: 1, Unsalted: true})
	clear(c.days)
	for _, day := range []store.Timestamp{3, 3, 3, 4, 4, 3, 4, 4, 9, 9} {
		s.Seen(0, day*store.Day+7, shownOne, nil)
		s.Record(0, day*store.Day+7, shownOne)
	}
	if want := map[int]int{3: 3, 4: 1, 9: 1}; !maps.Equal(c.days, want) {
		t.Errorf("turned to the days %v, want %v", c.days, want)
	}
}
