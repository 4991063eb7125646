package catalogue_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var schedules = flag.Duration("schedules", time.Second, "duration of TestSchedules, all strategies together")

// TestSchedules compares stores of all strategies, used by several goroutines, with a model that serves one user after
// the other. Meanwhile days pass, a sweeper forgets, the store is opened again from a snapshot, and histories move to a
// store with another number of shards. Seeds choose the calls; the machine chooses what runs at the same time. A soak:
//
//	go test -race ./experiments/catalogue -run TestSchedules -schedules 10m -timeout 30m
func TestSchedules(t *testing.T) {
	entries := catalogue.All()
	for i, e := range entries {
		t.Run(e.Name, func(t *testing.T) {
			runSchedule(t, catalogue.Must(e.Make()), uint64(i), *schedules/time.Duration(len(entries)))
		})
	}
}

// A schedule is a store and what the model knows of each user.
type schedule struct {
	strategy strategies.Strategy
	config   store.Config
	path     string
	users    []modelled
	pause    sync.RWMutex // held while the store is replaced
	store    *store.Store[string]
	clocks   [3]atomic.Uint32 // one for each goroutine
}

// A modelled user has the history that the store must have.
type modelled struct {
	mu      sync.Mutex
	history []byte
	last    store.Timestamp
}

const (
	scheduleIdle = 2 * store.Day
	aboutModel   = "as in the model"
)

func userName(user int) string { return fmt.Sprint("user ", user) }

func runSchedule(t *testing.T, strategy strategies.Strategy, seed uint64, long time.Duration) {
	secret := strategytest.Value(strategies.NewSecret([]byte("a secret that the test knows")))
	s := &schedule{
		strategy: strategy, path: filepath.Join(t.TempDir(), "histories"), users: make([]modelled, 60),
		config: store.Config{
			Strategy: strategy, Idle: scheduleIdle, Shards: 3, Secret: secret,
		},
	}
	s.store = strategytest.Value(store.New[string](s.config))
	start := uint32(store.At(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)))
	for g := range s.clocks {
		s.clocks[g].Store(start)
	}
	var serving, aside sync.WaitGroup
	stop, until := make(chan struct{}), time.Now().Add(long)
	for g := range s.clocks {
		serving.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(g)))
			for step := 0; step < 100 || time.Now().Before(until); step++ {
				now := store.Timestamp(s.clocks[g].Add(uint32(random.IntN(4000))))
				s.pause.RLock()
				err := s.step(random, now)
				s.pause.RUnlock()
				if err != nil {
					t.Errorf("goroutine %d, step %d, at %d: %v", g, step, now, err)
					return
				}
			}
		})
	}
	for _, do := range []func() error{s.sweep, s.restart, s.move} {
		aside.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if err := do(); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	serving.Wait()
	close(stop)
	aside.Wait()
	strategytest.Must(t, s.compare())
	s.store.Close()
}

// compare compares all users with the model while nobody is served.
func (s *schedule) compare() error {
	for user := range s.users {
		m := &s.users[user]
		h := s.store.History(userName(user), 0, nil)
		if len(h) == 0 && m.expired(s.slowest()) { // the sweeper has forgotten a user whom the model has not looked at
			continue
		}
		if last, ok := s.store.Last(userName(user)); !bytes.Equal(h, m.history) || ok && last != m.last {
			return fmt.Errorf("user %d has a history of %d bytes, last at %d, want %d, %d", user, len(h), last,
				len(m.history), m.last)
		}
	}
	return nil
}

func (m *modelled) expired(now store.Timestamp) bool {
	return len(m.history) > 0 && now > m.last && now-m.last >= scheduleIdle
}

func (m *modelled) record(on strategies.Strategy, now store.Timestamp, ids []strategies.ID) {
	if len(ids) == 0 {
		return
	}
	if len(m.history) > 0 {
		now = max(now, m.last)
	}
	m.history, m.last = slices.Clone(on.Record(slices.Clone(m.history), ids)), now
}

