// Package findings is what a run found, in a few sentences, and what texts quote rows with.
// Every number in them is a row of the run; a finding of which a row is missing is left out.
package findings

import (
	_ "embed" // of the texts
	"strings"
	"text/template"

	"dejavu/internal/document"
	"dejavu/internal/page"
	"dejavu/results"
)

// A Finding is a statement, what it rests on, and the figure that shows it.
type Finding = page.Finding

// The texts have a title, a text and the name of a figure for each finding, a line each.
var (
	//go:embed findings.tmpl
	findings string
	//go:embed advice.tmpl
	advice string
)

// Of returns the findings of a run, the most important first.
func Of(c results.Cells) []Finding { return filled(findings, c) }

// Advice is which structure to take for the last 400 articles at 2 % of false positives
// at worst; nothing where a row is missing.
func Advice(c results.Cells) []Finding {
	all := filled(advice, c)
	if len(all) < strings.Count(advice, "\n\n")+1 {
		return nil
	}
	return all
}

// filled are the findings of a text of which no row is missing.
func filled(text string, c results.Cells) (all []Finding) {
	for _, one := range strings.Split(text, "\n\n") {
		var b strings.Builder
		t := template.Must(template.New("").Funcs(Functions(c)).Parse(one)) // it is ours, and a test fills it
		if err := t.Execute(&b, nil); err != nil {
			continue
		}
		lines := strings.Split(b.String(), "\n")
		all = append(all, Finding{Title: lines[0], Text: lines[1], Figure: lines[2]})
	}
	return all
}

// List is the findings as a list, their statements strong.
func List(all []Finding) document.List {
	var l document.List
	for _, f := range all {
		l.Items = append(l.Items, "**"+f.Title+"** "+f.Text)
	}
	return l
}
