package explorer

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"dejavu/experiments/golden"
)

// All that the page is given for a few settings, numbers to six digits.
func TestGolden(t *testing.T) {
	e, err := New(Scope{Windows: []int{100, 500}, Rates: []float64{0.1, 0.02}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	line := func(name string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", name, text)
	}
	line("users", e.Users)
	line("shown", e.Shown)
	line("sizings", e.Sizings)
	line("strategies", e.Strategies)
	line("start", e.Start)
	line("curves", e.Curves)
	for i, c := range e.Cells {
		fmt.Fprintf(&b, "cell %d: %s, bytes %d, window %d, least %d, rates", i, c.Size, c.Bytes, c.Window, c.Least)
		for _, r := range c.FPR {
			fmt.Fprintf(&b, " %.6g", float64(r))
		}
		sum := 0.
		for i, r := range c.Curve {
			sum += math.Log1p(float64(r)) * float64(i+1)
		}
		fmt.Fprintf(&b, ", curve of %d: %.6g\n", len(c.Curve), sum)
	}
	golden.File(t, "explorer.golden", b.String())
}

// What cannot be made says for which setting.
func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		scope Scope
		want  string
	}{
		{Scope{Windows: []int{0}, Rates: []float64{0.02}}, "queue for 0 articles at 0.02: "},
		{Scope{Windows: []int{100}, Rates: []float64{2}}, "single for 100 articles at 2: "},
		{Scope{Windows: []int{100}, Rates: []float64{2}}, "dual for 100 articles at 2: "},
		{Scope{Windows: []int{100}, Rates: []float64{2}}, "chain for 100 articles at 2: "},
	} {
		if _, err := New(c.scope); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.scope, err, c.want)
		}
	}
}
