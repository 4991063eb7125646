package document

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Terminal renders blocks in lines of at most the given columns. Only a word that is longer makes a longer line.
func Terminal(columns int, blocks ...Block) string {
	wrap := func(first, s, indent string) string { return Wrap(first+unmarked(s), columns, indent) + "\n" }
	return medium{
		indent: "  ", wrap: wrap,
		heading: func(h Heading) string { return wrap("", h.Text, "") },
		figure:  func(f Figure) string { return wrap("", f.Caption+" "+Literal(f.Path), "  ") },
		code:    func(c Code) string { return "\n" + Wrap(string(c), columns, "    ") + "\n\n" },
		table:   func(t Table) string { return t.Within(columns) + "\n" },
	}.render(blocks)
}

// unmarked removes a text's marks, except around code.
func unmarked(s string) string {
	return rendered(s, func(part span) string {
		if part.kind == code {
			return "`" + part.text + "`"
		}
		return part.text
	})
}

const tall = 6 // lines of a row, on average, that can still be read across

// Within returns the table for a terminal of the given columns, ruled with box-drawing characters. Cells are broken
// between words, and a number stays with its unit. A table that is still too wide is shown row by row.
func (t Table) Within(columns int) string {
	if widths, lines := t.fit(columns); lines > 0 && lines <= tall*len(t.Rows) {
		return t.ruled(columns, widths)
	}
	return t.records(columns)
}

// natural returns an unbroken column's width, and least the width if broken between all words.
func (t Table) natural(column int) int { return t.longest(column, text.StringWidth) }

func (t Table) least(column int) int {
	return t.longest(column, func(s string) (most int) {
		for _, word := range words(s) {
			most = max(most, text.StringWidth(word))
		}
		return most
	})
}

// fit returns the column widths for the given width, and how many lines all rows then take, 0 if the table does not fit.
// The widest column that can be broken is made narrower first.
func (t Table) fit(columns int) (widths []int, lines int) {
	var least []int
	for i := range t.Header {
		widths, least = append(widths, t.natural(i)), append(least, t.least(i))
	}
	if total(least) > columns {
		return nil, 0
	}
	for total(widths) > columns {
		most := -1
		for i, w := range widths {
			if w > least[i] && (most < 0 || w > widths[most]) {
				most = i
			}
		}
		widths[most]--
	}
	for _, row := range t.Rows {
		most := 0
		for i, w := range widths {
			most = max(most, 1+strings.Count(Wrap(cell(row, i), w, ""), "\n"))
		}
		lines += most
	}
	return widths, lines
}

func total(widths []int) int {
	sum := 1
	for _, w := range widths {
		sum += w + 3 // with a rule and two spaces
	}
	return sum
}

// records writes each row as the names and values of its cells.
func (t Table) records(columns int) string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(Wrap(t.Title, columns, "") + "\n\n")
	}
	for _, row := range t.Rows {
		line := cell(row, 0)
		for i := 1; i < len(row); i++ {
			if none(row[i]) {
				continue
			}
			pair := t.Header[i] + ": " + row[i]
			if text.StringWidth(line)+3+text.StringWidth(pair) <= columns {
				line += " · " + pair
				continue
			}
			b.WriteString(Wrap(line, columns, "    ") + "\n")
			line = "  " + pair
		}
		b.WriteString(Wrap(line, columns, "    ") + "\n")
	}
	return b.String()
}

// ruled draws the table in a grid, with these column widths. It is made wider for its title, up to the given columns; a
// wider title is broken between words.
func (t Table) ruled(columns int, widths []int) string {
	style := table.StyleLight
	style.Format.Header = text.FormatDefault // as given, not in capitals
	style.Title.Align = text.AlignLeft
	title := t.Title
	if title != "" {
		widths[len(widths)-1] += max(0, min(text.StringWidth(title)+4, columns)-total(widths))
		title = Wrap(title, total(widths)-4, "")
	}
	w := t.writer(widths...)
	w.SetTitle("%s", title)
	w.SetStyle(style)
	return w.Render() + "\n"
}

// writer returns the table's writer, which limits columns to widths if given.
func (t Table) writer(widths ...int) table.Writer {
	w := table.NewWriter()
	w.AppendHeader(cells(t.Header))
	var configs []table.ColumnConfig
	for i := range t.Header {
		c := table.ColumnConfig{Number: i + 1}
		if i < len(widths) {
			c.WidthMin, c.WidthMax = widths[i], widths[i]
			c.WidthMaxEnforcer = func(s string, width int) string { return Wrap(s, width, "") }
		}
		if t.numeric(i) {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		}
		configs = append(configs, c)
	}
	w.SetColumnConfigs(configs)
	for _, row := range t.Rows {
		w.AppendRow(cells(row))
	}
	return w
}

func cells(row []string) (out table.Row) {
	for _, cell := range row {
		out = append(out, cell)
	}
	return out
}
