package snapshot

import (
	"context"
	"errors"
	"testing"
)

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
