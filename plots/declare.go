package plots

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"dejavu/results"
)

// A Declaration is a figure as a room's figures.toml has it. The fields of its panels, axes, guides and looks are those
// of this package's types, in lower case. A fault in a text (a query, a colour, a format) is an error of the decoder's.
type Declaration struct {
	Figure
	Note     string
	Like     string  // the figure that all it leaves out is taken from
	Height   float64 // of a row of panels, in points
	PerPlace float64 `toml:"per_place"` // and so much more for each place of the y axis
	Columns  int     // panels in a row
	Panels   []declaredPanel
}

type declaredPanel struct {
	Panel
	Each   bool          // is one for each strategy, with its name as title
	Tight  bool          // its x axis is no longer than its points
	Plain  bool          // leaves out variants: strategies with whose name another's begins
	Places results.Query // each strategy with one number of it has a place on the y axis, in the order of the numbers
	Only   []string      // of these strategies alone, where any are named
	Last   results.Query // those with a number of it come last, and are hollow
	Series []declaredSeries
}

// A declaredSeries is a series for each strategy.
type declaredSeries struct {
	Marks               results.Query   // whose rows' value is a mark
	Theory, Stated      bool            // their theory is, or what the paper states of them
	Lines               []results.Query // rows whose theory is the line: the first of these that has any
	Bars                bool            // at a place: a bar, not a mark; behind its value, in brackets, the paper's
	Endless             string          // what the bars of those that come last say, which end with the axis
	Join, Step, Unnamed bool
	To                  *float64      // the last place of the x axis that is drawn
	Change              []Change      // what is done to the points, in this order
	Thin                int           // about how many marks are drawn
	Every               float64       // points at other than its multiples are not drawn
	Rising              bool          // the line has gaps where it falls
	Shift               float64       // from its place, upwards, in distances of places
	Plus                results.Query // whose number is added to a bar
	Number              results.Query // whose number stands behind the name
	Look                *Look         // in place of the strategy's
	Mark                *Mark         // in place of the look's
	Solid               bool          // fills the mark
	Key                 bool          // a key tells what the mark means, where there is one
}

// A Change is done to the points of a series.
type Change func([]Point) []Point

// Following is the declaration with all that it leaves out taken from another one.
func (f Declaration) Following(other Declaration) Declaration {
	other.Name, other.Title, other.Caption, other.Strategies = f.Name, f.Title, f.Caption, f.Strategies
	other.Note = cmp.Or(f.Note, other.Note)
	return other
}

// Check says what the declaration lacks.
func (f Declaration) Check() error {
	lacks := map[string]bool{
		"name": f.Name == "", "title": f.Title == "", "caption": f.Caption == "", "query": f.Query.Quantity == "",
		"height": f.Height <= 0, "columns": f.Columns <= 0, "panels": len(f.Panels) == 0,
	}
	maps.DeleteFunc(lacks, func(_ string, lacking bool) bool { return !lacking })
	if len(lacks) > 0 {
		return fmt.Errorf("figure %q: missing: %s", f.Name, strings.Join(slices.Sorted(maps.Keys(lacks)), ", "))
	}
	return nil
}

// Of is the declaration as a figure of an experiment. What complete, if not nil, adds to the sheet is what
// no query says: series, panels, notes.
func (f Declaration) Of(experiment string, complete func(Data, *Sheet)) Figure {
	f.Experiment = experiment
	f.Build = func(d Data) Sheet {
		s := Sheet{Columns: f.Columns, Height: f.Height, Note: f.Note}
		for _, p := range f.Panels {
			s.Panels = append(s.Panels, p.lay(d)...)
		}
		if len(s.Panels) > 0 {
			s.Height += f.PerPlace * float64(len(s.Panels[0].Y.Names))
		}
		if complete != nil {
			complete(d, &s)
		}
		return s
	}
	return f.Figure
}

func (p declaredPanel) lay(d Data) (panels []*Panel) {
	if p.Places.Quantity != "" {
		return []*Panel{p.onPlaces(d)}
	}
	names := []string{""}
	var groups []Groups
	for _, s := range p.Series {
		groups = append(groups, s.find(d)...)
	}
	if p.Each {
		names = d.NamesIn(groups...)
	}
	for _, name := range names {
		out := p.Panel
		if p.Each {
			out.Title = d.Look(name).Name
		}
		for _, s := range p.Series {
			s.addTo(&out, d, name, p.Plain)
		}
		if p.Tight {
			out.TightX()
		}
		if !p.Each || !out.empty() {
			panels = append(panels, &out)
		}
	}
	return panels
}

