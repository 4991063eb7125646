package catalogue_test

import (
	"bytes"
	"cmp"
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
	"dejavu/strategies/strategytest"
)

var schedules = flag.Duration("schedules", 3*time.Second, "for how long TestSchedules runs, all strategies together")

// Whatever goroutines do to a store of any strategy of the catalogue, at once and in any order, every answer
// and every history is what an exact model of one user after the other has: Show, Seen, Record, Delete, Put, Remove
// and History, of requests long and short, while days turn, a sweeper forgets, snapshots are saved and the service
// starts again from one, its histories move to a store of other shards, and its secret is rotated.
//
// One seed makes a schedule's choices; what runs beside what is the machine's. It is a soak with
//
//	go test -race ./experiments/catalogue -run TestSchedules -schedules 10m -timeout 30m
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
	next   *store.Store[U] // with another secret, which learns what users are shown; nil at other times
	clocks []atomic.Uint32
}

// A known is a user as the model has it.
type known struct {
	mu sync.Mutex
	memory
	next memory // in the schedule's next store
}

type memory struct {
	history []byte
	last    store.Timestamp
}

const (
	goroutines   = 3
	scheduleIdle = 2 * store.Day
	inPieces     = 4000 // candidates of a request that are one step
	aboutModel   = "as in the model"
)

func runSchedule[U store.User](
	t *testing.T, strategy strategies.Strategy, seed uint64, long time.Duration, name func(int) U,
) {
	secret := strategytest.Value(strategies.NewSecret([]byte("a secret that the test knows")))
	s := &schedule[U]{
		strategy: strategy, config: store.Config{
			Strategy: strategy, Idle: scheduleIdle, Shards: 3, Secret: secret, Skew: 1 << 31, // more than clocks are apart
		},
		path: filepath.Join(t.TempDir(), "histories"), name: name, users: make([]known, 60),
		clocks: make([]atomic.Uint32, goroutines),
	}
	s.store = strategytest.Value(store.New[U](s.config))
	for g := range s.clocks {
		s.clocks[g].Store(uint32(store.At(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))))
	}
	var serving, aside sync.WaitGroup
	stop, failed := make(chan struct{}), make(chan error, goroutines+4)
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
	for _, do := range []func() error{s.sweep, s.restart, s.move, s.rotate} {
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
		strategytest.Must(t, s.compare())
	}
	s.store.Close()
	if s.next != nil {
		s.next.Close()
	}
}

// compare looks at all users while nobody is served.
func (s *schedule[U]) compare() error {
	for user := range s.users {
		k := &s.users[user]
		if err := s.same(s.store, user, &k.memory); err != nil {
			return err
		}
		if s.next == nil {
			continue
		}
		if err := s.same(s.next, user, &k.next); err != nil {
			return fmt.Errorf("next secret: %w", err)
		}
	}
	return nil
}

func (s *schedule[U]) same(in *store.Store[U], user int, m *memory) error {
	// The sweeper may have forgotten who has expired for all; the model has not looked.
	h := in.History(s.name(user), 0, nil)
	gone := len(h) == 0 && m.expired(s.slowest())
	if last, ok := in.Last(s.name(user)); !gone && (!bytes.Equal(h, m.history) || ok != (len(h) > 0) ||
		ok && last != m.last) {
		return fmt.Errorf("user %d has a history of %d bytes, last at %d, want %d, %d", user, len(h), last,
			len(m.history), m.last)
	}
	return nil
}

func (m *memory) expired(now store.Timestamp) bool {
	return len(m.history) > 0 && now > m.last && now-m.last >= scheduleIdle
}

func (m *memory) record(on strategies.Strategy, now store.Timestamp, ids []strategies.ID) {
	if len(ids) == 0 {
		return
	}
	if len(m.history) > 0 {
		now = max(now, m.last)
	}
	m.history, m.last = slices.Clone(on.Record(slices.Clone(m.history), ids)), now
}

// show is Store.Show: the positions of those shown.
func (m *memory) show(on strategies.Strategy, now store.Timestamp, mixed []strategies.ID, limit int) (shown []int) {
	var all []strategies.ID // shown in this request
	for from := 0; from < len(mixed) && len(shown) < limit; from += inPieces {
		piece := mixed[from:min(from+inPieces, len(mixed))]
		seen := make([]bool, len(piece))
		on.Seen(m.history, piece, seen)
		before := len(all)
		for i, id := range piece {
			if !seen[i] && len(shown) < limit && !slices.Contains(all, id) {
				all, shown = append(all, id), append(shown, from+i)
			}
		}
		m.record(on, now, all[before:])
	}
	return shown
}

// learn has the next store, if there is one, do what the first did.
func (s *schedule[U]) learn(user int, now store.Timestamp, on strategies.Strategy, articles []strategies.ID) {
	if s.next == nil {
		return
	}
	k, name := &s.users[user], s.name(user)
	if k.next.expired(now) {
		k.next.history = nil
		s.next.Size(name, now)
	}
	salt, _ := s.next.Salt(name)
	s.next.Record(name, now, articles)
	k.next.record(on, now, salt.Append(nil, articles))
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
	if random.IntN(100) == 0 {
		articles = make([]strategies.ID, 3990+random.IntN(200))
	}
	for i := range articles {
		articles[i] = strategies.ID(1 + random.IntN(max(300, len(articles))))
	}
	salt, _ := s.store.Salt(name)
	mixed := salt.Append(nil, articles)
	switch op := random.IntN(13); op {
	case 0, 1, 2:
		want := make([]bool, len(articles))
		on.Seen(k.history, mixed, want)
		if got := s.store.Seen(name, now, articles, nil); !slices.Equal(got, want) {
			return fmt.Errorf("user %d has seen %v of %v, want %v", user, got, articles, want)
		}
	case 3, 4, 5:
		s.store.Record(name, now, articles)
		k.record(on, now, mixed)
		s.learn(user, now, on, articles)
	case 6, 7, 8:
		limit := 1 + random.IntN(max(6, len(articles)))
		requests := []store.Request[U]{{User: name, Candidates: articles, Limit: limit}}
		if op == 6 {
			requests[0].Shown = s.store.Show(name, now, articles, limit, nil)
		} else {
			s.store.ShowAll(now, requests)
		}
		got := requests[0].Shown
		if want := k.show(on, now, mixed, limit); !slices.Equal(got, want) {
			return fmt.Errorf("user %d is shown %v of %v, want %v", user, got, articles, want)
		}
		var shown []strategies.ID
		for _, at := range got {
			shown = append(shown, articles[at])
		}
		s.learn(user, now, on, shown)
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
		k.memory = memory{}
		k.record(on, now, mixed)
		if err := s.store.Put(name, now, k.history); err != nil {
			return err
		}
	case 11:
		if random.IntN(3) > 0 {
			break
		}
		s.store.Remove(name)
		k.memory, k.next = memory{}, memory{}
		if s.next != nil {
			s.next.Remove(name)
		}
	case 12:
		if h := s.store.History(name, now, nil); !bytes.Equal(h, k.history) {
			return fmt.Errorf("user %d's history is not the model's", user)
		}
	}
	return nil
}
