package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"dejavu/results"
)

const (
	sheetWidth  = 7.2 * vg.Inch // the text width of a page
	narrowWidth = sheetWidth / 2
	resolution  = 200 // dots per inch of the PNG
	margin      = vg.Length(6)
	gutter      = vg.Length(14) // between panels
)

// A Sheet is the layout of a figure: a title, panels in rows, and below them the legend and a note.
type Sheet struct {
	Title   string   // the figure's
	Panels  []*Panel // those without series are dropped
	Columns int      // panels in a row
	Height  float64  // of a row of panels, in points
	Note    string   // the meaning of lines, marks and whiskers
	Reason  string   // why there is nothing to draw, if rows are not missing

	Unfound []results.Query // queries without rows; set by Data.Lay

	width vg.Length // sheetWidth if 0
}

func (s *Sheet) settle() {
	s.Panels = slices.DeleteFunc(s.Panels, (*Panel).empty)
	s.Columns = min(s.Columns, len(s.Panels))
}

// Narrow returns the sheet for a telephone: half as wide, with one panel a row and all labels.
func (s Sheet) Narrow() Sheet {
	s.width, s.Columns = narrowWidth, 1
	s.Panels = slices.Clone(s.Panels)
	for i := range s.Panels {
		p := *s.Panels[i]
		p.Y.Blank, p.breaks = false, true
		p.X.Labels = cmp.Or(p.X.Labels, 5)
		s.Panels[i] = &p
	}
	return s
}

// rows returns the number of rows of panels, and of free cells in the last.
func (s Sheet) rows() (rows, free int) {
	rows = (len(s.Panels) + s.Columns - 1) / s.Columns
	return rows, rows*s.Columns - len(s.Panels)
}

// An entry is a name in the legend; x and y are from the left and from the top of the legend.
type entry struct {
	look       Look
	line, mark bool
	x, y       vg.Length
}

func (s Sheet) legend() []entry {
	var entries []entry
	for _, p := range s.Panels {
		for _, q := range p.Series {
			if q.Unnamed || p.Direct {
				continue
			}
			i := slices.IndexFunc(entries, func(e entry) bool { return e.look.Name == q.Look.Name })
			if i < 0 {
				i = len(entries)
				entries = append(entries, entry{look: q.Look})
			}
			entries[i].line = entries[i].line || len(q.Line) > 0 || q.Join
			entries[i].mark = entries[i].mark || len(q.Points) > 0
		}
	}
	return entries
}

const (
	sampleWidth = vg.Length(22) // of the line beside a name
	entryHeight = vg.Length(12)
	entryGap    = vg.Length(14)
)

func flow(entries []entry, width vg.Length) (height vg.Length) {
	sty := textStyle(legendSize, ink)
	var x vg.Length
	for i := range entries {
		w := sampleWidth + 4 + sty.Width(entries[i].look.Name)
		if i > 0 && x+w > width {
			x = 0
			height += entryHeight
		}
		entries[i].x, entries[i].y = x, height
		x += w + entryGap
	}
	if len(entries) > 0 {
		height += entryHeight
	}
	return height
}

// Write draws the sheet in the format ".svg" or ".png".
func (s Sheet) Write(w io.Writer, format string) (err error) {
	defer recovered(&err)
	width := cmp.Or(s.width, sheetWidth)
	inner := width - 2*margin
	below := s.explain(inner)
	foot := below.height() + 10
	rows, free := s.rows()
	// The legend and the note go into the free cells if they fit.
	inside := free > 0 && s.explain(inner*0.85*vg.Length(free)/vg.Length(s.Columns)).height() < vg.Length(s.Height)
	if inside {
		foot = 0
	}
	title := wrap(s.Title, headStyle, inner)
	head := vg.Length(len(title)) * headSize * leading
	if title != nil {
		head += margin
	}
	height := head + vg.Length(rows)*(vg.Length(s.Height)+gutter) - gutter + foot + 2*margin

	var target vg.Canvas
	var output io.WriterTo
	switch format {
	case ".svg":
		c := &lettered{Canvas: vgsvg.New(width, height)}
		target, output = c, c
	case ".png":
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(resolution))
		target, output = c, vgimg.PngCanvas{Canvas: c}
	default:
		return fmt.Errorf("format %q: want .svg or .png", format)
	}
	c := draw.NewCanvas(target, width, height)
	// white even on a dark page
	c.SetColor(color.White)
	c.Fill(c.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	write(c, headStyle, c.Min.X, c.Max.Y+3, title)
	canvases, err := s.drawPanels(draw.Crop(c, 0, 0, foot, -head))
	if err != nil {
		return err
	}
	if inside {
		cell := canvases[len(s.Panels)]
		s.explain(c.Max.X-cell.Min.X).draw(c, cell.Min.X, cell.Max.Y)
	} else {
		below.draw(c, c.Min.X, c.Min.Y+foot-10)
	}
	_, err = output.WriteTo(w)
	return err
}

