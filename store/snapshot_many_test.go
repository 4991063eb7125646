package store_test

import (
	"bytes"
	"flag"
	"io"
	"sync"
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
// byte: each is valid then, and has every article of its window. A million of them take a minute, and a GB of memory:
//
//	go test ./store -run SnapshotOfMany -many 1000000 -v
func TestSnapshotOfMany(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("nothing that others do not share")
	}
	const most, about = 600, "solved links"
	memory := catalogue.Must(matrix.New(matrix.Window400))
	c := store.Config{Strategy: memory, Unsalted: true, Users: *manyUsers}
	s := catalogue.Must(store.New[int](c))
	defer s.Close()
	// shown is what a user was shown, whose number says how many these are; 7 and most share no factor.
	shown := func(user int, ids []strategies.ID) []strategies.ID {
		ids = ids[:0]
		for i := range 7 * user % most {
			ids = append(ids, strategies.Number(uint64(user*most+i)))
		}
		return ids
	}
	split(*manyUsers, func(users []int) {
		var ids []strategies.ID
		for _, user := range users {
			if ids = shown(user, ids); len(ids) > 0 {
				s.Record(user, 1, ids)
			}
		}
	})
	from, to := io.Pipe()
	go func() {
		_, err := s.WriteSnapshot(t.Context(), to, about, 1, nil)
		to.CloseWithError(err)
	}()
	again, read, err := store.ReadSnapshot[int](t.Context(), from, c, about)
	strategytest.Must(t, err)
	defer again.Close()
	before, after := s.Stats(), again.Stats()
	t.Logf("%+v; %d users of %.1f B each", read, after.Users, float64(after.Payload)/float64(after.Users))
	if want := *manyUsers - (*manyUsers+most-1)/most; after.Users != want || before.Payload != after.Payload {
		t.Fatalf("%d users with %d B, want %d with %d", after.Users, after.Payload, want, before.Payload)
	}
	split(*manyUsers, func(users []int) {
		var ids []strategies.ID
		var was, is []byte
		var seen []bool
		for _, user := range users {
			was, is = s.History(user, 1, was[:0]), again.History(user, 1, is[:0])
			if ids = shown(user, ids); !bytes.Equal(was, is) || memory.Validate(is) != nil {
				t.Errorf("user %d has %x, want %x; %v", user, is, was, memory.Validate(is))
			}
			window := memory.Window(len(ids))
			if seen = again.Seen(user, 1, ids[len(ids)-window:], seen[:0]); strategytest.Count(seen) != window {
				t.Errorf("user %d, of %d articles: %d of the last %d are seen", user, len(ids), strategytest.Count(seen), window)
			}
		}
	})
}

// split does some of the users each on two goroutines.
func split(users int, do func(some []int)) {
	var group sync.WaitGroup
	for half := range 2 {
		group.Go(func() {
			var some []int
			for user := half; user < users; user += 2 {
				some = append(some, user)
			}
			do(some)
		})
	}
	group.Wait()
}
