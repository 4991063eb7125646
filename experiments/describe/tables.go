package describe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/measure/deal"
	"dejavu/store"
)

// Tables describes a log, and the population most like it if there is a fit.
func Tables(d *Description, fit *Fit) []document.Table {
	tables := []document.Table{
		d.logTable(), d.skewTable(),
		quantileTable("Sessions and gaps, at quantiles",
			quantiles("sessions of a user", "", d.SessionsOf),
			quantiles("refreshes of a session", "", d.PerSession),
			quantiles("articles of a refresh", "", d.PerRefresh),
			quantiles("pause between refreshes", "seconds", d.Pauses),
			quantiles("gap between sessions", "bins of seconds", d.Gaps)),
		quantileTable("Ages of repeats, at quantiles (exact below 8192, above to 1 in 8000)",
			quantiles("articles ago", "bins", d.Ages),
			quantiles("time ago", "bins of seconds", d.Seconds)),
		d.timeTable(), WindowTable(d),
	}
	if fit == nil {
		return tables
	}
	return append(tables, fit.tables()...)
}

func (d *Description) logTable() document.Table {
	t := document.Table{Title: "The log", Header: []string{"what", "how much"}}
	add := func(what string, much any) { t.Rows = append(t.Rows, []string{what, fmt.Sprint(much)}) }
	add("users", d.Users)
	add("articles", d.PerArticle.N)
	add("exposures", d.Exposures)
	add("requests", d.Requests)
	add("refreshes (requests of a user within a second)", d.Refreshes)
	add(fmt.Sprintf("sessions (refreshes at most %s apart)", durationText(int64(d.Session))), d.Sessions)
	add("span", fmt.Sprintf("%s (%.4g days)", durationText(d.Span()), d.Days()))
	add("repeats, of all exposures", percentOf(d.Repeats, d.Exposures))
	add("repeats, of those of users who were shown something before", percentOf(d.Repeats, d.Open))
	add("gaps between sessions of 24 hours and more", percentOf(d.LongGaps, d.Sessions-d.Users)) // a user's first has none
	add("users away for 24 hours and more between sessions", percentOf(d.LongAway, d.Users))
	add("events out of order in their file", d.Read.OutOfOrder)
	add("requests earlier than their user's last", d.Backwards)
	return t
}

func (d *Description) skewTable() document.Table {
	t := document.Table{
		Title: "Exposures of a user and of an article, at quantiles",
		Header: []string{
			"of", "number", "mean", "0.1", "0.5", "0.9", "0.99", "0.999", "most", "with one", "of the top 1 %", "Gini",
		},
	}
	add := func(of string, s Skew) {
		line := []string{of, fmt.Sprint(s.N), fmt.Sprintf("%.4g", row.Mean(s.Sum, s.N))}
		for _, q := range s.Quantiles {
			line = append(line, fmt.Sprint(q))
		}
		t.Rows = append(t.Rows, append(line,
			percent(3, s.Once, s.N), percent(3, s.Top, s.Sum), fmt.Sprintf("%.3f", s.Gini)))
	}
	add("a user", d.PerUser)
	add("an article", d.PerArticle)
	return t
}

// timeTable shows the repeats by the time since they were shown.
func (d *Description) timeTable() document.Table {
	t := document.Table{
		Title: "Repeats, by the time since they were shown", Header: []string{"from", "repeats", "so far"},
	}
	sum := int64(0)
	for bin, n := range d.After {
		if sum += n; n > 0 {
			t.Rows = append(t.Rows, []string{
				text.Elapsed(deal.ElapsedFrom(bin)), percentOf(n, d.Repeats), percent(4, sum, d.Repeats),
			})
		}
	}
	return t
}

