package plots

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dejavu/results"
)

// A Declaration is a figure as a room's figures.toml has it. The fields of its panels, axes,
// guides and looks are those of this package's types, in lower case. A fault in a text (a
// query, a colour, a format) is an error of the decoder's.
type Declaration struct {
	Name, Title, Caption, Note string
	Like                       string          // the figure that all it leaves out is taken from
	Query                      results.Query   // without rows of it there is no figure
	Strategies                 Strategies      // "paper" where left out
	Looks                      map[string]Look // of names that are no strategies
	Height                     float64         // of a row of panels, in points
	PerPlace                   float64         `toml:"per_place"` // and so much more for each place of the y axis
	Columns                    int             // panels in a row
	Shared                     bool            // all panels have the same axes
	Panels                     []declaredPanel
}

// A declaredPanel is a panel and the rows it shows.
type declaredPanel struct {
	Panel
	Each   bool          // is one for each strategy, with its name as title
	Places results.Query // each strategy with one number of it has a place on the y axis
	Series []declaredSeries
}

// A declaredSeries is a series for each strategy.
type declaredSeries struct {
	Marks, Theory, Stated results.Query   // whose rows' value, theory or paper's value is a mark: one of them
	Plus                  results.Query   // at a place: its number is added
	Lines                 []results.Query // rows whose theory is the line: the first of these that has any
	Bars                  bool            // at a place: a bar, not a mark
	Join, Step, Unnamed   bool
	From, To              *float64 // the part of the x axis that is drawn
	Change                []Change // what is done to the points, in this order
	Thin                  int      // about how many marks are drawn
	Look                  *Look    // in place of the strategy's
	Mark                  *Mark    // in place of the look's
	Solid                 bool     // fills the mark
	Key                   bool     // a key tells what the mark means, where there is one
}

// named returns what a word of a declaration stands for.
func named[V any](what string, of map[string]V, text []byte) (V, error) {
	v, ok := of[string(text)]
	if !ok {
		return v, fmt.Errorf("%s %q: want one of %q", what, text, slices.Sorted(maps.Keys(of)))
	}
	return v, nil
}

// UnmarshalText reads one of the words "paper", "beyond", "all" and "none".
func (s *Strategies) UnmarshalText(text []byte) (err error) {
	*s, err = named("strategies", map[string]Strategies{"paper": Paper, "beyond": Beyond, "all": All, "none": None}, text)
	return err
}

// UnmarshalText reads one of the words "linear", "log" and "signed log".
func (s *Scale) UnmarshalText(text []byte) (err error) {
	*s, err = named("scale", map[string]Scale{"linear": Linear, "log": Log, "signed log": SignedLog}, text)
	return err
}

// UnmarshalText reads the name of a format of this package, in lower case.
func (f *Format) UnmarshalText(text []byte) (err error) {
	*f, err = named("format", map[string]Format{
		"number": Number, "percent": Percent, "power": Power, "multiple": Multiple, "duration": Duration,
		"bytes": Bytes, "count": Count, "power of two": PowerOfTwo,
	}, text)
	return err
}

// UnmarshalText reads the name of a colour.
func (c *Color) UnmarshalText(text []byte) (err error) {
	*c, err = named("color", map[string]Color{
		"black": Black, "orange": Orange, "sky blue": SkyBlue, "green": Green, "blue": Blue,
		"vermillion": Vermillion, "purple": Purple, "grey": Grey,
	}, text)
	return err
}

// UnmarshalText reads the name of a mark, "hollow" before it where it is one in outline.
func (m *Mark) UnmarshalText(text []byte) (err error) {
	name, hollow := strings.CutPrefix(string(text), "hollow ")
	*m, err = named("mark", map[string]Mark{
		"circle": Circle, "ring": Ring, "square": Square, "diamond": Diamond, "up": Up, "down": Down,
		"pentagon": Pentagon, "hexagon": Hexagon, "cross": CrossStar, "plus": PlusStar, "star": fiveStar,
	}, []byte(name))
	m.hollow = m.hollow || hollow
	return err
}

// A Change is done to the points of a series.
type Change func([]Point) []Point

