package plots

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An explanation is the legend and the note of a sheet, set to a width.
type explanation struct {
	legend []entry
	tall   vg.Length // the legend
	note   []string
}

const leading = noteSize * 1.25 // of the lines of a note

// noteStyle is how a note is written.
var noteStyle = textStyle(noteSize, mute)

// explain sets the legend and the note to a width.
func (s Sheet) explain(width vg.Length) explanation {
	e := explanation{legend: s.legend(), note: wrap(s.Note, noteStyle, width)}
	e.tall = flow(e.legend, width)
	return e
}

func (e explanation) height() vg.Length { return e.tall + vg.Length(len(e.note))*leading }

// draw sets the legend and the note below a corner.
func (e explanation) draw(c draw.Canvas, left, top vg.Length) {
	for _, l := range e.legend {
		l.draw(c, left, top)
	}
	for i, line := range e.note {
		fillText(c, noteStyle, left, top-e.tall-vg.Length(i+1)*leading, line)
	}
}

// free is how many places are empty at the end of the last row: the legend and the
// note stand there where they fit.
func (s Sheet) free() (n int) {
	if len(s.Grid) == 0 {
		return 0
	}
	last := s.Grid[len(s.Grid)-1]
	for n < len(last) && last[len(last)-1-n].empty() {
		n++
	}
	return n
}

// Shared gives all panels of a grid the same axes, and numbers and labels only to the
// first panel of a row and the last of a column. Guides are named in the last column.
func Shared(grid [][]*Panel) [][]*Panel {
	all := slices.Concat(grid...)
	SameX(all...)
	SameY(all...)
	at := func(row, column int) *Panel {
		if row < len(grid) && column < len(grid[row]) {
			return grid[row][column]
		}
		return nil
	}
	for i, row := range grid {
		for j, p := range row {
			if p.empty() {
				continue
			}
			p.Y.Blank = j > 0
			p.X.Blank = !at(i+1, j).empty()
			if j+1 < len(row) {
				p.Guides = slices.Clone(p.Guides)
				for k := range p.Guides {
					if !p.Guides[k].Vertical {
						p.Guides[k].Label = ""
					}
				}
			}
		}
	}
	return grid
}
