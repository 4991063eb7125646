// Package resp answers Redis's protocol. Callers name users and articles by any strings, and get back the strings
// chosen; the service keeps digests. Commands that arrive together are answered together: the shows of a pipeline are
// one call of the keeper, and share commits of the log.
//
// The reader of commands is the package's own, because tidwall/redcon 1.6.4 panics at a length of 9223372036854775807
// and loops at *1000000000000.
package resp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/traffic"
	"dejavu/strategies"
)

// A Server answers commands from a keeper.
type Server struct {
	_       struct{}
	Keeper  exposure.Keeper
	Layout  layout.Layout
	Secret  strategies.Secret
	Traffic *traffic.Traffic

	calls    map[string]*traffic.Call
	last     atomic.Int64 // session
	stopping atomic.Bool
}

// Serve answers on a listener, by TLS only if secure is set, until the context is done; calls have StopTime to end.
func (s *Server) Serve(ctx context.Context, listener net.Listener, secure *tls.Config) error {
	s.calls = map[string]*traffic.Call{}
	for name, c := range commands {
		if c.kind != ofConnection {
			s.calls[name] = s.Traffic.Call(name)
		}
	}
	l := s.Traffic.Listen(listener)
	defer context.AfterFunc(ctx, func() { l.Close() })()
	var sessions sync.WaitGroup
	for {
		c, err := l.Accept()
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			var transient interface{ Temporary() bool } // no file descriptors, say
			if errors.As(err, &transient) && transient.Temporary() {
				time.Sleep(5 * time.Millisecond)
				continue
			}
			return fmt.Errorf("resp: %w", err)
		}
		sessions.Go(func() { s.session(c.(*traffic.Conn), secure) })
	}
	s.stopping.Store(true)
	l.Each(func(c *traffic.Conn) { _ = c.SetReadDeadline(time.Unix(1, 0)) }) // wakes those that wait
	ended := make(chan struct{})
	go func() { sessions.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-time.After(s.Traffic.Limits.StopTime):
		var left []*traffic.Conn
		l.Each(func(c *traffic.Conn) { left = append(left, c) })
		for _, c := range left {
			c.Close()
		}
		return fmt.Errorf("resp: %d connections were cut off after %v", len(left), s.Traffic.Limits.StopTime)
	}
}

// A session is a connection: one goroutine, which reads, answers and writes.
type session struct {
	*Server
	reader
	reply
	batch
	conn    net.Conn
	tracked *traffic.Conn
	id      int64
	name    string
	key     traffic.Key // of the token that it has shown
	ending  bool        // after what is answered
	multi   bool        // nothing is carried out before EXEC or DISCARD

	idle, writing time.Time // deadlines that are set
	within        bool      // a deadline is set for a command that has begun

	ctx       context.Context // of the commands that are answered
	cancel    context.CancelFunc
	answering time.Time // its deadline
}

// strangersBytes limits the commands of callers who have not logged in, one at a time.
const strangersBytes = 4096

func (s *Server) session(tracked *traffic.Conn, secure *tls.Config) {
	c := &session{
		Server: s, tracked: tracked, conn: tracked, id: s.last.Add(1), reader: reader{t: s.Traffic, most: strangersBytes},
		cancel: func() {},
	}
	if secure != nil {
		c.conn = tls.Server(tracked, secure)
	}
	defer func() {
		if p := recover(); p != nil {
			slog.Error("a command panicked", "panic", p)
		}
		c.cancel()
		c.free()
		c.conn.Close()
	}()
	if s.Traffic.Open() {
		c.most = s.Traffic.Limits.BodyBytes
	}
	for c.wait() == nil && c.serve() == nil && !c.ending && !s.stopping.Load() {
	}
}

// wait reads what comes next, within the limits.
func (c *session) wait() error {
	now, limits := time.Now(), &c.Traffic.Limits
	c.tracked.Silent(now)
	begun := len(c.buf) > c.from
	switch {
	case begun && !c.within: // the whole command must come in this time, whatever it is
		_ = c.conn.SetReadDeadline(now.Add(limits.ReadTime))
		c.idle = time.Time{}
	case !begun && c.idle.Sub(now) < limits.IdleTime*9/10: // a deadline costs more than a look at it
		c.idle = now.Add(limits.IdleTime)
		_ = c.conn.SetReadDeadline(c.idle)
	}
	c.within = begun
	if c.stopping.Load() {
		return net.ErrClosed
	}
	err := c.fill(c.conn)
	c.refused(err)
	return err
}

// refused answers a protocol error, which ends the connection.
func (c *session) refused(err error) {
	wrong, is := errors.AsType[*protocolError](err)
	if !is {
		return
	}
	c.flush()
	c.Traffic.Refuse(wrong.status)
	c.fail("ERR " + wrong.what)
	c.free()
	if c.send() == nil {
		c.hangUp()
	}
}

// hangUp ends a connection whose caller may still be sending. A reset would lose the answer.
func (c *session) hangUp() {
	if to, ok := c.tracked.Conn.(*net.TCPConn); ok && to.CloseWrite() == nil {
		_ = to.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = io.CopyN(io.Discard, to, 1<<20)
	}
}

// serve answers all commands received.
func (c *session) serve() error {
	for {
		words, err := c.next()
		if err != nil {
			c.refused(err)
			return err
		}
		if words == nil {
			if c.flush(); c.from == len(c.buf) && cap(c.buf) > traffic.Small { // what it asked is answered
				c.free()
			}
			return c.send()
		}
		c.within = false
		c.tracked.Busy()
		c.execute(words)
		if len(c.out) > 1<<16 {
			if err := c.send(); err != nil {
				return err
			}
		}
		if c.ending {
			return c.send()
		}
	}
}

func (c *session) send() error {
	if len(c.out) == 0 {
		return nil
	}
	if now := time.Now(); c.writing.Sub(now) < c.Traffic.Limits.WriteTime*9/10 {
		c.writing = now.Add(c.Traffic.Limits.WriteTime)
		_ = c.conn.SetWriteDeadline(c.writing)
	}
	if cap(c.out) > traffic.Small {
		defer c.tracked.Untaken(cap(c.out))()
	}
	_, err := c.conn.Write(c.out)
	if cap(c.out) > 1<<17 {
		traffic.Recycle(c.out)
		c.out = nil
	}
	c.out = c.out[:0]
	return err
}
