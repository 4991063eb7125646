package service_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"dejavu/live/exposure"
	"dejavu/store"
	"dejavu/strategies"
)

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
func (p *plain) Forget(_ context.Context, user string) error { return p.Put(user, 1, nil) }
func (p *plain) Clear(context.Context) error                 { return p.err }
func (p *plain) Users() int                                  { return p.Stats().Users }
func (p *plain) History(_ context.Context, user string) ([]byte, error) {
	return p.Store.History(user, 1, nil), p.err
}
func (p *plain) Partitions() (int, []int) { return max(1, p.of), []int{0} }
func (p *plain) Ready() error             { return p.err }