// UnmarshalText reads the name of a change.
func (c *Change) UnmarshalText(text []byte) (err error) {
	*c, err = named("change", map[string]Change{
		"positive": func(points []Point) []Point { return Where(points, func(p Point) bool { return p.Y > 0 }) },
		"by bin":   ByBin, "per thousand": PerThousand, "few days": FewDays,
	}, text)
	return err
}

// Following is the declaration with all that it leaves out taken from another one.
func (f Declaration) Following(other Declaration) Declaration {
	out := other
	out.Name, out.Title, out.Caption, out.Strategies = f.Name, f.Title, f.Caption, f.Strategies
	out.Note = cmp.Or(f.Note, other.Note)
	return out
}

// Figure is the declaration as a figure of an experiment. What build is not nil for adds to
// the sheet what no query says: series, panels, notes.
func (f Declaration) Figure(experiment string, build func(Data, *Sheet)) (Figure, error) {
	switch {
	case f.Name == "" || f.Title == "" || f.Caption == "":
		return Figure{}, fmt.Errorf("figure %q: want a name, a title and a caption", f.Name)
	case f.Query.Quantity == "" || len(f.Panels) == 0 || f.Height <= 0 || f.Columns <= 0:
		return Figure{}, fmt.Errorf("figure %s: want a query, a height, columns and panels", f.Name)
	}
	for i, p := range f.Panels {
		for _, s := range p.Series {
			if err := s.check(p); err != nil {
				return Figure{}, fmt.Errorf("figure %s, panel %d: %w", f.Name, i+1, err)
			}
		}
	}
	return Figure{
		Name: f.Name, Title: f.Title, Caption: f.Caption, Experiment: experiment, Query: f.Query,
		Strategies: f.Strategies, looks: f.Looks,
		Build: func(d Data) Sheet {
			s := Sheet{Height: f.Height, Note: f.Note}
			for _, p := range f.Panels {
				s.Panels = append(s.Panels, p.lay(d)...)
			}
			s.Height += f.PerPlace * float64(len(s.Panels[0].Y.Names))
			if build != nil {
				build(d, &s)
			}
			if s.Grid = Grid(f.Columns, s.Panels...); f.Shared {
				Shared(s.Grid)
			}
			return s
		},
	}, nil
}

// check refuses a series that shows nothing, or two things.
func (s declaredSeries) check(p declaredPanel) error {
	marks := 0
	for _, q := range []results.Query{s.Marks, s.Theory, s.Stated} {
		if q.Quantity != "" {
			marks++
		}
	}
	switch places := p.Places.Quantity != ""; {
	case marks > 1 || marks+len(s.Lines) == 0:
		return errors.New("a series: want one of marks, theory and stated, or lines")
	case places && (marks == 0 || len(s.Lines) > 0) || !places && (s.Bars || s.Plus.Quantity != ""):
		return errors.New("a series: want bars and plus where the panel has places, and lines where it has none")
	}
	return nil
}

// lay returns the panel with its series, or one for each strategy.
func (p declaredPanel) lay(d Data) []*Panel {
	if !p.Each {
		out := p.Panel
		if p.Places.Quantity != "" {
			p.onPlaces(d, &out)
			return []*Panel{&out}
		}
		for _, s := range p.Series {
			all := s.of(d)
			if s.Stated.Quantity != "" {
				all = joined(all)
			}
			for _, one := range all {
				s.add(&out, one.Series)
			}
		}
		return []*Panel{&out}
	}
	var names []string
	var series [][]seriesOf
	for _, s := range p.Series {
		all := s.of(d)
		for _, one := range all {
			if !slices.Contains(names, one.strategy) {
				names = append(names, one.strategy)
			}
		}
		series = append(series, all)
	}
	var panels []*Panel
	for _, name := range d.sorted(names) {
		out := p.Panel
		out.Title = d.Look(name).Name
		for i, s := range p.Series {
			for _, one := range series[i] {
				if one.strategy == name {
					one.Look.Dash = nil
					s.add(&out, one.Series)
				}
			}
		}
		if !out.empty() {
			panels = append(panels, &out)
		}
	}
	return panels
}

// add adds a series to a panel, and to its key what its marks mean.
func (s declaredSeries) add(p *Panel, one Series) {
	before := len(p.Series)
	if p.Add(one); s.Key && len(p.Series) > before {
		p.Key = append(slices.Clip(p.Key), one.Look)
	}
}

