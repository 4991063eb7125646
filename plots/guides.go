package plots

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func (p *Panel) head() vg.Length {
	room := vg.Length(7)
	if slices.ContainsFunc(p.Guides, func(g Guide) bool { return g.Vertical }) {
		room += 10
	}
	return room
}

var titleStyle = textStyle(titleSize, ink)

func (p *Panel) title() []string {
	if !p.breaks {
		return []string{p.Title}
	}
	return wrap(p.Title, titleStyle, narrowWidth*0.65) // labels beside the data take the rest
}

// A frame draws what surrounds a panel's data: guides and their labels, the title.
type frame struct{ panel *Panel }

const guideGap = vg.Length(4) // between the panel and a label

var beside = aligned(tickSize, mute, draw.XLeft, draw.YCenter)

// A tag is a label in the right margin, with a line to what it labels.
type tag struct {
	at        plotter.XY // X is infinite for a guide
	label     string
	line, ink color.Color // no line if nil
}

// tags returns the labels of horizontal guides and, if the panel is Direct, of series.
func (p *Panel) tags() (all []tag) {
	for _, g := range p.Guides {
		if !g.Vertical {
			all = append(all, tag{plotter.XY{X: math.Inf(1), Y: p.Y.at(g.At)}, g.Label, mute, mute})
		}
	}
	for _, s := range p.Series {
		line := s.Line
		if len(line) == 0 {
			line = s.Points
		}
		if !p.Direct || s.Unnamed || s.Look.Name == "" {
			continue
		}
		for _, q := range slices.Backward(line) {
			if at, ok := p.spot(s.place(q)); ok {
				all = append(all, tag{at, s.Look.Name, s.Look.Color, s.Look.text()})
				break
			}
		}
	}
	if p.Ends != "" && len(all) > 0 {
		top := slices.MaxFunc(all, func(a, b tag) int { return cmp.Compare(a.at.Y, b.at.Y) })
		all = append(all, tag{plotter.XY{X: math.Inf(1), Y: top.at.Y}, p.Ends, nil, mute})
	}
	return all
}

func (g frame) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := draw.LineStyle{Color: mute, Width: 0.7, Dashes: []vg.Length{2, 2}}
	for _, q := range g.panel.Guides {
		line.Color = mute
		if q.Color != (Color{}) {
			line.Color = q.Color
		}
		if q.Vertical {
			at := x(g.panel.X.at(q.At))
			c.StrokeLine2(line, at, c.Min.Y, at, c.Max.Y)
			fillText(c, centered(tickSize, mute), at, c.Max.Y+guideGap, q.Label)
		} else {
			at := y(g.panel.Y.at(q.At))
			c.StrokeLine2(line, c.Min.X, at, c.Max.X, at)
		}
	}
	tags := slices.DeleteFunc(g.panel.tags(), func(t tag) bool { return t.label == "" })
	slices.SortStableFunc(tags, func(a, b tag) int { return cmp.Compare(a.at.Y, b.at.Y) })
	heights := make([]vg.Length, len(tags))
	for i, t := range tags {
		heights[i] = y(t.at.Y)
	}
	apart := tickSize + 1.5
	if g.panel.breaks {
		apart = 12 // there is room in a narrow panel, and print is small
	}
	for i, at := range spread(heights, apart) {
		t := tags[i]
		at = min(at, c.Max.Y-apart*vg.Length(len(tags)-1-i)) // keep out of the title
		if t.line != nil {
			c.StrokeLine2(draw.LineStyle{Color: t.line, Width: 0.4}, min(x(t.at.X), c.Max.X), heights[i], c.Max.X+guideGap, at)
		}
		sty := beside
		sty.Color = t.ink
		fillText(c, sty, c.Max.X+guideGap+2, at, t.label)
	}
	top := c.Max.Y + g.panel.lift
	for i, line := range slices.Backward(g.panel.title()) {
		fillText(c, titleStyle, c.Min.X, top+vg.Length(len(g.panel.title())-1-i)*titleSize*leading, line)
	}
}

// GlyphBoxes reserves room for the frame, and half a mark below, so that the axes of neighbours are in line.
func (g frame) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	boxes := []plot.GlyphBox{{Rectangle: vg.Rectangle{Min: vg.Point{Y: -markRadius}}}}
	if g.panel.Title != "" {
		boxes = append(boxes, plot.GlyphBox{Y: 1, Rectangle: vg.Rectangle{
			Max: vg.Point{Y: g.panel.lift + titleSize*(1+leading*vg.Length(len(g.panel.title())-1))},
		}})
	}
	for _, s := range g.panel.Series {
		for _, b := range s.bars {
			if b.Y >= g.panel.X.Max && s.Look.Mark.hollow {
				continue // its label is inside
			}
			boxes = append(boxes, plot.GlyphBox{X: p.X.Norm(g.panel.X.at(b.Y)), Y: 0.5, Rectangle: vg.Rectangle{
				Max: vg.Point{X: barGap + beside.Width(s.label), Y: 0.1},
			}})
		}
	}
	for _, q := range g.panel.Guides {
		if w, h := beside.Width(q.Label), beside.Height(q.Label); q.Vertical {
			boxes = append(boxes, plot.GlyphBox{X: p.X.Norm(g.panel.X.at(q.At)), Y: 1, Rectangle: vg.Rectangle{
				Min: vg.Point{X: -w / 2}, Max: vg.Point{X: w / 2, Y: guideGap + h},
			}})
		}
	}
	for _, t := range g.panel.tags() {
		boxes = append(boxes, plot.GlyphBox{X: 1, Y: p.Y.Norm(t.at.Y), Rectangle: vg.Rectangle{
			Max: vg.Point{X: guideGap + 2 + beside.Width(t.label), Y: 0.1},
		}})
	}
	return boxes
}

// spread moves ascending places apart until neighbours have the gap. Each run of neighbours keeps its middle.
func spread(places []vg.Length, gap vg.Length) []vg.Length {
	out := slices.Clone(places)
	for range len(out) { // two need one round, n at most n
		for i := 1; i < len(out); i++ {
			if lack := gap - (out[i] - out[i-1]); lack > 0 {
				out[i-1] -= lack / 2
				out[i] += lack / 2
			}
		}
	}
	return out
}

type drawing func(draw.Canvas, *plot.Plot)

func (d drawing) Plot(c draw.Canvas, p *plot.Plot) { d(c, p) }

// axisBreak returns a dotted line where the axis is interrupted, between "none" and the decades above it.
func axisBreak(axis *Axis, onX bool) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		floor := axis.at(0)
		line := draw.LineStyle{Color: color.Gray{0xb0}, Width: 0.6, Dashes: []vg.Length{1, 2}}
		if at := floor + floorDepth*0.55; onX {
			c.StrokeLine2(line, x(at), c.Min.Y, x(at), c.Max.Y)
		} else {
			c.StrokeLine2(line, c.Min.X, y(at), c.Max.X, y(at))
		}
	}
}

func beyond(axis *Axis, q Point, l Look) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		_, y := p.Transforms(&c)
		fillText(c, aligned(tickSize, l.text(), draw.XRight, draw.YCenter), c.Max.X, y(q.X), axis.Short(q.Y)+" →")
	}
}
