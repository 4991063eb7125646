package kafka

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"dejavu/live/log"
)

// cluster is a broker inside the test.
func cluster(t testing.TB) []string {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.ListenAddrs()
}

func open(t testing.TB, brokers []string) *Log {
	t.Helper()
	l, err := Open(t.Context(), Options{
		Brokers: brokers, Topic: "exposures", Partitions: 4,
		Replicas: 1, Timeout: 10 * time.Second, Group: "group",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// read claims partition 1, and returns its records.
func read(t testing.TB, l *Log) (records []string) {
	t.Helper()
	_, err := l.Read(t.Context(), map[int]log.Offset{1: 0}, func(_ int, _ log.Offset, record []byte) error {
		records = append(records, string(record))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// Two processes believe that a partition is theirs. What is appended by the one that has
// not read it last is void, also where the other has not written yet: it may have answered
// a question by what it read. Nobody who was told that a record is durable has lost it.
func TestConflict(t *testing.T) {
	brokers := cluster(t)
	a, b := open(t, brokers), open(t, brokers)
	read(t, a)
	read(t, b)
	put := func(l *Log, record string) error {
		_, ticket, err := l.Append(1, []byte(record))
		if err != nil {
			return err
		}
		return ticket.Wait(t.Context())
	}
	if err := put(a, "a1"); !errors.Is(err, log.ErrConflict) {
		t.Fatalf("the first, after the second has read: %v, want ErrConflict", err)
	}
	if err := put(a, "a2"); !errors.Is(err, log.ErrConflict) {
		t.Fatalf("after a conflict, unread: %v, want ErrConflict", err)
	}
	// What is void has its place all the same, so that the other reads anew once more.
	if err := put(b, "b1"); !errors.Is(err, log.ErrConflict) {
		t.Fatalf("behind a void record: %v, want ErrConflict", err)
	}
	read(t, b)
	if err := put(b, "b2"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, a); !slices.Equal(got, []string{"b2"}) {
		t.Fatalf("read %q, want b2 alone", got)
	}
	if err := put(a, "a3"); err != nil {
		t.Fatal(err)
	}
	if err := put(b, "b3"); !errors.Is(err, log.ErrConflict) {
		t.Fatalf("the second, after the first has read: %v, want ErrConflict", err)
	}
	if got := read(t, b); !slices.Equal(got, []string{"b2", "a3"}) {
		t.Errorf("read %q, want b2, a3", got)
	}
	if _, err := Open(t.Context(), Options{
		Brokers: brokers, Topic: "exposures", Partitions: 3,
		Timeout: time.Second,
	}); err == nil || !strings.Contains(err.Error(), "has 4 partitions, want the 3") {
		t.Errorf("another number of partitions: %v", err)
	}
	if _, _, err := open(t, brokers).Append(1, nil); err == nil || !strings.Contains(err.Error(), "not read yet") {
		t.Errorf("unread: %v", err)
	}
}

// A broker that is not there yet is waited for, and what kept it away is said in the end.
func TestOpenWaits(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	go func() { // a port that hangs up
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			conn.Close()
		}
	}()
	o := Options{
		Brokers: []string{l.Addr().String()}, Topic: "exposures", Partitions: 2, Replicas: 1,
		Timeout: time.Second,
	}
	soon, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := Open(soon, o); !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "topic exposures") {
		t.Errorf("nobody there: %v", err)
	}
	opened := make(chan error, 1)
	go func() {
		on, err := Open(t.Context(), o)
		if err == nil {
			err = on.Close()
		}
		opened <- err
	}()
	time.Sleep(200 * time.Millisecond)
	l.Close()
	number, _ := strconv.Atoi(port)
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(number))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := <-opened; err != nil {
		t.Errorf("a broker that came late: %v", err)
	}
}