// WindowTable shows the windows that reach each share of repeats, by rule of forgetting.
func WindowTable(d *Description) document.Table {
	t := document.Table{
		Title:  "Share of all repeats that are among the last articles, by when histories are forgotten",
		Header: []string{"after", "repeats forgotten", "50 %", "90 %", "99 %", "99.9 %"},
	}
	for _, rule := range append(slices.Clone(d.Rules), 0) {
		if d.Repeats == 0 {
			break
		}
		line := []string{RuleText(rule), percentOf(d.Repeats-row.Sum(d.kept(rule)), d.Repeats)}
		for _, share := range []float64{0.5, 0.9, 0.99, 0.999} {
			least := text.None
			if window, _ := d.Window(rule, share); window > 0 {
				least = strconv.Itoa(window)
			}
			line = append(line, least)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

func (f *Fit) tables() []document.Table {
	p := f.Population
	of := document.Table{
		Title: "The daily population most like the log", Header: []string{"parameter", "value", "what it is"},
	}
	for _, line := range []struct {
		parameter string
		value     any
		what      string
	}{
		{"sessions", p.Sessions, "sessions that the median user begins a day"},
		{"sigma", p.Sigma, "standard deviation of its logarithm, over users"},
		{"refreshes", p.Refreshes, "refreshes of a session, on average"},
		{"least_pause", p.LeastPause, "least seconds between two refreshes"},
		{"pause_mean", p.PauseMean, "seconds beyond these, on average"},
		{"recalled", p.Recalled, "candidates of a refresh"},
		{"per_refresh", p.PerRefresh, "articles shown of these, at most"},
		{"repeats", p.Repeats, "share of candidates shown before"},
		{"octave", p.Octave, "repeats twice as old, divided by repeats"},
		{"users", f.Users, "users of whom as many come in that time as in the log"},
	} {
		of.Rows = append(of.Rows, []string{line.parameter, fmt.Sprint(line.value), line.what})
	}
	distance := document.Table{
		Title: "Distance of that population from the log, 0 to 1",
		Header: []string{
			"distribution", "largest difference of cumulative shares (Kolmogorov-Smirnov)", "number", "fit",
		},
	}
	for _, g := range f.Goodness {
		fit := "good"
		if g.Poor {
			fit = "POOR"
		}
		distance.Rows = append(distance.Rows, []string{g.What, fmt.Sprintf("%.4f", g.KS), fmt.Sprint(g.Of), fit})
	}
	return []document.Table{of, distance}
}

// Days returns the length of the log in days, and Span in seconds.
func (d *Description) Days() float64 { return float64(d.Span()) / float64(store.Day) }
func (d *Description) Span() int64   { return d.Last - d.First }

func durationText(seconds int64) string { return text.Duration(time.Duration(seconds) * time.Second) }

func percent(digits int, n, of int64) string {
	return fmt.Sprintf("%.*g %%", digits, 100*row.Mean(n, of))
}

func percentOf(n, of int64) string {
	if of == 0 {
		return text.None
	}
	return fmt.Sprintf("%.3g %% (%d of %d)", 100*float64(n)/float64(of), n, of)
}

var levels = []float64{0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999}

// quantileTable leaves out the lines that are nil.
func quantileTable(title string, lines ...[]string) document.Table {
	header := []string{"of", "number"}
	for _, level := range levels {
		header = append(header, fmt.Sprint(level))
	}
	lines = slices.DeleteFunc(lines, func(line []string) bool { return line == nil })
	return document.Table{Title: title, Header: header, Rows: lines}
}

// quantiles returns a histogram's line, or nil if it is empty. Its bins are numbers, seconds, or bins of either, each
// represented by its middle.
func quantiles(name, unit string, counts []int64) []string {
	n := row.Sum(counts)
	if n == 0 {
		return nil
	}
	cells := []string{name, strconv.FormatInt(n, 10)}
	for _, level := range levels {
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
	return cells
}

// secondsText writes a time for people: 42 s, 3.5 min, 2.1 h, 1.5 d.
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

// RuleText writes a rule of forgetting for people.
func RuleText(idle store.Timestamp) string {
	if idle == 0 {
		return "never"
	}
	return durationText(int64(idle))
}
