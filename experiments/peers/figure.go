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
		Experiment: results.Peers, Query: standing.Over(standing.Timed[0].Query), Strategies: plots.None, Build: costs,
	},
	{
		Name:       "peers-theory",
		Title:      "Some libraries have more false positives than theory says, for keys of any shape",
		Caption:    "False positives of one filter of 500 articles, over theory, by the shape of the keys.",
		Experiment: results.Peers, Query: standing.Shapes[0].Query, Strategies: plots.None, Build: theory,
	},
}

// titles are those of the panels of standing.Timed.
var titles = []string{
	"Unseen candidate", "Seen candidate", "Candidate, half of them seen", "Article recorded, by ten",
	"Article recorded, by 500",
}

// A chart has a line for each library in each of its panels.
type chart struct {
	data      plots.Data
	rows      standing.Rows
	libraries []string
}

// costs has a panel for each time and one for memory: a mark for each strategy built from
// a library, and ours at 1.
func costs(d plots.Data) plots.Sheet {
	rows := standing.NewRows(d.Rows())
	c := chart{d, rows, built(rows)}
	var panels []*plots.Panel
	for i, m := range standing.Timed {
		panels = append(panels, c.panel(titles[i], "ns", m.Query, shown{Query: standing.Over(m.Query)}))
	}
	bytes, goal := standing.OfUsers(results.QBytesPerUser), standing.OfUsers(results.QGoalPerUser)
	memory := c.panel("Memory of a user", "B", bytes, shown{goal, true}, shown{bytes, false})
	multiples(panels[:3])
	multiples(panels[3:])
	multiples([]*plots.Panel{memory})
	var names []string
	for _, kind := range rows.Kinds() {
		look := d.Look(kind)
		panels[0].Key, names = append(panels[0].Key, look), append(names, strings.ToLower(look.Name))
	}
	memory.Key = []plots.Look{
		{Name: "live bytes", Color: plots.Grey, Mark: plots.Square},
		{Name: "with garbage that may accumulate", Color: plots.Grey, Mark: plots.Square.Hollow()},
	}
	alive := ""
	if n := rows.Alive(); n.IsSet() {
		alive = ", with " + n.String() + " users of ours alive"
	}
	return plots.Sheet{
		Grid: lettered(plots.Grid(3, append(panels, memory)...)), Height: 90 + 22*float64(len(c.libraries)),
		Note: "Times are multiples of ours in the same turn, below 1 is faster than ours; whiskers: the second and the " +
			"last but one of the turns. Memory is live bytes" + alive + ". In brackets ours: " +
			strings.Join(names, " / ") + "." + remarks(rows),
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

// shown is what a panel shows of each strategy, in hollow marks or full ones.
type shown struct {
	results.Query
	hollow bool
}

// panel shows quantities over ours, with our values behind the label of the axis.
func (c chart) panel(title, unit string, ours results.Query, all ...shown) *plots.Panel {
	p := &plots.Panel{
		Title:  title,
		X:      plots.Axis{Label: "times ours", Scale: plots.Log, Format: plots.Multiple},
		Y:      plots.Axis{Names: folded(titled(c.rows, c.libraries))},
		Guides: []plots.Guide{{At: 1, Vertical: true, Label: "ours"}},
	}
	var values []string
	kinds := c.rows.Kinds()
	for i, kind := range kinds {
		lift := 0.27 * (float64(len(kinds)-1)/2 - float64(i)) // above the middle of the library's line
		for _, s := range all {
			look := c.data.Look(kind)
			if s.hollow {
				look = look.Hollow()
			}
			p.Dots(look, c.points(p, kind, s.Query, lift)...)
		}
		if r, ok := c.rows.Row(standing.OurName(kind), ours); ok {
			values = append(values, standing.Digits(r.Value))
		}
	}
	if values != nil {
		p.X.Label += " (" + strings.Join(values, " / ") + " " + unit + ")"
	}
	return p
}

// points are one strategy's quantity: quotients as they were measured, and others over ours.
func (c chart) points(p *plots.Panel, kind string, query results.Query, lift float64) (points []plots.Point) {
	by := 1.0
	if query.Quantity != results.QTimeRatio {
		ours, _ := c.rows.Row(standing.OurName(kind), query)
		if by = ours.Value.Or(0); by <= 0 {
			return nil
		}
	}
	for i, library := range c.libraries {
		r, _ := c.rows.Row(standing.Name(library, kind), query)
		if q, ok := plots.Measured(r, p.Place(i)+lift); ok && q.Y > 0 {
			q.Y, q.Low, q.High = q.Y/by, q.Low/by, q.High/by
			points = append(points, q)
		}
	}
	return points
}

// titled are libraries with their languages, where those are not Go.
func titled(rows standing.Rows, libraries []string) (names []string) {
	for _, l := range libraries {
		names = append(names, rows.Titled(l, l))
	}
	return names
}

// lettered sets letters before the titles of the panels that show something, and leaves
// the names of the lines to the first of each row.
func lettered(grid [][]*plots.Panel) [][]*plots.Panel {
	letter := 'a'
	for _, row := range grid {
		for column, p := range row {
			if p != nil {
				p.Title = "(" + string(letter) + ") " + p.Title
				p.Y.Blank = column > 0
				letter++
			}
		}
	}
	return grid
}

// remarks says which libraries' filters cannot be added to, and which were not measured.
func remarks(rows standing.Rows) (s string) {
	for _, library := range rows.Filters() {
		if _, ok := rows.Row(library, standing.OfFilter(results.QStatic)); ok {
			s += " Static, rebuilt at each record: " + library + "."
		}
	}
	if names := titled(rows, rows.Missing()); names != nil {
		s += " Not measured, for want of a tool: " + strings.Join(names, ", ") + "."
	}
	return s
}

// theory has a panel for each shape of keys.
func theory(d plots.Data) plots.Sheet {
	rows := standing.NewRows(d.Rows())
	libraries := append([]string{standing.Ours}, rows.Filters()...)
	var row []*plots.Panel
	for _, m := range standing.Shapes {
		p := &plots.Panel{
			Title:  strings.ToUpper(m.Name[:1]) + m.Name[1:] + " keys",
			X:      plots.Axis{Label: "excess over theory", Scale: plots.SignedLog, Format: plots.Percent, Labels: 3},
			Y:      plots.Axis{Names: folded(titled(rows, libraries))},
			Guides: []plots.Guide{{At: 0, Vertical: true, Label: "theory"}},
		}
		var points []plots.Point
		for i, library := range libraries {
			r, _ := rows.Excess(library, m.Query)
			if q, ok := plots.Measured(r, p.Place(i)); ok {
				points = append(points, q)
			}
		}
		p.Dots(plots.Look{Color: plots.Black}, points...)
		row = append(row, p)
	}
	plots.SameX(row...)
	return plots.Sheet{
		Grid: lettered([][]*plots.Panel{row}), Height: 62 + 19*float64(len(libraries)),
		Note: "Excess over the exact rate for the bits each library really uses, for filters of 500 articles, with 95 % " +
			"intervals; the axis is linear within ±0.1 % and logarithmic outside.",
	}
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
