// Package traffic bounds and counts what comes by HTTP and by Redis's protocol, with the same limits and tokens. It
// bounds connections, concurrent requests, the memory of requests being received, and the memory of unread answers.
package traffic

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/bits"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	client "github.com/prometheus/client_model/go"

	"dejavu/live/config"
)

// A Traffic is shared by the doors of a service.
type Traffic struct {
	Limits   config.Limits
	Registry *prometheus.Registry // of all metrics of the process

	tokens      atomic.Pointer[Tokens]
	open        bool         // no token is asked for
	now         atomic.Int64 // requests
	received    atomic.Int64 // bytes of memory for what is received
	connections atomic.Int64
	displaced   prometheus.Counter
	refused     *prometheus.CounterVec
	calls       *prometheus.CounterVec
	times       *prometheus.HistogramVec
}

// A Right is what a token allows, each what those below it do and more.
type Right int

// Rights in their order.
const (
	None Right = iota
	Read
	Write
	Admin
)

// String returns the right in a word.
func (r Right) String() string { return [...]string{"none", "read", "write", "admin"}[r] }

// A Key is the digest of a token: the time that it takes to find one says nothing of the token.
type Key [sha256.Size]byte

// KeyOf returns a token's key.
func KeyOf(token string) Key { return sha256.Sum256([]byte(token)) }

// Tokens maps callers' tokens to rights. If it is empty, everybody may do everything.
type Tokens map[Key]Right

// New returns the traffic of a service that has no doors yet.
func New(limits config.Limits, tokens Tokens) *Traffic {
	t := &Traffic{Limits: limits, Registry: prometheus.NewRegistry(), open: len(tokens) == 0}
	t.SetTokens(tokens)
	t.Registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	to := promauto.With(t.Registry)
	t.calls = to.NewCounterVec(prometheus.CounterOpts{
		Name: "dejavu_calls_total", Help: "Calls answered, by call and by code; ok is none.",
	}, []string{"call", "code"})
	t.times = to.NewHistogramVec(prometheus.HistogramOpts{
		Name: "dejavu_call_seconds", Help: "Time from a decoded request to its answer.",
		Buckets: prometheus.ExponentialBuckets(25e-6, 2, 18), // to 3 s
	}, []string{"call"})
	t.refused = to.NewCounterVec(prometheus.CounterOpts{
		Name: "dejavu_refused_total", Help: "Requests refused, by the code that HTTP has for the reason.",
	}, []string{"code"})
	for _, code := range []int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge,
		http.StatusTooManyRequests, http.StatusServiceUnavailable,
	} {
		t.refused.WithLabelValues(strconv.Itoa(code)) // an alert needs the 0
	}
	t.displaced = to.NewCounter(prometheus.CounterOpts{
		Name: "dejavu_connections_displaced_total", Help: "Connections closed to make room for others.",
	})
	gauge := func(name, help string, value *atomic.Int64) {
		to.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value.Load()) })
	}
	gauge("dejavu_requests_at_once", "Requests being answered.", &t.now)
	gauge("dejavu_connections", "Connections of callers.", &t.connections)
	gauge("dejavu_received_bytes", "Memory for what is being received, beyond 16 KiB of each.", &t.received)
	return t
}

// SetTokens asks callers for others from now on; whether any is asked for stays as New was told.
func (t *Traffic) SetTokens(all Tokens) { t.tokens.Store(&all) }

// Open reports whether no token is needed.
func (t *Traffic) Open() bool { return t.open }

// Right returns what a key's token allows now.
func (t *Traffic) Right(of Key) Right {
	if t.open {
		return Admin
	}
	return (*t.tokens.Load())[of]
}

// Enter counts a request that has been received, until Leave. An error means that there are too many: it needs no
// Leave.
func (t *Traffic) Enter() error {
	most := int64(t.Limits.RequestsAtOnce)
	if t.now.Add(1) > most {
		t.now.Add(-1)
		return fmt.Errorf("%d requests at once, try again", most)
	}
	return nil
}

// Leave ends a request that Enter has let in.
func (t *Traffic) Leave() { t.now.Add(-1) }

// Refuse counts a request that is refused, by HTTP's code for the reason.
func (t *Traffic) Refuse(code int) { t.refused.WithLabelValues(strconv.Itoa(code)).Inc() }

