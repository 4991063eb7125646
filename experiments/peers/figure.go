// Package peers shows other Go filter libraries beside ours. They are measured by a
// program of its own, in the module peers.
package peers

import (
	"slices"
	"strconv"
	"strings"

	"dejavu/experiments/peers/standing"
	"dejavu/plots"
	"dejavu/results"
)

// Figures are the time, memory and error of other libraries' filters beside ours.
var Figures = []plots.Figure{{
	Name:       "peers",
	Title:      "Beside other filter libraries",
	Caption:    "Time, memory and error of the same strategies built from other libraries, beside ours.",
	Experiment: results.Peers, Quantity: results.QFreshNanos + results.OverOurs, Strategies: plots.None, Build: peers,
}}

// The marks of the candidates that libraries are asked for, and the two bars of
// memory; each row of panels has the colour of its strategy.
var (
	askedMarks = []struct {
		quantity, name string
		mark           plots.Mark
	}{
		{results.QFreshNanos, "unseen candidates", plots.Circle},
		{results.QMixedNanos, "half of them seen", plots.Diamond},
		{results.QSeenNanos, "seen candidates", plots.Ring},
	}
	recordMark = plots.Up
	liveBar    = plots.Square
	goalBar    = plots.Square.Hollow()
)

// peers has a row of panels for each strategy, and one for how well the rates of
// single filters agree with theory.
func peers(d plots.Data) plots.Sheet {
	rows := standing.NewRows(d.Rows())
	var grid [][]*plots.Panel
	for _, kind := range rows.Kinds() {
		if row := ofKind(d, rows, kind); len(row[0].Series) > 0 {
			grid = append(grid, row)
		}
	}
	for column := range 4 { // values compare down the columns
		var panels []*plots.Panel
		for _, row := range grid {
			panels = append(panels, row[column])
		}
		plots.SameX(panels...)
		if column < 2 {
			multiples(panels)
		}
	}
	if row := keepToTheory(rows); len(row[0].Series) > 0 {
		plots.SameX(row...)
		grid = append(grid, row)
	}
	letter, most := 'a', 0
	for _, row := range grid {
		most = max(most, len(row[0].Y.Names))
		for _, p := range row {
			if len(p.Series) > 0 {
				p.Title = "(" + string(letter) + ") " + p.Title
				letter++
			}
		}
	}
	memory := "Memory: per user"
	if alive := rows.Alive(); alive.IsSet() {
		memory += ", with " + alive.String() + " alive"
	}
	s := plots.Sheet{
		Grid:   grid,
		Height: 62 + 14*float64(most),
		Note: "Times are multiples of ours in the same turn, below 1 is faster than ours; whiskers: the second and the last but one of the turns. " +
			memory + ". " +
			"False positives: excess over the exact rate for the bits each library really uses, for filters of 500 articles, with 95 % intervals; " +
			"that axis is linear within ±0.1 % and logarithmic outside." + static(rows),
	}
	for _, m := range askedMarks {
		s.Marks = append(s.Marks, plots.Look{Name: m.name, Color: plots.Grey, Mark: m.mark})
	}
	s.Marks = append(s.Marks,
		plots.Look{Name: "article recorded", Color: plots.Grey, Mark: recordMark},
		plots.Look{Name: "live bytes, heap objects", Color: plots.Grey, Mark: liveBar},
		plots.Look{Name: "with garbage that may accumulate", Color: plots.Grey, Mark: goalBar})
	return s
}

// static says which libraries' filters cannot be added to.
func static(rows standing.Rows) string {
	said := ""
	for _, library := range rows.Filters() {
		if _, ok := rows.Row(library, results.QStatic); ok {
			said += " Static, rebuilt at each record: " + library + "."
		}
	}
	return said
}

