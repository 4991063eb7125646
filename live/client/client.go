// Package client asks an exposure service: one instance, or several that share the users.
//
// A call goes to the instance that serves the user's partition. While none does, because
// it was killed and another has not taken over yet, the call is tried again until its
// context is done. Calls that record carry a number of their own, so that one whose
// answer was lost counts once (exposure.Keeper says how far that reaches).
package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"

	v1 "dejavu/live/api/exposure/v1"
	"dejavu/live/api/exposure/v1/exposurev1connect"
	"dejavu/live/exposure"
	"dejavu/strategies"
)

// Options are those of a Client.
type Options struct {
	_ struct{}

	Addresses []string // of the instances, host:port
	Token     string   // empty: none
	TLS       *tls.Config
	HTTP1     bool          // one request at a time on a connection, more connections
	GRPC      bool          // in place of Connect; it needs HTTP/2
	Attempt   time.Duration // after which an attempt is given up; 0: 10 s
	Once      bool          // do not try again
}

// A Client is safe for concurrent use.
type Client struct {
	o         Options
	instances []exposurev1connect.ExposuresClient
	transport *http.Transport
	table     atomic.Pointer[table]
	repeated  atomic.Int64
}

// A table says who serves which partition, as far as is known.
type table struct {
	of    int
	where []int // instance by partition
	made  time.Time
}

// New returns a client. It does not connect yet.
func New(o Options) (*Client, error) {
	if len(o.Addresses) == 0 {
		return nil, errors.New("client: no address of an instance")
	}
	if o.Attempt == 0 {
		o.Attempt = 10 * time.Second
	}
	var protocols http.Protocols
	scheme := "http://"
	switch {
	case o.TLS != nil:
		scheme = "https://"
		protocols.SetHTTP1(o.HTTP1)
		protocols.SetHTTP2(!o.HTTP1)
	case o.HTTP1:
		protocols.SetHTTP1(true)
	default:
		protocols.SetUnencryptedHTTP2(true)
	}
	c := &Client{o: o, transport: &http.Transport{
		TLSClientConfig: o.TLS, Protocols: &protocols, MaxIdleConnsPerHost: 1024, IdleConnTimeout: time.Minute, DisableCompression: true,
	}}
	how := []connect.ClientOption{connect.WithInterceptors(authorized(o.Token)), connect.WithAcceptCompression("gzip", nil, nil)}
	if o.GRPC {
		how = append(how, connect.WithGRPC())
	}
	for _, a := range o.Addresses {
		c.instances = append(c.instances, exposurev1connect.NewExposuresClient(&http.Client{Transport: c.transport}, scheme+a, how...))
	}
	return c, nil
}

// Repeated is how many attempts were made after another had failed.
func (c *Client) Repeated() int64 { return c.repeated.Load() }

// Close ends idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

func authorized(token string) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		if token == "" {
			return next
		}
		return func(ctx context.Context, r connect.AnyRequest) (connect.AnyResponse, error) {
			r.Header().Set("Authorization", "Bearer "+token)
			return next(ctx, r)
		}
	}
}

// again is whether a call that failed so may succeed, perhaps elsewhere.
func again(err error) bool {
	switch connect.CodeOf(err) {
	case connect.CodeUnavailable, connect.CodeUnknown, connect.CodeDeadlineExceeded, connect.CodeCanceled, connect.CodeAborted:
		return true
	case connect.CodeInternal:
		// A connection that was reset; the service's own faults come as its answers.
		return !connect.IsWireError(err)
	}
	return false
}

// instance is the one to ask for a user at an attempt, and the partition.
func (c *Client) instance(ctx context.Context, user string, attempt int) exposurev1connect.ExposuresClient {
	if len(c.instances) == 1 {
		return c.instances[0]
	}
	t := c.table.Load()
	if t == nil || attempt > 0 && time.Since(t.made) > 100*time.Millisecond {
		t = c.look(ctx, t)
	}
	if t == nil {
		return c.instances[attempt%len(c.instances)]
	}
	i := t.where[exposure.Partition(user, t.of)]
	if i < 0 {
		i = attempt % len(c.instances)
	}
	return c.instances[i]
}

// look asks all instances what they serve.
func (c *Client) look(ctx context.Context, old *table) *table {
	answers := make(chan struct {
		instance int
		*v1.DescribeResponse
	}, len(c.instances))
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for i := range c.instances {
		go func() {
			d, err := c.instances[i].Describe(ctx, &v1.DescribeRequest{})
			if err != nil {
				d = nil
			}
			answers <- struct {
				instance int
				*v1.DescribeResponse
			}{i, d}
		}()
	}
	var t *table
	for range c.instances {
		a := <-answers
		if a.DescribeResponse == nil || a.Partitions == 0 {
			continue
		}
		if t == nil {
			t = &table{of: int(a.Partitions), where: slices.Repeat([]int{-1}, int(a.Partitions)), made: time.Now()}
		}
		for p := range t.where {
			if a.AllHere || slices.Contains(a.Here, uint32(p)) {
				t.where[p] = a.instance
			}
		}
	}
	if t == nil {
		return old
	}
	c.table.Store(t)
	return t
}

// do makes attempts until one succeeds, the error is final, or the context is done.
func (c *Client) do(ctx context.Context, user string, call func(context.Context, exposurev1connect.ExposuresClient) error) error {
	pause := 5 * time.Millisecond
	for attempt := 0; ; attempt++ {
		one, cancel := context.WithTimeout(ctx, c.o.Attempt)
		err := call(one, c.instance(one, user, attempt))
		cancel()
		if err == nil {
			return nil
		}
		if c.o.Once || !again(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w, after %d attempts, the last: %w", ctx.Err(), attempt+1, err)
		case <-time.After(pause + rand.N(pause)):
		}
		pause = min(2*pause, 200*time.Millisecond)
		c.repeated.Add(1)
	}
}

