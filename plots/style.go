package plots

import (
	"image/color"
	"math"
	"slices"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of Okabe and Ito for any colour vision, without the yellow, and darker ones.
var (
	Black      = Color{0x00, 0x00, 0x00, 0xff}
	Orange     = Color{0xe6, 0x9f, 0x00, 0xff}
	SkyBlue    = Color{0x56, 0xb4, 0xe9, 0xff}
	Green      = Color{0x00, 0x9e, 0x73, 0xff}
	Blue       = Color{0x00, 0x72, 0xb2, 0xff}
	Vermillion = Color{0xd5, 0x5e, 0x00, 0xff}
	Purple     = Color{0xcc, 0x79, 0xa7, 0xff}
	Grey       = Color{0x80, 0x80, 0x80, 0xff}
	Brown      = Color{0x7a, 0x45, 0x1d, 0xff}
	Indigo     = Color{0x33, 0x22, 0x88, 0xff}
	Wine       = Color{0x88, 0x22, 0x55, 0xff}
	Olive      = Color{0x87, 0x87, 0x22, 0xff}
	Slate      = Color{0x54, 0x68, 0x7c, 0xff}
)

// A Color is opaque.
type Color color.RGBA

// RGBA implements color.Color.
func (c Color) RGBA() (r, g, b, a uint32) { return color.RGBA(c).RGBA() }

// A Look says how a strategy is drawn, in every figure.
type Look struct {
	Name     string // for people
	Color    Color
	Dash     Dash
	Mark     Mark
	strategy string // its name in the results
}

// A Dash lists the lengths of strokes and gaps of a line, in points; an empty one is a solid line.
type Dash []vg.Length

// Hollow returns the look with its mark in outline.
func (l Look) Hollow() Look { return l.With(l.Mark.Hollow()) }

// Solid returns the look with its mark filled.
func (l Look) Solid() Look {
	l.Mark.hollow = false
	return l
}

// With returns the look with another mark.
func (l Look) With(m Mark) Look {
	l.Mark = m
	return l
}

// PaperLook marks what the paper states.
var PaperLook = Look{Name: "Stated in the paper", Color: Black, Mark: FiveStar.Hollow()}

type palette []Look

func (p palette) place(strategy string) int {
	return slices.IndexFunc(p, func(l Look) bool { return l.strategy == strategy })
}

// looks are this module's strategies, in the order of the legend.
var looks = palette{
	{"Queue", Black, nil, Circle, "queue"},
	{"Single filter", Vermillion, nil, Square, "single"},
	{"Dual filter", Blue, Dash{6, 2}, Up, "dual"},
	{"Dual, blanked", SkyBlue, Dash{2, 2}, Down, "dual-blanked"},
	{"Chain of five", Green, nil, Diamond, "chain"},
	{"Chain, literal reading", Orange, Dash{4, 1.5, 1, 1.5}, Diamond.Hollow(), "chain-literal"},
	{"Chain, cleared ahead", Grey, Dash{2, 2}, Hexagon.Hollow(), "chain-eager"},
	{"Chain, sized for its union", Purple, Dash{8, 2, 2, 2}, Pentagon, "chain-sized"},
	{"Chain, best", Purple, nil, PentagonDown.Hollow(), "chain-best"},
	{"Confirmed", Slate, nil, Up.Hollow(), "confirmed"},
	{"Counting", Slate, nil, Hexagon.Hollow(), "counting"},
	{"Daily lanes", Indigo, nil, Pentagon, "daily"},
	{"Layered", Brown, nil, Down, "layered"},
	{"Solved links (matrix)", Wine, nil, Circle, "matrix"},
	{"Ring of fingerprints", Brown, nil, Square.Hollow(), "ring"},
	{"Scalable", SkyBlue, nil, StarOfThree, "scalable"},
	{"Sized by activity", Slate, nil, Pentagon.Hollow(), "sized"},
	{"Queue, map per request", Black, Dash{3, 2}, Ring, "queue-map"},
}

// newPalette returns looks, and combinations of colour and mark for other names, in alphabetical order.
func newPalette(names []string) palette {
	p := slices.Clone(looks)
	colors := []Color{Indigo, Orange, Purple, Wine, Olive, SkyBlue, Brown}
	dashes := []Dash{{1, 1}, {5, 1, 1, 1, 1, 1}, {10, 2}}
	marks := []Mark{FiveStar, Hexagon, CrossStar, FiveStar.Hollow(), Hexagon.Hollow()}
	for _, name := range slices.Sorted(slices.Values(names)) {
		if name == "" || p.place(name) >= 0 {
			continue
		}
		i := len(p) - len(looks)
		// 35 combinations, then they repeat
		p = append(p, Look{name, colors[i%len(colors)], dashes[i%len(dashes)], marks[i%len(marks)], name})
	}
	return p
}

func (l Look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: 1.1, Dashes: l.Dash}
}

