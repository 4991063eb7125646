package plots

import "testing"

// Panels that share axes have one range; a number stands only where no neighbour bears
// it, and a guide is named only in the last column.
func TestShared(t *testing.T) {
	var panels []*Panel
	for i := range 5 {
		p := &Panel{Y: Axis{Scale: Log, Min: 0.1}, Guides: []Guide{{At: 0.5, Label: "half"}}}
		p.Add(Series{Points: []Point{At(float64(i), float64(i)/4)}})
		panels = append(panels, p)
	}
	panels[0].Y.Min, panels[0].Y.Max = 0.01, 1
	grid := Shared(Grid(3, panels...))
	for i, want := range []struct {
		x, y  bool
		guide string
	}{{true, false, ""}, {true, true, ""}, {false, true, "half"}, {false, false, ""}, {false, true, ""}} {
		p := grid[i/3][i%3]
		if p.X.Blank != want.x || p.Y.Blank != want.y || p.Guides[0].Label != want.guide {
			t.Errorf("panel %d: blank %t and %t, guide %q; want %+v", i, p.X.Blank, p.Y.Blank, p.Guides[0].Label, want)
		}
		if p.Y.Min != 0.01 || !p.Y.floor || p.X.Max != panels[4].X.Max {
			t.Errorf("panel %d has axes of its own: %+v, %+v", i, p.X, p.Y)
		}
	}
	// A row may be shorter than the one above.
	if ragged := Shared([][]*Panel{panels[:2], panels[2:3]}); !ragged[0][0].X.Blank || ragged[0][1].X.Blank {
		t.Errorf("blank %t above a panel, %t above none", ragged[0][0].X.Blank, ragged[0][1].X.Blank)
	}
	if n := (Sheet{Grid: grid}).free(); n != 1 {
		t.Errorf("%d places are free, want 1", n)
	}
	if n := (Sheet{Grid: Grid(2, panels[:4]...)}).free(); n != 0 {
		t.Errorf("%d places are free in a full grid", n)
	}
	if n := (Sheet{Grid: [][]*Panel{{nil, nil}}}).free(); n != 2 {
		t.Errorf("%d places are free in an empty row, want 2", n)
	}
}

// Where names stand at the ends of lines, each has its place: the last one that the
// axes show; and the legend has none of them.
func TestEnds(t *testing.T) {
	p := &Panel{X: Axis{Min: 0, Max: 10}, Y: Axis{Min: 0, Max: 1}, Direct: true}
	p.Add(
		Series{Look: Look{Name: "leaves"}, Line: []Point{At(0, 0.5), At(5, 1), At(10, 2)}},
		Series{Look: Look{Name: "stays"}, Points: []Point{At(0, 0.5), At(10, 0.25)}, Join: true},
		Series{Look: Look{Name: "nameless"}, Line: []Point{At(0, 0), At(1, 1)}, Unnamed: true},
	)
	p.fit()
	ends := p.ends()
	if len(ends) != 2 || ends[0].at.X != 5 || ends[0].at.Y != 1 || ends[1].at.X != 10 || ends[1].at.Y != 0.25 {
		t.Errorf("the ends are %+v", ends)
	}
	if l := (Sheet{Grid: Grid(1, p)}).legend(); len(l) != 0 {
		t.Errorf("the legend has %d entries", len(l))
	}
	p.Direct = false
	if l := (Sheet{Grid: Grid(1, p)}).legend(); len(p.ends()) != 0 || len(l) != 2 {
		t.Errorf("without names at the ends the legend has %d entries", len(l))
	}
}
