package kafka

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"dejavu/live/log"
	"dejavu/strategies/strategytest"
)

func open(t testing.TB, brokers []string) *Log {
	t.Helper()
	l := strategytest.Value(Open(t.Context(), Options{
		Brokers: brokers, Topic: "exposures", Partitions: 4, Timeout: 10 * time.Second, Group: "group",
	}))
	t.Cleanup(func() { l.Close() })
	return l
}

func read(t testing.TB, l *Log) (records []string) {
	t.Helper()
	strategytest.Value(l.Read(t.Context(), map[int]log.Offset{1: 0}, func(_ int, _ log.Offset, record []byte) error {
		records = append(records, string(record))
		return nil
	}))
	return records
}

// Appends by a process that did not read the partition last are void: another may have answered by what it read.
func TestConflict(t *testing.T) {
	_, brokers := shortCluster(t)
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
	void := func(what string, err error) { strategytest.ErrorSays(t, what, err, log.ErrConflict.Error()) }
	void("the first, after the second has read", put(a, "a1"))
	void("after a conflict, unread", strategytest.ErrorOf(a.Append(1, []byte("a2"))))
	// A void record still takes an offset, so that the other reads again once more.
	void("behind a void record", put(b, "b1"))
	read(t, b)
	strategytest.Must(t, put(b, "b2"))
	strategytest.EqualSlices(t, read(t, a), []string{"b2"}, "read by the first")
	strategytest.Must(t, put(a, "a3"))
	void("the second, after the first has read", put(b, "b3"))
	strategytest.EqualSlices(t, read(t, b), []string{"b2", "a3"}, "read by the second")
	strategytest.ErrorSays(t, "unread", strategytest.ErrorOf(open(t, brokers).Append(1, nil)), "not read yet")
}

// What a broker refuses is an error of every call that asks for it; the other calls are answered as before.
func TestRefused(t *testing.T) {
	c, brokers := shortCluster(t)
	l := open(t, brokers)
	o, none := l.o, func(int, log.Offset, []byte) error { return nil }
	o.Topic, o.Logger = "another", slog.New(slog.DiscardHandler) // which each Open has to make
	calls := []func(ctx context.Context) error{
		func(ctx context.Context) error {
			_, ticket, err := l.Append(1, []byte("a"))
			return cmp.Or(err, ticket.Wait(ctx))
		},
		func(ctx context.Context) error { return strategytest.ErrorOf(l.Empty(ctx)) },
		func(ctx context.Context) error { return l.Trim(ctx, 2, 0) },
		func(ctx context.Context) error {
			other, err := Open(ctx, o)
			if err == nil {
				_, err = other.admin.DeleteTopics(ctx, o.Topic)
				err = errors.Join(err, other.Close())
			}
			return err
		},
		func(ctx context.Context) error {
			return strategytest.ErrorOf(l.Read(ctx, map[int]log.Offset{1: 0}, none))
		},
	}
	for asked, want := range map[kmsg.Key]string{ // which of the calls are refused
		kmsg.Produce: "[append read]", kmsg.ListOffsets: "[empty read]", kmsg.DeleteRecords: "[trim]",
		kmsg.CreateTopics: "[open]", kmsg.DescribeGroups: "[open]", kmsg.Fetch: "[read]",
		kmsg.DescribeConfigs: "[]", // which is warned of
	} {
		read(t, l)
		says, refused := kerr.TopicAuthorizationFailed, []string{}
		if asked == kmsg.DescribeGroups {
			says = kerr.GroupAuthorizationFailed
		}
		faults := c.Fault(kfake.Fault{Keys: []kmsg.Key{asked}, Err: says, Count: -1})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		for i, call := range calls {
			if err := call(ctx); err != nil {
				strategytest.ErrorSays(t, "refused", err, says.Message)
				refused = append(refused, []string{"append", "empty", "trim", "open", "read"}[i])
			}
		}
		cancel()
		faults.Remove()
		strategytest.Equal(t, fmt.Sprint(refused), want, "calls that fail where %v is refused", asked.Name())
	}
	read(t, l)
	var tickets [2]*log.Ticket // of one producer, whose requests are answered in turn: the first reason stays
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.MessageTooLarge},
		kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.TopicAuthorizationFailed})
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.SleepControl(func() { time.Sleep(100 * time.Millisecond) })
		return nil, nil, false
	})
	for i := range tickets {
		var err error
		_, tickets[i], err = l.Append(1, make([]byte, 600_000)) // two do not share a request
		strategytest.Must(t, err)
	}
	strategytest.ErrorSays(t, "the first", tickets[0].Wait(t.Context()), kerr.MessageTooLarge.Message)
	strategytest.Equal(t, tickets[1].Wait(t.Context()) != nil, true, "the second fails")
	strategytest.ErrorSays(t, "the next", strategytest.ErrorOf(l.Append(1, nil)), kerr.MessageTooLarge.Message)
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	for _, i := range []int{3, 4} { // others may know the topic from before
		strategytest.ErrorSays(t, "no topic", calls[i](t.Context()), kerr.TopicAuthorizationFailed.Message)
	}
	o.Brokers = []string{"a:port"}
	l.o.Brokers = o.Brokers // which the clients to come are made of
	nothing := func(context.Context, []int) {}
	for _, err := range []error{
		calls[3](t.Context()), calls[4](t.Context()), l.Join(t.Context(), short, nothing, nothing, nothing),
	} {
		strategytest.ErrorSays(t, "no address of a broker", err, "kafka: ")
	}
}

