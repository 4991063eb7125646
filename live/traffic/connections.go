package traffic

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// patience is for how long a connection may be silent, whatever comes: so much passes between the requests of a caller.
const patience = 100 * time.Millisecond

// Listen is a listener whose connections are Conns, as many at once as the limits say. Where all are taken, the one
// that has been silent longest is closed for a new one; while none is silent new ones wait.
func (t *Traffic) Listen(l net.Listener) *Listener {
	return &Listener{Listener: l, t: t, conns: map[*Conn]struct{}{}}
}

// A Listener is a door's.
type Listener struct {
	net.Listener
	t      *Traffic
	closed atomic.Bool
	mu     sync.Mutex // guards all below, and streams and begun of the connections
	conns  map[*Conn]struct{}
	all    int64 // streams of all connections
}

// A Conn is a connection of a Listener. It is silent until Busy is called, and again from Silent on.
type Conn struct {
	net.Conn
	l     *Listener
	since atomic.Int64 // when it became silent, in ns; busy is 0
	once  sync.Once

	streams, begun int64 // those under way, and the sum of when they began, in ms
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

// room is whether there is room for one more. It closes the one that is silent longest where there is none.
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

// streamsPerRequest is how many streams a door may have at most for each of the requests at once.
const streamsPerRequest = 8

// Stream counts an answer by HTTP/2 until End, when the caller has taken it. It takes memory until then. Where a door
// has too many of them, the connection is closed that has taken longest, all in all. From half as many on that is done
// where they are old.
func (c *Conn) Stream(began time.Time) {
	if slowest := c.l.count(c, 1, began.UnixMilli()); slowest != nil {
		slowest.Close()
		c.l.t.displaced.Inc()
	}
}

// End says that an answer is taken that Stream counts from a time on.
func (c *Conn) End(began time.Time) { c.l.count(c, -1, began.UnixMilli()) }

// count counts one stream more or less. It returns the connection to close, if any.
func (l *Listener) count(c *Conn, n, began int64) (slowest *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, open := l.conns[c]; !open { // all of its streams have ended
		return nil
	}
	l.all, c.streams, c.begun = l.all+n, c.streams+n, c.begun+n*began
	most, old, longest := streamsPerRequest*int64(l.t.Limits.RequestsAtOnce), patience.Milliseconds(), int64(-1)
	if n < 0 || l.all <= most/2 {
		return nil
	}
	for of := range l.conns {
		took := began*of.streams - of.begun
		if of.streams > 0 && took > longest && (l.all > most || took > old*of.streams) {
			longest, slowest = took, of
		}
	}
	return slowest
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.once.Do(func() {
		c.l.mu.Lock()
		delete(c.l.conns, c)
		c.l.all -= c.streams
		c.l.mu.Unlock()
		c.l.t.connections.Add(-1)
	})
	return c.Conn.Close()
}
