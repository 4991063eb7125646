package format

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
)

var csvSyntax = &syntax{
	format: decision.CSV,
	decide: decision.Table,
	quoted: true,
	begin: func(first []byte, o *decision.Options) (Reading, bool, error) {
		c, err := findColumns(first, o, o.Columns, !o.NoHeader, clock.Seconds)
		return c.parse, !o.NoHeader, err
	},
	header: csvHeader,
	write:  writeCSV,
}

// columns is where the columns of a table are: -1 where there is none of the kind.
type columns struct {
	user, article, time, clicked, request int

	fields int         // of the first record
	clock  clock.Clock // where the options name none
}

// findColumns finds columns by their names in the first record, or by their
// numbers where that is no header.
func findColumns(
	first []byte, o *decision.Options, want decision.Columns, header bool, own clock.Clock,
) (c columns, err error) {
	s, _, err := o.Sample(first)
	if err != nil {
		return c, err
	}
	if !header {
		for i := range s.Names {
			s.Names[i] = strconv.Itoa(i + 1)
		}
	}
	if err := s.Choose(&want); err != nil {
		return c, err
	}
	at := func(name string) int {
		if name == "" {
			return -1
		}
		at, _ := s.Find(name)
		return at
	}
	return columns{
		at(want.User), at(want.Article), at(want.Time), at(want.Clicked), at(want.Request), len(s.Names), own,
	}, nil
}

// parse reads a record of a table.
func (c columns) parse(p *Parser, record []byte) (reason string) {
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
	r := row{user: fields[c.user], article: fields[c.article], time: fields[c.time]}
	if c.clicked >= 0 {
		r.clicked = fields[c.clicked]
	}
	if c.request >= 0 {
		r.request, r.keyed = fields[c.request], true
	}
	return p.row(r, c.clock)
}

func csvHeader(w *Writer) {
	c := w.o.Columns
	w.fields(cmp.Or(c.User, "user"), cmp.Or(c.Article, "article"), cmp.Or(c.Time, "time"), c.Clicked, c.Request)
}

// writeCSV writes a line for each event.
func writeCSV(w *Writer, request []Event) {
	for _, e := range request {
		w.fields(strconv.FormatUint(e.User, 10), strconv.FormatUint(uint64(e.Article), 10), w.time(e.Time),
			click(e.Kind), strconv.Itoa(w.requests))
	}
}

// fields writes a line of a CSV: user, article and time, and what else it has columns for.
func (w *Writer) fields(user, article, time, clicked, request string) {
	fields := []string{user, article, time}
	if w.o.Columns.Clicked != "" {
		fields = append(fields, clicked)
	}
	if w.o.Columns.Request != "" {
		fields = append(fields, request)
	}
	w.line("%s", strings.Join(fields, cmp.Or(w.o.Comma, ",")))
}
