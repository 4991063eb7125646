package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Series is what a panel shows of one strategy.
type Series struct {
	Strategy string // unless the figure has no strategies
	Look     Look
	Line     []Point // expected values
	Rising   bool    // the line has gaps where it falls
	Points   []Point // measured values, with intervals
	Join     bool    // connect the points
	Unnamed  bool    // keep it out of the legend
	Sideways bool    // Y is drawn along the x axis, and X is a place on the y axis (Panel.Place)
	bars     []Point // from zero to Y
	label    string  // of the bar
}

// A Guide is a line across a panel, with its label in the margin.
type Guide struct {
	At       float64 // in the units of its axis
	Label    string
	Vertical bool  // at a place of the x axis, not the y axis
	Color    Color // grey if zero
}

// A Panel is one pair of axes and what is drawn between them.
type Panel struct {
	Title  string
	X, Y   Axis
	Series []Series // use Add, Bars and Dots
	Guides []Guide
	Direct bool      // label lines at their ends, not in the legend
	Ends   string    // heading of these labels
	lift   vg.Length // distance of the title above the data
	breaks bool      // the title is broken into lines
}

// Change returns the series with change applied to its line and its points.
func (s Series) Change(change func([]Point) []Point) Series {
	s.Line, s.Points = change(s.Line), change(s.Points)
	return s
}

// Add appends series. It drops points that cannot be drawn, and then empty series.
func (p *Panel) Add(series ...Series) {
	for _, s := range series {
		left := 0
		for _, list := range []*[]Point{&s.Line, &s.Points, &s.bars} {
			*list = Where(*list, Point.usable)
			left += len(*list)
		}
		if left > 0 {
			p.Series = append(p.Series, s)
		}
	}
}

func (p *Panel) empty() bool { return len(p.Series) == 0 }

// Place returns the y of the i-th name, counted from the top.
func (p *Panel) Place(i int) float64 { return float64(len(p.Y.Names) - 1 - i) }

// Named appends the names of the groups to the y axis, and returns the panel.
func (p *Panel) Named(places Groups, look func(strategy string) Look) *Panel {
	for _, g := range places {
		p.Y.Names = append(p.Y.Names, look(g.Strategy).Name)
	}
	return p
}

// Bars draws a bar for each group, labelled with its value and the paper's in brackets, and returns the panel.
func (p *Panel) Bars(places, values Groups, look func(strategy string) Look) *Panel {
	p.Named(places, look)
	for i, g := range places {
		of := values.Of(g.Strategy)
		for _, q := range of.Points() {
			p.bar(look(g.Strategy), p.Place(i), q.Y, p.X.barLabel(q.Y, p.stated(of)))
		}
	}
	return p
}

// stated returns the paper's value in brackets, or "".
func (p *Panel) stated(g Group) string {
	if s := g.Stated(); len(s) > 0 {
		return " (" + p.X.Short(s[0].Y) + ")"
	}
	return ""
}

// Endless adds a bar as long as the panel, with a label. It is hollow if the look's mark is.
func (p *Panel) Endless(l Look, place float64, label string) { p.bar(l, place, p.X.Max, label) }

func (p *Panel) bar(l Look, place, v float64, label string) {
	p.Add(Series{Look: l, bars: []Point{At(place, v)}, label: label, Sideways: true, Unnamed: true})
}

// Dots adds points without a line in the legend; X is a place (Panel.Place).
func (p *Panel) Dots(l Look, points ...Point) {
	p.Add(Series{Look: l, Points: points, Sideways: true, Unnamed: true})
}

func (p *Panel) fit() {
	var xs, ys []float64
	for _, s := range p.Series {
		along, across := &ys, &xs
		if s.Sideways {
			along, across = across, along
		}
		for _, q := range slices.Concat(s.Line, s.Points, s.bars) {
			*across, *along = append(*across, q.X), append(*along, q.Y)
			if p.along(s).Scale != Log || q.Y > 0 { // intervals around zero are not drawn
				*along = append(*along, q.Low, q.High)
			}
		}
	}
	for _, g := range p.Guides {
		if g.Vertical {
			xs = append(xs, g.At)
		} else {
			ys = append(ys, g.At)
		}
	}
	p.X.fit(xs)
	p.Y.fit(ys)
}