const markRadius = vg.Length(2.4)

func (l Look) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.Color, Radius: markRadius, Shape: l.Mark}
}

// text returns a darker colour for text on white.
func (l Look) text() color.Color {
	darker := func(c uint8) uint8 { return uint8(0.65 * float64(c)) }
	return color.RGBA{darker(l.Color.R), darker(l.Color.G), darker(l.Color.B), 0xff}
}

// A Mark is a regular polygon, or a star, with the given number of sides; 0 makes a circle.
type Mark struct {
	sides               int
	turn                float64 // of the first corner, in radians from the right
	star, hollow, large bool
}

// The marks.
var (
	Circle       = Mark{}
	Ring         = Mark{hollow: true}
	Up           = Mark{sides: 3, turn: math.Pi / 2}
	Down         = Mark{sides: 3, turn: -math.Pi / 2}
	Square       = Mark{sides: 4, turn: math.Pi / 4}
	Diamond      = Mark{sides: 4, turn: math.Pi / 2}
	Pentagon     = Mark{sides: 5, turn: math.Pi / 2}
	PentagonDown = Mark{sides: 5, turn: -math.Pi / 2}
	Hexagon      = Mark{sides: 6}
	StarOfThree  = Mark{sides: 3, turn: math.Pi / 2, star: true}
	CrossStar    = Mark{sides: 4, turn: math.Pi / 4, star: true} // ×
	FiveStar     = Mark{sides: 5, turn: math.Pi / 2, star: true}
)

// Large returns a larger mark, to be drawn around another.
func (m Mark) Large() Mark {
	m.large = true
	return m
}

// Hollow returns the mark in outline.
func (m Mark) Hollow() Mark {
	m.hollow = true
	return m
}

// DrawGlyph implements draw.GlyphDrawer.
func (m Mark) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	if m.large {
		sty.Radius *= 1.6
	}
	path, fill, edge := m.path(pt, sty.Radius), sty.Color, draw.LineStyle{Color: color.White, Width: 0.35}
	if m.hollow {
		fill, edge = color.White, draw.LineStyle{Color: sty.Color, Width: 0.9}
	}
	c.SetColor(fill)
	c.Fill(path)
	c.SetLineStyle(edge)
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
	radius *= 1.25 // a polygon in a circle looks smaller than it
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

// whisker returns an interval with caps around its point, or nothing if the mark would hide it.
func whisker(low, spot, high plotter.XY, sideways bool, l Look) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		place := func(at plotter.XY) vg.Point {
			return vg.Point{X: min(max(x(at.X), c.Min.X), c.Max.X), Y: min(max(y(at.Y), c.Min.Y), c.Max.Y)}
		}
		from, mid, to := place(low), place(spot), place(high)
		end := vg.Point{X: 1.5} // half of a cap
		if sideways {
			end = vg.Point{Y: 1.5}
		}
		if max(to.X-mid.X, to.Y-mid.Y, mid.X-from.X, mid.Y-from.Y) < markRadius {
			return
		}
		var path vg.Path
		path.Move(from)
		path.Line(to)
		for _, at := range []vg.Point{from, to} {
			path.Move(at.Sub(end))
			path.Line(at.Add(end))
		}
		c.SetLineStyle(draw.LineStyle{Color: l.Color, Width: 0.7})
		c.Stroke(path)
	}
}

const (
	barWidth = vg.Length(9) // at most
	barShare = 0.36         // of the distance between two places, at most, so that two bars fit

	barGap = vg.Length(3)

	leastHollow = vg.Length(1.8) // a shorter hollow bar would not look hollow
)

// bar returns a bar on a nominal y axis, hollow if the look is. Its label, bold if it is the best, follows the bar; in
// a hollow bar as long as the panel it is inside.
func bar(place, to float64, l Look, label string, best bool) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		mid := y(place)
		width := min(barWidth, (y(1)-y(0))*barShare)
		end := min(max(x(to), c.Min.X), c.Max.X)
		low, high := mid-width/2, mid+width/2
		corners := []vg.Point{{X: c.Min.X, Y: low}, {X: end, Y: low}, {X: end, Y: high}, {X: c.Min.X, Y: high}}
		fill := color.Color(l.Color)
		if l.Mark.hollow {
			fill = color.White
			end = max(end, c.Min.X+leastHollow)
			corners[1].X, corners[2].X = end, end
		}
		c.FillPolygon(fill, corners)
		c.StrokeLines(draw.LineStyle{Color: l.Color, Width: 0.8}, append(corners, corners[0]))
		if label == "" {
			return
		}
		sty := aligned(tickSize, ink, draw.XLeft, draw.YCenter)
		if best {
			sty.Font.Weight = xfont.WeightBold
		}
		if end == c.Max.X && l.Mark.hollow {
			end = c.Min.X
		}
		fillText(c, sty, end+barGap, mid, label)
	}
}
