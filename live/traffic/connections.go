package traffic

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// patience is the silence that every connection is allowed: the time between a caller's requests.
const patience = 100 * time.Millisecond

// Listen returns a listener of at most Limits.Connections. The one that has been silent longest is closed for a new
// one.
func (t *Traffic) Listen(l net.Listener) *Listener {
	return &Listener{Listener: l, t: t, conns: map[*Conn]struct{}{}}
}

// A Listener is a door's.
type Listener struct {
	net.Listener
	t      *Traffic
	closed atomic.Bool

	mu      sync.Mutex // guards all below
	conns   map[*Conn]struct{}
	untaken int64 // bytes of answers of all connections
}

// A Conn is a connection of a Listener. It is silent until Busy is called, and again from Silent on.
type Conn struct {
	net.Conn
	l     *Listener
	since atomic.Int64 // when it became silent, in ns; busy is 0
	once  sync.Once

	untaken int64 // bytes of answers; the listener's mu guards both
	begun   int64 // the sum of bytes times when they began to wait, in ms
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	for !l.room() {
		if l.closed.Load() {
			conn.Close()
			return nil, net.ErrClosed
		}
		time.Sleep(patience / 20)
	}
	c := &Conn{Conn: conn, l: l}
	c.Silent(time.Now())
	l.mu.Lock()
	l.conns[c] = struct{}{}
	l.mu.Unlock()
	l.t.connections.Add(1)
	return c, nil
}

// room reports whether there is room for one more. If not, it closes the connection silent longest.
func (l *Listener) room() bool {
	l.mu.Lock()
	full, oldest, silent := len(l.conns) >= l.t.Limits.Connections, time.Now().Add(-patience).UnixNano(), (*Conn)(nil)
	for c := range l.conns {
		if !full {
			break
		}
		if since := c.since.Load(); since != 0 && since < oldest {
			oldest, silent = since, c
		}
	}
	l.mu.Unlock()
	if silent != nil {
		silent.Close()
		l.t.displaced.Inc()
	}
	return !full || silent != nil
}

// Close implements net.Listener. Connections stay.
func (l *Listener) Close() error {
	l.closed.Store(true)
	return l.Listener.Close()
}

// Each calls f for each connection that there is now.
func (l *Listener) Each(f func(*Conn)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		f(c)
	}
}

// Busy says that a request is being received or answered.
func (c *Conn) Busy() { c.since.Store(0) }

// Silent says that none is, from a time on.
func (c *Conn) Silent(from time.Time) { c.since.Store(from.UnixNano()) }

// Untaken counts an answer of n bytes of memory until taken is called: it takes them until the caller has read it. If
// the answers of a door take too much, the connections are closed that have waited longest, all in all.
func (c *Conn) Untaken(n int) (taken func()) {
	began := time.Now().UnixMilli()
	for slowest := c.l.count(c, int64(n), began); slowest != nil; slowest = c.l.count(c, 0, began) {
		slowest.Close()
		c.l.t.displaced.Inc()
	}
	return func() { c.l.count(c, -int64(n), began) }
}

// count counts n bytes more or less, and returns the connection to close, if any.
func (l *Listener) count(c *Conn, n, began int64) (slowest *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, open := l.conns[c]; !open { // none of its answers waits
		return nil
	}
	l.untaken, c.untaken, c.begun = l.untaken+n, c.untaken+n, c.begun+n*began
	most := int64(l.t.Limits.RequestsAtOnce) * int64(max(l.t.Limits.BodyBytes, 1<<20)) // of all requests
	if n < 0 || l.untaken <= most/4 {
		return nil
	}
	for of := range l.conns {
		if of.untaken > 0 && (slowest == nil || began*of.untaken-of.begun > began*slowest.untaken-slowest.begun) {
			slowest = of
		}
	}
	return slowest
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.once.Do(func() {
		c.l.mu.Lock()
		delete(c.l.conns, c)
		c.l.untaken -= c.untaken
		c.l.mu.Unlock()
		c.l.t.connections.Add(-1)
	})
	return c.Conn.Close()
}
