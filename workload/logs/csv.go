package logs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dejavu/strategies"
	"dejavu/workload/logs/shown"
	"dejavu/workload/logs/table"
)

// CSV is any table with a column each of users, articles and times: see Columns.
const CSV Format = "csv"

var csvSyntax = &syntax{
	format: CSV,
	table: func(first []byte, o *Options) (*columns, error) {
		c, _, err := findColumns(first, o, o.Columns, !o.NoHeader)
		return c, err
	},
	header: csvHeader,
	write:  writeCSV,
}

// mostFields bounds the memory that one line of commas can ask for.
const mostFields = 1 << 14

// dialect is how the fields of a CSV are parted.
func (o *Options) dialect() table.Dialect { return table.Dialect{Comma: o.Comma, Quoted: true} }

// cutter cuts a CSV into records.
func (o *Options) cutter() table.Cutter {
	return table.Cutter{Dialect: o.dialect(), Limit: o.MaxLine}
}

// columns is where the columns of a table are: -1 where there is none of the kind.
type columns struct {
	user, article, time, clicked, request int

	fields int   // of the first record
	header bool  // which is no data
	clock  Clock // where the options name none
}

// findColumns finds columns by their names in the first record, or by their
// numbers where that is no header.
func findColumns(first []byte, o *Options, want Columns, header bool) (*columns, []string, error) {
	splitter := table.Splitter{Dialect: o.dialect(), Most: mostFields}
	fields, reason := splitter.Split(first)
	if reason != "" {
		return nil, nil, errors.New("header: " + reason)
	}
	names := make([]string, len(fields))
	for i, field := range fields {
		if names[i] = strings.TrimSpace(string(field)); !header {
			names[i] = fmt.Sprint(i + 1)
		}
	}
	l := &columns{fields: len(names), clicked: -1, request: -1, header: header, clock: Seconds}
	for _, c := range []struct {
		what, name string
		at         *int
	}{
		{"user", want.User, &l.user},
		{"article", want.Article, &l.article},
		{"time", want.Time, &l.time},
		{"clicked", want.Clicked, &l.clicked},
		{"request", want.Request, &l.request},
	} {
		if c.name == "" {
			continue
		}
		*c.at = slices.Index(names, c.name)
		switch {
		case *c.at < 0:
			return nil, nil, fmt.Errorf("no column %q (%s) among %.200q", c.name, c.what, names)
		case slices.Contains(names[*c.at+1:], c.name):
			return nil, nil, fmt.Errorf("two columns %q (%s)", c.name, c.what)
		}
	}
	return l, names, nil
}

// row reads a line of a table.
func (c *columns) row(p *parser, record []byte) (reason string) {
	fields, reason := p.splitter.Split(record)
	if reason != "" {
		return reason
	}
	n := len(fields)
	for n > c.fields && len(fields[n-1]) == 0 { // commas at the end are harmless, others shift the columns
		n--
	}
	if n != c.fields {
		return fmt.Sprintf("%d fields, where the first line has %d", len(fields), c.fields)
	}
	user, noUser := p.key("user", fields[c.user])
	article, noArticle := p.key("article", fields[c.article])
	at, noTime := p.clock(fields[c.time], c.clock)
	if reason := cmp.Or(noUser, noArticle, noTime); reason != "" {
		return reason
	}
	kind := Shown
	if c.clicked >= 0 {
		switch text := bytes.TrimSpace(fields[c.clicked]); string(text) {
		case "1", "1.0", "true", "True", "TRUE":
			kind = Clicked
		case "0", "0.0", "false", "False", "FALSE":
			kind = Ignored
		case "":
		default:
			return "clicked " + shown.Value(text) + " is neither 0, 1, true nor false"
		}
	}
	key := requestKey{}
	if c.request >= 0 {
		key = requestKey{true, user, uint64(strategies.XXHash(fields[c.request]))}
	}
	b := p.b
	if len(b.events) == 0 {
		b.opening = key
	}
	if !key.set || key != b.final || len(b.events) == 0 {
		p.begin()
	}
	b.final = key
	p.event(user, strategies.ID(article), at, kind)
	return ""
}

func csvHeader(w *Writer) {
	c := w.o.Columns
	for _, name := range []string{c.User, c.Article, c.Time, c.Clicked, c.Request} {
		if name == "" {
			continue
		}
		if len(w.line) > 0 {
			w.comma()
		}
		w.text(name)
	}
}

func (w *Writer) comma() { w.line = append(w.line, w.o.Comma...) }

// writeCSV writes a line for each event.
func writeCSV(w *Writer, request []Event) {
	for _, e := range request {
		w.begin()
		w.quoted(e.User, w.odd(3))
		w.comma()
		w.quoted(uint64(e.Article), w.odd(4))
		w.comma()
		switch w.o.Clock {
		case RFC3339:
			w.line = time.Unix(e.Time, 0).UTC().AppendFormat(w.line, time.RFC3339)
		case Millis:
			w.number(uint64(e.Time) * 1000)
		default:
			w.number(uint64(e.Time))
		}
		if w.o.Columns.Clicked != "" {
			w.comma()
			w.clicked(e.Kind)
		}
		if w.o.Columns.Request != "" {
			w.comma()
			w.number(uint64(w.written))
		}
		if w.odd(7) {
			w.comma()
		}
		w.end(false)
	}
}

// clicked writes whether the article was, where that is known.
func (w *Writer) clicked(k Kind) {
	switch k {
	case Clicked, Acted:
		w.text("1")
	case Ignored:
		w.text("0")
	}
}
