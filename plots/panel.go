package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A series is what a panel shows of one strategy.
type series struct {
	look     look
	line     []point // the analytic curve
	step     bool    // the curve jumps from value to value
	points   []point // what was measured, with intervals
	join     bool    // connect the points
	bare     bool    // draw the intervals of the points alone
	bars     []point // sideways: from zero to y at the place x
	unnamed  bool    // keep it out of the legend
	sideways bool    // a point's y is drawn along x, and x says the place
}

// A guide is a labelled line across a panel, its label in the margin.
type guide struct {
	at       float64
	label    string
	vertical bool
}

// A panel is one pair of axes and what is drawn between them.
type panel struct {
	title  string
	x, y   axis
	series []series
	guides []guide
	shade  *shade
	lift   vg.Length // of the title above the panel, set by the sheet
}

// A shade tints a panel from a value of x on, and says why.
type shade struct {
	from  float64
	label string
}

// add appends a series unless it is empty.
func (p *panel) add(s series) {
	if len(s.line)+len(s.points)+len(s.bars) > 0 {
		p.series = append(p.series, s)
	}
}

// fit gives both axes the range of the data.
func (p *panel) fit() {
	var xs, ys []float64
	for _, s := range p.series {
		for _, list := range [][]point{s.line, s.points, s.bars} {
			for _, q := range list {
				x, y := []float64{q.x}, []float64{q.y, q.low, q.high}
				along := &p.y
				if s.sideways {
					along = &p.x
				}
				if along.scale == logarithm && q.y <= 0 {
					y = []float64{q.y} // an interval around zero is not drawn
				}
				if s.sideways {
					x, y = y, x
				}
				xs, ys = append(xs, x...), append(ys, y...)
			}
		}
	}
	for _, g := range p.guides {
		if g.vertical {
			xs = append(xs, g.at)
		} else {
			ys = append(ys, g.at)
		}
	}
	p.x.fit(xs)
	p.y.fit(ys)
}

// plot turns the panel into a plot of the library.
func (p *panel) plot() (*plot.Plot, error) {
	p.fit()
	out := plot.New()
	out.BackgroundColor = nil
	for _, a := range []*plot.Axis{&out.X, &out.Y} {
		a.Label.TextStyle = centered(labelSize)
		a.Label.Padding = 3
		a.LineStyle = draw.LineStyle{Color: ink, Width: 0.6}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 4
		a.Padding = 3
	}
	out.X.Tick.Label = centered(tickSize)
	out.X.Tick.Label.YAlign = draw.YTop
	out.Y.Tick.Label = textStyle(tickSize, ink)
	out.Y.Tick.Label.XAlign, out.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter
	if p.y.names != nil {
		out.Y.Tick.Length = 0
		if p.y.blank {
			out.Y.Tick.Label.Font.Size = 0.01
		}
	}
	if p.shade != nil {
		out.Add(p.shade.plotter(&p.x))
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = pale, pale
	grid.Horizontal.Width, grid.Vertical.Width = 0.4, 0.4
	if p.y.names != nil {
		grid.Horizontal.Color = nil
	} else {
		grid.Vertical.Color = nil
	}
	out.Add(grid)
	if p.y.floor {
		out.Add(axisBreak{&p.y, false})
	}
	if p.x.floor {
		out.Add(axisBreak{&p.x, true})
	}
	out.Add(guidePlotter{p}, heading{p})
	for _, s := range p.series {
		if err := p.addSeries(out, s); err != nil {
			return nil, err
		}
	}
	// Last, as Add widens the axes to all that is added.
	p.x.apply(&out.X)
	p.y.apply(&out.Y)
	return out, nil
}

func (p *panel) addSeries(out *plot.Plot, s series) error {
	if line := p.curve(s.line, s.sideways); len(line) > 1 {
		l, err := plotter.NewLine(line)
		if err != nil {
			return err
		}
		l.LineStyle = s.look.line()
		if s.step {
			l.StepStyle = plotter.PostStep
		}
		out.Add(l)
	}
	if line := p.curve(s.points, s.sideways); s.join && len(line) > 1 {
		l, err := plotter.NewLine(line)
		if err != nil {
			return err
		}
		l.LineStyle = s.look.line()
		out.Add(l)
	}
	for _, b := range s.bars {
		if at, ok := p.x.at(b.y); ok {
			out.Add(bar{place: b.x, from: p.x.min, to: at, look: s.look})
		}
	}
	var marks plotter.XYs
	for _, q := range s.points {
		x, y := q.x, q.y
		if s.sideways {
			x, y = y, x
		}
		at, ok := p.place(x, y)
		if !ok {
			continue
		}
		if !s.bare {
			marks = append(marks, at)
		}
		along := &p.y
		if s.sideways {
			along = &p.x
		}
		low, okLow := along.at(q.low)
		high, okHigh := along.at(q.high)
		// An interval around "≈ 0" would span decades that nobody measured.
		if q.low < q.high && okLow && okHigh && (along.scale != logarithm || q.y >= along.min) {
			out.Add(whisker{at, low, high, s.sideways, s.look})
		}
	}
	if len(marks) > 0 {
		m, err := plotter.NewScatter(marks)
		if err != nil {
			return err
		}
		m.GlyphStyle = s.look.glyph()
		out.Add(m)
	}
	return nil
}

// place returns where a value is drawn, and false where it is off the axes.
func (p *panel) place(x, y float64) (plotter.XY, bool) {
	px, okX := p.x.at(x)
	py, okY := p.y.at(y)
	return plotter.XY{X: px, Y: py}, okX && okY && p.x.inside(x) && p.y.inside(y)
}

// curve returns the places of a curve. What lies below the break of an axis is
// left out, or the curve would fall off a cliff there; a curve that lies there as
// a whole is drawn along "≈ 0".
func (p *panel) curve(points []point, sideways bool) plotter.XYs {
	var on, under plotter.XYs
	for _, q := range points {
		x, y := q.x, q.y
		if sideways {
			x, y = y, x
		}
		px, okX := p.x.at(x)
		py, okY := p.y.at(y)
		switch {
		case !okX || !okY || p.x.scale == logarithm && x < p.x.min:
		case p.y.scale == logarithm && y < p.y.min:
			under = append(under, plotter.XY{X: px, Y: py})
		default:
			on = append(on, plotter.XY{X: px, Y: py})
		}
	}
	if len(on) == 0 {
		return under
	}
	return on
}
