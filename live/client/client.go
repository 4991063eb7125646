// Package client asks an exposure service: one instance, or several that share the users. A call goes to the instance
// that serves the user's partition. If none does, the call is tried again until its context is done. Calls that record
// carry a number of their own, so that one whose answer was lost counts once.
package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/types/known/emptypb"

	"dejavu/live/api"
	"dejavu/live/exposure"
	"dejavu/strategies"
)

// Options configure a Client.
type Options struct {
	_         struct{}
	Addresses []string      // of the instances, host:port
	Token     string        // empty: none
	TLS       *tls.Config   // nil: none; New copies it
	HTTP1     bool          // one request at a time on a connection, more connections
	GRPC      bool          // in place of Connect; it needs HTTP/2
	Attempt   time.Duration // after which an attempt is given up; 0: 10 s
	Once      bool          // do not try again

	Dial func(ctx context.Context, network, address string) (net.Conn, error) // nil: the network's own
}

// A Client is safe for concurrent use.
type Client struct {
	o         Options
	instances []api.ExposuresClient
	transport *http.Transport
	table     atomic.Pointer[table]
	repeated  atomic.Int64
}

type table struct {
	where []int // instance by partition
	made  time.Time
}

// New returns a client. It does not connect yet.
func New(o Options) (*Client, error) {
	if len(o.Addresses) == 0 {
		return nil, errors.New("client: no address of an instance")
	}
	o.Attempt = cmp.Or(o.Attempt, 10*time.Second)
	scheme := "http"
	if o.TLS != nil {
		scheme = "https"
	}
	var protocols http.Protocols
	protocols.SetHTTP1(o.HTTP1)
	protocols.SetHTTP2(!o.HTTP1)
	protocols.SetUnencryptedHTTP2(!o.HTTP1)
	c := &Client{o: o, transport: &http.Transport{
		TLSClientConfig: o.TLS.Clone(), Protocols: &protocols, DialContext: o.Dial,
		MaxIdleConnsPerHost: 1024, IdleConnTimeout: time.Minute, DisableCompression: true,
	}}
	by := &http.Client{
		Transport: c.transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	options := []connect.ClientOption{
		connect.WithAcceptCompression("gzip", nil, nil), connect.WithInterceptors(connect.UnaryInterceptorFunc(c.authorized)),
	}
	if o.GRPC {
		options = append(options, connect.WithGRPC())
	}
	for _, a := range o.Addresses {
		c.instances = append(c.instances, api.NewExposuresClient(by, scheme+"://"+a, options...))
	}
	return c, nil
}

// authorized adds the token to a request.
func (c *Client) authorized(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, r connect.AnyRequest) (connect.AnyResponse, error) {
		if c.o.Token != "" {
			r.Header().Set("Authorization", "Bearer "+c.o.Token)
		}
		return next(ctx, r)
	}
}

// Repeated returns how many attempts followed a failed one. Close ends idle connections.
func (c *Client) Repeated() int64 { return c.repeated.Load() }
func (c *Client) Close()          { c.transport.CloseIdleConnections() }

// again reports whether a call that failed with err may succeed if repeated.
func again(err error) bool {
	switch connect.CodeOf(err) {
	case connect.CodeUnavailable, connect.CodeUnknown, connect.CodeDeadlineExceeded, connect.CodeCanceled,
		connect.CodeAborted:
		return true
	}
	// A connection that was reset; the service's own faults come as its answers.
	return connect.CodeOf(err) == connect.CodeInternal && !connect.IsWireError(err)
}

// instance returns the instance to ask for a user at an attempt.
func (c *Client) instance(ctx context.Context, user string, attempt int) api.ExposuresClient {
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
	i := t.where[exposure.Partition(user, len(t.where))]
	if i < 0 {
		i = attempt % len(c.instances)
	}
	return c.instances[i]
}

func (c *Client) look(ctx context.Context, old *table) *table {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	answers := make([]*api.DescribeResponse, len(c.instances))
	var group sync.WaitGroup
	for i := range c.instances {
		group.Go(func() { answers[i], _ = c.Describe(ctx, i) }) // nil for one that is not there
	}
	group.Wait()
	t := &table{made: time.Now()}
	for i, a := range answers {
		if a == nil {
			continue
		}
		if len(t.where) == 0 {
			t.where = slices.Repeat([]int{-1}, int(a.Partitions))
		}
		for p := range t.where {
			if a.AllHere || slices.Contains(a.Here, uint32(p)) {
				t.where[p] = i
			}
		}
	}
	if len(t.where) == 0 {
		return old
	}
	c.table.Store(t)
	return t
}

// ask makes attempts at a call until one succeeds, the error is final, or the context is done.
func ask[Q, A any](
	ctx context.Context, c *Client, user string, r *Q, call func(api.ExposuresClient, context.Context, *Q) (*A, error),
) (*A, error) {
	pause := 5 * time.Millisecond
	for attempt := 0; ; attempt++ {
		one, cancel := context.WithTimeout(ctx, c.o.Attempt)
		answer, err := call(c.instance(one, user, attempt), one, r)
		cancel()
		if err == nil {
			return answer, nil
		}
		if c.o.Once || !again(err) || ctx.Err() != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w, after %d attempts, the last: %w", ctx.Err(), attempt+1, err)
		case <-time.After(pause + rand.N(pause)):
		}
		pause = min(2*pause, 200*time.Millisecond)
		c.repeated.Add(1)
	}
}

