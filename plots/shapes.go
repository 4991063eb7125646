package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// whisker is the interval of one point, in the coordinates of the plot, as one stroke,
// or nothing where the mark would hide it.
func whisker(spot plotter.XY, least, most float64, sideways bool, l Look) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		const half = vg.Length(1.5) // of a cap
		radius := l.glyph().Radius
		along, at, mid, from, to := y, y(spot.Y), x(spot.X), c.Min.Y, c.Max.Y
		point := func(along, across vg.Length) vg.Point { return vg.Point{X: across, Y: along} }
		if sideways {
			along, at, mid, from, to = x, x(spot.X), y(spot.Y), c.Min.X, c.Max.X
			point = func(along, across vg.Length) vg.Point { return vg.Point{X: along, Y: across} }
		}
		low, high := max(along(least), from), min(along(most), to)
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
		c.SetLineStyle(draw.LineStyle{Color: l.Color, Width: 0.7})
		c.Stroke(path)
	}
}

const (
	barWidth = vg.Length(7) // at most
	barShare = 0.36         // of the distance between two places, at most: two bars fit
)

// bar lies along x at one place of a nominal y axis, from that axis on, and ends with
// the panel. A hollow look gives a hollow bar.
func bar(place, to float64, l Look) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		mid := y(place)
		width := min(barWidth, (y(1)-y(0))*barShare)
		end := min(max(x(to), c.Min.X), c.Max.X)
		corners := []vg.Point{
			{X: c.Min.X, Y: mid - width/2},
			{X: end, Y: mid - width/2},
			{X: end, Y: mid + width/2},
			{X: c.Min.X, Y: mid + width/2},
		}
		fill := color.Color(l.Color)
		if l.Mark.hollow {
			fill = color.White
		}
		c.FillPolygon(fill, corners)
		c.StrokeLines(draw.LineStyle{Color: l.Color, Width: 0.8}, append(corners, corners[0]))
	}
}
