package describe

import (
	"fmt"
	"strconv"
	"time"

	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/measure/deal"
)

// Tables are what a log is like, and the population most like it where it has one.
func Tables(d *Description, fit *Fit) []document.Table {
	tables := []document.Table{
		logTable(d), skewTable(d),
		histogramTable("Sessions and gaps, at quantiles", []histogramLine{
			{"sessions of a user", d.SessionsOf[:], strconv.Itoa},
			{"refreshes of a session", d.PerSession[:], strconv.Itoa},
			{"articles of a refresh", d.PerRefresh[:], strconv.Itoa},
			{"pause between refreshes", d.Pauses, secondsText},
			{"gap between sessions", d.Gaps[:], secondsBin},
		}),
		histogramTable("Ages of repeats, at quantiles", []histogramLine{
			{"articles ago", d.Ages[:], func(bin int) string { return strconv.Itoa(deal.AgeOf(bin)) }},
			{"time ago", d.Seconds[:], secondsBin},
		}),
		afterTable(d), WindowTable(d),
	}
	if fit != nil {
		tables = append(tables, fitTable(*fit), goodnessTable(*fit))
	}
	return tables
}

// logTable is what there is in the log.
func logTable(d *Description) document.Table {
	span := time.Duration(d.Last-d.First) * time.Second
	count := func(what string, n int64) []string { return []string{what, strconv.FormatInt(n, 10)} }
	share := func(what string, n, of int64) []string { return []string{what, percentOf(n, of)} }
	session := text.Duration(time.Duration(d.Session) * time.Second)
	return document.Table{
		Title: "The log", Header: []string{"what", "how much"},
		Rows: [][]string{
			count("users", d.Users),
			count("articles", d.PerArticle.N),
			count("exposures", d.Exposures),
			count("requests", d.Requests),
			count("refreshes (requests of a user within a second)", d.Refreshes),
			count("sessions (refreshes "+session+" apart at most)", d.Sessions),
			{"span", fmt.Sprintf("%s (%.4g days)", text.Duration(span), span.Hours()/24)},
			share("repeats, of all exposures", d.Repeats, d.Exposures),
			share("repeats, of those of users who were shown something before", d.Repeats, d.Open),
			share("gaps between sessions of 24 hours and more", d.LongGaps, d.Sessions-d.Users),
			share("users away for 24 hours and more between sessions", d.LongAway, d.Users),
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
func skewTable(d *Description) document.Table {
	t := document.Table{Title: "Exposures of each, at quantiles over all", Header: []string{"of", "so many", "mean"}}
	for _, level := range Levels[:len(Levels)-1] {
		t.Header = append(t.Header, fmt.Sprint(level))
	}
	t.Header = append(t.Header, "most", "with one", "of the top 1 %", "Gini")
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

// A histogramLine is a histogram, and the value of a bin for people.
type histogramLine struct {
	name   string
	counts []int64
	text   func(bin int) string
}

// histogramTable has a line for each histogram of anything.
func histogramTable(title string, lines []histogramLine) document.Table {
	t := document.Table{Title: title, Header: []string{"of", "so many"}}
	levels := []float64{0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999}
	for _, level := range levels {
		t.Header = append(t.Header, fmt.Sprint(level))
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

// afterTable is repeats by the time since they were shown.
func afterTable(d *Description) document.Table {
	t := document.Table{Title: "Repeats, by the time since they were shown", Header: []string{"from", "repeats", "so far"}}
	sum := int64(0)
	for bin, n := range d.After {
		if sum += n; n > 0 {
			soFar := fmt.Sprintf("%.4g %%", 100*row.Mean(sum, d.Repeats))
			t.Rows = append(t.Rows, []string{text.Elapsed(deal.ElapsedFrom(bin)), percentOf(n, d.Repeats), soFar})
		}
	}
	return t
}

// fitTable is the population most like the log.
func fitTable(f Fit) document.Table {
	p := f.Population
	line := func(name string, value any, what string) []string { return []string{name, fmt.Sprint(value), what} }
	return document.Table{
		Title: "The daily population most like the log", Header: []string{"parameter", "value", "what it is"},
		Rows: [][]string{
			line("sessions", p.Sessions, "begun a day by the median user"),
			line("sigma", p.Sigma, "of the logarithm of that, over users"),
			line("refreshes", p.Refreshes, "of a session, on average"),
			line("least_pause", p.LeastPause, "seconds between two"),
			line("pause_mean", p.PauseMean, "seconds beyond that, on average"),
			line("recalled", p.Recalled, "candidates of a refresh"),
			line("per_refresh", p.PerRefresh, "articles shown of them at most"),
			line("repeats", p.Repeats, "share of candidates shown before"),
			line("octave", p.Octave, "repeats twice as old, over repeats"),
			line("users", f.Users, "of whom as many come in that time as in the log"),
		},
	}
}

// goodnessTable is how far the population lies from the log.
func goodnessTable(f Fit) document.Table {
	ks := "largest difference of cumulative shares (Kolmogorov-Smirnov)"
	t := document.Table{
		Title:  "Distance of that population from the log, 0 to 1",
		Header: []string{"distribution", ks, "of so many", "fit"},
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