// A seriesOf is a series of a strategy.
type seriesOf struct {
	strategy string
	Series
}

// of returns the series of each strategy.
func (s declaredSeries) of(d Data) (out []seriesOf) {
	marks, value := s.marks()
	found := d.find(marks)
	all := []Groups{found}
	for _, q := range s.Lines {
		all = append(all, d.find(q))
	}
	for _, name := range d.NamesIn(all...) {
		one := Series{Look: s.look(d, name), Join: s.Join, Step: s.Step, Unnamed: s.Unnamed}
		one.Points = s.change(value(found.Of(name)))
		if s.Thin > 0 {
			one.Points = Thin(one.Points, s.Thin)
		}
		for _, lines := range all[1:] {
			if len(one.Line) == 0 {
				one.Line = s.change(lines.Of(name).Theory())
			}
		}
		out = append(out, seriesOf{name, one})
	}
	return out
}

// marks are the rows whose values are marks, and which of their values.
func (s declaredSeries) marks() (results.Query, func(Group) []Point) {
	switch {
	case s.Theory.Quantity != "":
		return s.Theory, Group.Theory
	case s.Stated.Quantity != "":
		return s.Stated, Group.Stated
	}
	return s.Marks, Group.Points
}

// look is that of a strategy's series.
func (s declaredSeries) look(d Data, strategy string) Look {
	look := d.Look(strategy)
	if s.Stated.Quantity != "" {
		look = PaperLook
	}
	if s.Look != nil {
		look = *s.Look
	}
	if s.Mark != nil {
		look.Mark = *s.Mark
	}
	if s.Solid {
		look = look.Solid()
	}
	return look
}

// change is the part of the points that is drawn, as it is drawn.
func (s declaredSeries) change(points []Point) []Point {
	points = Where(points, func(p Point) bool {
		return (s.From == nil || p.X >= *s.From) && (s.To == nil || p.X <= *s.To)
	})
	for _, change := range s.Change {
		points = change(points)
	}
	return points
}

// joined are several series of the same look as one, which has each point once: the paper
// says the same of several strategies.
func joined(all []seriesOf) []seriesOf {
	for _, one := range all[min(len(all), 1):] {
		for _, p := range one.Points {
			if !slices.Contains(all[0].Points, p) {
				all[0].Points = append(all[0].Points, p)
			}
		}
	}
	return all[:min(len(all), 1)]
}

// onPlaces gives each strategy its place on the y axis, and draws bars and marks there.
func (p declaredPanel) onPlaces(d Data, out *Panel) {
	var names []string
	for _, g := range d.find(p.Places) {
		if _, ok := g.Total(); ok {
			names = append(names, g.Strategy)
			out.Y.Names = append(out.Y.Names, d.Look(g.Strategy).Name)
		}
	}
	for i, name := range names {
		place := out.Place(i)
		for _, s := range p.Series {
			if s.Stated.Quantity != "" {
				continue
			}
			look, points := s.look(d, name), d.find(s.Marks).Of(name).all()
			plus, _ := d.find(s.Plus).Of(name).Total()
			for _, q := range points {
				if q.X = place; s.Bars {
					out.Bar(look, place, q.Y+plus.Y)
				} else {
					out.Dots(look, q)
				}
			}
		}
	}
	for _, s := range p.Series {
		one := Series{Look: PaperLook, Sideways: true, Unnamed: true}
		for _, g := range d.find(s.Stated) {
			for _, r := range g.Rows {
				if i := slices.Index(names, g.Strategy); i >= 0 && r.Paper.IsSet() {
					one.Points = append(one.Points, At(out.Place(i), r.Paper.Or(0)))
				}
			}
		}
		s.add(out, one)
	}
}

// find returns the rows of the strategies of the query, all those of the figure where it has none.
func (d Data) find(q results.Query) Groups {
	all := d.Find(q)
	if name := cmp.Or(q.Strategy, results.Any); name != results.Any {
		all = slices.DeleteFunc(all, func(g Group) bool { return g.Strategy != name })
	}
	return all
}

// all are the points of a group along what its query left open, or its one number.
func (g Group) all() []Point {
	if g.along.Name != "" {
		return g.Points()
	}
	if total, ok := g.Total(); ok {
		return []Point{total}
	}
	return nil
}
