package plots

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sides are the room that a panel's labels take around its data.
type sides struct{ left, right, bottom, top vg.Length }

// atLeast is the larger of both on every side.
func (s sides) atLeast(t sides) sides {
	return sides{max(s.left, t.left), max(s.right, t.right), max(s.bottom, t.bottom), max(s.top, t.top)}
}

// around is the rectangle with the room added.
func (s sides) around(r vg.Rectangle) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: r.Min.X - s.left, Y: r.Min.Y - s.bottom},
		Max: vg.Point{X: r.Max.X + s.right, Y: r.Max.Y + s.top},
	}
}

const (
	alignRounds = 4             // the third changes next to nothing
	leastData   = vg.Length(30) // of a panel's data, where labels would leave less
)

// align gives each plot of a grid its canvas, such that all data areas are of one size and in line. The
// library's own way to do so first sets all panels into tiles of one size, and breaks where labels are wider
// than a tile.
//
// What labels take depends on the size of the data, as they may overhang at its ends, and the size of the
// data on what labels leave: so the two are found in turns, beginning with all of the sheet for each.
func align(plots [][]*plot.Plot, pad vg.Point, c draw.Canvas) [][]draw.Canvas {
	rows, cols := len(plots), len(plots[0])
	all := slices.Concat(plots...)
	taken := make([]sides, rows*cols) // nothing where there is no plot
	places := slices.Repeat([]vg.Rectangle{c.Rectangle}, rows*cols)
	for range alignRounds {
		for at, p := range all {
			if p != nil {
				taken[at] = measure(p, c, taken[at].around(places[at]))
			}
		}
		places = place(taken, rows, cols, pad, c.Rectangle)
	}
	out := make([][]draw.Canvas, rows)
	for at, place := range places {
		out[at/cols] = append(out[at/cols], draw.Canvas{Canvas: c.Canvas, Rectangle: taken[at].around(place)})
	}
	return out
}

// measure returns the room that a plot's labels take on a canvas of that size.
func measure(p *plot.Plot, c draw.Canvas, on vg.Rectangle) sides {
	data := p.DataCanvas(draw.Canvas{Canvas: c.Canvas, Rectangle: on})
	return sides{data.Min.X - on.Min.X, on.Max.X - data.Max.X, data.Min.Y - on.Min.Y, on.Max.Y - data.Max.Y}
}

// place sets data areas of one size, with the room that the labels of a column take at most, and of a row.
func place(taken []sides, rows, cols int, pad vg.Point, all vg.Rectangle) []vg.Rectangle {
	byRow, byColumn := make([]sides, rows), make([]sides, cols)
	for i, s := range taken {
		byRow[i/cols], byColumn[i%cols] = byRow[i/cols].atLeast(s), byColumn[i%cols].atLeast(s)
	}
	width, height := all.Size().X-pad.X*vg.Length(cols-1), all.Size().Y-pad.Y*vg.Length(rows-1)
	for _, s := range byColumn {
		width -= s.left + s.right
	}
	for _, s := range byRow {
		height -= s.bottom + s.top
	}
	width, height = max(width/vg.Length(cols), leastData), max(height/vg.Length(rows), leastData)
	places := make([]vg.Rectangle, len(taken))
	y := all.Max.Y
	for j := range rows {
		y -= byRow[j].top
		x := all.Min.X
		for i := range cols {
			x += byColumn[i].left
			places[j*cols+i] = vg.Rectangle{Min: vg.Point{X: x, Y: y - height}, Max: vg.Point{X: x + width, Y: y}}
			x += width + byColumn[i].right + pad.X
		}
		y -= height + byRow[j].bottom + pad.Y
	}
	return places
}
