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

// Every slider starts at one of its places.
func TestExplorerStart(t *testing.T) {
	for at, valid := range map[int]bool{-1: false, 0: true, 1: true, 2: false} {
		for name, set := range map[string]func(*Setting){
			"Users": func(s *Setting) { s.Users = at }, "Window": func(s *Setting) { s.Window = at }, "Rate": func(s *Setting) { s.Rate = at },
		} {
			e := Explorer{
				Users: []int{1, 2}, Windows: []int{1, 2}, Rates: []float64{0.1, 0.2}, Strategies: make([]Strategy, 1),
				Cells: make([]*Cell, 4), Start: Setting{1, 1, 1},
			}
			set(&e.Start)
			err := e.Validate()
			if want := fmt.Sprintf("explorer: Start.%s is %d, want 0 to 1", name, at); valid && err != nil || !valid && (err == nil || err.Error() != want) {
				t.Errorf("%v, want %s: %t", err, want, !valid)
			}
		}
	}
}
