// Package page writes a run's report as one HTML file that needs nothing else:
// no network, no fonts, no files beside it. It opens from disk, on a phone, in
// the dark, on paper, with a keyboard or a screen reader.
//
// The page knows no strategy. What it shows are tables and figures that others
// made, and its interactive parts look up values that others computed (Explorer,
// Frontier): a slider moves among the values in a grid, and the browser multiplies
// by the number of users and does nothing else, so no formula is written twice. What
// was chosen stands in the page's address.
//
// The figures are inline SVG, squeezed to hundredths of a point, and make up most of
// the file's size; the rows behind them are in it too, to be saved from a link.
package page

import (
	_ "embed" // of the page's own files
	"errors"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"dejavu/results"
)

// A Page is everything that is on it, in its order.
type Page struct {
	Title    string
	Question string    // what the run answers, a sentence
	Answer   []Finding // what to take, for whom; the figure of the first stands beside
	Lead     []string  // paragraphs: the abstract, and what was run, where and when
	Findings []Finding
	Frontier Frontier
	Headline results.Table
	Verdicts []Group
	Rule     []string // what the verdicts rest on, in paragraphs
	Figures  []Figure
	Peers    Peers
	Explorer Explorer
	Rest     []results.Table // what else there is to know of the run

	Data map[string][]byte // files of rows by name, see Attach
}

// A Finding is a statement, a few sentences on what it rests on, and the name of the
// figure that shows it.
type Finding struct{ Title, Text, Figure string }

// A Group is the claims of one verdict.
type Group struct {
	Verdict string
	Tone    Tone
	Claims  results.Table // a line a claim, its name first
}

// A Tone is the colour of a verdict; the word always stands beside it.
type Tone string

// The tones.
const (
	Good  Tone = "good"
	Bad   Tone = "bad"
	Plain Tone = "plain"
)

// A Figure is a drawing and what says the same in words and numbers.
type Figure struct {
	Name    string          // "fpr"
	Title   string          // above it
	Caption string          // a sentence or two: what is to be seen, also for those who do not see it
	SVG     []byte          // as package plots writes it
	Tables  []results.Table // its numbers
	Rows    []string        // names of the files that hold all rows: in Page.Data, and beside the page
}

// Peers is what is to be said of other libraries. Texts are Markdown as far as
// code between backticks and strong words between two stars go.
type Peers struct {
	Lead       []string
	Provenance string          // where and when they were measured
	Tables     []results.Table // the verdicts
	Rule       string          // how many of each, and when one is which
	Exceptions []string
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

var layout = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"inline": inline,
	"name":   anchor,
	"plain":  plain,
	"style":  func() template.CSS { return template.CSS(pageCSS) },
	"script": func() template.JS { return template.JS(pageJS) },
	"svg":    drawing,
	"table":  laidOut,
	"last":   func(n int) int { return n - 1 },
}).Parse(pageHTML))

// Write writes the page. The same Page gives the same bytes.
func Write(w io.Writer, p Page) error {
	if err := errors.Join(p.Explorer.Validate(), p.Frontier.Validate()); err != nil {
		return err
	}
	return layout.Execute(w, p)
}

// Figure is the page's figure of that name, or nil.
func (p Page) Figure(name string) *Figure {
	i := slices.IndexFunc(p.Figures, func(f Figure) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Figures[i]
}

// First is the figure beside the answer, or nil.
func (p Page) First() *Figure {
	if len(p.Answer) == 0 {
		return nil
	}
	return p.Figure(p.Answer[0].Figure)
}

// Beside is the figure beside a finding, or nil: none stands on the page twice.
func (p Page) Beside(finding int) *Figure {
	f := p.Figure(p.Findings[finding].Figure)
	if f == p.First() || slices.ContainsFunc(p.Findings[:finding], func(g Finding) bool { return f != nil && g.Figure == f.Name }) {
		return nil
	}
	return f
}

// Above is whether a figure stands beside the answer or a finding.
func (p Page) Above(name string) bool {
	return len(p.Answer) > 0 && p.Answer[0].Figure == name ||
		slices.ContainsFunc(p.Findings, func(f Finding) bool { return f.Figure == name })
}

// inline is text with code between backticks and strong words between two stars. A number
// and its unit stay on one line.
func inline(s string) template.HTML {
	s = unit.ReplaceAllString(s, "$1\u00a0$2")
	var b strings.Builder
	for i, part := range strings.Split(s, "`") {
		if i%2 == 1 {
			b.WriteString("<code>" + template.HTMLEscapeString(part) + "</code>")
			continue
		}
		for j, words := range strings.Split(part, "**") {
			if j%2 == 1 {
				b.WriteString("<strong>" + template.HTMLEscapeString(words) + "</strong>")
				continue
			}
			b.WriteString(template.HTMLEscapeString(words))
		}
	}
	return template.HTML(b.String())
}

var unit = regexp.MustCompile(`(\d) (%|[kMGTP]?B\b|(?:n|µ|m)?s\b)`)

// plain is what a strategy is without who published it, which its name's hint has.
func plain(about string) string {
	about, _, _ = strings.Cut(about, " (")
	return about
}

// anchor is a name as a part of the page is called: letters, digits and hyphens.
func anchor(s string) string {
	return strings.Trim(notInAnchor.ReplaceAllLiteralString(strings.ToLower(s), "-"), "-")
}

var notInAnchor = regexp.MustCompile("[^a-z0-9]")

// A cell is a cell of a table as the layout needs it.
type cell struct {
	Text  template.HTML
	Label string // the column's name, for small screens
	Right bool   // a number
	Long  bool   // a sentence
}

// A line is a row of a table: its name and the rest.
type line struct {
	ID    string // where it can be linked to, or ""
	Name  template.HTML
	Cells []cell
}

// A grid is a table laid out.
type grid struct {
	Title string
	Quiet bool // the title is said elsewhere, and only for those who hear the page
	Cards bool // on a small screen its lines are cards
	Head  []cell
	Lines []line
}

// sentence is how many letters make a cell a sentence, which may break.
const sentence = 36

// laidOut is a table with what the layout asks of each cell. Columns that say
// nothing are left out.
func laidOut(t results.Table) grid {
	g := grid{Title: t.Title, Lines: make([]line, len(t.Rows))}
	for i, head := range t.Header {
		long, empty := false, i > 0
		for _, row := range t.Rows {
			if i < len(row) {
				long = long || utf8.RuneCountInString(row[i]) > sentence
				empty = empty && (row[i] == "" || row[i] == "–")
			}
		}
		if empty {
			continue
		}
		column := cell{Text: inline(head), Label: head, Right: i > 0 && t.Numeric(i), Long: long}
		g.Head = append(g.Head, column)
		for j, row := range t.Rows {
			column.Text = ""
			if i < len(row) {
				column.Text = inline(row[i])
			}
			if i == 0 {
				g.Lines[j].Name = column.Text
			} else {
				g.Lines[j].Cells = append(g.Lines[j].Cells, column)
			}
		}
	}
	return g
}

// Table is the group's claims laid out, each to be linked to by its name.
func (g Group) Table() any {
	t := laidOut(g.Claims)
	t.Title, t.Quiet = "Claims: "+g.Verdict, true
	t.Cards = true
	for i := range t.Lines {
		t.Lines[i].ID = "claim-" + anchor(g.Claims.Rows[i][0])
	}
	return t
}
