package store_test

import (
	"bytes"
	"flag"
	"io"
	"testing"

	"dejavu/beyond/matrix"
	"dejavu/experiments/catalogue"
	"dejavu/internal/sysinfo"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var manyUsers = flag.Int("many", 4000, "users in TestSnapshotOfMany")

// Histories of solved links, of every length that there is and all through a cycle, go through a snapshot byte for
// byte: each is valid then, and has every article of its window. A million of them take two minutes, and a GB:
//
//	go test ./store -run SnapshotOfMany -many 1000000 -v
func TestSnapshotOfMany(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("shares nothing that other snapshots do not")
	}
	const most, about = 600, "solved links"
	memory := catalogue.Must(matrix.New(matrix.Window400))
	c := store.Config{Strategy: memory, Unsalted: true, Users: *manyUsers}
	s := catalogue.Must(store.New[int](c))
	defer s.Close()
	var ids []strategies.ID
	shown := func(user int) []strategies.ID { // which says how many these are; 7 and most share no factor
		ids = ids[:0]
		for i := range 7 * user % most {
			ids = append(ids, strategies.Number(uint64(user*most+i)))
		}
		return ids
	}
	for user := range *manyUsers {
		s.Record(user, 1, shown(user))
	}
	from, to := io.Pipe()
	go func() {
		_, err := s.WriteSnapshot(t.Context(), to, about, 1, nil)
		to.CloseWithError(err)
	}()
	again, read, err := store.ReadSnapshot[int](t.Context(), from, c, about)
	strategytest.Must(t, err)
	defer again.Close()
	t.Logf("%+v", read)
	var was, is []byte
	var seen []bool
	for user := range *manyUsers {
		was, is = s.History(user, 1, was[:0]), again.History(user, 1, is[:0])
		if !bytes.Equal(was, is) || memory.Validate(is) != nil {
			t.Errorf("user %d has %x, want %x; %v", user, is, was, memory.Validate(is))
		}
		all := shown(user)
		window := memory.Window(len(all))
		if seen = again.Seen(user, 1, all[len(all)-window:], seen[:0]); strategytest.Count(seen) != window {
			t.Errorf("user %d, of %d articles: %d of the last %d are seen", user, len(all), strategytest.Count(seen), window)
		}
	}
}
