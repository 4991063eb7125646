package plots

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func centered(size vg.Length, c color.Color) text.Style {
	sty := textStyle(size, c)
	sty.XAlign = draw.XCenter
	return sty
}

// heading writes the title of a panel above it, flush with its left edge.
type heading struct{ panel *Panel }

// Plot draws the title.
func (h heading) Plot(c draw.Canvas, _ *plot.Plot) {
	fillText(c, textStyle(titleSize, ink), c.Min.X, c.Max.Y+h.panel.lift, h.panel.Title)
}

// GlyphBoxes reserves the room above the panel.
func (h heading) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	if h.panel.Title == "" {
		return nil
	}
	return []plot.GlyphBox{{Y: 1, Rectangle: vg.Rectangle{
		Max: vg.Point{Y: h.panel.lift + titleSize},
	}}}
}

// guidePlotter draws the guides of a panel and writes their labels into the
// margin: beside the panel, or above it for a vertical one.
type guidePlotter struct{ panel *Panel }

const guideGap = vg.Length(4) // between the panel and a label

func (g guidePlotter) style() text.Style {
	sty := textStyle(tickSize, mute)
	sty.YAlign = draw.YCenter
	return sty
}

// Plot draws lines and labels. Labels that would overlap are moved apart.
func (g guidePlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := draw.LineStyle{Color: mute, Width: 0.7, Dashes: []vg.Length{2, 2}}
	var level []Guide
	for _, q := range g.panel.Guides {
		if q.Vertical {
			at := g.panel.X.at(q.At)
			c.StrokeLine2(line, x(at), c.Min.Y, x(at), c.Max.Y)
			fillText(c, centered(tickSize, mute), x(at), c.Max.Y+guideGap, q.Label)
			continue
		}
		level = append(level, q)
	}
	slices.SortFunc(level, func(a, b Guide) int { return cmp.Compare(a.At, b.At) })
	heights := make([]vg.Length, len(level))
	for i, q := range level {
		at := g.panel.Y.at(q.At)
		heights[i] = y(at)
		c.StrokeLine2(line, c.Min.X, heights[i], c.Max.X, heights[i])
	}
	labels := spread(heights, tickSize+1.5)
	for i, q := range level {
		c.StrokeLine2(draw.LineStyle{Color: mute, Width: 0.4},
			c.Max.X, heights[i], c.Max.X+guideGap, labels[i])
		fillText(c, g.style(), c.Max.X+guideGap+2, labels[i], q.Label)
	}
}

// GlyphBoxes reserves the margin that the labels need.
func (g guidePlotter) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	var boxes []plot.GlyphBox
	for _, q := range g.panel.Guides {
		w, h := g.style().Width(q.Label), g.style().Height(q.Label)
		if q.Vertical {
			at := g.panel.X.at(q.At)
			boxes = append(boxes, plot.GlyphBox{X: p.X.Norm(at), Y: 1, Rectangle: vg.Rectangle{
				Min: vg.Point{X: -w / 2}, Max: vg.Point{X: w / 2, Y: guideGap + h},
			}})
			continue
		}
		at := g.panel.Y.at(q.At)
		boxes = append(boxes, plot.GlyphBox{X: 1, Y: p.Y.Norm(at), Rectangle: vg.Rectangle{
			Max: vg.Point{X: guideGap + 2 + w, Y: 0.1},
		}})
	}
	return boxes
}

// spread moves ascending places apart until neighbours have the gap, each run of
// neighbours around its own middle.
func spread(places []vg.Length, gap vg.Length) []vg.Length {
	out := slices.Clone(places)
	for range len(out) { // one round settles two, n rounds settle n
		for i := 1; i < len(out); i++ {
			if lack := gap - (out[i] - out[i-1]); lack > 0 {
				out[i-1] -= lack / 2
				out[i] += lack / 2
			}
		}
	}
	return out
}

// A drawing is what a panel draws beside what the library knows.
type drawing func(draw.Canvas, *plot.Plot)

// Plot draws it.
func (d drawing) Plot(c draw.Canvas, p *plot.Plot) { d(c, p) }

// axisBreak is a dotted line where the axis is interrupted, between "≈ 0" and the
// decades above it.
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

// tint tints the right part of a panel, and writes the label at its foot.
func (s *Shade) tint(axis *Axis) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, _ := p.Transforms(&c)
		left := max(x(axis.at(s.From)), c.Min.X)
		if left >= c.Max.X {
			return
		}
		c.FillPolygon(color.Gray{0xf3}, []vg.Point{
			{X: left, Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: left, Y: c.Max.Y},
		})
		fillText(c, centered(tickSize, mute), (left+c.Max.X)/2, c.Min.Y+4, s.Label)
	}
}
