package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dejavu/results"
)

// The colours of Okabe and Ito, which people with any common colour vision tell
// apart; their yellow is left out, as it is lost on white paper.
var (
	black      = color.RGBA{0x00, 0x00, 0x00, 0xff}
	orange     = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	skyBlue    = color.RGBA{0x56, 0xb4, 0xe9, 0xff}
	green      = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	blue       = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	vermillion = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	purple     = color.RGBA{0xcc, 0x79, 0xa7, 0xff}
	grey       = color.RGBA{0x80, 0x80, 0x80, 0xff}
)

// A look is how a strategy is drawn, in every figure.
type look struct {
	name  string // for people
	color color.RGBA
	dash  []vg.Length
	mark  mark
}

// looks are those of the module's own strategies, by their names in the results,
// in the order of the legend.
var looks = []struct {
	strategy string
	look     look
}{
	{"queue", look{"Queue", black, nil, mark{}}},
	{"single", look{"Single filter", vermillion, nil, mark{sides: 4, turn: math.Pi / 4}}},
	{"dual", look{"Dual filter", blue, []vg.Length{6, 2}, mark{sides: 3, turn: math.Pi / 2}}},
	{"dual-blanked", look{"Dual, blanked", skyBlue, []vg.Length{2, 2}, mark{sides: 3, turn: -math.Pi / 2}}},
	{"chain", look{"Chain of five", green, nil, mark{sides: 4, turn: math.Pi / 2}}},
	{"chain-literal", look{"Chain, to the letter", orange, []vg.Length{4, 1.5, 1, 1.5}, mark{sides: 4, turn: math.Pi / 2, hollow: true}}},
	{"chain-sized", look{"Chain, sized for its union", purple, []vg.Length{8, 2, 2, 2}, mark{sides: 5, turn: math.Pi / 2}}},
	{"chain-best", look{"Chain, the best", purple, nil, mark{sides: 5, turn: -math.Pi / 2, hollow: true}}},
	{"apbf", look{"Age-partitioned", blue, nil, mark{sides: 6}}},
	{"blocked", look{"Blocked", vermillion, nil, mark{sides: 4, turn: math.Pi / 4, star: true}}},
	{"confirmed", look{"Confirmed", green, nil, mark{sides: 3, turn: math.Pi / 2, hollow: true}}},
	{"counting", look{"Counting", vermillion, nil, mark{sides: 6, hollow: true}}},
	{"cuckoo", look{"Cuckoo, generations", skyBlue, nil, mark{sides: 4, turn: math.Pi / 2, star: true}}},
	{"daily", look{"Daily lanes", green, nil, mark{sides: 5, turn: math.Pi / 2}}},
	{"layered", look{"Layered", orange, nil, mark{sides: 3, turn: -math.Pi / 2}}},
	{"layered-moved", look{"Layered, moved", orange, []vg.Length{4, 2}, mark{sides: 3, turn: -math.Pi / 2, hollow: true}}},
	{"ring", look{"Ring of fingerprints", black, nil, mark{sides: 4, turn: math.Pi / 4, hollow: true}}},
	{"rolling", look{"Rolling generations", orange, nil, mark{sides: 5, turn: math.Pi / 2, star: true}}},
	{"scalable", look{"Scalable", vermillion, nil, mark{sides: 3, turn: math.Pi / 2, star: true}}},
	{"sized", look{"Sized by activity", skyBlue, nil, mark{sides: 6, hollow: true}}},
	{"stable", look{"Stable", grey, nil, mark{sides: 5, turn: math.Pi / 2, star: true, hollow: true}}},
	{"queue-map", look{"Queue, map per request", black, []vg.Length{3, 2}, mark{hollow: true}}},
	{"floor", look{"Six loads alone", grey, nil, mark{sides: 3, turn: math.Pi / 2, hollow: true}}},
	{"nothing", look{"Do nothing", grey, []vg.Length{1, 2}, mark{sides: 4, turn: math.Pi / 4, hollow: true}}},
}

// A palette knows the look of every strategy of a run.
type palette struct {
	order []string // strategies in the order of the legend
	looks map[string]look
}

// newPalette gives every name a look: the module's own strategies theirs, others,
// in alphabetical order, combinations that no strategy of ours has.
func newPalette(names []string) palette {
	p := palette{looks: map[string]look{}}
	known := map[string]bool{}
	for _, l := range looks {
		p.order = append(p.order, l.strategy)
		p.looks[l.strategy] = l.look
		known[l.strategy] = true
	}
	var others []string
	for _, name := range names {
		if name != "" && !known[name] {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	colors := []color.RGBA{blue, orange, purple, vermillion, green, skyBlue, black}
	dashes := [][]vg.Length{{1, 1}, {5, 1, 1, 1, 1, 1}, {10, 2}}
	marks := []mark{
		{sides: 5, turn: math.Pi / 2, star: true},
		{sides: 6},
		{sides: 4, turn: math.Pi / 4, star: true},
		{sides: 5, turn: math.Pi / 2, star: true, hollow: true},
		{sides: 6, hollow: true},
	}
	for i, name := range slices.Compact(others) {
		p.order = append(p.order, name)
		p.looks[name] = look{
			name:  name,
			color: colors[i%len(colors)],
			dash:  dashes[i%len(dashes)],
			// Seven colours and five marks repeat together after thirty-five.
			mark: marks[i%len(marks)],
		}
	}
	return p
}

// strategyNames collects the names that need a look in the figures of strategies;
// three experiments use the column for methods of sizing, of probing, and for
// other libraries.
func strategyNames(rows []results.Row) []string {
	seen := map[string]bool{}
	var names []string
	for _, r := range rows {
		if !slices.Contains([]string{results.Sizing, results.Hashes, results.Peers, results.Month, results.Proposals}, r.Experiment) && !seen[r.Strategy] {
			seen[r.Strategy] = true
			names = append(names, r.Strategy)
		}
	}
	return names
}

// line returns the style of a look's curves.
func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: 1.1, Dashes: l.dash}
}

// glyph returns the style of a look's points.
func (l look) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: 2.4, Shape: l.mark}
}

// A mark is a regular polygon, or a star of as many points; no sides is a circle.
// A thin white edge keeps neighbours apart.
type mark struct {
	sides        int
	turn         float64 // of the first corner, in radians from the right
	star, hollow bool
}

// DrawGlyph draws the mark around pt.
func (m mark) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
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

func (m mark) path(pt vg.Point, radius vg.Length) vg.Path {
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

// paperLook marks what the paper states.
var paperLook = look{name: "The paper's statement", color: black, mark: mark{sides: 5, turn: math.Pi / 2, star: true, hollow: true}}