// id is a number for a call.
func id() uint64 {
	for {
		if n := rand.Uint64(); n != 0 {
			return n
		}
	}
}

// Show returns the first of the candidates, up to limit, that the user has not seen. They
// are recorded.
func (c *Client) Show(ctx context.Context, user string, candidates []strategies.ID, limit int) (shown []strategies.ID, err error) {
	r := &v1.ShowRequest{User: user, Candidates: numbers(candidates), Limit: uint32(limit), RequestId: id()}
	err = c.do(ctx, user, func(ctx context.Context, to exposurev1connect.ExposuresClient) error {
		answer, err := to.Show(ctx, r)
		if err == nil {
			shown = ids(answer.Shown)
		}
		return err
	})
	return shown, err
}

// ShowAll is Show for several requests, of which it sets Shown. Their numbers are drawn
// where they are 0. With several instances, each gets those of its users.
func (c *Client) ShowAll(ctx context.Context, requests []exposure.Show) error {
	groups := map[int][]int{}
	t := c.table.Load()
	if len(c.instances) > 1 && t == nil {
		t = c.look(ctx, nil)
	}
	for i := range requests {
		if requests[i].Request == 0 {
			requests[i].Request = id()
		}
		at := 0
		if len(c.instances) > 1 && t != nil {
			at = t.where[exposure.Partition(requests[i].User, t.of)]
		}
		groups[at] = append(groups[at], i)
	}
	errs := make(chan error, len(groups))
	for _, group := range groups {
		go func() { errs <- c.showGroup(ctx, requests, group) }()
	}
	var first error
	for range groups {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

// showGroup asks for requests together, and where their instance serves only some of them
// any more, for each alone.
func (c *Client) showGroup(ctx context.Context, requests []exposure.Show, group []int) error {
	all := &v1.ShowAllRequest{Requests: make([]*v1.ShowRequest, len(group))}
	for j, i := range group {
		r := &requests[i]
		all.Requests[j] = &v1.ShowRequest{User: r.User, Candidates: numbers(r.Candidates), Limit: uint32(r.Limit), RequestId: r.Request}
	}
	one, cancel := context.WithTimeout(ctx, c.o.Attempt)
	answer, err := c.instance(one, requests[group[0]].User, 0).ShowAll(one, all)
	cancel()
	if err == nil && len(answer.Responses) != len(group) {
		return fmt.Errorf("client: %d answers to %d requests", len(answer.Responses), len(group))
	}
	if err == nil {
		for j, i := range group {
			requests[i].Shown = ids(answer.Responses[j].Shown)
		}
		return nil
	}
	if c.o.Once || !again(err) || ctx.Err() != nil {
		return err
	}
	c.repeated.Add(1)
	for j, i := range group {
		r := all.Requests[j]
		if err := c.do(ctx, r.User, func(ctx context.Context, to exposurev1connect.ExposuresClient) error {
			answer, err := to.Show(ctx, r)
			if err == nil {
				requests[i].Shown = ids(answer.Shown)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// Seen sets seen[i] to whether the user was shown candidates[i]; the slices have the same
// length.
func (c *Client) Seen(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
	return c.do(ctx, user, func(ctx context.Context, to exposurev1connect.ExposuresClient) error {
		answer, err := to.Seen(ctx, &v1.SeenRequest{User: user, Candidates: numbers(candidates)})
		if err == nil && len(answer.Seen) != len(seen) {
			err = fmt.Errorf("client: %d answers to %d candidates", len(answer.Seen), len(seen))
		}
		if err == nil {
			copy(seen, answer.Seen)
		}
		return err
	})
}

// Record adds articles that the user was shown, oldest first.
func (c *Client) Record(ctx context.Context, user string, articles []strategies.ID) error {
	r := &v1.RecordRequest{User: user, Articles: numbers(articles), RequestId: id()}
	return c.do(ctx, user, func(ctx context.Context, to exposurev1connect.ExposuresClient) error {
		_, err := to.Record(ctx, r)
		return err
	})
}

// Forget makes the user a newcomer.
func (c *Client) Forget(ctx context.Context, user string) error {
	return c.do(ctx, user, func(ctx context.Context, to exposurev1connect.ExposuresClient) error {
		_, err := to.Forget(ctx, &v1.ForgetRequest{User: user})
		return err
	})
}

// A Vector is a user's history and what its bytes mean. Package local asks it.
type Vector struct {
	User    string
	History []byte // nil for a newcomer
	*v1.Layout
}

// Vector fetches a user's history.
func (c *Client) Vector(ctx context.Context, user string) (v Vector, err error) {
	err = c.do(ctx, user, func(ctx context.Context, to exposurev1connect.ExposuresClient) error {
		answer, err := to.Vector(ctx, &v1.VectorRequest{User: user})
		if err == nil {
			v = Vector{user, answer.History, answer.Layout}
		}
		return err
	})
	return v, err
}

// Describe says what an instance is.
func (c *Client) Describe(ctx context.Context, instance int) (*v1.DescribeResponse, error) {
	return c.instances[instance].Describe(ctx, &v1.DescribeRequest{})
}

func numbers(articles []strategies.ID) []uint64 {
	n := make([]uint64, len(articles))
	for i, id := range articles {
		n[i] = uint64(id)
	}
	return n
}

func ids(articles []uint64) []strategies.ID {
	n := make([]strategies.ID, len(articles))
	for i, id := range articles {
		n[i] = strategies.ID(id)
	}
	return n
}
