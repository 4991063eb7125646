package log_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"dejavu/live/log"
	"dejavu/live/log/journal"
	"dejavu/live/log/kafka"
	"dejavu/strategies/strategytest"
)

// A ticket says what became of its records, also to those who come late. A wait lasts as long as the context says.
func TestTicket(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	var durable *log.Ticket
	durable.Stall(nil)
	strategytest.ErrorSays(t, "no ticket", durable.Wait(over), "")
	for _, want := range []error{nil, errors.New("planted")} {
		ticket, first := log.NewTicket(), errors.New("first")
		strategytest.Equal(t, ticket.Wait(over), context.Canceled, "a wait that is given up")
		ticket.Stall(first)
		ticket.Stall(log.ErrStalled)
		strategytest.Equal(t, ticket.Wait(t.Context()), first, "a wait while the log is stalled")
		ticket.Settle(want)
		for range 20 { // a choice between the two would be by chance
			strategytest.Equal(t, ticket.Wait(over), want, "a late wait")
		}
	}
}

const partitions = 4

func all() map[int]log.Offset { return map[int]log.Offset{0: 0, 1: 0, 2: 0, 3: 0} }

// read reads partitions from offsets on, and returns the records of each as text.
func read(t testing.TB, l log.Log, from map[int]log.Offset) (records map[int][]string, next map[int]log.Offset) {
	t.Helper()
	records = map[int][]string{}
	last := map[int]log.Offset{}
	next, err := l.Read(t.Context(), from, func(p int, at log.Offset, record []byte) error {
		if before, ok := last[p]; ok && at <= before || at < from[p] {
			return fmt.Errorf("partition %d: offset %d after %d, from %d", p, at, before, from[p])
		}
		last[p] = at
		records[p] = append(records[p], string(record))
		return nil
	})
	strategytest.Must(t, err)
	for p, at := range last {
		strategytest.AtLeast(t, next[p], at+1, "the next offset of partition %d", p)
	}
	return records, next
}

func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	strategytest.Must(t, journal.Begin(path, 0))
	contract(t, func() log.Log {
		l := strategytest.Value(journal.Open(path, partitions))
		l.Sync(false)
		return l
	})
}

func TestKafka(t *testing.T) {
	c := strategytest.Value(kfake.NewCluster(kfake.NumBrokers(1)))
	defer c.Close()
	contract(t, func() log.Log {
		return strategytest.Value(kafka.Open(t.Context(), kafka.Options{
			Brokers: c.ListenAddrs(), Topic: "exposures", Partitions: partitions, Timeout: 10 * time.Second,
		}))
	})
}

// contract holds the logs that open opens, all the same one, to the interface.
func contract(t *testing.T, open func() log.Log) {
	l := open()
	got, _ := read(t, l, all())
	strategytest.Equal(t, len(got), 0, "records of a new log")
	// Goroutines append, each to its partition, and are read back in their order.
	want := map[int][]string{}
	offsets := map[int][]log.Offset{}
	var mu sync.Mutex
	appendSome := func(l log.Log, round int) {
		var group sync.WaitGroup
		for p := range partitions {
			group.Go(func() {
				random := rand.New(rand.NewPCG(uint64(round), uint64(p)))
				var tickets []*log.Ticket
				for i := range 50 {
					record := fmt.Sprintf("%d/%d/%d/%0*d", round, p, i, random.IntN(300), 0)
					at, ticket, err := l.Append(p, []byte(record))
					strategytest.Must(t, err)
					mu.Lock()
					want[p], offsets[p] = append(want[p], record), append(offsets[p], at)
					mu.Unlock()
					tickets = append(tickets, ticket)
				}
				for _, ticket := range tickets {
					strategytest.ErrorSays(t, "durable", ticket.Wait(context.Background()), "")
				}
			})
		}
		group.Wait()
	}
	appendSome(l, 1)
	reads := func(from map[int]log.Offset, want map[int][]string) (next map[int]log.Offset) {
		t.Helper()
		got, next := read(t, l, from)
		strategytest.DeepEqual(t, got, want, "records")
		return next
	}
	reads(all(), want)
	strategytest.Must(t, l.Close())

	l = open() // as another process
	reads(all(), want)
	appendSome(l, 2)
	reads(map[int]log.Offset{2: offsets[2][70]}, map[int][]string{2: want[2][70:]})
	_, err := l.Read(t.Context(), all(), func(int, log.Offset, []byte) error { return errors.New("enough") })
	strategytest.ErrorSays(t, "a Read that the caller ends", err, "enough")

	// Trimmed records may be gone, and reading them then fails; the rest stays.
	from := map[int]log.Offset{}
	for p := range partitions {
		from[p], want[p] = offsets[p][90], want[p][90:]
		strategytest.Must(t, l.Trim(t.Context(), p, from[p]))
	}
	next := reads(from, want)
	ignore := func(int, log.Offset, []byte) error { return nil }
	if _, err := l.Read(t.Context(), all(), ignore); err != nil && !errors.Is(err, log.ErrGone) {
		t.Errorf("what was trimmed is read with %v, want nil or ErrGone", err)
	}
	next[1] += 1 << 40
	short := strategytest.ErrorOf(l.Read(t.Context(), next, ignore))
	strategytest.ErrorSays(t, "from behind the end", short, log.ErrShort.Error())
	strategytest.Must(t, l.Close())
}