// A Call counts the calls of a name.
type Call struct {
	t    *Traffic
	name string
	ok   prometheus.Counter
	time prometheus.Observer
}

// Call returns the counter of the calls of a name. Make it once, for speed.
func (t *Traffic) Call(name string) *Call {
	return &Call{t, name, t.calls.WithLabelValues(name, "ok"), t.times.WithLabelValues(name)}
}

// Answered counts a call with its duration and code; ok means no error.
func (c *Call) Answered(code string, took time.Duration) {
	if code == "ok" {
		c.ok.Inc()
	} else {
		c.t.calls.WithLabelValues(c.name, code).Inc()
	}
	c.time.Observe(took.Seconds())
}

// Totals returns how many calls were answered, how many of them had an error, and their time in all.
func (c *Call) Totals() (calls, failed int, took time.Duration) {
	var times, ok client.Metric
	_ = c.time.(prometheus.Metric).Write(&times) // which never fail
	_ = c.ok.Write(&ok)
	h := times.GetHistogram()
	calls = int(h.GetSampleCount())
	return calls, max(0, calls-int(ok.GetCounter().GetValue())), time.Duration(h.GetSampleSum() * float64(time.Second))
}

// Connections returns how many connections there are, at all doors.
func (t *Traffic) Connections() int { return int(t.connections.Load()) }

// CheckUser reports why a user's name is none.
func (t *Traffic) CheckUser(user string) error {
	return check("user has %d bytes", int64(len(user)), t.Limits.UserBytes)
}

// CheckArticles reports why there are too few or too many articles in what a caller calls so.
func (t *Traffic) CheckArticles(field string, n int) error {
	return check(field+" has %d articles", int64(n), t.Limits.Candidates)
}

// CheckLimit reports why a limit on articles is invalid.
func (t *Traffic) CheckLimit(limit int64) error { return check("limit is %d", limit, t.Limits.Limit) }

// CheckRequests reports why a call cannot have n requests.
func (t *Traffic) CheckRequests(n int) error {
	return check("requests has %d", int64(n), t.Limits.Requests)
}

func check(said string, n int64, most int) error {
	if n < 1 || n > int64(most) {
		return Invalid(said+", want 1 to %d", n, most)
	}
	return nil
}

type invalidError struct{ error }

// Invalid returns an error that says what is wrong with a request.
func Invalid(format string, args ...any) error { return &invalidError{fmt.Errorf(format, args...)} }

// IsInvalid reports whether Invalid made err, or an error that it wraps.
func IsInvalid(err error) bool {
	_, is := errors.AsType[*invalidError](err)
	return is
}

// Small is the uncounted memory that each request is received in, in bytes.
const Small = 16 << 10

// Grow returns b with twice the room, for Grow or Free, or an error if all that is being received takes too much.
func (t *Traffic) Grow(b []byte) ([]byte, error) {
	room := max(2*cap(b), 4<<10)
	more := counted(room) - counted(cap(b))
	most := int64(t.Limits.RequestsAtOnce) * int64(t.Limits.BodyBytes)
	if t.received.Add(more) > most && more > 0 {
		t.received.Add(-more)
		return b, fmt.Errorf("%d bytes of requests are being received, try again", most)
	}
	grown := append(Room(room), b...)
	Recycle(b)
	return grown, nil
}

// Free gives back what Grow has made.
func (t *Traffic) Free(b []byte) {
	t.received.Add(-counted(cap(b)))
	Recycle(b)
}

func counted(room int) int64 {
	if room <= Small {
		return 0
	}
	return int64(room)
}

// rooms holds buffers of 2^i bytes that are used again: the collector would let garbage grow to as much as is in use.
var rooms [bits.UintSize]sync.Pool

// Room returns an empty slice with room for n bytes.
func Room(n int) []byte {
	class := bits.Len(uint(max(n-1, 1)))
	if b, ok := rooms[class].Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, 1<<class)
}

// Recycle takes what Room returned, if it is 4 KiB or more.
func Recycle(b []byte) {
	if n := cap(b); n >= 4<<10 && n&(n-1) == 0 {
		rooms[bits.Len(uint(n-1))].Put(&b)
	}
}
