package traffic

import (
	"net"
	"slices"
	"strings"
	"testing"
	"time"

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
			grown, err := in.Grow(append(b, 1))
			if err != nil || grown[0] != 1 {
				t.Fatal(err)
			}
			b = grown
		}
		many = append(many, b)
	}
	strategytest.Equal(t, [2]int{int(in.received.Load()), cap(many[0])}, [2]int{0, Small}, "bytes counted, and of each")
	var grown [][]byte
	for i, b := range many {
		big, err := in.Grow(b)
		const full = "65536 bytes of requests are being received"
		if (err == nil) != (i < 2) || err != nil && !strings.Contains(err.Error(), full) {
			t.Errorf("%d: %v", i, err)
		}
		if err == nil {
			grown = append(grown, big)
		}
	}
	strategytest.Equal(t, in.received.Load(), 64<<10, "bytes that are counted")
	for _, b := range grown {
		in.Free(b)
	}
	strategytest.Equal(t, in.received.Load(), 0, "bytes that are counted when all is given back")
}

// Requests at once are limited; a refused one takes no place.
func TestEnter(t *testing.T) {
	in := New(config.Limits{RequestsAtOnce: 2}, nil)
	for i := range 6 {
		if err := in.Enter(); (err == nil) != (i < 2) {
			t.Errorf("%d: %v", i, err)
		}
	}
	in.Leave()
	strategytest.ErrorSays(t, "when one has left", in.Enter(), "")
}

// A token allows what it is said to, and other texts nothing; without tokens everybody may do everything.
func TestTokens(t *testing.T) {
	in, open := New(config.Limits{}, Tokens{KeyOf("a token"): Read, KeyOf("another"): Write}), New(config.Limits{}, nil)
	for token, want := range map[string]Right{"a token": Read, "another": Write, "a toke": None, "": None} {
		if got := in.Right(KeyOf(token)); got != want || in.Right(Key{}) != None || open.Right(KeyOf(token)) != Admin {
			t.Errorf("%q may %v, want %v", token, got, want)
		}
	}
	if in.SetTokens(nil); in.Open() || in.Right(KeyOf("a token")) != None || !open.Open() {
		t.Error("where all tokens are taken away everybody is let in")
	}
}

// The connection that has been silent longest makes room, a busy one does not.
func TestListen(t *testing.T) {
	l := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	in := New(config.Limits{Connections: 3}, nil)
	door := in.Listen(l)
	defer door.Close()
	accepted := make(chan *Conn, 10)
	ended := make(chan error, 1)
	go func() {
		for {
			c, err := door.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- c.(*Conn)
		}
	}()
	dial := func() *Conn {
		t.Helper()
		c := strategytest.Value(net.Dial("tcp", l.Addr().String()))
		t.Cleanup(func() { c.Close() })
		select {
		case c := <-accepted:
			return c
		case <-time.After(10 * time.Second):
			t.Fatal("a connection waits")
		}
		return nil
	}
	open := func(c *Conn) bool { return c.SetDeadline(time.Now().Add(time.Hour)) == nil }
	first, second, third := dial(), dial(), dial()
	first.Busy()
	third.Silent(time.Now().Add(-time.Hour))
	fourth := dial()
	if !open(first) || !open(second) || open(third) || !open(fourth) {
		t.Error("not the one that was silent longest was closed, but another")
	}
	fifth := dial()
	if !open(first) || open(second) || !open(fifth) {
		t.Error("not the next one was closed, but another")
	}
	strategytest.Equal(t, in.connections.Load(), 3, "connections")
	strategytest.Equal(t, value(t, in, "dejavu_connections_displaced_total"), 2, "connections that were displaced")
	// While all are busy one waits, until one ends.
	fourth.Busy()
	fifth.Busy()
	c := strategytest.Value(net.Dial("tcp", l.Addr().String()))
	defer c.Close()
	select {
	case <-accepted:
		t.Error("a fourth connection, where three are busy")
	case <-time.After(3 * patience):
	}
	fourth.Close()
	fourth.Close() // counts once
	sixth := <-accepted
	sixth.Busy()
	c = strategytest.Value(net.Dial("tcp", l.Addr().String()))
	defer c.Close()
	door.Close()
	if err := <-ended; err == nil || in.connections.Load() != 3 {
		t.Errorf("%v, %d connections", err, in.connections.Load())
	}
}

// value returns the sum of a metric's samples, or of a histogram's observations.
func value(t *testing.T, in *Traffic, name string, labels ...string) (sum float64) {
	t.Helper()
	families := strategytest.Value(in.Registry.Gather())
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var is []string
			for _, l := range m.GetLabel() {
				is = append(is, l.GetValue())
			}
			if f.GetName() == name && (len(labels) == 0 || slices.Equal(is, labels)) {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetHistogram().GetSampleSum()
			}
		}
	}
	return sum
}

// Calls are counted by their codes, with their time in seconds.
func TestAnswered(t *testing.T) {
	in := New(config.Limits{}, nil)
	call := in.Call("Show")
	call.Answered("ok", 1500*time.Millisecond)
	call.Answered("ok", 250*time.Millisecond)
	call.Answered("unavailable", 250*time.Millisecond)
	in.Refuse(503)
	for _, c := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"dejavu_calls_total", []string{"Show", "ok"}, 2},
		{"dejavu_calls_total", []string{"Show", "unavailable"}, 1},
		{"dejavu_call_seconds", []string{"Show"}, 2},
		{"dejavu_refused_total", []string{"503"}, 1},
		{"dejavu_refused_total", nil, 1},
	} {
		strategytest.Equal(t, value(t, in, c.name, c.labels...), c.want, "%s %q", c.name, c.labels)
	}
}
