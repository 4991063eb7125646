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
	look      look
}

// Plot draws the whisker as one stroke, or nothing where the mark would hide it.
func (w whisker) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const half = vg.Length(1.5) // of a cap
	radius := w.look.glyph().Radius
	var path vg.Path
	line := func(x0, y0, x1, y1 vg.Length) {
		path.Move(vg.Point{X: x0, Y: y0})
		path.Line(vg.Point{X: x1, Y: y1})
	}
	if w.sideways {
		low, high, mid := max(x(w.low), c.Min.X), min(x(w.high), c.Max.X), y(w.at.Y)
		if high-x(w.at.X) < radius && x(w.at.X)-low < radius {
			return
		}
		line(low, mid, high, mid)
		line(low, mid-half, low, mid+half)
		line(high, mid-half, high, mid+half)
	} else {
		low, high, mid := max(y(w.low), c.Min.Y), min(y(w.high), c.Max.Y), x(w.at.X)
		if high-y(w.at.Y) < radius && y(w.at.Y)-low < radius {
			return
		}
		line(mid, low, mid, high)
		line(mid-half, low, mid+half, low)
		line(mid-half, high, mid+half, high)
	}
	c.SetLineStyle(draw.LineStyle{Color: w.look.color, Width: 0.7})
	c.Stroke(path)
}

// A bar lies along x at one place of a nominal y axis.
type bar struct {
	place, from, to float64
	look            look
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
	fill := color.Color(b.look.color)
	if b.look.mark.hollow {
		fill = color.White
	}
	c.FillPolygon(fill, corners)
	c.StrokeLines(draw.LineStyle{Color: b.look.color, Width: 0.8}, append(corners, corners[0]))
}
