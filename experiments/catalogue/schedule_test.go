package catalogue_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/store"
	"dejavu/strategies"
)

var schedules = flag.Duration("schedules", 3*time.Second, "for how long TestSchedules runs, all strategies together")

// Whatever goroutines do to a store of any strategy of the catalogue, at once and in any order, every answer
// and every history is what an exact model of one user after the other has: Show, Seen, Record, Delete, Put
// and History, while days turn, a sweeper forgets, snapshots are saved and the service starts again from one.
//
// One seed makes a schedule's choices; what runs beside what is the machine's. With -schedules=10m and -race
// it is a soak.
func TestSchedules(t *testing.T) {
	entries := catalogue.All()
	for i, e := range entries {
		t.Run(e.Name, func(t *testing.T) {
			subject := e.Subject()
			each := *schedules / time.Duration(2*len(entries))
			runSchedule(t, subject.Strategy, uint64(i), each, func(user int) string { return fmt.Sprint("user ", user) })
			runSchedule(t, subject.Strategy, uint64(i)+1000, each, func(user int) uint64 { return uint64(user) << 50 })
		})
	}
}

// A schedule is users of a store and what is known of each.
type schedule[U store.User] struct {
	strategy strategies.Strategy
	config   store.Config
	path     string
	name     func(int) U
	users    []known

	pause  sync.RWMutex // held while the store is another
	store  *store.Store[U]
	clocks []atomic.Uint32
}

// A known is a user as the model has it.
type known struct {
	mu      sync.Mutex
	history []byte
	last    store.Timestamp
}

const (
	goroutines   = 3
	scheduleIdle = 2 * store.Day
	aboutModel   = "as in the model"
)

func runSchedule[U store.User](
	t *testing.T, strategy strategies.Strategy, seed uint64, long time.Duration, name func(int) U,
) {
	secret, err := strategies.NewSecret([]byte("a secret that the test knows"))
	if err != nil {
		t.Fatal(err)
	}
	s := &schedule[U]{
		strategy: strategy, config: store.Config{Strategy: strategy, Idle: scheduleIdle, Shards: 3, Secret: secret},
		path: filepath.Join(t.TempDir(), "histories"), name: name, users: make([]known, 60),
		clocks: make([]atomic.Uint32, goroutines),
	}
	if s.store, err = store.New[U](s.config); err != nil {
		t.Fatal(err)
	}
	var serving, aside sync.WaitGroup
	stop, failed := make(chan struct{}), make(chan error, goroutines+2)
	until := time.Now().Add(long)
	for g := range goroutines {
		serving.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(g)))
			for step := 0; step < 100 || time.Now().Before(until); step++ {
				now := store.Timestamp(s.clocks[g].Add(uint32(random.IntN(4000))))
				s.pause.RLock()
				err := s.step(random, now)
				s.pause.RUnlock()
				if err != nil {
					failed <- fmt.Errorf("goroutine %d, step %d, at %d: %w", g, step, now, err)
					return
				}
			}
		})
	}
	for _, do := range []func() error{s.sweep, s.restart} {
		aside.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if err := do(); err != nil {
						failed <- err
						return
					}
				}
			}
		})
	}
	serving.Wait()
	close(stop)
	aside.Wait()
	select {
	case err := <-failed:
		t.Error(err)
	default:
		if err := s.compare(); err != nil {
			t.Error(err)
		}
	}
	s.store.Close()
}

// slowest is the earliest of the clocks: what has expired for it has for all.
func (s *schedule[U]) slowest() store.Timestamp {
	least := ^uint32(0)
	for g := range s.clocks {
		least = min(least, s.clocks[g].Load())
	}
	return store.Timestamp(least)
}

func (s *schedule[U]) sweep() error {
	s.pause.RLock()
	defer s.pause.RUnlock()
	s.store.Forget(s.slowest())
	s.store.Stats()
	return nil
}

