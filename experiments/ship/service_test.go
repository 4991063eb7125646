package ship

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"dejavu/experiments/run"
	"dejavu/measure"
	"dejavu/results"
)

// The exposure service is this binary again.
func TestMain(m *testing.M) {
	if asked, err := ServeIfAsked(); asked {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	Requests = 1
	os.Exit(m.Run())
}

// started is the exposure service in a process, and what kills that.
func started(t *testing.T, ctx context.Context) (s *service, kill func()) {
	t.Helper()
	alive, kill := context.WithCancel(context.Background())
	t.Cleanup(kill)
	s, err := connect(ctx, results.DefaultSeed, func(ctx context.Context, seed uint64, n int) (*service, []string, error) {
		s, addresses, err := startProcess(alive, seed, n)
		if err == nil {
			s.ctx = ctx
		}
		return s, addresses, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s, kill
}

// The service's process ends with the one that started it, killed or not: its
// standard input does.
func TestServiceEnds(t *testing.T) {
	s, _ := started(t, t.Context())
	for _, route := range s.routes {
		if c, err := route.Count(t.Context(), measure.Range{To: 3}, 40); err != nil || c.Apart != 0 || c.Checked != 120 {
			t.Errorf("%s: %+v, %v", route.Name, c, err)
		}
	}
	ended := make(chan struct{})
	go func() { s.stop(); s.stop(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("the service goes on without standard input")
	}
	if said := s.said.String(); said != "" {
		t.Errorf("it said %q", said)
	}
}

// A service that dies is an error that says so, not a wait without an end.
func TestServiceDies(t *testing.T) {
	s, kill := started(t, t.Context())
	kill()
	var err error
	for err == nil { // until the signal has come
		_, err = s.routes[0].Count(t.Context(), measure.Range{To: 3}, 40)
	}
	if err = s.why(err); err == nil || !strings.Contains(err.Error(), "exposure service: wire: ") {
		t.Errorf("a service that was killed: %v", err)
	}
}

// An interrupted run waits for no answer.
func TestServiceInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := started(t, ctx)
	cancel()
	var err error
	for err == nil {
		_, err = s.routes[0].Count(context.Background(), measure.Range{To: 3}, 40)
	}
	if err := s.why(err); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// What the service's process says of itself is part of the error.
func TestServiceSays(t *testing.T) {
	ended := false
	s := &service{ctx: t.Context(), stop: func() { ended = true }}
	s.said.WriteString("experiments: no loopback\n")
	if err := s.why(nil); err != nil || ended {
		t.Errorf("%v of nothing", err)
	}
	if err := s.why(errors.New("it named 0 addresses, want 4")); err == nil || !ended ||
		err.Error() != "exposure service: it named 0 addresses, want 4; it said: experiments: no loopback" {
		t.Errorf("%v", err)
	}
	_, err := connect(t.Context(), 1, func(context.Context, uint64, int) (*service, []string, error) { return s, nil, nil })
	if err == nil || !strings.Contains(err.Error(), "it named 0 addresses, want 4") {
		t.Errorf("a service without addresses: %v", err)
	}
}

// A process is the service only where it was started as such.
func TestServeIfAsked(t *testing.T) {
	if asked, err := ServeIfAsked(); asked || err != nil {
		t.Errorf("nobody asked: %v, %v", asked, err)
	}
	t.Setenv(seedVariable, "noise")
	if asked, err := ServeIfAsked(); !asked || err == nil || !strings.Contains(err.Error(), seedVariable) {
		t.Errorf("asked with noise: %v, %v", asked, err)
	}
}

// What was counted leaves no service behind.
func TestCountsEndTheService(t *testing.T) {
	before := runtime.NumGoroutine()
	r := run.New(t.Context(), run.Scope{Users: Users, Seed: 2016}, run.NewProgress(io.Discard))
	if _, err := counts.Make(t.Context(), r, measure.Range{To: 1}); err != nil {
		t.Fatal(err)
	}
	for range 200 { // connections end in goroutines of their own
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, before %d", runtime.NumGoroutine(), before)
}