// drawPanels draws the panels with the axes of neighbours in line, and returns all cells, also free ones.
func (s Sheet) drawPanels(c draw.Canvas) (canvases []draw.Canvas, err error) {
	for row := range slices.Chunk(s.Panels, s.Columns) {
		lift := vg.Length(7)
		for _, p := range row {
			lift = max(lift, p.head()) // titles of one row share one line
		}
		for _, p := range row {
			p.lift = lift
		}
	}
	plots := make([]*plot.Plot, len(s.Panels))
	for i, p := range s.Panels {
		if plots[i], err = p.plot(); err != nil {
			return nil, err
		}
	}
	rows, _ := s.rows()
	canvases = align(plots, rows, s.Columns, vg.Point{X: gutter, Y: gutter + 4}, c)
	for i, p := range plots {
		p.Draw(canvases[i])
	}
	return canvases, nil
}

type explanation struct {
	legend []entry
	tall   vg.Length // the height of the legend
	note   []string
}

var noteStyle = textStyle(noteSize, mute)

func (s Sheet) explain(width vg.Length) explanation {
	e := explanation{legend: s.legend(), note: wrap(s.Note, noteStyle, width)}
	e.tall = flow(e.legend, width)
	return e
}

func (e explanation) height() vg.Length { return e.tall + vg.Length(len(e.note))*noteSize*leading }

func (e explanation) draw(c draw.Canvas, left, top vg.Length) {
	sty := aligned(legendSize, ink, draw.XLeft, draw.YCenter)
	for _, l := range e.legend {
		x, mid := left+l.x, top-l.y-entryHeight/2
		if l.line {
			c.StrokeLine2(l.look.line(), x, mid, x+sampleWidth, mid)
		}
		if l.mark {
			c.DrawGlyphNoClip(l.look.glyph(), vg.Point{X: x + sampleWidth/2, Y: mid})
		}
		fillText(c, sty, x+sampleWidth+4, mid, l.look.Name)
	}
	write(c, noteStyle, left, top-e.tall, e.note)
}

// sides is the room that labels take around a panel's data: Min left and below, Max right and above.
type sides vg.Rectangle

func (s sides) atLeast(t sides) sides {
	most := func(p, q vg.Point) vg.Point { return vg.Point{X: max(p.X, q.X), Y: max(p.Y, q.Y)} }
	return sides{most(s.Min, t.Min), most(s.Max, t.Max)}
}

func (s sides) around(r vg.Rectangle) vg.Rectangle {
	return vg.Rectangle{Min: r.Min.Sub(s.Min), Max: r.Max.Add(s.Max)}
}

const (
	alignRounds = 4             // the third changes next to nothing
	leastData   = vg.Length(30) // of a panel's data, even if labels need more
)

// align gives each plot its canvas in a grid, so that all data areas have one size and are in line. The library's own
// function fails if labels are wide. Labels and data depend on each other's room, so both are computed in turns.
func align(plots []*plot.Plot, rows, cols int, pad vg.Point, c draw.Canvas) (canvases []draw.Canvas) {
	taken := make([]sides, rows*cols) // zero for a free cell
	places := slices.Repeat([]vg.Rectangle{c.Rectangle}, rows*cols)
	for range alignRounds {
		for at, p := range plots {
			taken[at] = measure(p, c, taken[at].around(places[at]))
		}
		places = place(taken, rows, cols, pad, c.Rectangle)
	}
	for at, place := range places {
		canvases = append(canvases, draw.Canvas{Canvas: c.Canvas, Rectangle: taken[at].around(place)})
	}
	return canvases
}

func measure(p *plot.Plot, c draw.Canvas, on vg.Rectangle) sides {
	data := p.DataCanvas(draw.Canvas{Canvas: c.Canvas, Rectangle: on})
	return sides{data.Min.Sub(on.Min), on.Max.Sub(data.Max)}
}

// place returns data areas of one size. Each column and row has the room that its widest labels take.
func place(taken []sides, rows, cols int, pad vg.Point, all vg.Rectangle) []vg.Rectangle {
	byRow, byColumn := make([]sides, rows), make([]sides, cols)
	for i, s := range taken {
		byRow[i/cols], byColumn[i%cols] = byRow[i/cols].atLeast(s), byColumn[i%cols].atLeast(s)
	}
	width, height := all.Size().X-pad.X*vg.Length(cols-1), all.Size().Y-pad.Y*vg.Length(rows-1)
	for _, s := range byColumn {
		width -= s.Min.X + s.Max.X
	}
	for _, s := range byRow {
		height -= s.Min.Y + s.Max.Y
	}
	width, height = max(width/vg.Length(cols), leastData), max(height/vg.Length(rows), leastData)
	places := make([]vg.Rectangle, len(taken))
	y := all.Max.Y
	for j := range rows {
		y -= byRow[j].Max.Y
		x := all.Min.X
		for i := range cols {
			x += byColumn[i].Min.X
			places[j*cols+i] = vg.Rectangle{Min: vg.Point{X: x, Y: y - height}, Max: vg.Point{X: x + width, Y: y}}
			x += width + byColumn[i].Max.X + pad.X
		}
		y -= height + byRow[j].Min.Y + pad.Y
	}
	return places
}
