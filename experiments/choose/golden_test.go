// Theory takes ten times as long under the race detector, and shares nothing between goroutines.
//go:build !race

package choose

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// What the program answers to some needs: text, Markdown, CSV and JSON. Times come from the reference and its machine.
func TestGolden(t *testing.T) {
	var b strings.Builder
	for i, n := range []Need{
		{Users: 10_000_000, Window: 450, FPR: 0.02},
		{Users: 1_000_000, Window: 40, FPR: 0.01, Memory: 120_000_000, Articles: 100, Numbered: true},
		{Users: 1000, Window: 40, FPR: 0.001, Memory: 46_000, Paper: true},
		{Users: 1000, Window: 40, FPR: 0.1, Memory: 116_000, Paper: true},
		{Users: 3, Window: 1, FPR: 1e-11},
	} {
		all := offered(t, n)
		for i := range all {
			o := &all[i]
			o.time = Time{Query: float64(100 + i), Request: float64(200 - i)}
			if o.Request > 0 {
				o.Query, o.Request = o.time.Query, o.time.Request
			}
		}
		fmt.Fprintf(&b, "%+v\n", n)
		var err error
		switch i {
		case 0, 2:
			b.WriteString(document.Terminal(120, Answer(n, all, nil, i > 0)...))
		case 1:
			b.WriteString(document.Markdown(Answer(n, all, nil, true)...))
		case 3:
			err = WriteJSON(&b, n, all[:2], nil)
		case 4:
			b.WriteString(document.Markdown(Answer(n, all, nil, false)...))
		}
		strategytest.Must(t, err)
	}
	golden.File(t, "answers.golden", strings.ReplaceAll(b.String(), reference().machine, "MACHINE"))
}

// Each need has a least and a most value, and both work.
func TestCheck(t *testing.T) {
	good := Need{Users: 10, Window: 20, FPR: 0.02}
	for _, c := range []struct {
		change func(n *Need, v float64)
		least  float64
		most   float64
		below  float64
		above  float64
		says   string
	}{
		{func(n *Need, v float64) { n.Users = int(v) }, 1, workload.MaxUsers, 0, workload.MaxUsers + 1, "--users is"},
		{func(n *Need, v float64) { n.Window = int(v) }, 1, MaxWindow, 0, MaxWindow + 1, "--window is"},
		{func(n *Need, v float64) { n.FPR = v }, MinFPR, math.Nextafter(1, 0), math.Nextafter(MinFPR, 0), 1, "--fpr is"},
		{func(n *Need, v float64) { n.FPR = v }, 0.5, 0.6, math.NaN(), math.Inf(1), "--fpr is"},
		{func(n *Need, v float64) { n.Articles = int(v) }, 20, MaxWindow, 19, MaxWindow + 1, "--articles is"},
		{func(n *Need, v float64) { n.Articles = int(v) }, 0, 21, 1, 2 * MaxWindow, "--articles is"},
	} {
		for _, v := range []float64{c.least, c.most} {
			n := good
			if c.change(&n, v); n.Check() != nil {
				t.Errorf("%v: %v", v, n.Check())
			}
		}
		for _, v := range []float64{c.below, c.above} {
			n := good
			if c.change(&n, v); n.Check() == nil || !strings.HasPrefix(n.Check().Error(), c.says) {
				t.Errorf("%v: got %v, want %q", v, n.Check(), c.says)
			}
		}
	}
}

// None fits, one, or more.
func TestAsked(t *testing.T) {
	n := Need{Users: 1000, Window: 400, FPR: 0.02}
	for fit, want := range []string{".", ": 1 of 3 strategies fits.", ": 2 of 3 strategies fit."} {
		all := make([]Offer, 3)
		for i := range fit {
			all[i].Fits = true
		}
		if got := asked(n, all); !strings.HasSuffix(got, "no limit on memory"+want) {
			t.Errorf("%d fit: %q, want %q", fit, got, want)
		}
	}
}
