// Package page writes a run's report as one HTML file, which needs no network and no fonts. It can be read from disk,
// on a phone, in the dark, on paper, with a keyboard or a screen reader. Figures are inline SVG; links lead to the
// files of rows.
//
// The page knows no strategy. Its interactive parts look up values computed elsewhere (Explorer, Frontier), so no
// formula is written twice; only the Playground fills real filters, of a few bits. The page's address holds what was
// chosen; an address that asks for what the page cannot show gets a message.
package page

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"dejavu/internal/document"
)

// A Page is everything that is on it, in its order.
type Page struct {
	Title    string
	Question string    // what the run answers, a sentence
	Answer   []Finding // what to take, for whom; without scripts the figure of the first stands beside
	Lead     []string  // paragraphs: the abstract, and what was run, where and when
	Findings []Finding
	Frontier Frontier
	Headline document.Table
	Verdicts []Group
	Rule     []document.Block // what the verdicts rest on
	Figures  []Figure
	Peers    []document.Block // what is to be said of other libraries
	Explorer Explorer
	Play     Playground
	Rest     []document.Block // what else there is to know of the run
}

// A Finding is a statement, a few sentences on what it rests on, and the name of the figure that shows it.
type Finding struct{ Title, Text, Figure string }

// A Group holds the claims of one verdict.
type Group struct {
	Verdict string
	Tone    Tone
	Claims  document.Table // a line a claim
}

// A Tone is the colour of a verdict, which is also written as a word.
type Tone string

// The tones.
const (
	Good  Tone = "good"
	Bad   Tone = "bad"
	Plain Tone = "plain"
)

// A Figure is a drawing and what says the same in words and numbers.
type Figure struct {
	Name    string           // "fpr"
	Title   string           // above it
	Caption string           // a sentence or two: what is to be seen, also for those who do not see it
	SVG     []byte           // as package plots writes it
	Narrow  []byte           // the same for a telephone; without it the other one scrolls there
	Numbers []document.Block // the same in tables
	Rows    []string         // names of the files that hold all rows, beside the page
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed js/*.js
	scripts embed.FS
)

// script joins the script's files into one scope, by name.
func script() (all template.JS) {
	names, _ := fs.Glob(scripts, "js/*.js")
	for _, name := range names {
		text, _ := scripts.ReadFile(name) // it is in the program
		all += template.JS(text)
	}
	return all
}

var layout = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"inline": document.Inline,
	"name":   document.Anchor,
	"plain":  func(about string) string { return strings.Split(about, " (")[0] }, // without who published it
	"style":  func() template.CSS { return template.CSS(pageCSS) },
	"script": script,
	"wide":   func(f Figure) (template.HTML, error) { return drawing(f, f.SVG, "wide") },
	"narrow": func(f Figure) (template.HTML, error) { return drawing(f, f.Narrow, "narrow") },
	"table":  func(t document.Table) template.HTML { return document.HTML(t) },
	"blocks": func(all []document.Block) template.HTML { return document.HTML(all...) },
	"last":   func(n int) int { return n - 1 },
}).Parse(pageHTML))

// Write writes the page. The same Page gives the same bytes.
func Write(w io.Writer, p Page) error { return layout.Execute(w, p) }

// Figure returns the page's figure of that name, or nil.
func (p Page) Figure(name string) *Figure {
	i := slices.IndexFunc(p.Figures, func(f Figure) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Figures[i]
}

// Above reports whether a figure is below a finding, and so above the other figures.
func (p Page) Above(name string) bool {
	return slices.ContainsFunc(p.Findings, func(f Finding) bool { return f.Figure == name })
}

// drawing returns an SVG of the figure as a part of the page, without the prologue and the namespaces, which HTML
// knows.
func drawing(f Figure, all []byte, form string) (template.HTML, error) {
	_, svg, _ := strings.Cut(string(all), "<svg")
	head, body, _ := strings.Cut(svg, ">")
	box := viewBox.FindStringSubmatch(head)
	if box == nil {
		return "", fmt.Errorf("figure %s: no %s <svg> with a viewBox in %d bytes", f.Name, form, len(all))
	}
	return template.HTML(fmt.Sprintf(
		`<div class="%[6]s" style="aspect-ratio:%[3]s/%[4]s"><svg id="%[1]s-%[6]s" role="img" aria-labelledby="%[1]s-title" `+
			`aria-describedby="%[1]s-caption" %[2]s>%[5]s</div>`,
		"figure-"+document.Anchor(f.Name), box[0], box[1], box[2], body, form)), nil
}

var viewBox = regexp.MustCompile(`viewBox="[-0-9.]+ [-0-9.]+ ([0-9.]+) ([0-9.]+)"`)
