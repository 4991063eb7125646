// Package findings is what a run found, in a few sentences, and what texts quote rows with.
// Every number in them is a row of the run. A finding is left out if a row is missing, or if the rows do not bear out
// its title.
package findings

import (
	_ "embed" // of the texts
	"errors"
	"fmt"
	"strings"
	"text/template"

	"dejavu/experiments/text"
	"dejavu/internal/page"
	"dejavu/results"
)

// A Finding is a statement, what it rests on, and the figure that shows it.
type Finding = page.Finding

// The texts have a title, a text and the name of a figure for each finding, a line each.
//
//go:embed findings.tmpl
var findings string

// Of returns the findings of a run, the most important first.
func Of(c results.Cells) []Finding { return filled(findings, c) }

// filled returns the findings of a text whose rows are all there and bear them out.
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

// ErrRow is the error of a text that quotes a row which is not there, and ErrDenied of one that rows do not bear out.
var (
	ErrRow    = errors.New("no row")
	ErrDenied = errors.New("the rows do not bear it out")
)

// Functions are what texts quote rows with, each by a query as results.ParseQuery reads it: a number of a
// row, which must be there, in the form that its name says. Without a value it is theory's.
func Functions(cells results.Cells) template.FuncMap {
	find := func(query string) (results.Row, float64, error) {
		q, err := results.ParseQuery(query)
		if err != nil {
			return results.Row{}, 0, err
		}
		r, ok := cells.One(q)
		if !ok || !r.Value.IsSet() && !r.Theory.IsSet() {
			return r, 0, fmt.Errorf("%w %s", ErrRow, q)
		}
		return r, r.Value.Or(r.Theory.Or(0)), nil
	}
	quote := func(form func(r results.Row, v float64) string) any {
		return func(query string) (string, error) {
			r, v, err := find(query)
			return form(r, v), err
		}
	}
	number := func(format string, scale float64) any {
		return quote(func(_ results.Row, v float64) string { return fmt.Sprintf(format, scale*v) })
	}
	// borne is an empty text if the rows bear a statement out, beyond their intervals.
	borne := func(out bool, err error) (string, error) {
		if err == nil && !out {
			err = ErrDenied
		}
		return "", err
	}
	return template.FuncMap{
		"less": func(query, than string) (string, error) {
			a, v, err := find(query)
			b, w, missing := find(than)
			return borne(a.High.Or(v) < b.Low.Or(w), errors.Join(err, missing))
		},
		"half": func(query string) (string, error) { // less than that
			r, v, err := find(query)
			return borne(r.High.Or(v) < 0.5, err)
		},
		"misses": func(query string) (string, error) { // what the paper states, by more
			r, v, err := find(query)
			return borne(r.Paper.IsSet() && r.Low.Or(v) > r.Paper.Or(0), err)
		},
		"n": number("%.0f", 1), "two": number("%.2f", 1), "permille": number("%.0f", 1000),
		"share": number("%.0f %%", 100), "one": number("%.1f %%", 100), "percent": number("%.2g %%", 100),
		"of":        quote(func(r results.Row, _ float64) string { return text.Of(r) }),
		"thousands": quote(func(_ results.Row, v float64) string { return text.Thousands(int(v)) }),
		"paper":     quote(func(r results.Row, _ float64) string { return text.Percent(r.Paper.Or(0)) }),
		"theory":    quote(func(r results.Row, _ float64) string { return text.Percent(r.Theory.Or(0)) }),
		"upper":     quote(func(r results.Row, _ float64) string { return fmt.Sprintf("%.2g %%", 100*r.High.Or(0)) }),
		"among":     quote(func(r results.Row, _ float64) string { return text.Thousands(int(r.Count)) }),
		"gigabytes": quote(func(r results.Row, v float64) string { // of ten million
			return text.Bytes(v / float64(r.Count) * results.DefaultUsers)
		}),
		"interval": quote(func(r results.Row, _ float64) string {
			return fmt.Sprintf("interval %.2f to %.2f", r.Low.Or(0), r.High.Or(0))
		}),
		// times is how many times one row's value is another's.
		"times": func(format, query, over string) (string, error) {
			_, a, err := find(query)
			_, b, missing := find(over)
			return fmt.Sprintf(format, a/b), errors.Join(err, missing)
		},
	}
}
