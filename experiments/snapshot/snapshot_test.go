package snapshot

import (
	"context"
	"errors"
	"io"
	"math"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/internal/sysinfo"
	"dejavu/results"
)

// A restart loses what theory says, within 4.5 standard errors: one seed in a hundred thousand misses.
func TestRows(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("theory is slow, and holds no goroutines")
	}
	r := engine.New(t.Context(), engine.Scope{Users: 40_000, Seed: results.DefaultSeed, Entries: catalogue.All()}, engine.NewProgress(io.Discard))
	r.Out = t.TempDir()
	all, timing, err := Experiment.Rows(r)
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, r := range all {
		value, ok := r.Value.Get()
		theory, both := r.Theory.Get()
		if !ok || !both {
			continue
		}
		counted++
		switch r.Quantity {
		case results.QForgotten:
			if off := math.Abs(value-theory) / ((r.High.Or(0) - r.Low.Or(0)) / 2 / 1.96); !(off < 4.5) {
				t.Errorf("%v is %v, theory %v: %.1f standard errors apart", r.Name(), value, theory, off)
			}
		case results.QForgottenEach:
		default:
			if value != theory {
				t.Errorf("%v is %v, want %v", r.Name(), value, theory)
			}
		}
	}
	for _, r := range timing {
		if value, ok := r.Value.Get(); !ok || value <= 0 {
			t.Errorf("%v is %v", r.Name(), r.Value)
		}
	}
	// Two strategies: five counts and seven times of a restart.
	if counted != 2*5 || len(timing) != 2*7 {
		t.Errorf("%d counts and %d times were looked at", counted, len(timing))
	}
}

// Where a disk is full, the message says what would do; where there was no error, nobody waits for the run,
// or nothing is left to write, there is nothing to say.
func TestAdvised(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	full := errors.New("no space left on device")
	for _, c := range []struct {
		ctx  context.Context
		err  error
		left int64
		want string
	}{
		{t.Context(), full, 2500, "no space left on device; it takes 2.5 kB in d: name another disk by --out, or fewer users by --users"},
		{t.Context(), full, 0, "no space left on device"},
		{ended, full, 2500, "no space left on device"},
		{t.Context(), nil, 2500, ""},
	} {
		err := advised(c.ctx, c.err, c.left, "d")
		if !errors.Is(err, c.err) || err != nil && err.Error() != c.want {
			t.Errorf("%v, %d bytes: %v, want %q", c.err, c.left, err, c.want)
		}
	}
}
