package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Data areas are of one size, in line, and inside the sheet, however long the names beside them.
func TestAlign(t *testing.T) {
	for _, name := range []string{"a", "a name that is longer than a fourth of the page is wide"} {
		panels := make([][]*plot.Plot, 2)
		for j := range panels {
			for i := range 4 {
				if i == 2 && j == 1 {
					panels[j] = append(panels[j], nil)
					continue
				}
				p := &Panel{
					Y: Axis{Names: []string{name, "b"}, Blank: i > 0}, X: Axis{Max: math.Pow(1000, float64(i)), Min: -1},
					Guides: []Guide{{At: float64(j), Vertical: true, Label: "overhanging"}},
				}
				drawn, err := p.plot()
				if err != nil {
					t.Fatal(err)
				}
				panels[j] = append(panels[j], drawn)
			}
		}
		all := draw.New(vgimg.New(500, 300))
		var first vg.Rectangle
		pad := vg.Point{X: 10, Y: 20}
		canvases := align(panels, pad, all)
		for j, row := range canvases {
			for i, c := range row {
				if panels[j][i] == nil {
					continue
				}
				if j > 0 && canvases[0][i].Min.Y-c.Max.Y < pad.Y-0.1 || i > 0 && c.Min.X-row[i-1].Max.X < pad.X-0.1 {
					t.Errorf("%s: panel %d, %d is too near to its neighbours", name, j, i)
				}
				data := panels[j][i].DataCanvas(c).Rectangle
				if i == 0 && j == 0 {
					first = data
				}
				near := func(a, b vg.Length) bool { return math.Abs(float64(a-b)) < 0.1 }
				if !near(data.Size().X, first.Size().X) || !near(data.Size().Y, first.Size().Y) {
					t.Errorf("%s: panel %d, %d is %v, the first %v", name, j, i, data.Size(), first.Size())
				}
				if j == 0 && !near(data.Min.Y, first.Min.Y) || i == 0 && !near(data.Min.X, first.Min.X) {
					t.Errorf("%s: panel %d, %d begins at %v, the first at %v", name, j, i, data.Min, first.Min)
				}
				if c.Min.X < -0.1 || c.Max.X > 500.1 || c.Min.Y < -0.1 || c.Max.Y > 300.1 || data.Size().X < 20 {
					t.Errorf("%s: panel %d, %d lies at %v", name, j, i, c.Rectangle)
				}
			}
		}
	}
}
