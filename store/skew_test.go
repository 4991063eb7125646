package store_test

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"dejavu/store"
	"dejavu/strategies/strategytest"
)

// One request, one Forget and one snapshot far ahead change nobody's life, nor does a history from elsewhere with such
// a time live for ever. A store that opens a snapshot knows the time from it.
func TestSkew(t *testing.T) {
	now := store.At(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	const ahead = 20 * 365 * store.Day
	c := store.Config{Strategy: flat, Idle: store.Day, Skew: 3600, Users: 4, Secret: secret(t, "skew")}
	s := mustNew(t, c)
	for range 9 {
		s.Record(0, now, shownOne)
	}
	s.Record(1, now+ahead, shownOne)
	strategytest.Must(t, s.Put(2, now+ahead, s.History(0, now, nil)))
	strategytest.Equal(t, s.Forget(now+ahead), 0, "one Forget far ahead forgets")
	file := written(t, s, now+ahead)
	for range 5 {
		s.Record(3, now+store.Day-10, shownOne)
	}
	got, snapshot, err := loaded(file, c)
	strategytest.Must(t, err)
	defer got.Clear()
	if snapshot.Histories != 3 || snapshot.Now != now+3600 {
		t.Errorf("one snapshot far ahead has %d histories, of %d, want 3 of %d", snapshot.Histories, snapshot.Now, now+3600)
	}
	if got.Record(3, now+ahead, shownOne); got.Stats().Skewed != 1 || s.Stats().Skewed < 3 {
		t.Errorf("%d and %d readings are odd", got.Stats().Skewed, s.Stats().Skewed)
	}
	for day := range store.Timestamp(2) { // a sweeper's, an hour apart
		for hour := range store.Timestamp(24) {
			s.Forget(now + 3600 + day*store.Day + hour*3600)
			s.Record(3, now+3600+day*store.Day+hour*3600, shownOne)
		}
	}
	if users := s.Stats().Users; users != 1 || s.Size(3, now+2*store.Day) == 0 {
		t.Errorf("%d users are left after two days, want the one who comes", users)
	}
}

// A clock that many read at once is at the latest of all readings.
func TestSkewOfManyReaders(t *testing.T) {
	s := mustNew(t, store.Config{Strategy: flat, Idle: 1000, Skew: 100, Users: 4, Secret: secret(t, "skew")})
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for now := range store.Timestamp(5000) {
				s.Record(g, 1<<20+now/100, shownOne)
			}
		})
	}
	group.Wait()
	if st := s.Stats(); st.Skewed != 0 {
		t.Errorf("%d of readings that agree are odd", st.Skewed)
	}
	var file bytes.Buffer
	snapshot := strategytest.Value(s.WriteSnapshot(t.Context(), &file, about, 1<<20, nil))
	if last, _ := s.Last(3); last != 1<<20+49 || snapshot.Histories != 4 {
		t.Errorf("the last is %d of %d", last, snapshot.Histories)
	}
}
