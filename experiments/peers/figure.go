// Package peers shows other filter libraries beside ours. They are measured by a
// program of its own, in the module peers.
package peers

import (
	"slices"
	"strings"

	"dejavu/experiments/peers/standing"
	"dejavu/plots"
	"dejavu/results"
)

// Figures are the times and the memory of other libraries' filters over ours, and how
// well each keeps to its theory.
var Figures = []plots.Figure{
	{
		Name:       "peers",
		Title:      "Most other filter libraries take more time and memory than ours",
		Caption:    "Time and memory of the same strategies built from other libraries, over ours.",
		Experiment: results.Peers, Quantity: results.QFreshNanos + results.OverOurs, Strategies: plots.None, Build: questions,
	},
	{
		Name:       "peers-theory",
		Title:      "Some libraries have more false positives than theory says, for keys of any shape",
		Caption:    "False positives of one filter of 500 articles, over theory, by the shape of the keys.",
		Experiment: results.Peers, Quantity: results.QFPROf + results.KeyShapes[0], Strategies: plots.None, Build: theory,
	},
}

// asked are the questions, a panel each.
var asked = []struct{ quantity, title string }{
	{results.QFreshNanos, "Unseen candidate"},
	{results.QSeenNanos, "Seen candidate"},
	{results.QMixedNanos, "Candidate, half of them seen"},
	{results.QRecordNanos, "Article recorded, by ten"},
	{results.QRecordManyNanos, "Article recorded, by 500"},
}

const columns = 3

// questions has a panel for each question and one for memory: a line for each library, a
// mark for each strategy built from it, and ours at 1.
func questions(d plots.Data) plots.Sheet {
	rows := standing.NewRows(d.Rows())
	libraries := built(rows)
	var panels []*plots.Panel
	for _, q := range asked {
		p := panel(rows, libraries, q.title)
		p.X.Label = "times ours" + amounts(rows, q.quantity, "ns")
		for i, kind := range rows.Kinds() {
			marks(p, rows, libraries, kind, q.quantity+results.OverOurs, d.Look(kind), lift(i, len(rows.Kinds())))
		}
		panels = append(panels, p)
	}
	memory := panel(rows, libraries, "Memory of a user")
	memory.X.Label = "times ours" + amounts(rows, results.QBytesPerUser, "B")
	for i, kind := range rows.Kinds() {
		at := lift(i, len(rows.Kinds()))
		marks(memory, rows, libraries, kind, results.QGoalPerUser, d.Look(kind).Hollow(), at)
		marks(memory, rows, libraries, kind, results.QBytesPerUser, d.Look(kind), at)
	}
	multiples(panels[:3])
	multiples(panels[3:])
	multiples([]*plots.Panel{memory})
	grid := plots.Grid(columns, append(panels, memory)...)
	for _, row := range grid {
		for column, p := range row {
			if p != nil {
				p.Y.Blank = column > 0
			}
		}
	}
	lettered(grid)
	alive := ""
	if n := rows.Alive(); n.IsSet() {
		alive = ", with " + n.String() + " users of ours alive"
	}
	for _, kind := range rows.Kinds() {
		panels[0].Key = append(panels[0].Key, d.Look(kind))
	}
	memory.Key = []plots.Look{
		{Name: "live bytes", Color: plots.Grey, Mark: plots.Square},
		{Name: "with garbage that may accumulate", Color: plots.Grey, Mark: plots.Square.Hollow()},
	}
	return plots.Sheet{
		Grid: grid, Height: 90 + 22*float64(len(libraries)),
		Note: "Times are multiples of ours in the same turn, below 1 is faster than ours; whiskers: the second and the last but one of the turns. " +
			"Memory is live bytes" + alive + ". In brackets ours: " + kindNames(d, rows) + "." + static(rows) + missing(rows),
	}
}

// built lists the libraries from which any strategy was built, as they appear: one that
// has not all of them stands behind the one before it.
func built(rows standing.Rows) (libraries []string) {
	for _, kind := range rows.Kinds() {
		at := 0
		for _, l := range rows.Libraries(kind) {
			if i := slices.Index(libraries, l); i >= 0 {
				at = i + 1
				continue
			}
			libraries = slices.Insert(libraries, at, l)
			at++
		}
	}
	return libraries
}

// lift is how far above the middle of its line the i-th of n marks stands.
func lift(i, n int) float64 { return 0.27 * (float64(n-1)/2 - float64(i)) }

