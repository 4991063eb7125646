package traffic

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	client "github.com/prometheus/client_model/go"

	"dejavu/live/config"
	"dejavu/strategies/strategytest"
)

// Memory for large requests is bounded, and released.
func TestGrow(t *testing.T) {
	in := New(config.Limits{RequestsAtOnce: 2, BodyBytes: 32 << 10}, nil)
	var many [][]byte
	for range 10 { // small ones are not counted
		b := []byte(nil)
		for range 3 {
			b = strategytest.Value(in.Grow(append(b, 1)))
			strategytest.Equal(t, b[0], 1, "the first byte")
		}
		many = append(many, b)
	}
	strategytest.Equal(t, [2]int{int(in.received.Load()), cap(many[0])}, [2]int{0, Small}, "bytes counted, and of each")
	for i := range many {
		var err error
		many[i], err = in.Grow(many[i])
		const full = "65536 bytes of requests are being received"
		strategytest.ErrorSays(t, "more", err, map[bool]string{true: full}[i >= 2])
	}
	strategytest.Equal(t, in.received.Load(), 64<<10, "bytes that are counted")
	for _, b := range many {
		in.Free(b)
	}
	strategytest.Equal(t, in.received.Load(), 0, "bytes that are counted when all is given back")
}

// Requests at once are limited; a refused one takes no place.
func TestEnter(t *testing.T) {
	in := New(config.Limits{RequestsAtOnce: 2}, nil)
	for i := range 6 {
		strategytest.Equal(t, in.Enter() == nil, i < 2, "request %d is let in", i)
	}
	in.Leave()
	strategytest.ErrorSays(t, "when one has left", in.Enter(), "")
}

// A token allows what it is said to, and other texts nothing; without tokens everybody may do everything.
func TestTokens(t *testing.T) {
	in, open := New(config.Limits{}, Tokens{KeyOf("a token"): Read, KeyOf("another"): Write}), New(config.Limits{}, nil)
	for token, want := range map[string]Right{"a token": Read, "another": Write, "a toke": None, "": None} {
		got := [3]Right{in.Right(KeyOf(token)), in.Right(Key{}), open.Right(KeyOf(token))}
		strategytest.Equal(t, got, [3]Right{want, None, Admin}, "what %q may, nothing, and it without tokens", token)
	}
	in.SetTokens(nil)
	got := fmt.Sprint(in.Open(), in.Right(KeyOf("a token")), open.Open())
	strategytest.Equal(t, got, "false none true", "where all tokens are taken away nobody is let in")
}

// The connection that has been silent longest makes room, a busy one does not.
func TestListen(t *testing.T) {
	l := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	in := New(config.Limits{Connections: 3}, nil)
	door := in.Listen(l)
	defer door.Close()
	accepted, ended := make(chan *Conn, 10), make(chan error, 1)
	go func() {
		c, err := door.Accept()
		for ; err == nil; c, err = door.Accept() {
			accepted <- c.(*Conn)
		}
		ended <- err
	}()
	waiting := func() {
		c := strategytest.Value(net.Dial("tcp", l.Addr().String()))
		t.Cleanup(func() { c.Close() })
	}
	dial := func() *Conn {
		waiting()
		return <-accepted
	}
	open := func(c *Conn) bool { return c.SetDeadline(time.Now().Add(time.Hour)) == nil }
	first, second, third := dial(), dial(), dial()
	first.Busy()
	third.Silent(time.Now().Add(-time.Hour))
	fourth := dial()
	are := fmt.Sprint(open(first), open(second), open(third), open(fourth))
	strategytest.Equal(t, are, "true true false true", "open connections; the one that was silent longest is not")
	fifth := dial()
	strategytest.Equal(t, fmt.Sprint(open(first), open(second), open(fifth)), "true false true", "then")
	strategytest.Equal(t, in.connections.Load(), 3, "connections")
	var displaced client.Metric
	strategytest.Must(t, in.displaced.Write(&displaced))
	strategytest.Equal(t, displaced.GetCounter().GetValue(), 2, "connections that were displaced")
	// While all are busy one waits, until one ends.
	fourth.Busy()
	fifth.Busy()
	waiting()
	select {
	case <-accepted:
		t.Error("a fourth connection, where three are busy")
	case <-time.After(3 * patience):
	}
	fourth.Close()
	fourth.Close() // counts once
	sixth := <-accepted
	sixth.Busy()
	waiting()
	door.Close()
	strategytest.Equal(t, <-ended != nil, true, "the end is an error")
	strategytest.Equal(t, in.connections.Load(), 3, "connections")
}

