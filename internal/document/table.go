package document

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Table is text in rows and columns.
type Table struct {
	Title  string     // above the table; empty for none
	Header []string   // one name per column
	Rows   [][]string // a short row is filled up with empty cells

	// Anchor begins the links to rows, such as "claim" in claim-p12, if the first cell names them. Such a table is a
	// list of cards on a small screen.
	Anchor string
}

// CSV writes the table's header and rows.
func (t Table) CSV(w io.Writer) error {
	rows := [][]string{t.Header}
	for _, row := range t.Rows {
		rows = append(rows, append(row, make([]string, max(0, len(t.Header)-len(row)))...))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func cell(row []string, column int) string {
	if column < len(row) {
		return row[column]
	}
	return ""
}

// longest returns the greatest length of a column's cells and header.
func (t Table) longest(column int, length func(string) int) int {
	most := length(t.Header[column])
	for _, row := range t.Rows {
		most = max(most, length(cell(row, column)))
	}
	return most
}

func (t Table) has(column, letters int) bool {
	return slices.ContainsFunc(t.Rows, func(row []string) bool {
		return utf8.RuneCountInString(cell(row, column)) > letters
	})
}

func (t Table) nothing(column int) bool {
	return !slices.ContainsFunc(t.Rows, func(row []string) bool { return !none(cell(row, column)) })
}

// none reports whether a cell has no value.
func none(cell string) bool { return cell == "" || cell == "–" || cell == "—" }

// numeric reports whether a column holds numbers and so is set flush right: every
// cell that says something starts with a digit, behind a sign or the like.
func (t Table) numeric(column int) bool {
	found := false
	for _, row := range t.Rows {
		switch number := strings.TrimLeft(cell(row, column), "+-−±<>≤≥~≈ ×"); {
		case none(number):
		case number[0] >= '0' && number[0] <= '9':
			found = true
		default:
			return false
		}
	}
	return found
}

// Markdown renders blocks in GitHub's dialect, in lines of up to 120 columns.
func Markdown(blocks ...Block) string {
	wrap := func(first, s, indent string) string { return Wrap(first+s, 120, indent) + "\n" }
	return medium{
		between: "\n", wrap: wrap, table: Table.Markdown,
		heading: func(h Heading) string { return strings.Repeat("#", h.Level) + " " + h.Text + "\n" },
		figure: func(f Figure) string {
			return fmt.Sprintf("![%s](%s)\n\n", f.Caption, f.Path) + wrap("*", f.Caption+"*", "")
		},
		code: func(c Code) string { return "```go\n" + string(c) + "\n```\n" },
	}.render(blocks)
}

// Markdown returns the table in GitHub's dialect, its title as a bold paragraph.
func (t Table) Markdown() string {
	out := t.writer().RenderMarkdown() + "\n"
	if t.Title != "" {
		out = "**" + t.Title + "**\n\n" + out
	}
	return out
}
