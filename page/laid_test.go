package page

import (
	"fmt"
	"strings"
	"testing"

	"dejavu/results"
)

// A column that says nothing is left out, but for the first; one with a sentence in it
// is long, and one of numbers flush right, but for the first. Short rows are filled up.
func TestLaidOut(t *testing.T) {
	limit, more := strings.Repeat("é", 36), strings.Repeat("é", 37)
	g := laidOut(results.Table{
		Title: "T", Header: []string{"", "empty", "numbers", "36", "37", "last"},
		Rows: [][]string{{"", "", "1", limit, "a", "`x`"}, {"–", "–", "2", "b", more}, {}},
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%s quiet %t cards %t\n", g.Title, g.Quiet, g.Cards)
	for _, c := range g.Head {
		fmt.Fprintf(&b, "%s right %t long %t\n", c.Label, c.Right, c.Long)
	}
	for _, l := range g.Lines {
		fmt.Fprintf(&b, "%q:", l.Name)
		for _, c := range l.Cells {
			fmt.Fprintf(&b, " %s=%s", c.Label, strings.NewReplacer(more, "more", limit, "limit").Replace(string(c.Text)))
		}
		fmt.Fprintln(&b)
	}
	want := `T quiet false cards false
 right false long false
numbers right true long false
36 right false long false
37 right false long true
last right false long false
"": numbers=1 36=limit 37=a last=<code>x</code>
"–": numbers=2 36=b 37=more last=
"": numbers= 36= 37= last=
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	numbers := laidOut(results.Table{Header: []string{"n"}, Rows: [][]string{{"1"}}})
	if len(numbers.Head) != 1 || numbers.Head[0].Right {
		t.Errorf("a first column of numbers is %+v", numbers.Head)
	}
}

// A name as a part of the page is called, and text with code and strong words.
func TestWords(t *testing.T) {
	for s, want := range map[string]string{"P12": "p12", " Über a_b (9) ": "ber-a-b--9", "--": ""} {
		if got := anchor(s); got != want {
			t.Errorf("%q is called %q, want %q", s, got, want)
		}
	}
	if got, want := inline("a **b & `**c**` <d>** e `f"), "a <strong>b &amp; </strong><code>**c**</code> &lt;d&gt;<strong> e </strong><code>f</code>"; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Every slider starts at one of its places, and each list of a cell has all its values.
func TestExplorerStart(t *testing.T) {
	explorer := func() Explorer {
		return Explorer{
			Users: []int{1, 2}, Windows: []int{1, 2}, Rates: []float64{0.1, 0.2}, Shown: make([]Habit, 2), Sizings: make([]Sizing, 2),
			Strategies: make([]Strategy, 1), Curves: [][]int{{1}, {1}}, Start: Setting{1, 1, 1, 1, 1},
			Cells: func() (cells []Cell) {
				for range 8 {
					cells = append(cells, Cell{Bytes: make([]int, 2), FPR: make([]Number, 2), Window: make([]int, 2), Curve: make([]Coarse, 1)})
				}
				return cells
			}(),
		}
	}
	for at, valid := range map[int]bool{-1: false, 0: true, 1: true, 2: false} {
		for name, set := range map[string]func(*Setting){
			"Users": func(s *Setting) { s.Users = at }, "Window": func(s *Setting) { s.Window = at }, "Rate": func(s *Setting) { s.Rate = at },
			"Shown": func(s *Setting) { s.Shown = at }, "Sizing": func(s *Setting) { s.Sizing = at },
		} {
			e := explorer()
			set(&e.Start)
			err := e.Validate()
			if want := fmt.Sprintf("explorer: Start.%s is %d, want 0 to 1", name, at); valid && err != nil || !valid && (err == nil || err.Error() != want) {
				t.Errorf("%v, want %s: %t", err, want, !valid)
			}
		}
	}
	for name, spoil := range map[string]func(*Cell){
		"bytes": func(c *Cell) { c.Bytes = nil }, "rates": func(c *Cell) { c.FPR = nil }, "windows": func(c *Cell) { c.Window = nil }, "points": func(c *Cell) { c.Curve = nil },
	} {
		e := explorer()
		spoil(&e.Cells[7])
		if err := e.Validate(); err == nil || !strings.Contains(err.Error(), "cell 7 has ") || !strings.Contains(err.Error(), "0 "+name) {
			t.Errorf("no %s: %v", name, err)
		}
	}
	e := explorer()
	e.Curves = e.Curves[1:]
	if e.Validate() == nil {
		t.Error("a window without a curve")
	}
}
