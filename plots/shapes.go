package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A whisker is the interval of one point, in the coordinates of the plot.
type whisker struct {
	at        plotter.XY
	low, high float64
	sideways  bool
	look      Look
}

// Plot draws the whisker as one stroke, or nothing where the mark would hide it.
func (w whisker) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const half = vg.Length(1.5) // of a cap
	radius := w.look.glyph().Radius
	along, at, mid, from, to := y, y(w.at.Y), x(w.at.X), c.Min.Y, c.Max.Y
	point := func(along, across vg.Length) vg.Point { return vg.Point{X: across, Y: along} }
	if w.sideways {
		along, at, mid, from, to = x, x(w.at.X), y(w.at.Y), c.Min.X, c.Max.X
		point = func(along, across vg.Length) vg.Point { return vg.Point{X: along, Y: across} }
	}
	low, high := max(along(w.low), from), min(along(w.high), to)
	if high-at < radius && at-low < radius {
		return
	}
	var path vg.Path
	path.Move(point(low, mid))
	path.Line(point(high, mid))
	for _, end := range []vg.Length{low, high} {
		path.Move(point(end, mid-half))
		path.Line(point(end, mid+half))
	}
	c.SetLineStyle(draw.LineStyle{Color: w.look.Color, Width: 0.7})
	c.Stroke(path)
}

// A bar lies along x at one place of a nominal y axis.
type bar struct {
	place, from, to float64
	look            Look
}

const (
	barWidth = vg.Length(7) // at most
	barShare = 0.36         // of the distance between two places, at most: two bars fit
)

// Plot draws the bar; a hollow look gives a hollow bar.
func (b bar) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	mid := y(b.place)
	width := min(barWidth, (y(1)-y(0))*barShare)
	corners := []vg.Point{
		{X: x(b.from), Y: mid - width/2},
		{X: x(b.to), Y: mid - width/2},
		{X: x(b.to), Y: mid + width/2},
		{X: x(b.from), Y: mid + width/2},
	}
	fill := color.Color(b.look.Color)
	if b.look.Mark.hollow {
		fill = color.White
	}
	c.FillPolygon(fill, corners)
	c.StrokeLines(draw.LineStyle{Color: b.look.Color, Width: 0.8}, append(corners, corners[0]))
}
