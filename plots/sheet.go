package plots

import (
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	sheetWidth = 7.2 * vg.Inch // the text width of a page
	resolution = 200           // dots per inch of the PNG
	margin     = vg.Length(6)
	gutter     = vg.Length(14) // between panels
)

// A sheet is a figure: panels in a grid, below them the legend and a note.
type sheet struct {
	grid   [][]*panel // rows of equal length; nil leaves a place empty
	height vg.Length  // of a row of panels
	extra  []entry    // of the legend, after those of the series
	note   string     // what lines, marks and whiskers mean
}

// An entry is a line of the legend.
type entry struct {
	look       look
	line, mark bool
}

// legend collects one entry per name from all panels.
func (s sheet) legend() []entry {
	var entries []entry
	index := map[string]int{}
	for _, row := range s.grid {
		for _, p := range row {
			if p == nil {
				continue
			}
			for _, q := range p.series {
				if q.unnamed {
					continue
				}
				i, known := index[q.look.name]
				if !known {
					i = len(entries)
					index[q.look.name] = i
					entries = append(entries, entry{look: q.look})
				}
				entries[i].line = entries[i].line || len(q.line) > 0 || q.join
				entries[i].mark = entries[i].mark || len(q.points) > 0 || len(q.bars) > 0
			}
		}
	}
	return append(entries, s.extra...)
}

const (
	sampleWidth = vg.Length(22) // of the line beside a name
	entryHeight = vg.Length(12)
	entryGap    = vg.Length(14)
)

// A placed entry knows its corner, from the left and from the top of the legend.
type placed struct {
	entry
	x, y vg.Length
}

// flow sets the legend in lines, each as full as the width allows.
func flow(entries []entry, width vg.Length) (out []placed, height vg.Length) {
	sty := textStyle(legendSize, ink)
	var x vg.Length
	for i, e := range entries {
		w := sampleWidth + 4 + sty.Width(e.look.name)
		if i > 0 && x+w > width {
			x = 0
			height += entryHeight
		}
		out = append(out, placed{e, x, height})
		x += w + entryGap
	}
	if len(entries) > 0 {
		height += entryHeight
	}
	return out, height
}

// render writes the sheet in the format ".svg" or ".png".
func (s sheet) render(w io.Writer, format string) error {
	inner := sheetWidth - 2*margin
	legend, legendHeight := flow(s.legend(), inner)
	noteStyle := textStyle(noteSize, mute)
	note := wrap(s.note, noteStyle, inner)
	leading := noteSize * 1.25
	foot := legendHeight + vg.Length(len(note))*leading + 10
	height := vg.Length(len(s.grid))*(s.height+gutter) - gutter + foot + 2*margin

	var target vg.Canvas
	var output io.WriterTo
	switch format {
	case ".svg":
		c := vgsvg.New(sheetWidth, height)
		target, output = c, c
	case ".png":
		c := vgimg.NewWith(vgimg.UseWH(sheetWidth, height), vgimg.UseDPI(resolution))
		target, output = c, vgimg.PngCanvas{Canvas: c}
	default:
		return fmt.Errorf("format %q: want .svg or .png", format)
	}
	c := draw.NewCanvas(outlined{target}, sheetWidth, height)
	// White also where a reader's page is dark.
	c.SetColor(color.White)
	c.Fill(c.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	if err := s.drawPanels(draw.Crop(c, 0, 0, foot, 0)); err != nil {
		return err
	}
	top := c.Min.Y + foot - 10
	for _, e := range legend {
		e.draw(c, top)
	}
	top -= legendHeight
	for i, line := range note {
		fillText(c, noteStyle, c.Min.X, top-vg.Length(i+1)*leading, line)
	}
	_, err := output.WriteTo(w)
	return err
}

// drawPanels draws the grid with the axes of neighbours in line.
func (s sheet) drawPanels(c draw.Canvas) error {
	plots := make([][]*plot.Plot, len(s.grid))
	for i, row := range s.grid {
		plots[i] = make([]*plot.Plot, len(row))
		lift := vg.Length(7)
		for _, p := range row {
			if p != nil && slices.ContainsFunc(p.guides, func(g guide) bool { return g.vertical }) {
				lift = 17 // titles of one row stand on one line, above all labels
			}
		}
		for j, p := range row {
			if p == nil {
				continue
			}
			p.lift = lift
			var err error
			if plots[i][j], err = p.plot(); err != nil {
				return err
			}
		}
	}
	canvases := align(plots, vg.Point{X: gutter, Y: gutter + 4}, c)
	for i, row := range plots {
		for j, p := range row {
			if p != nil {
				p.Draw(canvases[i][j])
			}
		}
	}
	return nil
}

func (e placed) draw(c draw.Canvas, top vg.Length) {
	left, mid := c.Min.X+e.x, top-e.y-entryHeight/2
	if e.line {
		c.StrokeLine2(e.look.line(), left, mid, left+sampleWidth, mid)
	}
	if e.mark {
		c.DrawGlyphNoClip(e.look.glyph(), vg.Point{X: left + sampleWidth/2, Y: mid})
	}
	sty := textStyle(legendSize, ink)
	sty.YAlign = draw.YCenter
	fillText(c, sty, left+sampleWidth+4, mid, e.look.name)
}