// A topic that may delete records too early is refused. One that the service may not look at serves, with a warning.
// So does one that was given more partitions: users are in the old ones.
func TestTopics(t *testing.T) {
	c, brokers := shortCluster(t)
	var said bytes.Buffer
	o := Options{
		Brokers: brokers, Partitions: 2, Timeout: 10 * time.Second, Group: "group", Kept: 24 * time.Hour,
		Logger: slog.New(slog.NewTextHandler(&said, nil)),
	}
	for i, of := range []struct {
		partitions       int
		key, value, want string
	}{
		{2, "cleanup.policy", "compact", ": cleanup.policy is compact, want delete"},
		{2, "cleanup.policy", "compact,delete", ": cleanup.policy is compact,delete, want delete"},
		{2, "cleanup.policy", "delete", ""},
		{2, "retention.bytes", "1000000", ": retention.bytes is 1000000, want -1"},
		{2, "retention.bytes", "-1", ""},
		{2, "retention.ms", "86399999", ": retention.ms is 86399999, want -1, or at least 86400000: "},
		{2, "retention.ms", "86400000", ""},
		{3, "retention.ms", "-1", " has 3 partitions, want the 2"},
		{3, "retention.ms", "-1", ""}, // begun with two, as the next
		{1, "retention.ms", "-1", " has 1 partitions, want the 2"},
		{2, "cleanup.policy", "compact", ""}, // and the service may not look
	} {
		o.Begun = i > 7
		if o.Topic = fmt.Sprint("topic", i); i == 10 {
			c.ControlKey(int16(kmsg.DescribeConfigs), func(r kmsg.Request) (kmsg.Response, error, bool) {
				answer, one := r.ResponseKind().(*kmsg.DescribeConfigsResponse), kmsg.NewDescribeConfigsResponseResource()
				one.ResourceName, one.ErrorCode = o.Topic, kerr.TopicAuthorizationFailed.Code
				answer.Resources = append(answer.Resources, one)
				return answer, nil, true
			})
		}
		strategytest.Must(t, c.CreateTopic(o.Topic, int32(of.partitions), map[string]string{of.key: of.value}))
		l, err := Open(t.Context(), o)
		if of.want != "" {
			strategytest.ErrorSays(t, of.value, err, "topic "+o.Topic+of.want)
			continue
		}
		strategytest.Must(t, err, l.Close())
		strategytest.Equal(t, l.Unknown.Load(), int64(of.partitions-2), "partitions that are not known")
		got := fmt.Sprint(strings.Count(said.String(), "partitions=3 configured=2"),
			strings.Count(said.String(), "it is not known how long the topic keeps records"))
		want := fmt.Sprint(map[bool]int{true: 1}[i > 7], map[bool]int{true: 1}[i > 9])
		strategytest.Equal(t, got, want, "warnings of more partitions, and of a topic not looked at")
	}
}

// A broker that is not there yet is waited for, and what kept it away is said in the end.
func TestOpenWaits(t *testing.T) {
	l := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	_, port, _ := net.SplitHostPort(l.Addr().String())
	go func() { // a port that hangs up
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			conn.Close()
		}
	}()
	o := Options{Brokers: []string{l.Addr().String()}, Topic: "exposures", Partitions: 2, Timeout: time.Second}
	soon, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	nobody := strategytest.ErrorOf(Open(soon, o))
	strategytest.ErrorSays(t, "nobody there", nobody, context.DeadlineExceeded.Error())
	strategytest.ErrorSays(t, "nobody there", nobody, "topic exposures")
	time.AfterFunc(200*time.Millisecond, func() {
		l.Close()
		number, _ := strconv.Atoi(port)
		t.Cleanup(strategytest.Value(kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(number))).Close)
	})
	strategytest.Must(t, strategytest.Value(Open(t.Context(), o)).Close()) // by a broker that came late
}

// The clients of Read, and of Open if it fails, end with them. A Read that is given up fails. Close waits for appends.
func TestEnds(t *testing.T) {
	c, brokers := shortCluster(t)
	l := open(t, brokers)
	read(t, l)
	before, other := runtime.NumGoroutine(), l.o
	other.Partitions = 3
	for range 20 {
		read(t, l)
		_, err := Open(t.Context(), other)
		strategytest.ErrorSays(t, "another number", err, "has 4 partitions, want the 3")
		strategytest.Must(t, strategytest.Value(Open(t.Context(), l.o)).Close())
	}
	strategytest.ErrorSays(t, "what there is not", l.Trim(t.Context(), 9, 1), "kafka: partition 9: trim to offset 1: ")
	strategytest.Must(t, l.Trim(t.Context(), 1, 20))
	for p, want := range map[int]string{1: log.ErrGone.Error() + ": partition 1", 9: "has no partition 9"} {
		_, err := l.Read(t.Context(), map[int]log.Offset{p: 0}, nil)
		strategytest.ErrorSays(t, "what is not there", err, want)
	}
	await(t, "goroutines of ended clients stay", func() bool { return runtime.NumGoroutine() <= before+19 })
	ctx, cancel := context.WithCancel(t.Context())
	c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		cancel()
		return nil, nil, false
	})
	ended := strategytest.ErrorOf(l.Read(ctx, map[int]log.Offset{2: 0}, nil))
	strategytest.ErrorSays(t, "given up", ended, context.Canceled.Error())
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.SleepControl(func() { time.Sleep(50 * time.Millisecond) })
		return nil, nil, false
	})
	_, ticket, err := l.Append(1, []byte("a"))
	strategytest.Must(t, err, l.Close(), ticket.Wait(t.Context()))
}
