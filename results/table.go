package results

import (
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
func (t Table) Text() string {
	w := t.writer()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault // as given, not in capitals
	style.Title.Align = text.AlignLeft
	if t.Title != "" {
		// A title is broken at the table's edge, letter by letter: a narrow table is
		// made wider instead, up to what a terminal shows.
		style.Size.WidthMin = min(text.StringWidth(t.Title)+4, 120)
		w.SetTitle("%s", t.Title)
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

func (t Table) writer() table.Writer {
	w := table.NewWriter()
	w.AppendHeader(cells(t.Header))
	var configs []table.ColumnConfig
	for i := range t.Header {
		if t.Numeric(i) {
			configs = append(configs, table.ColumnConfig{
				Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight,
			})
		}
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