// panel is an empty one, with a line for each library.
func panel(rows standing.Rows, libraries []string, title string) *plots.Panel {
	return &plots.Panel{
		Title:  title,
		X:      plots.Axis{Scale: plots.Log, Format: plots.Multiple},
		Y:      plots.Axis{Names: folded(named(rows, libraries))},
		Guides: []plots.Guide{{At: 1, Vertical: true, Label: "ours"}},
	}
}

// marks sets one strategy's quantity in a panel: quotients as they were measured, and
// others over ours.
func marks(p *plots.Panel, rows standing.Rows, libraries []string, kind, quantity string, look plots.Look, lift float64) {
	var points []plots.Point
	for i, library := range libraries {
		r, _ := rows.Row(standing.Name(library, kind), quantity)
		q, ok := plots.Measured(r, p.Place(i)+lift)
		if !strings.HasSuffix(quantity, results.OverOurs) {
			ours, both := rows.Row(standing.OurName(kind), quantity)
			by := ours.Value.Or(0)
			ok = ok && both && by > 0
			q.Y, q.Low, q.High = q.Y/by, q.Low/by, q.High/by
		}
		if ok && q.Y > 0 {
			points = append(points, q)
		}
	}
	p.Dots(look, points...)
}

// amounts are what ours takes, for the label of an axis: a number for each strategy.
func amounts(rows standing.Rows, quantity, unit string) string {
	var said []string
	for _, kind := range rows.Kinds() {
		if r, ok := rows.Row(standing.OurName(kind), quantity); ok {
			said = append(said, standing.Digits(r.Value))
		}
	}
	if said == nil {
		return ""
	}
	return " (" + strings.Join(said, " / ") + " " + unit + ")"
}

// kindNames are the strategies in the order of amounts.
func kindNames(d plots.Data, rows standing.Rows) string {
	var names []string
	for _, kind := range rows.Kinds() {
		names = append(names, strings.ToLower(d.Look(kind).Name))
	}
	return strings.Join(names, " / ")
}

// named are libraries with their languages, where those are not Go.
func named(rows standing.Rows, libraries []string) (names []string) {
	for _, l := range libraries {
		if language := rows.Language(l); language != "" {
			l += " (" + language + ")"
		}
		names = append(names, l)
	}
	return names
}

// lettered sets letters before the titles of the panels that show something.
func lettered(grid [][]*plots.Panel) {
	letter := 'a'
	for _, p := range slices.Concat(grid...) {
		if p != nil {
			p.Title = "(" + string(letter) + ") " + p.Title
			letter++
		}
	}
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

// theory has a panel for each shape of keys.
func theory(d plots.Data) plots.Sheet {
	rows := standing.NewRows(d.Rows())
	libraries := append([]string{standing.Ours}, rows.Filters()...)
	var row []*plots.Panel
	for i, shape := range results.KeyShapes {
		p := &plots.Panel{
			Title:  strings.ToUpper(shape[:1]) + shape[1:] + " keys",
			X:      plots.Axis{Label: "excess over theory", Scale: plots.SignedLog, Format: plots.Percent, Labels: 3},
			Y:      plots.Axis{Names: folded(named(rows, libraries)), Blank: i > 0},
			Guides: []plots.Guide{{At: 0, Vertical: true, Label: "theory"}},
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
	plots.SameX(row...)
	grid := [][]*plots.Panel{row}
	lettered(grid)
	return plots.Sheet{
		Grid: grid, Height: 62 + 19*float64(len(libraries)),
		Note: "Excess over the exact rate for the bits each library really uses, for filters of 500 articles, with 95 % intervals; " +
			"the axis is linear within ±0.1 % and logarithmic outside.",
	}
}

// missing says which libraries were not measured.
func missing(rows standing.Rows) string {
	if names := named(rows, rows.Missing()); names != nil {
		return " Not measured, for want of a tool: " + strings.Join(names, ", ") + "."
	}
	return ""
}

// multiples gives panels the range of all of their values, without whole decades.
func multiples(panels []*plots.Panel) {
	low, high := 1.0, 1.0
	for _, p := range panels {
		for _, s := range p.Series {
			for _, q := range s.Points {
				if low, high = min(low, q.Y), max(high, q.High); q.Low > 0 {
					low = min(low, q.Low)
				}
			}
		}
	}
	for _, p := range panels {
		p.X.Min, p.X.Max = low/1.25, high*1.25
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