// A model of drawn answers says which connection is closed: whose bytes have waited longest, times their number.
func TestUntaken(t *testing.T) {
	type answer struct {
		c        *Conn
		n, began int64
	}
	random, closed := rand.New(rand.NewPCG(1, 1)), 0
	l := New(config.Limits{RequestsAtOnce: 4, BodyBytes: 1 << 20}, nil).Listen(nil)
	waiting, all := []answer(nil), []*Conn(nil)
	for range 6 {
		c := &Conn{Conn: strategytest.Value(net.ListenUDP("udp", nil)), l: l}
		all, l.conns[c] = append(all, c), struct{}{}
	}
	for now := int64(1); now < 20_000; now += random.Int64N(3) {
		if at := random.IntN(2 * len(all)); at < len(waiting) {
			a := waiting[at]
			waiting = slices.Delete(waiting, at, at+1)
			strategytest.Equal(t, l.count(a.c, -a.n, a.began) == nil, true, "a connection is closed as an answer is taken")
			continue
		}
		a := answer{all[random.IntN(len(all))], random.Int64N(1 << 19), now}
		waiting = append(waiting, a)
		sum, waits := int64(0), map[*Conn]int64{}
		for _, a := range waiting {
			sum, waits[a.c] = sum+a.n, waits[a.c]+a.n*(now-a.began)
		}
		slowest := l.count(a.c, a.n, now)
		strategytest.Equal(t, slowest != nil, sum > 1<<20, "%d bytes wait, one is closed", sum)
		if slowest == nil {
			continue
		}
		closed++
		is, waited := waits[slowest]
		most := slices.Max(slices.Collect(maps.Values(waits)))
		strategytest.Equal(t, waited && is == most, true, "%d bytes times ms, of at most %d", is, most)
		slowest.Close()
		strategytest.Equal(t, l.count(slowest, -1, now) == nil, true, "a closed one")
		waiting = slices.DeleteFunc(waiting, func(a answer) bool { return a.c == slowest })
		*slowest = Conn{Conn: slowest.Conn, l: l}
		l.conns[slowest] = struct{}{}
	}
	strategytest.AtLeast(t, closed, 1000, "connections that were closed")
}

// Calls are counted, those with an error too, with their time.
func TestAnswered(t *testing.T) {
	call := New(config.Limits{}, nil).Call("Show")
	call.Answered("ok", 1500*time.Millisecond)
	call.Answered("ok", 250*time.Millisecond)
	call.Answered("unavailable", 250*time.Millisecond)
	strategytest.Equal(t, fmt.Sprintln(call.Totals()), "3 1 2s\n", "calls, failed ones, their time")
}

// A limit is the most that is allowed, and the least is 1.
func TestLimits(t *testing.T) {
	l := config.Limits{Candidates: 40, Limit: 10, Requests: 5, UserBytes: 3}
	tr := New(l, nil)
	for want, check := range map[string]func(n int) error{
		"articles has %d articles, want 1 to 40": func(n int) error { return tr.CheckArticles("articles", n) },
		"limit is %d, want 1 to 10":              func(n int) error { return tr.CheckLimit(int64(n)) },
		"requests has %d, want 1 to 5":           tr.CheckRequests,
		"user has %d bytes, want 1 to 3":         func(n int) error { return tr.CheckUser(strings.Repeat("u", n)) },
	} {
		var most int
		strategytest.Value(fmt.Sscan(want[strings.LastIndex(want, " ")+1:], &most))
		strategytest.Must(t, check(1), check(most))
		for _, n := range []int{0, most + 1} {
			strategytest.ErrorSays(t, want, check(n), fmt.Sprintf(want, n))
		}
	}
}