func (p *Panel) plot() (*plot.Plot, error) {
	p.fit()
	out := plot.New()
	out.BackgroundColor = nil
	for _, a := range []*plot.Axis{&out.X, &out.Y} {
		a.Label.TextStyle = centered(labelSize, ink)
		a.Label.Padding = 3
		a.LineStyle = draw.LineStyle{Color: ink, Width: 0.6}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 4
		a.Padding = 3
	}
	out.X.Tick.Label = aligned(tickSize, ink, draw.XCenter, draw.YTop)
	out.Y.Tick.Label = aligned(tickSize, ink, draw.XRight, draw.YCenter)
	if p.Y.Names != nil {
		out.Y.Tick.Length = 0
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = pale, pale
	grid.Horizontal.Width, grid.Vertical.Width = 0.4, 0.4
	if p.Y.Names != nil {
		grid.Horizontal.Color = nil
	} else {
		grid.Vertical.Color = nil
	}
	out.Add(grid)
	for i, a := range []*Axis{&p.Y, &p.X} {
		if a.floor {
			out.Add(axisBreak(a, i == 1))
		}
	}
	out.Add(frame{p})
	for _, s := range p.Series {
		if err := p.addSeries(out, s); err != nil {
			return nil, err
		}
	}
	// at the end, as Add changes the axes
	p.X.apply(&out.X)
	p.Y.apply(&out.Y)
	return out, nil
}

func (p *Panel) addSeries(out *plot.Plot, s Series) error {
	lines := []plotter.XYs{p.curve(s, s.Line)}
	if s.Rising {
		lines = rises(lines[0])
	}
	if s.Join {
		lines = append(lines, p.curve(s, s.Points))
	}
	for _, line := range lines {
		if len(line) < 2 {
			continue
		}
		l, err := plotter.NewLine(line)
		if err != nil {
			return err
		}
		l.LineStyle = s.Look.line()
		out.Add(l)
	}
	for _, b := range s.bars {
		out.Add(bar(b.X, p.X.at(b.Y), s.Look, s.label, p.best(b.Y)))
	}
	var marks plotter.XYs
	along := p.along(s)
	for _, q := range s.Points {
		at, ok := p.spot(s.place(q))
		if s.Sideways && q.Y > p.X.Max {
			out.Add(beyond(&p.X, q, s.Look))
		}
		if !ok {
			continue
		}
		marks = append(marks, at)
		// Around "none", an interval would span decades that nobody measured.
		if q.Low < q.High && (along.Scale != Log || q.Y >= along.Min) {
			low, _ := p.spot(s.place(Point{X: q.X, Y: q.Low}))
			high, _ := p.spot(s.place(Point{X: q.X, Y: q.High}))
			out.Add(whisker(low, at, high, s.Sideways, s.Look))
		}
	}
	if len(marks) > 0 {
		m, err := plotter.NewScatter(marks)
		if err != nil {
			return err
		}
		m.GlyphStyle = s.Look.glyph()
		out.Add(m)
	}
	return nil
}

func (p *Panel) best(v float64) bool {
	for _, s := range p.Series {
		for _, b := range s.bars {
			if p.X.Least && b.Y < v || p.X.Most && b.Y > v {
				return false
			}
		}
	}
	return p.X.Least || p.X.Most
}

func (s Series) place(q Point) (x, y float64) {
	if s.Sideways {
		return q.Y, q.X
	}
	return q.X, q.Y
}

func (p *Panel) along(s Series) *Axis {
	if s.Sideways {
		return &p.X
	}
	return &p.Y
}

// spot returns where a value is drawn, and whether it is inside the axes.
func (p *Panel) spot(x, y float64) (plotter.XY, bool) {
	return plotter.XY{X: p.X.at(x), Y: p.Y.at(y)}, p.X.inside(x) && p.Y.inside(y)
}

// curve returns the points above an axis's break. If all are below, they are drawn at "none".
func (p *Panel) curve(s Series, points []Point) plotter.XYs {
	var on, under plotter.XYs
	for _, q := range points {
		x, y := s.place(q)
		at := plotter.XY{X: p.X.at(x), Y: p.Y.at(y)}
		switch {
		case p.X.Scale == Log && x < p.X.Min:
		case p.Y.Scale == Log && y < p.Y.Min:
			under = append(under, at)
		default:
			on = append(on, at)
		}
	}
	if len(on) == 0 {
		return under
	}
	return on
}

func rises(curve plotter.XYs) (parts []plotter.XYs) {
	from := 0
	for i := 1; i <= len(curve); i++ {
		if i == len(curve) || curve[i].Y < curve[i-1].Y {
			parts = append(parts, curve[from:i])
			from = i
		}
	}
	return parts
}

// TightX fits the x axis to the points, with a little room.
func (p *Panel) TightX() {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for _, q := range s.Points {
			if q.X >= tiniest {
				low, high = min(low, q.X), max(high, q.X)
			}
		}
	}
	if low <= high {
		p.X.Min, p.X.Max = low/1.15, high*1.15
	}
}
