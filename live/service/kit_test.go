package service_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"dejavu/live/api"
	"dejavu/live/client"
	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/service"
	"dejavu/live/traffic"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

const token = "a token of sixteen"

var (
	chain, _ = layout.Make(layout.Choice{Name: "chain"})
	secret   = strategies.RandomSecret()
)

// limits returns small limits, changed by a section of a configuration.
func limits(change string) config.Limits {
	return strategytest.Value(config.Read([]byte("limits: {candidates: 50, limit: 20, requests: 4, user_bytes: 16, "+
		"body_bytes: 2048, requests_at_once: 4, read_time: 300ms, request_time: 300ms}"),
		[]byte("limits: {"+change+"}"))).Limits
}

// made returns a keeper, and its handler, which wants the token unless it is empty.
func made(t testing.TB, token string) (*plain, http.Handler) {
	s := strategytest.Value(store.New[string](store.Config{Strategy: chain, Secret: secret}))
	t.Cleanup(s.Close)
	p := &plain{Store: s}
	return p, handler(p, limits(""), token)
}

func handler(p *plain, limits config.Limits, token string) http.Handler {
	in := traffic.New(limits, nil)
	if token != "" {
		in = traffic.New(limits, traffic.Tokens{traffic.KeyOf(token): traffic.Admin})
	}
	return (&service.Service{Keeper: p, Layout: chain, Secret: secret, Traffic: in}).Handler()
}

// serving returns a keeper that is served without a token, and the address.
func serving(t testing.TB, limits config.Limits) (p *plain, address string) {
	p, _ = made(t, "")
	return p, served(t, handler(p, limits, ""), limits, nil)
}

// served runs the handler as Serve does, and returns its address.
func served(t testing.TB, h http.Handler, limits config.Limits, secure *tls.Config) string {
	l := strategytest.Value(net.Listen("tcp", "127.0.0.1:0"))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx, l, h, traffic.New(limits, nil), secure) }()
	t.Cleanup(func() {
		cancel()
		strategytest.Must(t, <-ended)
	})
	return l.Addr().String()
}

func calling(o client.Options, address string) *client.Client {
	o.Addresses = []string{address}
	return strategytest.Value(client.New(o))
}

// http2 returns a client that speaks HTTP/2 alone, and takes a few bytes of an answer at a time if slow.
func http2(t testing.TB, slow bool) *http.Client {
	by := &http.Transport{Protocols: new(http.Protocols)}
	by.Protocols.SetUnencryptedHTTP2(true)
	if slow {
		by.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 1}
	}
	t.Cleanup(by.CloseIdleConnections)
	return &http.Client{Transport: by}
}

// post returns a handler's answer to a call in JSON.
func post(h http.Handler, call, body string) *httptest.ResponseRecorder {
	return ask(h, "POST", api.Path+call, body, "Content-Type", "application/json")
}

// ask returns a handler's answer. Headers are names and values in turn.
func ask(h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r, w := httptest.NewRequest(method, path, strings.NewReader(body)), httptest.NewRecorder()
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	h.ServeHTTP(w, r)
	return w
}

type plain struct {
	*store.Store[string]
	err  error
	of   int           // partitions, where there are others than the one that is here
	wait chan struct{} // a call waits for it, if not nil

	inside atomic.Int64 // calls that wait at once
}

func (p *plain) ShowAll(ctx context.Context, requests []exposure.Show) error {
	if p.wait != nil {
		p.inside.Add(1)
		defer p.inside.Add(-1)
		select {
		case <-p.wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for i := range requests {
		r := &requests[i]
		for _, at := range p.Show(r.User, 1, r.Candidates, r.Limit, nil) {
			r.Shown = append(r.Shown, r.Candidates[at])
		}
	}
	return p.err
}

func (p *plain) Seen(_ context.Context, user string, candidates []strategies.ID, seen []bool) error {
	p.Store.Seen(user, 1, candidates, seen[:0])
	return p.err
}

func (p *plain) Record(_ context.Context, user string, _ uint64, articles []strategies.ID) error {
	p.Store.Record(user, 1, articles)
	return p.err
}

func (p *plain) Forget(_ context.Context, user string) error {
	return cmp.Or(p.err, p.Put(user, 1, nil))
}
func (p *plain) Clear(context.Context) error { return p.err }
func (p *plain) Users() int                  { return p.Stats().Users }
func (p *plain) History(_ context.Context, user string) ([]byte, error) {
	return p.Store.History(user, 1, nil), p.err
}
func (p *plain) Partitions() (int, []int) { return max(1, p.of), []int{0} }
func (p *plain) Ready() error             { return p.err }