// step calls one method for a random user, in the store and in the model, and compares.
func (s *schedule) step(random *rand.Rand, now store.Timestamp) error {
	user := random.IntN(len(s.users))
	name, m := userName(user), &s.users[user]
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.expired(now) {
		m.history = nil
		s.store.Size(name, now) // so that the store has forgotten, too
	}
	on := s.strategy
	if dated, ok := on.(strategies.Dated); ok {
		on = dated.On(int(now / store.Day))
	}
	articles := make([]strategies.ID, 1+random.IntN(12))
	for i := range articles {
		articles[i] = strategies.ID(1 + random.IntN(300))
	}
	salt, _ := s.store.Salt(name)
	mixed := salt.Append(nil, articles)
	seen := make([]bool, len(mixed))
	on.Seen(m.history, mixed, seen)
	switch op := random.IntN(13); op {
	case 0, 1, 2:
		if got := s.store.Seen(name, now, articles, nil); !slices.Equal(got, seen) {
			return fmt.Errorf("user %d has seen %v of %v, want %v", user, got, articles, seen)
		}
	case 3, 4, 5:
		s.store.Record(name, now, articles)
		m.record(on, now, mixed)
	case 6, 7, 8:
		limit := 1 + random.IntN(6)
		var want []int
		var shown []strategies.ID
		for i, id := range mixed {
			if !seen[i] && len(want) < limit && !slices.Contains(shown, id) {
				shown, want = append(shown, id), append(want, i)
			}
		}
		m.record(on, now, shown)
		requests := []store.Request[string]{{User: name, Candidates: articles, Limit: limit}}
		if op == 6 {
			requests[0].Shown = s.store.Show(name, now, articles, limit, nil)
		} else {
			s.store.ShowAll(now, requests)
		}
		if got := requests[0].Shown; !slices.Equal(got, want) {
			return fmt.Errorf("user %d is shown %v of %v, want %v", user, got, articles, want)
		}
	case 9:
		if deleter, ok := on.(strategies.Deleter); ok {
			if len(m.history) > 0 {
				m.history = slices.Clone(deleter.Delete(slices.Clone(m.history), mixed[:1]))
			}
			return s.store.Delete(name, now, articles[:1])
		}
	case 10:
		m.history = nil
		m.record(on, now, mixed)
		return s.store.Put(name, now, m.history)
	case 11:
		s.store.Remove(name)
		m.history = nil
	case 12:
		if h := s.store.History(name, now, nil); !bytes.Equal(h, m.history) {
			return fmt.Errorf("user %d's history is not the model's", user)
		}
	}
	return nil
}

// slowest returns the earliest of the clocks.
func (s *schedule) slowest() store.Timestamp {
	least := ^uint32(0)
	for g := range s.clocks {
		least = min(least, s.clocks[g].Load())
	}
	return store.Timestamp(least)
}

func (s *schedule) sweep() error {
	s.pause.RLock()
	defer s.pause.RUnlock()
	s.store.Forget(s.slowest())
	s.store.Stats()
	return nil
}

// restart opens a snapshot that was saved during requests; then it replaces the store by one saved without requests.
func (s *schedule) restart() error {
	time.Sleep(20 * time.Millisecond)
	reopened := func() (*store.Store[string], error) {
		if _, err := s.store.Save(context.Background(), s.path, aboutModel, 0); err != nil {
			return nil, err
		}
		reopened, _, err := store.Open[string](context.Background(), s.path, s.config, aboutModel)
		return reopened, err
	}
	return s.replace(reopened, func() {})
}

// move does the same with a store of another number of shards, which imports what this one exports.
func (s *schedule) move() error {
	time.Sleep(15 * time.Millisecond)
	moved := func() (*store.Store[string], error) {
		into, err := store.New[string](s.config)
		if err != nil {
			return nil, err
		}
		for e := range s.store.Export(s.slowest()) {
			if err := into.Import(e); err != nil {
				return nil, err
			}
		}
		return into, nil
	}
	return s.replace(moved, func() { s.config.Shards = 1 + s.config.Shards%5 })
}

// replace makes another store while requests go on, and closes it. Then it changes the configuration, makes another
// store without requests, and goes on with that.
func (s *schedule) replace(another func() (*store.Store[string], error), change func()) error {
	s.pause.RLock()
	aside, err := another()
	s.pause.RUnlock()
	if err != nil {
		return err
	}
	aside.Close()
	s.pause.Lock()
	defer s.pause.Unlock()
	change()
	next, err := another()
	if err != nil {
		return err
	}
	s.store.Close()
	s.store = next
	return s.compare()
}