// addTo adds the series of a strategy to its panel, or those of all strategies where no name is given.
func (s declaredSeries) addTo(p *Panel, d Data, only string, plain bool) {
	found := s.find(d)
	var stated []Point // the paper says the same of several strategies, which is drawn once
	names := d.NamesIn(found...)
	for _, name := range names {
		if variant, _ := Kinship(name, names); plain && variant || only != "" && name != only {
			continue
		}
		one := Series{Strategy: name, Look: s.look(d, name), Join: s.Join, Step: s.Step, Unnamed: s.Unnamed}
		one.Rising = s.Rising
		if number, ok := d.find(s.Number).Of(name).Total(); ok {
			one.Look.Name += ", " + p.Y.Short(number.Y)
		}
		if only != "" {
			one.Look.Dash = nil
		}
		one.Points = s.change(s.values(found[0].Of(name)))
		if s.Thin > 0 {
			one.Points = Thin(one.Points, s.Thin)
		}
		for _, lines := range found[1:] {
			if len(one.Line) == 0 {
				one.Line = s.change(lines.Of(name).Theory())
			}
		}
		if s.Stated {
			one.Points = Where(one.Points, func(p Point) bool { return !slices.Contains(stated, p) })
			stated = append(stated, one.Points...)
		}
		s.add(p, one)
	}
}

// add adds a series to a panel, and to its key what its marks mean.
func (s declaredSeries) add(p *Panel, one Series) {
	before := len(p.Series)
	p.Add(one)
	told := slices.ContainsFunc(p.Key, func(l Look) bool { return l.Name == one.Look.Name })
	if s.Key && !told && len(p.Series) > before {
		p.Key = append(slices.Clip(p.Key), one.Look)
	}
}

// find returns the rows of the marks, and of each of the lines.
func (s declaredSeries) find(d Data) []Groups {
	found := []Groups{d.find(s.Marks)}
	for _, q := range s.Lines {
		found = append(found, d.find(q))
	}
	return found
}

func (s declaredSeries) values(g Group) []Point {
	switch {
	case s.Theory:
		return g.Theory()
	case s.Stated:
		return g.Stated()
	}
	return g.Points()
}

func (s declaredSeries) look(d Data, strategy string) Look {
	look := d.Look(strategy)
	if s.Stated {
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
		return (s.To == nil || p.X <= *s.To) && (s.Every == 0 || math.Mod(p.X, s.Every) == 0)
	})
	for _, change := range s.Change {
		points = change(points)
	}
	return points
}

// onPlaces gives each strategy its place on the y axis, and draws bars and marks there.
func (p declaredPanel) onPlaces(d Data) *Panel {
	out := p.Panel
	last, groups := d.find(p.Last), d.find(p.Places)
	names := d.NamesIn(groups)
	groups = slices.DeleteFunc(groups, func(g Group) bool {
		_, ok := g.Total()
		variant, _ := Kinship(g.Strategy, names)
		return !ok || p.Plain && variant || len(p.Only) > 0 && !slices.Contains(p.Only, g.Strategy)
	})
	slices.SortStableFunc(groups, func(a, b Group) int {
		one, _ := a.Total()
		other, _ := b.Total()
		return cmp.Or(cmp.Compare(len(last.Of(a.Strategy).Rows), len(last.Of(b.Strategy).Rows)), cmp.Compare(one.Y, other.Y))
	})
	for _, g := range groups {
		out.Y.Names = append(out.Y.Names, d.Look(g.Strategy).Name)
	}
	for i, g := range groups {
		for _, s := range p.Series {
			look, endless, behind := s.look(d, g.Strategy), "", ""
			if len(last.Of(g.Strategy).Rows) > 0 {
				look, endless = look.Hollow(), s.Endless
			}
			marks := d.find(s.Marks).Of(g.Strategy)
			plus, _ := d.find(s.Plus).Of(g.Strategy).Total()
			if stated := marks.Stated(); len(stated) > 0 {
				behind = " (" + out.X.Short(stated[0].Y) + ")"
			}
			for _, q := range s.values(marks) {
				q.X, q.Y = out.Place(i)+s.Shift, q.Y+plus.Y
				switch {
				case endless != "":
					out.bar(look, q.X, out.X.Max, endless)
				case s.Bars:
					out.bar(look, q.X, q.Y, out.X.told(q.Y, behind))
				default:
					out.Dots(look, q)
				}
			}
		}
	}
	return &out
}

// find returns the rows of the strategy of the query, or of all those of the figure.
func (d Data) find(q results.Query) Groups {
	all := d.Find(q)
	if name := cmp.Or(q.Strategy, results.Any); name != results.Any {
		all = slices.DeleteFunc(all, func(g Group) bool { return g.Strategy != name })
	}
	return all
}
