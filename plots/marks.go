package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Mark is a regular polygon, or a star of as many points; no sides is a circle.
// A thin white edge keeps neighbours apart.
type Mark struct {
	sides        int
	turn         float64 // of the first corner, in radians from the right
	star, hollow bool
}

// The marks.
var (
	Circle    = Mark{}
	Ring      = Mark{hollow: true}
	Square    = Mark{sides: 4, turn: math.Pi / 4}
	Diamond   = Mark{sides: 4, turn: math.Pi / 2}
	Up        = Mark{sides: 3, turn: math.Pi / 2}
	Down      = Mark{sides: 3, turn: -math.Pi / 2}
	Pentagon  = Mark{sides: 5, turn: math.Pi / 2}
	Hexagon   = Mark{sides: 6}
	CrossStar = Mark{sides: 4, turn: math.Pi / 4, star: true} // ×
	PlusStar  = Mark{sides: 4, turn: math.Pi / 2, star: true} // +
	fiveStar  = Mark{sides: 5, turn: math.Pi / 2, star: true}
)

// Hollow is the mark in outline.
func (m Mark) Hollow() Mark {
	m.hollow = true
	return m
}

// DrawGlyph draws the mark around pt.
func (m Mark) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	path := m.path(pt, sty.Radius)
	if m.hollow {
		c.SetColor(color.White)
		c.Fill(path)
		c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: 0.9})
	} else {
		c.SetColor(sty.Color)
		c.Fill(path)
		c.SetLineStyle(draw.LineStyle{Color: color.White, Width: 0.35})
	}
	c.Stroke(path)
}

func (m Mark) path(pt vg.Point, radius vg.Length) vg.Path {
	var path vg.Path
	if m.sides == 0 {
		path.Move(vg.Point{X: pt.X + radius, Y: pt.Y})
		path.Arc(pt, radius, 0, 2*math.Pi)
		path.Close()
		return path
	}
	corners := m.sides
	if m.star {
		corners *= 2
	}
	radius *= 1.25 // a polygon looks smaller than the circle around it
	for i := range corners {
		r := radius
		if m.star && i%2 == 1 {
			r *= 0.42
		}
		sin, cos := math.Sincos(m.turn + 2*math.Pi*float64(i)/float64(corners))
		at := vg.Point{X: pt.X + r*vg.Length(cos), Y: pt.Y + r*vg.Length(sin)}
		if i == 0 {
			path.Move(at)
		} else {
			path.Line(at)
		}
	}
	path.Close()
	return path
}
