package catalogue_test

import (
	"context"
	"time"

	"dejavu/store"
	"dejavu/strategies"
)

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
	config := s.config
	s.pause.RUnlock()
	if err != nil {
		return err
	}
	live, _, err := store.Open[U](context.Background(), s.path, config, aboutModel)
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

// move exports while requests go on, which must be taken, and then, while none do, goes on in a store of other shards.
func (s *schedule[U]) move() error {
	time.Sleep(15 * time.Millisecond)
	s.pause.RLock()
	aside, err := s.moved()
	s.pause.RUnlock()
	if err != nil {
		return err
	}
	aside.Close()

	s.pause.Lock()
	defer s.pause.Unlock()
	s.config.Shards = 1 + s.config.Shards%5
	into, err := s.moved()
	if err != nil {
		return err
	}
	s.store.Close()
	s.store = into
	return s.compare()
}

func (s *schedule[U]) moved() (*store.Store[U], error) {
	into, err := store.New[U](s.config)
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

// rotate has a store with another secret learn what users are shown, and then take the place of the first.
func (s *schedule[U]) rotate() error {
	time.Sleep(10 * time.Millisecond)
	s.pause.Lock()
	config := s.config
	config.Secret = strategies.RandomSecret()
	next, err := store.New[U](config)
	s.next = next
	for user := range s.users {
		s.users[user].next = memory{}
	}
	s.pause.Unlock()
	if err != nil {
		return err
	}
	time.Sleep(30 * time.Millisecond)
	s.pause.Lock()
	defer s.pause.Unlock()
	if err := s.compare(); err != nil {
		return err
	}
	s.store.Close()
	s.store, s.next, s.config.Secret = s.next, nil, config.Secret
	for user := range s.users {
		s.users[user].memory = s.users[user].next
	}
	return s.compare()
}