// ofKind is the panels of one strategy: the time of a candidate, of an article
// recorded, bytes and heap objects. The first is empty where no time is known.
func ofKind(d plots.Data, rows standing.Rows, kind string) []*plots.Panel {
	libraries := append([]string{standing.Ours}, rows.Libraries(kind)...)
	look := d.Look(kind)
	column := func(title string, x plots.Axis) *plots.Panel {
		return &plots.Panel{Title: title, X: x, Y: plots.Axis{Names: folded(libraries), Blank: true}}
	}
	times := plots.Axis{Label: "times ours", Scale: plots.Log, Format: plots.Multiple}
	asked, recorded := column("Candidate", times), column("Article recorded", times)
	asked.Y.Blank, asked.Y.Label = false, look.Name
	bytes := column("Bytes per user", plots.Axis{Label: "bytes", Labels: 3})
	objects := column("Heap objects", plots.Axis{Label: "per user", Labels: 4})

	ratios := func(p *plots.Panel, quantity string, m plots.Mark, lift float64) {
		ours, ok := rows.Row(standing.OurName(kind), quantity)
		if !ok {
			return
		}
		if p.Guides == nil {
			// A long label at the guide would be wider than the panel beside it.
			p.Guides = []plots.Guide{{At: 1, Vertical: true, Label: "ours"}}
			p.X.Label += ", " + strconv.FormatFloat(ours.Value.Or(0), 'g', 2, 64) + " ns"
		}
		points := []plots.Point{plots.At(p.Place(0)+lift, 1)}
		for i, library := range libraries[1:] {
			r, _ := rows.Row(standing.Name(library, kind), quantity+results.OverOurs)
			if q, ok := plots.Measured(r, p.Place(i+1)+lift); ok && q.Y > 0 {
				points = append(points, q)
			}
		}
		if len(points) > 1 {
			p.Dots(look.With(m), points...)
		}
	}
	for i, m := range askedMarks {
		ratios(asked, m.quantity, m.mark, 0.26*float64(1-i))
	}
	ratios(recorded, results.QRecordNanos, recordMark, 0)

	bars := func(p *plots.Panel, quantity string, m plots.Mark, lift float64) {
		for i, library := range libraries {
			name := standing.Name(library, kind)
			if i == 0 {
				name = standing.OurName(kind)
			}
			r, _ := rows.Row(name, quantity)
			if q, ok := plots.Measured(r, p.Place(i)+lift); ok {
				p.Bar(look.With(m), q.X, q.Y)
			}
		}
	}
	bars(bytes, results.QGoalPerUser, goalBar, -0.2)
	bars(bytes, results.QBytesPerUser, liveBar, 0.2)
	bars(objects, results.QObjectsPerUser, liveBar, 0)
	return []*plots.Panel{asked, recorded, bytes, objects}
}

// keepToTheory is a panel for each shape of keys.
func keepToTheory(rows standing.Rows) []*plots.Panel {
	libraries := append([]string{standing.Ours}, rows.Filters()...)
	var row []*plots.Panel
	for i, shape := range results.KeyShapes {
		p := &plots.Panel{
			Title:  strings.ToUpper(shape[:1]) + shape[1:] + " keys",
			X:      plots.Axis{Label: "excess over theory", Scale: plots.SignedLog, Format: plots.Percent, Labels: 3},
			Y:      plots.Axis{Names: folded(libraries), Blank: i > 0},
			Guides: []plots.Guide{{At: 0, Vertical: true, Label: "theory"}},
		}
		if i == 0 {
			p.Y.Label = "False positives"
		}
		var points []plots.Point
		for k, library := range libraries {
			r, _ := rows.FPRError(library, shape)
			if q, ok := plots.Measured(r, p.Place(k)); ok {
				points = append(points, q)
			}
		}
		p.Dots(plots.Look{Color: plots.Black}, points...)
		row = append(row, p)
	}
	return row
}

// multiples gives panels the range of all of their values, without whole decades.
func multiples(panels []*plots.Panel) {
	low, high := 1.0, 1.0
	for _, p := range panels {
		for _, s := range p.Series {
			for _, q := range s.Points {
				low, high = min(low, q.Y), max(high, q.Y)
			}
		}
	}
	for _, p := range panels {
		p.X.Min, p.X.Max = low/1.6, high*1.6
	}
}

// folded sets long names in two lines, and cuts what is longer still: four
// panels stand side by side, and the names take of their width.
func folded(names []string) (out []string) {
	const room = 16 // letters
	for _, name := range names {
		letters := []rune(name)
		if len(letters) <= room {
			out = append(out, name)
			continue
		}
		at := slices.Index(letters[room/2:], ' ') + room/2
		if at < room/2 || at > room {
			at = room
		}
		first, second := string(letters[:at]), []rune(strings.TrimSpace(string(letters[at:])))
		if len(second) > room {
			second = append(second[:room-1], '…')
		}
		out = append(out, first+"\n"+string(second))
	}
	return out
}
