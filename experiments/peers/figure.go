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
		Name: "peers", Experiment: results.Peers, Query: over(timed[0].query),
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

// drawn are the strategies that have marks, which most libraries have; the tables have all.
var drawn = []string{"single", "chain"}

// costs has panels for the times of asking and of recording, and one for memory: marks for the strategies built from a
// library, and ours at 1.
func costs(d plots.Data) plots.Sheet {
	p := rows{results.NewCells(d.Rows())}
	libraries := built(p)
	slowness := func(library string) (ratio float64) { // of the last strategy that the library has
		for _, kind := range slices.Backward(drawn) {
			r, _ := p.row(name(library, kind), over(timed[0].query))
			ratio = cmp.Or(ratio, r.Value.Or(0))
		}
		return ratio
	}
	slices.SortStableFunc(libraries, func(a, b string) int { return cmp.Compare(slowness(a), slowness(b)) })
	panel := func(title string, solid results.Query, hollow ...results.Query) *plots.Panel {
		panel := &plots.Panel{
			Title: title, Guides: []plots.Guide{{At: 1, Vertical: true, Label: "ours"}},
			X: plots.Axis{Label: "times ours", Scale: plots.Log, Format: plots.Multiple},
			Y: plots.Axis{Names: titles(p, libraries)},
		}
		for i, kind := range drawn {
			lift := 0.18 - 0.36*float64(i) // above the middle of the library's line
			look := d.Look(kind)
			for _, q := range hollow {
				look := look.Hollow()
				look.Name += ", with garbage"
				panel.Add(plots.Series{Look: look, Points: points(p, panel, libraries, kind, q, lift), Sideways: true})
			}
			panel.Add(plots.Series{Look: look, Points: points(p, panel, libraries, kind, solid, lift), Sideways: true})
		}
		multiples(panel)
		return panel
	}
	recorded := panel("(b) Time to record", over(timed[3].query))
	memory := panel("(c) Memory of a user", ofUsers(results.QBytesPerUser), ofUsers(results.QGoalPerUser))
	recorded.Y.Blank, memory.Y.Blank = true, true
	alive := ""
	if n := p.alive(); n.IsSet() {
		alive = ", with " + plots.Count(n.Or(0)) + " users of ours alive"
	}
	return plots.Sheet{
		Columns: 3, Height: 75 + 22*float64(len(libraries)),
		Panels: []*plots.Panel{panel("(a) Time to ask", over(timed[0].query)), recorded, memory},
		Note: "Multiples of ours: 1 is as fast, or as small; (a) a candidate never shown, (b) an article of ten. " +
			"Times are measured in turns; whiskers: from the second lowest to the second highest of these; mark: " +
			"their median, which lies at an end of its whiskers where most turns agree and some do not. Memory is " +
			"live bytes" +
			alive + "; garbage is what may accumulate. No mark: not built from that library." + remarks(p),
	}
}

// built lists the libraries from which any strategy was built. One that was not built for the first strategy follows the
// library before it.
func built(p rows) (libraries []string) {
	for _, kind := range p.kinds() {
		before := -1
		for _, l := range p.libraries(kind) {
			if !slices.Contains(libraries, l) {
				libraries = slices.Insert(libraries, before+1, l)
			}
			before = slices.Index(libraries, l)
		}
	}
	return libraries
}

// points returns one strategy's quantity: ratios as they were measured, and others over ours.
func points(p rows, panel *plots.Panel, libraries []string, kind string, query results.Query, lift float64) (points []plots.Point) {
	r, _ := p.row(name(ours, kind), query)
	by := r.Value.Or(0)
	if query.Quantity == results.QTimeRatio {
		by = 1
	}
	for i, library := range libraries {
		r, _ := p.row(name(library, kind), query)
		if q, ok := plots.Measured(r, panel.Place(i)+lift); ok && q.Y > 0 { // plots drop what is over nothing
			q.Y, q.Low, q.High = q.Y/by, q.Low/by, q.High/by
			points = append(points, q)
		}
	}
	return points
}

// titles returns libraries with their languages, in lines that leave panels room beside them.
func titles(p rows, libraries []string) (names []string) {
	for _, l := range libraries {
		names = append(names, document.Wrap(p.titled(l, l), 16, ""))
	}
	return names
}

// remarks says which libraries' filters cannot be added to, and which were not measured.
func remarks(p rows) (s string) {
	for _, library := range p.others(anyKeys) {
		if p.static(library) {
			s += " Static, rebuilt at each record: " + library + "."
		}
	}
	if missing := p.others(missing); missing != nil {
		for i, library := range missing {
			missing[i] = p.titled(library, library)
		}
		s += " Not measured, for want of a tool: " + strings.Join(missing, ", ") + "."
	}
	return s
}

// theory has a panel for each of the first two shapes of keys, with a single filter of each library, in the order of
// the first.
func theory(d plots.Data) plots.Sheet {
	rows := rows{results.NewCells(d.Rows())}
	libraries := append([]string{ours}, rows.others(anyKeys)...)
	slices.SortStableFunc(libraries, func(a, b string) int {
		one, _ := rows.excess(a, shapes[0].query)
		other, _ := rows.excess(b, shapes[0].query)
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
			Y: plots.Axis{Names: titles(rows, libraries), Blank: i > 0},
		}
		var points []plots.Point
		for place, library := range libraries {
			r, _ := rows.excess(library, shapes[i].query)
			if q, ok := plots.Measured(r, p.Place(place)); ok {
				points = append(points, q)
			}
		}
		p.Dots(d.Look("single"), points...)
		sheet.Panels = append(sheet.Panels, p)
	}
	return sheet
}

// multiples gives a panel the range of all of its values, without whole decades.
func multiples(p *plots.Panel) {
	low, high := 1.0, 1.0
	for _, s := range p.Series {
		for _, q := range s.Points {
			low, high = min(low, q.Y), max(high, q.High)
			if q.Low > 0 {
				low = min(low, q.Low)
			}
		}
	}
	p.X.Min, p.X.Max = low/1.25, high*1.25
}

// Of returns the run of other libraries that lies in a run's directory, or else the committed one, and what a report says of
// it. If the rows cannot be read the run has none, and the report says why. The rows come from files, because their program
// belongs to another module, which needs this one.
func Of(out string) (*results.Run, []document.Block) {
	from := "The rows lie in `" + results.PeersDir + "` beside this report."
	run, own, err := results.Beside(out, results.PeersDir)
	switch {
	case err != nil:
		why := fmt.Sprintf("Nothing to show: %s.", document.Literal(err.Error()))
		return &results.Run{}, []document.Block{document.Paragraph(why)}
	case !own:
		from = "The rows are those committed with this program, perhaps from another machine. To have your own, run " +
			"`cd peers && go run .`, which leaves them in `out/" + results.PeersDir + "`, and `go run ./experiments` again, " +
			"which measures nothing twice."
	}
	report := Report(run)
	if report == nil {
		report = []document.Block{document.Paragraph("There are no rows to show.")}
	}
	return run, append([]document.Block{document.Paragraph(from)}, report...)
}
