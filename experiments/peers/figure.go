// Package peers compares our filters with other libraries', from rows that the module peers measures: ahead, level or
// behind, by one rule, in quantities of which less is better.
package peers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dejavu/internal/document"
	"dejavu/plots"
	"dejavu/results"
)

// Figures are the times and the memory of other libraries' filters over ours, and how well each keeps to its theory.
var Figures = []plots.Figure{
	{
		Name: "peers", Experiment: results.Peers, Query: Over(Timed[0].Query),
		Strategies: plots.None, Build: costs,
		Title:   "Other filter libraries, over ours: time and memory",
		Caption: "Time and memory of the same strategies built from other libraries, over ours.",
	},
	{
		Name: "peers-theory", Experiment: results.Peers, Query: results.Q("fpr at bits=*, keys=random"),
		Strategies: plots.None, Build: theory,
		Title: "Other filter libraries: false positives, over theory",
		Caption: "False positives of one filter of 500 articles, over theory, for random keys and for sequential " +
			"ones.",
	},
}

// costs has panels for the times of asking and of recording, and one for memory: marks for the strategies built from a
// library, and ours at 1.
func costs(d plots.Data) plots.Sheet {
	rows := NewRows(d.Rows())
	c := chart{d, rows, built(rows)}
	slices.SortStableFunc(c.libraries, func(a, b string) int { return cmp.Compare(c.slowness(a), c.slowness(b)) })
	panel := func(title string, solid results.Query, hollow ...results.Query) *plots.Panel {
		p := &plots.Panel{
			Title: title, Guides: []plots.Guide{{At: 1, Vertical: true, Label: "ours"}},
			X: plots.Axis{Label: "times ours", Scale: plots.Log, Format: plots.Multiple},
		}
		c.show(p, solid, hollow...)
		multiples(p)
		return p
	}
	recorded := panel("(b) Time to record", Over(Timed[3].Query))
	memory := panel("(c) Memory of a user",
		OfUsers(results.QBytesPerUser), OfUsers(results.QGoalPerUser))
	recorded.Y.Blank, memory.Y.Blank = true, true
	alive := ""
	if n := rows.Alive(); n.IsSet() {
		alive = ", with " + plots.Count(n.Or(0)) + " users of ours alive"
	}
	return plots.Sheet{
		Columns: 3, Height: 75 + 22*float64(len(c.libraries)),
		Panels: []*plots.Panel{panel("(a) Time to ask", Over(Timed[0].Query)), recorded, memory},
		Note: "Multiples of ours: 1 is as fast, or as small; (a) a candidate never shown, (b) an article of ten. " +
			"Times are measured in turns; whiskers: from the second lowest to the second highest of these; mark: " +
			"their median, which lies at an end of its whiskers where most turns agree and some do not. Memory is " +
			"live bytes" +
			alive + "; garbage is what may accumulate. No mark: not built from that library." + remarks(rows),
	}
}

// built lists the libraries from which any strategy was built, as they appear: one that has not all of them stands
// behind the one before it.
func built(rows Rows) (libraries []string) {
	for _, kind := range rows.Kinds() {
		before := -1
		for _, l := range rows.Libraries(kind) {
			if !slices.Contains(libraries, l) {
				libraries = slices.Insert(libraries, before+1, l)
			}
			before = slices.Index(libraries, l)
		}
	}
	return libraries
}

// A chart has a line for each library in each of its panels.
type chart struct {
	data      plots.Data
	rows      Rows
	libraries []string
}

// slowness is a library's time for an unseen candidate over ours, of the last of the strategies that are drawn, which
// nearly all libraries have, or of one before it.
func (c chart) slowness(library string) (ratio float64) {
	for _, kind := range slices.Backward(drawn) {
		r, _ := c.rows.Row(Name(library, kind), Over(Timed[0].Query))
		ratio = cmp.Or(ratio, r.Value.Or(0))
	}
	return ratio
}

// drawn are the strategies that marks are of, those that most libraries have; the tables have all.
var drawn = []string{"single", "chain"}

// show fills a panel with a quantity over ours, and another, which has garbage too, in hollow marks.
func (c chart) show(p *plots.Panel, solid results.Query, hollow ...results.Query) {
	p.Y.Names = titled(c.rows, c.libraries)
	for i, kind := range drawn {
		lift := 0.18 - 0.36*float64(i) // above the middle of the library's line
		for _, q := range hollow {
			look := c.data.Look(kind).Hollow()
			look.Name += ", with garbage"
			p.Add(plots.Series{Look: look, Points: c.points(p, kind, q, lift), Sideways: true})
		}
		p.Add(plots.Series{Look: c.data.Look(kind), Points: c.points(p, kind, solid, lift), Sideways: true})
	}
}

