package results

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A Table is text in rows and columns, to be shown to people. Widths count what a
// terminal shows, so Chinese titles and names line up.
type Table struct {
	Title  string     // above the table; empty for none
	Header []string   // one name per column
	Rows   [][]string // a short row is filled up with empty cells
}

// Text returns the table for a terminal, ruled with box-drawing characters.
func (t Table) Text() string { return t.Within(0) }

// Within is Text for a terminal of so many columns: the widest cells are broken into
// lines, of leastCell columns at least, until a line fits. 0 is as wide as it comes.
func (t Table) Within(columns int) string {
	widths := t.widths(columns)
	w := t.writer(widths...)
	style := table.StyleLight
	style.Format.Header = text.FormatDefault // as given, not in capitals
	style.Title.Align = text.AlignLeft
	if t.Title != "" {
		// A narrow table is made wider for its title, up to what a terminal shows. What is
		// wider still is broken between words; the library would break it at any letter.
		style.Size.WidthMin = min(text.StringWidth(t.Title)+4, cmp.Or(columns, widest))
		title := t.Title
		if columns > 0 {
			title = text.WrapSoft(title, max(style.Size.WidthMin, total(widths))-4)
		}
		w.SetTitle("%s", title)
	}
	w.SetStyle(style)
	return w.Render() + "\n"
}

// Markdown returns the table in GitHub's dialect, its title as a bold paragraph.
func (t Table) Markdown() string {
	out := t.writer().RenderMarkdown() + "\n"
	if t.Title != "" {
		out = "**" + t.Title + "**\n\n" + out
	}
	return out
}

const (
	widest    = 120 // columns that a title alone may make a table wide
	leastCell = 8   // columns of a cell that is broken
)

// widths are those of the columns, 0 for as wide as it comes.
func (t Table) widths(columns int) []int {
	if columns == 0 {
		return nil
	}
	widths := make([]int, len(t.Header))
	for i, name := range t.Header {
		widths[i] = text.StringWidth(name)
		for _, row := range t.Rows {
			if i < len(row) {
				widths[i] = max(widths[i], text.StringWidth(row[i]))
			}
		}
	}
	for sum := total(widths); sum > columns; sum-- {
		i := slices.Index(widths, slices.Max(widths))
		if widths[i] <= leastCell {
			break
		}
		widths[i]--
	}
	return widths
}

// total is how wide a table with columns of such widths is.
func total(widths []int) int {
	sum := 1
	for _, w := range widths {
		sum += w + 3 // with a rule and two spaces
	}
	return sum
}

// writer has the table, with columns of so many characters at most where widths says.
func (t Table) writer(widths ...int) table.Writer {
	w := table.NewWriter()
	w.AppendHeader(cells(t.Header))
	var configs []table.ColumnConfig
	for i := range t.Header {
		c := table.ColumnConfig{Number: i + 1}
		if i < len(widths) {
			c.WidthMax, c.WidthMaxEnforcer = widths[i], text.WrapSoft
		}
		if t.Numeric(i) {
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

// Numeric reports whether a column holds numbers and so is set flush right: every
// cell that says something starts with a digit, behind a sign or the like.
func (t Table) Numeric(column int) bool {
	found := false
	for _, row := range t.Rows {
		if column >= len(row) {
			continue
		}
		cell := strings.TrimLeft(row[column], "+-−±<>≤≥~≈ ×")
		switch {
		case cell == "" || cell == "–" || cell == "—":
			// a dash stands for no value
		case cell[0] >= '0' && cell[0] <= '9':
			found = true
		default:
			return false
		}
	}
	return found
}
