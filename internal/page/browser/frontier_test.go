package browser

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// limit writes a value into a control of the frontier.
func (b *tab) limit(name, value string) { b.enter("#limits [name="+name+"]", value) }

// A trade is a line of the table as it is shown.
type trade struct {
	Name, Made, Lasts string
	Bytes, FPR        float64
}

// trades returns the lines shown, and the number of points in the scatter.
func (b *tab) trades() (shown []trade, points int) {
	b.Helper()
	shown = eval[[]trade](b, `Array.from(document.querySelectorAll("#trades tbody tr:not([hidden])"), r => {
		const head = Array.from(r.parentElement.parentElement.tHead.rows[0].cells);
		const of = key => r.cells[head.findIndex(h => h.dataset.key === key)];
		return {Name: r.cells[0].textContent, Made: of("made").textContent, Lasts: of("lasts").textContent,
			Bytes: Number(of("bytes").dataset.value), FPR: Number(of("worst").dataset.value)};
	})`)
	return shown, eval[int](b, `document.querySelectorAll("#scatter .dot").length`)
}

// Table and scatter show what is within all limits, and the address leads to them again.
func TestFrontier(t *testing.T) {
	b := open(t, desk)
	all, points := b.trades()
	if len(all) < 10 || points != len(all) ||
		slices.ContainsFunc(all, func(t trade) bool { return t.Made != all[0].Made }) {
		t.Fatalf("%d lines and %d points at first: %v", len(all), points, all)
	}
	if !slices.IsSortedFunc(all, func(a, b trade) int { return int(a.Bytes - b.Bytes) }) {
		t.Errorf("not the shortest first: %v", all)
	}
	b.limit("made", "")
	if both, points := b.trades(); len(both) <= len(all) || points != len(all) { // in 512 bytes no times were measured
		t.Errorf("%d lines and %d points of both", len(both), points)
	}
	b.limit("y", "worst")
	if both, points := b.trades(); points != len(both) {
		t.Errorf("%d lines and %d points by rates", len(both), points)
	}
	b.limit("lasts", "for ever")
	b.limit("bytes", "1000")
	b.limit("worst", "2")
	shown, points := b.trades()
	if len(shown) == 0 || points != len(shown) {
		t.Errorf("%d lines and %d points within the limits", len(shown), points)
	}
	for _, s := range shown {
		if s.Lasts != "for ever" || s.Bytes > 1000 || s.FPR > 2 {
			t.Errorf("beyond the limits: %+v", s)
		}
	}
	hash := eval[string](b, "location.hash")
	parts := []string{"#frontier?", "made=", "bytes=1000", "worst=2", "y=worst", "lasts=for+ever"}
	for _, part := range parts {
		if !strings.Contains(hash, part) {
			t.Errorf("the address %q lacks %q", hash, part)
		}
	}
	strategytest.Must(t, chromedp.Do(b.ctx, chromedp.Reload()))
	if again, _ := b.trades(); !slices.Equal(again, shown) {
		t.Errorf("the address leads to %v, want %v", again, shown)
	}
	b.limit("bytes", "1")
	if none, points := b.trades(); len(none) != 0 || points != 0 {
		t.Errorf("in a byte there are %v", none)
	}
	b.press("#limits button", kb.Enter)
	whole := fmt.Sprintf(`document.querySelectorAll("#trades tbody tr:not([hidden])").length === %d`, len(all))
	if again, err := chromedp.Run(b.ctx, chromedp.Poll[bool](whole)); err != nil || !again {
		t.Errorf("starting again does not: %v", err)
	}
}

// A heading sorts by its column, by keyboard as well, and the other way round.
func TestSort(t *testing.T) {
	b := open(t, desk)
	for _, want := range []struct {
		state string
		sign  float64
	}{{"ascending", 1}, {"descending", -1}} {
		b.press("#trades th[data-key=worst] button", kb.Enter)
		shown, _ := b.trades()
		if !slices.IsSortedFunc(shown, func(a, b trade) int {
			return cmp.Compare(want.sign*a.FPR, want.sign*b.FPR)
		}) {
			t.Errorf("not %s: %v", want.state, shown)
		}
		state := eval[string](b, `document.querySelector("#trades th[data-key=worst]").ariaSort`)
		strategytest.Equal(t, state, want.state, "a screen reader hears")
	}
}

// Without scripts the whole table is shown, and nothing that needs them.
func TestWithoutScripts(t *testing.T) {
	b := open(t, desk)
	strategytest.Must(t, strategytest.ErrorOf(chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true})))
	strategytest.Must(t, chromedp.Do(b.ctx, chromedp.Reload()))
	rows, limits := eval[int](b, `document.querySelectorAll("#trades tbody tr:not([hidden])").length`),
		eval[bool](b, `document.getElementById("limits").hidden`)
	if rows < 18 || !limits {
		t.Errorf("without scripts %d lines, limits hidden: %t", rows, limits)
	}
}
