package resp

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	client "github.com/prometheus/client_model/go"

	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/keeper"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/live/partition"
	"dejavu/live/traffic"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// counting is a log that counts, and keeps nothing.
type counting struct{ log.Log }

var offsets atomic.Int64

func (counting) Read(_ context.Context, from map[int]log.Offset, _ log.Each) (map[int]log.Offset, error) {
	return from, nil
}

func (counting) Err() error { return nil }

func (counting) Append(int, []byte) (log.Offset, *log.Ticket, error) {
	return log.Offset(offsets.Add(1)), nil, nil
}

// watched is a keeper that tells what it is asked, and waits if told to.
type watched struct {
	exposure.Keeper
	calls [2]atomic.Int64 // ShowAll, and its requests
	wait  chan struct{}   // a call waits for it, if not nil
	now   atomic.Int64    // records at once
	most  atomic.Int64
}

func (w *watched) ShowAll(ctx context.Context, requests []exposure.Show) error {
	w.calls[0].Add(1)
	w.calls[1].Add(int64(len(requests)))
	if w.wait != nil {
		select {
		case <-w.wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return w.Keeper.ShowAll(ctx, requests)
}

func (w *watched) Record(ctx context.Context, user string, request uint64, articles []strategies.ID) error {
	w.most.Store(max(w.most.Load(), w.now.Add(1)))
	if strings.HasPrefix(user, "slow") {
		time.Sleep(50 * time.Millisecond)
	}
	defer w.now.Add(-1)
	return w.Keeper.Record(ctx, user, request, articles)
}

// failing is a keeper whose calls all fail.
type failing struct {
	exposure.Keeper
	err error
}

func (f failing) ShowAll(context.Context, []exposure.Show) error                { return f.err }
func (f failing) Record(context.Context, string, uint64, []strategies.ID) error { return f.err }
func (f failing) Seen(context.Context, string, []strategies.ID, []bool) error   { return f.err }
func (f failing) History(context.Context, string) ([]byte, error)               { return nil, f.err }
func (f failing) Forget(context.Context, string) error                          { return f.err }
func (f failing) Clear(context.Context) error                                   { return f.err }

// served serves a keeper of four partitions, by default of the chain. It returns its address and how to stop it.
func served(t testing.TB, token, more string, secure *tls.Config, choice ...layout.Choice) (
	w *watched, in *traffic.Traffic, at string, stop func() error,
) {
	t.Helper()
	of := strategytest.Value(layout.Make(append(choice, layout.Choice{Name: "chain"})[0]))
	secret := strategies.RandomSecret()
	k := keeper.New(keeper.Config{
		Config: partition.Config{Of: 4, Layout: of, Secret: secret, Retries: 100, Log: counting{}, Dir: t.TempDir()},
		Logger: slog.New(slog.DiscardHandler), Clock: func() store.Timestamp { return 1 },
	})
	strategytest.Must(t, k.Take(t.Context(), []int{0, 1, 2, 3}))
	l := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	tokens := map[bool]traffic.Tokens{true: {traffic.KeyOf(token): traffic.Admin}}[token != ""]
	w, in = &watched{Keeper: k}, traffic.New(limits(more), tokens)
	s := &Server{Keeper: w, Layout: of, Secret: secret, Traffic: in}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, secure) }()
	stop = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() {
		if err := stop(); err != nil && !strings.Contains(err.Error(), "were cut off") { // as one test wants it
			t.Error(err)
		}
	})
	return w, in, l.Addr().String(), stop
}

// limits returns small limits, changed by a section of a configuration.
func limits(more string) config.Limits {
	return strategytest.Value(config.Read([]byte("limits: {candidates: 50, limit: 20, requests: 20, user_bytes: 16, "+
		"body_bytes: 2048, requests_at_once: 4, read_time: 300ms, request_time: 2s}"), []byte("limits: {"+more+"}"))).Limits
}

// A caller speaks the protocol by hand.
type caller struct {
	net.Conn
	*bufio.Reader
	t testing.TB
}

func dial(t testing.TB, address string) *caller {
	t.Helper()
	conn := strategytest.Value(net.Dial("tcp", address))
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return &caller{conn, bufio.NewReader(conn), t}
}

func (c *caller) Read(b []byte) (int, error) { return c.Reader.Read(b) }

// encoded encodes a command in the protocol.
func encoded(line string) string {
	words := strings.Fields(line)
	out := fmt.Sprintf("*%d\r\n", len(words))
	for _, w := range words {
		out += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
	}
	return out
}

// ask sends commands together, and returns the answers.
func (c *caller) ask(lines ...string) (answers []string) {
	c.t.Helper()
	all := ""
	for _, line := range lines {
		all += encoded(line)
	}
	strategytest.Value(io.WriteString(c.Conn, all))
	for range lines {
		answers = append(answers, c.answer())
	}
	return answers
}

// answer reads an answer: arrays in brackets, maps in braces, the rest as it comes.
func (c *caller) answer() string {
	c.t.Helper()
	line, err := c.ReadString('\n')
	if err != nil {
		return err.Error()
	}
	kind, rest, n := line[0], strings.TrimSuffix(line[1:], "\r\n"), 0
	_, _ = fmt.Sscan(rest, &n) // else it is a text
	switch kind {
	case '$':
		b := make([]byte, n+2)
		if _, err := io.ReadFull(c.Reader, b); err != nil {
			return err.Error()
		}
		return string(b[:n])
	case '*', '%':
		of, some := map[byte]string{'*': "[]", '%': "{}"}[kind], []string{}
		for range n * map[byte]int{'*': 1, '%': 2}[kind] {
			some = append(some, c.answer())
		}
		return of[:1] + strings.Join(some, " ") + of[1:]
	case '-', '#':
		return line[:len(line)-2]
	}
	return rest
}

// counted returns a metric's value with these labels.
func counted(in *traffic.Traffic, name string, labels ...string) (n float64) {
	for _, f := range strategytest.Value(in.Registry.Gather()) {
		for _, m := range f.GetMetric() {
			same := func(l *client.LabelPair, value string) bool { return l.GetValue() == value }
			if f.GetName() == name && slices.EqualFunc(m.GetLabel(), labels, same) {
				n = m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return n
}
