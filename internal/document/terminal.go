package document

import (
	"cmp"
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

const (
	widest = 120 // columns that a title alone may make a table wide
	screen = 24  // rows that are looked at together: more are shown one by one
	tall   = 6   // lines of a row, on average, that can still be read across
)

// Text returns the table for a terminal as wide as it comes, ruled with box-drawing characters.
func (t Table) Text() string { return t.Within(0) }

// Within is Text for a terminal of the given columns; 0 is as wide as needed. Cells are broken between words, and a
// number stays with its unit. A table that is still too wide is split into several, each with the first column. One
// with many rows, or a word that leaves no room, is shown row by row.
func (t Table) Within(columns int) string {
	if columns == 0 {
		return t.ruled(0, nil)
	}
	if widths, lines := t.fit(columns); lines > 0 && lines <= tall*len(t.Rows) {
		return t.ruled(columns, widths)
	}
	parts := t.parts(columns)
	if parts == nil || len(t.Rows) > screen {
		return t.records(columns)
	}
	all := ""
	for _, part := range parts {
		widths, _ := part.fit(columns)
		all += part.ruled(columns, widths)
	}
	return all
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

// fit returns the column widths for the given width, broken to make the fewest lines, and how many lines all rows then
// take: 0 if the table does not fit.
func (t Table) fit(columns int) (widths []int, lines int) {
	var least []int
	var now, next [][]int // lines of each cell in a column as it is, and where that is narrower by one
	for i := range t.Header {
		widths, least = append(widths, t.natural(i)), append(least, t.least(i))
		now, next = append(now, t.heights(i, widths[i])), append(next, t.heights(i, widths[i]-1))
	}
	if total(least) > columns {
		return nil, 0
	}
	for total(widths) > columns {
		narrow, fewest := -1, 0
		for i, w := range widths {
			if w <= least[i] {
				continue
			}
			now[i], next[i] = next[i], now[i]
			if n := tallest(now); narrow < 0 || n < fewest || n == fewest && w > widths[narrow] {
				narrow, fewest = i, n
			}
			now[i], next[i] = next[i], now[i]
		}
		widths[narrow]--
		now[narrow], next[narrow] = next[narrow], t.heights(narrow, widths[narrow]-1)
	}
	return widths, tallest(now)
}

func (t Table) heights(column, width int) (lines []int) {
	for _, row := range t.Rows {
		lines = append(lines, 1+strings.Count(Wrap(cell(row, column), width, ""), "\n"))
	}
	return lines
}

// tallest returns the sum of the rows' lines, by the lines of each column's cells.
func tallest(columns [][]int) (sum int) {
	for row := range columns[0] {
		most := 0
		for _, lines := range columns {
			most = max(most, lines[row])
		}
		sum += most
	}
	return sum
}

func total(widths []int) int {
	sum := 1
	for _, w := range widths {
		sum += w + 3 // with a rule and two spaces
	}
	return sum
}

// parts splits the table to the given width. Each part has the first column and as much of the rest as fits; nil if a
// word leaves no room.
func (t Table) parts(columns int) (parts []Table) {
	width := func(column int) int { // a third of the terminal is enough for a cell that can be broken
		return min(t.natural(column), max(t.least(column), columns/3))
	}
	title, sum := t.Title, columns // no room is left before the first
	for i := 1; i < len(t.Header); i++ {
		if sum+width(i)+3 > columns {
			part := Table{Title: title, Header: t.Header[:1:1]}
			for _, row := range t.Rows {
				part.Rows = append(part.Rows, []string{cell(row, 0)})
			}
			parts, title, sum = append(parts, part), "", total([]int{width(0)})
		}
		if sum += width(i) + 3; sum > columns {
			return nil
		}
		last := &parts[len(parts)-1]
		last.Header = append(last.Header, t.Header[i])
		for j, row := range t.Rows {
			last.Rows[j] = append(last.Rows[j], cell(row, i))
		}
	}
	return parts
}

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

// ruled draws the table in a grid, with these column widths if given. It is made wider for its title, up to the given
// columns; a wider title is broken between words.
func (t Table) ruled(columns int, widths []int) string {
	style := table.StyleLight
	style.Format.Header = text.FormatDefault // as given, not in capitals
	style.Title.Align = text.AlignLeft
	title := t.Title
	if wide := min(text.StringWidth(title)+4, cmp.Or(columns, widest)); title != "" && widths == nil {
		style.Size.WidthMin = wide
	} else if title != "" {
		widths[len(widths)-1] += max(0, wide-total(widths))
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
			c.WidthMin, c.WidthMax, c.WidthMaxEnforcer = widths[i], widths[i],
				func(s string, width int) string { return Wrap(s, width, "") }
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
