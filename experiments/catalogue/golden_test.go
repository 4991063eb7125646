package catalogue_test

import (
	"fmt"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/golden"
)

// All that the catalogue says of each strategy, and what its theory makes of the parameters that are
// measured, of those for a window and a rate, and of the longer one.
func TestGolden(t *testing.T) {
	var b strings.Builder
	made := func(what string, s catalogue.Strategy, err error) {
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprintf(&b, "  %s: endless %t, sizes %v;", what, catalogue.Endless(s), ends(s.Sizes()))
		for _, read := range []int{1, 101, 450, 1001} {
			fmt.Fprintf(&b, " after %d: %d B, window %d, rate %.4g;", read, s.Bytes(read), s.Window(read), s.FPR(read))
		}
		fmt.Fprintln(&b)
	}
	for _, e := range catalogue.All() {
		fmt.Fprintf(&b, "%s: %s\n  share 1/%d, churn 1/%d, set %t, lives %q, size of %q, stated %+v\n",
			e.Name, e.About, e.Share, e.Churn, e.Set, e.Lives, e.SizeOf, e.Stated)
		s, err := e.Make()
		made("made", s, err)
		if e.Sized != nil {
			config, err := e.Config(150, 0.01)
			if err != nil {
				t.Error(err)
			}
			s, err := e.Sized(150, 0.01)
			made(fmt.Sprintf("for 150 articles at 1 %%, a %T", config), s, err)
		}
		if e.Longer != "" {
			made(fmt.Sprintf("longer, which keeps the histories: %t", e.Keeps), e.Lengthened(), nil)
		}
	}
	golden.File(t, "catalogue.golden", b.String())
}

// ends are how many lengths there are, the first and the last.
func ends(sizes []int) string {
	return fmt.Sprintf("%d from %d to %d", len(sizes), sizes[0], sizes[len(sizes)-1])
}
