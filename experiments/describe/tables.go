package describe

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/measure/deal"
	"dejavu/store"
)

// Tables, each a title behind #, a line of headers and the lines below, in cells that | parts.
//
//go:embed tables.txt
var declared string

var templates = template.Must(template.New("tables").Funcs(template.FuncMap{
	"duration":  func(seconds int64) string { return text.Duration(time.Duration(seconds) * time.Second) },
	"long":      func(n int) int64 { return int64(n) },
	"share":     percentOf,
	"percent":   func(digits int, n, of int64) string { return fmt.Sprintf("%.*g %%", digits, 100*row.Mean(n, of)) },
	"mean":      row.Mean,
	"histogram": quantiles,
	"elapsed":   func(bin int) string { return text.Elapsed(deal.ElapsedFrom(bin)) },
	"rule":      RuleText,
	"shares":    func() []float64 { return []float64{0.5, 0.9, 0.99, 0.999} },
}).Parse(declared))

// filled is what the tables are filled with, and what they ask of it.
type filled struct {
	*Description
	Fit *Fit // nil where there is none
}

// Tables are what a log is like, and the population most like it where it has one.
func Tables(d *Description, fit *Fit) (tables []document.Table) {
	all := document.Formed(templates, templates.Name(), filled{d, fit})
	for _, section := range strings.Split("\n"+all, "\n# ")[1:] {
		tables = append(tables, document.Declared(strings.Split(section, "\n")))
	}
	return tables
}

// WindowTable is which windows have which share of repeats, by rule of forgetting.
func WindowTable(d *Description) document.Table {
	all := Tables(d, nil)
	return all[len(all)-1]
}

// Days is how long the log is, Span that in seconds, and LaterSessions those that were not their users' first.
func (d *Description) Days() float64        { return float64(d.Span()) / float64(store.Day) }
func (d *Description) Span() int64          { return d.Last - d.First }
func (d *Description) LaterSessions() int64 { return d.Sessions - d.Users }

// UpTo is the repeats of the first bins of After, up to this one.
func (d *Description) UpTo(bin int) int64 { return row.Sum(d.After[:bin+1]) }

// RulesAndNever are Rules, and 0.
func (d *Description) RulesAndNever() []store.Timestamp { return append(slices.Clone(d.Rules), 0) }

// Lost is the repeats that are forgotten by a rule.
func (d *Description) Lost(rule store.Timestamp) int64 { return d.Repeats - row.Sum(d.kept(rule)) }

// Least is the window that has a share of the repeats, for people.
func (d *Description) Least(rule store.Timestamp, share float64) string {
	if window, _ := d.Window(rule, share); window > 0 {
		return strconv.Itoa(window)
	}
	return text.None
}

func percentOf(n, of int64) string {
	if of == 0 {
		return text.None
	}
	return fmt.Sprintf("%.3g %% (%d of %d)", 100*float64(n)/float64(of), n, of)
}

// quantiles is the line of a histogram, whose bins are numbers, seconds, or bins of either, of which the middle stands
// for all of a bin; of anything.
func quantiles(name, unit string, counts []int64) string {
	n := row.Sum(counts)
	if n == 0 {
		return ""
	}
	cells := []string{name, strconv.FormatInt(n, 10)}
	for _, level := range []float64{0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999} {
		value := Quantile(counts, level)
		if strings.HasPrefix(unit, "bins") {
			value = (deal.Fine.From(value) + deal.Fine.To(value)) / 2
		}
		if strings.HasSuffix(unit, "seconds") {
			cells = append(cells, secondsText(value))
		} else {
			cells = append(cells, strconv.Itoa(value))
		}
	}
	return strings.Join(cells, " | ")
}

// secondsText is a time for people: 42 s, 3.5 min, 2.1 h, 1.5 d.
func secondsText(n int) string {
	s := float64(n)
	switch {
	case s < 120:
		return fmt.Sprintf("%d s", n)
	case s < 2*3600:
		return fmt.Sprintf("%.3g min", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%.3g h", s/3600)
	}
	return fmt.Sprintf("%.3g d", s/86400)
}

// RuleText is a rule of forgetting for people.
func RuleText(idle store.Timestamp) string {
	if idle == 0 {
		return "never"
	}
	return text.Duration(time.Duration(idle) * time.Second)
}
