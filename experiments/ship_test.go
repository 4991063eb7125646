package main

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dejavu/measure"
	"dejavu/measure/wire"
)

// started is the exposure service and a route to its first histories.
func started(t *testing.T, ctx context.Context) (*service, *measure.Route) {
	t.Helper()
	all, err := (&suite{made: map[string]any{}}).shippings()
	if err != nil {
		t.Fatal(err)
	}
	s, err := startService(ctx, 2016, all)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	r, err := measure.NewRoute(wire.NewClient(s.conns[0]), all[0].Subject, all[0].shown, 40, 2016)
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

// The service's process ends with whoever started it, killed or not: its standard
// input does.
func TestServiceEnds(t *testing.T) {
	s, r := started(t, t.Context())
	if c, err := r.Count(t.Context(), measure.Range{To: 3}, 40); err != nil || c.Apart != 0 || c.Checked != 120 {
		t.Errorf("%+v, %v", c, err)
	}
	s.stdin.Close()
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the service ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the service goes on without standard input")
	}
}

// A service that dies is an error that says so, not a wait without an end.
func TestServiceDies(t *testing.T) {
	s, r := started(t, t.Context())
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	_, err := r.Count(t.Context(), measure.Range{To: 3}, 40)
	if err = s.why(err); err == nil || !strings.Contains(err.Error(), "exposure service: wire: ") {
		t.Errorf("a service that was killed: %v", err)
	}
}

// An interrupted run waits for no answer.
func TestServiceInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, r := started(t, ctx)
	cancel()
	_, err := r.Count(context.Background(), measure.Range{To: 3}, 40)
	if err := s.why(err); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// What the service's process says of itself is part of the error.
func TestServiceSays(t *testing.T) {
	s := &service{ctx: t.Context(), said: new(strings.Builder), cmd: exec.Command("experiments"), stdin: io.NopCloser(nil)}
	s.said.WriteString("experiments: no loopback\n")
	if err := s.why(errors.New("it named 0 addresses, want 4")); err == nil ||
		err.Error() != "exposure service: it named 0 addresses, want 4; it said: experiments: no loopback" {
		t.Errorf("%v", err)
	}
	if err := s.why(nil); err != nil {
		t.Errorf("%v of nothing", err)
	}
}