func number() uint64 { return 1 + rand.Uint64N(math.MaxUint64) }

// Show returns the first candidates, at most most, that the user has not seen. They are recorded.
func (c *Client) Show(ctx context.Context, user string, candidates []strategies.ID, most int) ([]strategies.ID, error) {
	one := exposure.Show{User: user, Request: number(), Candidates: candidates, Limit: most}
	err := c.show(ctx, &one, message(&one))
	return one.Shown, err
}

func message(s *exposure.Show) *api.ShowRequest {
	return &api.ShowRequest{
		User: s.User, Candidates: api.Numbers(s.Candidates), Limit: uint32(s.Limit), RequestId: s.Request,
	}
}

func (c *Client) show(ctx context.Context, s *exposure.Show, m *api.ShowRequest) error {
	got, err := ask(ctx, c, s.User, m, api.ExposuresClient.Show)
	if err == nil {
		s.Shown = api.IDs(got.Shown)
	}
	return err
}

// ShowAll is Show for several requests. It sets Shown, and Request if that is 0. Each instance gets its own users.
func (c *Client) ShowAll(ctx context.Context, requests []exposure.Show) error {
	t := c.table.Load()
	if len(c.instances) > 1 && t == nil {
		t = c.look(ctx, nil)
	}
	groups := map[int][]*exposure.Show{} // by instance
	for i := range requests {
		s, at := &requests[i], 0
		if s.Request == 0 {
			s.Request = number()
		}
		if len(c.instances) > 1 && t != nil {
			at = t.where[exposure.Partition(s.User, len(t.where))]
		}
		groups[at] = append(groups[at], s)
	}
	var all errgroup.Group
	for _, group := range groups {
		all.Go(func() error { return c.showGroup(ctx, group) })
	}
	return all.Wait()
}

// showGroup asks for requests together, or for each alone if their instance no longer serves all.
func (c *Client) showGroup(ctx context.Context, group []*exposure.Show) error {
	all := &api.ShowAllRequest{Requests: make([]*api.ShowRequest, len(group))}
	for i, s := range group {
		all.Requests[i] = message(s)
	}
	one, cancel := context.WithTimeout(ctx, c.o.Attempt)
	answer, err := c.instance(one, group[0].User, 0).ShowAll(one, all)
	cancel()
	if err == nil {
		if len(answer.Responses) != len(group) {
			return fmt.Errorf("client: %d answers to %d requests", len(answer.Responses), len(group))
		}
		for i, s := range group {
			s.Shown = api.IDs(answer.Responses[i].Shown)
		}
		return nil
	}
	if c.o.Once || !again(err) || ctx.Err() != nil {
		return err
	}
	c.repeated.Add(1)
	for i, s := range group {
		if err := c.show(ctx, s, all.Requests[i]); err != nil {
			return err
		}
	}
	return nil
}

// Seen sets seen[i] to whether the user was shown candidates[i]; the slices have the same length.
func (c *Client) Seen(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
	r := &api.SeenRequest{User: user, Candidates: api.Numbers(candidates)}
	answer, err := ask(ctx, c, user, r, api.ExposuresClient.Seen)
	if err == nil && len(answer.Seen) != len(seen) {
		err = fmt.Errorf("client: %d answers to %d candidates", len(answer.Seen), len(seen))
	}
	if err == nil {
		copy(seen, answer.Seen)
	}
	return err
}

// Record adds articles that the user was shown, oldest first.
func (c *Client) Record(ctx context.Context, user string, articles []strategies.ID) error {
	r := &api.RecordRequest{User: user, Articles: api.Numbers(articles), RequestId: number()}
	_, err := ask(ctx, c, user, r, api.ExposuresClient.Record)
	return err
}

// Forget makes the user a newcomer.
func (c *Client) Forget(ctx context.Context, user string) error {
	_, err := ask(ctx, c, user, &api.UserRequest{User: user}, api.ExposuresClient.Forget)
	return err
}

// A Vector is a user's history and what its bytes mean. Package local asks it.
type Vector struct {
	User    string
	History []byte // nil for a newcomer
	*api.Layout
}

// Vector fetches a user's history.
func (c *Client) Vector(ctx context.Context, user string) (Vector, error) {
	answer, err := ask(ctx, c, user, &api.UserRequest{User: user}, api.ExposuresClient.Vector)
	if err != nil {
		return Vector{User: user}, err
	}
	return Vector{user, answer.History, answer.Layout}, nil
}

// Describe says what an instance is.
func (c *Client) Describe(ctx context.Context, instance int) (*api.DescribeResponse, error) {
	return c.instances[instance].Describe(ctx, &emptypb.Empty{})
}
