package describe

import (
	"fmt"
	"strconv"
	"time"

	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure/deal"
	"dejavu/results"
)

// Tables are what a log is like, and the population most like it where it has one.
func Tables(d *Description, fit *Fit) []results.Table {
	tables := []results.Table{
		logTable(d), skewTable(d),
		histogramTable("Sessions and gaps, at quantiles", []histogramLine{
			{"sessions of a user", d.SessionsOf, strconv.Itoa},
			{"refreshes of a session", d.PerSession, strconv.Itoa},
			{"articles of a refresh", d.PerRefresh, strconv.Itoa},
			{"pause between refreshes", d.Pauses, secondsText},
			{"gap between sessions", d.Gaps, secondsBin},
		}),
		histogramTable("Ages of repeats, at quantiles", []histogramLine{
			{"articles ago", d.Ages, func(bin int) string { return strconv.Itoa(deal.AgeOf(bin)) }},
			{"time ago", d.Seconds, secondsBin},
		}),
		afterTable(d), WindowTable(d),
	}
	if fit != nil {
		tables = append(tables, fitTable(*fit), goodnessTable(*fit))
	}
	return tables
}

// logTable is what there is in the log.
func logTable(d *Description) results.Table {
	span := time.Duration(d.Last-d.First) * time.Second
	line := func(what, value string) []string { return []string{what, value} }
	count := func(what string, n int64) []string { return line(what, strconv.FormatInt(n, 10)) }
	gaps := d.Sessions - d.Users
	return results.Table{
		Title: "The log", Header: []string{"what", "how much"},
		Rows: [][]string{
			count("users", d.Users),
			count("articles", d.PerArticle.N),
			count("exposures", d.Exposures),
			count("requests", d.Requests),
			count("refreshes (requests of a user within a second)", d.Refreshes),
			count("sessions (refreshes "+text.Duration(time.Duration(d.Session)*time.Second)+" apart at most)", d.Sessions),
			line("span", fmt.Sprintf("%s (%.4g days)", text.Duration(span), span.Hours()/24)),
			line("repeats, of all exposures", percentOf(d.Repeats, d.Exposures)),
			line("repeats, of those of users who were shown something before", percentOf(d.Repeats, d.Open)),
			line("gaps between sessions of 24 hours and more", percentOf(d.LongGaps, gaps)),
			line("users away for 24 hours and more between sessions", percentOf(d.LongAway, d.Users)),
			count("events out of order in their file", d.Read.OutOfOrder),
			count("requests earlier than their user's last", d.Backwards),
		},
	}
}

func percentOf(n, of int64) string {
	if of == 0 {
		return text.None
	}
	return fmt.Sprintf("%.3g %% (%d of %d)", 100*float64(n)/float64(of), n, of)
}

// skewTable is how unevenly exposures are spread over users and articles.
func skewTable(d *Description) results.Table {
	t := results.Table{Title: "Exposures of each, at quantiles over all", Header: []string{"of", "so many", "mean"}}
	for _, level := range Levels {
		name := strconv.FormatFloat(level, 'g', -1, 64)
		if level == 1 {
			name = "most"
		}
		t.Header = append(t.Header, name)
	}
	t.Header = append(t.Header, "with one", "of the top 1 %", "Gini")
	for _, s := range []struct {
		name string
		Skew
	}{{"a user", d.PerUser}, {"an article", d.PerArticle}} {
		cells := []string{s.name, fmt.Sprint(s.N), fmt.Sprintf("%.4g", row.Mean(s.Sum, s.N))}
		for _, q := range s.Quantiles {
			cells = append(cells, fmt.Sprint(q))
		}
		t.Rows = append(t.Rows, append(cells, fmt.Sprintf("%.3g %%", 100*row.Mean(s.Once, s.N)),
			fmt.Sprintf("%.3g %%", 100*row.Mean(s.Top, s.Sum)), fmt.Sprintf("%.3f", s.Gini)))
	}
	return t
}

// levels are those of histograms' quantiles.
var levels = []float64{0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999}

// histogramTable has a line for each histogram, and the value of a bin for people.
func histogramTable(title string, lines []histogramLine) results.Table {
	t := results.Table{Title: title, Header: []string{"of", "so many"}}
	for _, level := range levels {
		t.Header = append(t.Header, strconv.FormatFloat(level, 'g', -1, 64))
	}
	for _, l := range lines {
		n := row.Sum(l.counts)
		if n == 0 {
			continue
		}
		row := []string{l.name, fmt.Sprint(n)}
		for _, level := range levels {
			row = append(row, l.text(Quantile(l.counts, level)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

type histogramLine struct {
	name   string
	counts []int64
	text   func(bin int) string
}

func secondsBin(bin int) string { return secondsText(deal.AgeOf(bin)) }

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

// fitTable is the population most like the log.
func fitTable(f Fit) results.Table {
	p := f.Population
	rows := [][]string{
		{"sessions", strconv.FormatFloat(p.Sessions, 'g', -1, 64), "begun a day by the median user"},
		{"sigma", strconv.FormatFloat(p.Sigma, 'g', -1, 64), "of the logarithm of that, over users"},
		{"refreshes", strconv.FormatFloat(p.Refreshes, 'g', -1, 64), "of a session, on average"},
		{"least_pause", strconv.Itoa(p.LeastPause), "seconds between two"},
		{"pause_mean", strconv.Itoa(p.PauseMean), "seconds beyond that, on average"},
		{"recalled", strconv.Itoa(p.Recalled), "candidates of a refresh"},
		{"per_refresh", strconv.Itoa(p.PerRefresh), "articles shown of them at most"},
		{"repeats", strconv.FormatFloat(p.Repeats, 'g', -1, 64), "share of candidates shown before"},
		{"octave", strconv.FormatFloat(p.Octave, 'g', -1, 64), "repeats twice as old, over repeats"},
		{"users", strconv.Itoa(f.Users), "of whom as many come in that time as in the log"},
	}
	return results.Table{Title: "The daily population most like the log", Header: []string{"parameter", "value", "what it is"}, Rows: rows}
}

// goodnessTable is how far the population lies from the log.
func goodnessTable(f Fit) results.Table {
	t := results.Table{
		Title:  "Distance of that population from the log, 0 to 1",
		Header: []string{"distribution", "largest difference of cumulative shares (Kolmogorov-Smirnov)", "of so many", "fit"},
	}
	for _, g := range f.Goodness {
		fit := "good"
		if g.Poor {
			fit = "POOR"
		}
		t.Rows = append(t.Rows, []string{g.What, fmt.Sprintf("%.4f", g.KS), fmt.Sprint(g.Of), fit})
	}
	return t
}