// points are one strategy's quantity: quotients as they were measured, and others over ours.
func (c chart) points(p *plots.Panel, kind string, query results.Query, lift float64) (points []plots.Point) {
	ours, _ := c.rows.Row(OurName(kind), query)
	by := ours.Value.Or(0)
	if query.Quantity == results.QTimeRatio {
		by = 1
	}
	for i, library := range c.libraries {
		r, _ := c.rows.Row(Name(library, kind), query)
		if q, ok := plots.Measured(r, p.Place(i)+lift); ok && q.Y > 0 && by > 0 {
			q.Y, q.Low, q.High = q.Y/by, q.Low/by, q.High/by
			points = append(points, q)
		}
	}
	return points
}

// titled are libraries with their languages, where those are not Go, in lines that leave panels room beside them.
func titled(rows Rows, libraries []string) (names []string) {
	for _, l := range libraries {
		names = append(names, document.Wrap(rows.Titled(l, l), 16, ""))
	}
	return names
}

// remarks says which libraries' filters cannot be added to, and which were not measured.
func remarks(rows Rows) (s string) {
	for _, library := range rows.Filters() {
		if rows.Static(library) {
			s += " Static, rebuilt at each record: " + library + "."
		}
	}
	if missing := rows.Missing(); missing != nil {
		for i, library := range missing {
			missing[i] = rows.Titled(library, library)
		}
		s += " Not measured, for want of a tool: " + strings.Join(missing, ", ") + "."
	}
	return s
}

// theory has a panel for each of the first two shapes of keys, with a single filter of each library, in the order of
// the first.
func theory(d plots.Data) plots.Sheet {
	rows := NewRows(d.Rows())
	libraries := append([]string{Ours}, rows.Filters()...)
	slices.SortStableFunc(libraries, func(a, b string) int {
		one, _ := rows.Excess(a, Shapes[0].Query)
		other, _ := rows.Excess(b, Shapes[0].Query)
		return cmp.Compare(one.Value.Or(0), other.Value.Or(0))
	})
	sheet := plots.Sheet{
		Columns: 2, Height: 55 + 19*float64(len(libraries)),
		Note: "Excess over the exact rate for the bits each library really uses, for a filter of 500 articles, " +
			"with 95 % intervals, in the order of (a). An arrow: far beyond the axis. The table has decimal keys " +
			"and URLs.",
	}
	for i, title := range []string{"(a) Random keys", "(b) Sequential keys"} {
		p := &plots.Panel{
			Title: title, Guides: []plots.Guide{{Vertical: true, Label: "theory"}},
			X: plots.Axis{Label: "relative excess over theory", Min: -0.04, Max: 0.08, Format: plots.Percent, Labels: 6},
			Y: plots.Axis{Names: titled(rows, libraries), Blank: i > 0},
		}
		var points []plots.Point
		for place, library := range libraries {
			r, _ := rows.Excess(library, Shapes[i].Query)
			if q, ok := plots.Measured(r, p.Place(place)); ok {
				points = append(points, q)
			}
		}
		p.Dots(d.Look("single"), points...)
		sheet.Panels = append(sheet.Panels, p)
	}
	return sheet
}

// multiples gives panels the range of all of their values, without whole decades.
func multiples(panels ...*plots.Panel) {
	low, high := 1.0, 1.0
	for _, p := range panels {
		for _, s := range p.Series {
			for _, q := range s.Points {
				low, high = min(low, q.Y), max(high, q.High)
				if q.Low > 0 {
					low = min(low, q.Low)
				}
			}
		}
	}
	for _, p := range panels {
		p.X.Min, p.X.Max = low/1.25, high*1.25
	}
}

// Of returns the run of other libraries on the machine of a run, where the folder of that name in its directory holds
// rows, and otherwise the committed one, and what a report says of it. Where it cannot be read it has no rows, and the
// report says why: that is no reason to withhold what else there is to say. Their module needs this one, so its program
// is another, and its rows come from files.
func Of(out string) (*results.Run, []document.Block) {
	from := "The rows lie in `" + results.PeersDir + "` beside this report."
	run, own, err := results.Beside(out, results.PeersDir)
	switch {
	case err != nil:
		why := fmt.Sprintf("Nothing to show: %s.", document.Literal(err.Error()))
		return &results.Run{}, []document.Block{document.Paragraph(why)}
	case !own:
		from = "The rows are those committed with this program: on another machine, and at another time than this " +
			"run's, " +
			"perhaps. To have your own, run `cd peers && go run .`, which leaves them in `out/" + results.PeersDir +
			"`, and `go run ./experiments` again, which measures nothing twice."
	}
	report := Report(run)
	if report == nil {
		report = []document.Block{document.Paragraph("There are no rows to show.")}
	}
	return run, append([]document.Block{document.Paragraph(from)}, report...)
}