// restart saves while requests go on, which must be whole, and then, while none do, saves and goes on from
// what was saved.
func (s *schedule[U]) restart() error {
	time.Sleep(20 * time.Millisecond)
	s.pause.RLock()
	_, err := s.store.Save(context.Background(), s.path, aboutModel, 0)
	s.pause.RUnlock()
	if err != nil {
		return err
	}
	live, _, err := store.Open[U](context.Background(), s.path, s.config, aboutModel)
	if err != nil {
		return err
	}
	live.Close()

	s.pause.Lock()
	defer s.pause.Unlock()
	_, err = s.store.Save(context.Background(), s.path, aboutModel, 0)
	if err != nil {
		return err
	}
	s.store.Close()
	if s.store, _, err = store.Open[U](context.Background(), s.path, s.config, aboutModel); err != nil {
		return err
	}
	return s.compare()
}

// compare looks at all users while nobody is served.
func (s *schedule[U]) compare() error {
	for user := range s.users {
		k := &s.users[user]
		// The sweeper may have forgotten who has expired for all; the model has not looked.
		h := s.store.History(s.name(user), 0, nil)
		gone := len(h) == 0 && k.expired(s.slowest())
		if last, ok := s.store.Last(s.name(user)); !gone && (!bytes.Equal(h, k.history) || ok != (len(h) > 0) ||
			ok && last != k.last) {
			return fmt.Errorf("user %d has a history of %d bytes, last at %d, want %d, %d", user, len(h), last,
				len(k.history), k.last)
		}
	}
	return nil
}

func (k *known) expired(now store.Timestamp) bool {
	return len(k.history) > 0 && now > k.last && now-k.last >= scheduleIdle
}

// step does something to a user, in the store and in the model, and compares.
func (s *schedule[U]) step(random *rand.Rand, now store.Timestamp) error {
	user := random.IntN(len(s.users))
	name, k := s.name(user), &s.users[user]
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.expired(now) {
		k.history = nil
		s.store.Size(name, now) // so that the store has looked, too, whatever comes now
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
	seen := make([]bool, len(articles))
	on.Seen(k.history, mixed, seen)
	record := func(of strategies.Strategy, ids []strategies.ID) {
		if len(ids) == 0 {
			return
		}
		last := now
		if len(k.history) > 0 {
			last = max(last, k.last)
		}
		k.history, k.last = slices.Clone(of.Record(slices.Clone(k.history), ids)), last
	}
	switch op := random.IntN(12); op {
	case 0, 1, 2:
		got := s.store.Seen(name, now, articles, nil)
		if !slices.Equal(got, seen) {
			return fmt.Errorf("user %d has seen %v of %v, want %v", user, got, articles, seen)
		}
	case 3, 4, 5:
		s.store.Record(name, now, articles)
		record(on, mixed)
	case 6, 7, 8:
		limit := 1 + random.IntN(6)
		var want, got []int
		var ids []strategies.ID
		for i, id := range mixed {
			if !seen[i] && len(ids) < limit && !slices.Contains(ids, id) {
				ids, want = append(ids, id), append(want, i)
			}
		}
		if op == 6 {
			got = s.store.Show(name, now, articles, limit, nil)
		} else {
			requests := []store.Request[U]{{User: name, Candidates: articles, Limit: limit}}
			s.store.ShowAll(now, requests)
			got = requests[0].Shown
		}
		record(on, ids)
		if !slices.Equal(got, want) {
			return fmt.Errorf("user %d is shown %v of %v, want %v", user, got, articles, want)
		}
	case 9:
		// What a strategy promises for deleting what was not recorded is nothing exact, so that only what the
		// history holds is compared, byte by byte.
		err := s.store.Delete(name, now, articles[:1])
		deleter, ok := on.(strategies.Deleter)
		if !ok {
			if err == nil || !strings.Contains(err.Error(), "cannot delete") {
				return fmt.Errorf("deleting where the strategy cannot: %w", cmp.Or(err, errors.New("no error")))
			}
			break
		}
		if err != nil {
			return err
		}
		if len(k.history) > 0 {
			k.history = slices.Clone(deleter.Delete(slices.Clone(k.history), mixed[:1]))
		}
	case 10:
		if random.IntN(3) > 0 {
			break
		}
		k.history = nil
		if random.IntN(2) == 0 {
			record(on, mixed)
		}
		if err := s.store.Put(name, now, k.history); err != nil {
			return err
		}
		k.last = now
	case 11:
		if h := s.store.History(name, now, nil); !bytes.Equal(h, k.history) {
			return fmt.Errorf("user %d's history is not the model's", user)
		}
	}
	return nil
}
