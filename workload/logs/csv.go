package logs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/shown"
	"dejavu/workload/logs/table"
)

// CSV is any table with a column each of users, articles and times: see Columns.
const CSV Format = "csv"

var csvSyntax = &syntax{
	format: CSV,
	decide: decideCSV,
	table: func(first []byte, o *Options) (*columns, error) {
		return findColumns(first, o, o.Columns, !o.NoHeader)
	},
	header: csvHeader,
	write:  writeCSV,
}

// mostFields bounds the memory that one line of commas can ask for.
const mostFields = 1 << 14

// What Options.Quote may be.
const (
	Double   = "double"
	NoQuotes = "none"
)

// dialect is how the fields of a CSV are parted.
func (o *Options) dialect() table.Dialect {
	quoted := o.Quote == Double || o.Quote == "" && o.Comma != "\t" && o.Comma != "::"
	return table.Dialect{Comma: cmp.Or(o.Comma, ","), Quoted: quoted}
}

// cutter cuts a CSV into records.
func (o *Options) cutter() table.Cutter {
	return table.Cutter{Dialect: o.dialect(), Limit: o.MaxLine}
}

// errNoTable is for text that no delimiter parts into as many fields as a log has.
var errNoTable = errors.New("no table")

// commas are what stands between fields where the options do not say it.
var commas = []string{",", "\t", ";", "|", "::"}

// decideCSV finds the delimiter by which the first record names the columns, or by which the
// columns that are numbers can be read.
func decideCSV(o *Options, text []byte) error {
	tried := commas
	if o.Comma != "" {
		tried = []string{o.Comma}
	}
	var chosen []Options
	var fault error
	widest := 0
	for _, comma := range tried {
		c := *o
		c.Comma = comma
		s, even, err := c.sample(text)
		if err == nil {
			err = c.settle(s)
		}
		if err == nil && (c.NoHeader || numbered(&o.Columns, len(s.names))) && !even && len(tried) > 1 {
			err = fmt.Errorf("with %q between them, records have different numbers of fields: --comma names what stands there, --quote none takes quotes as they are", comma)
		}
		if err == nil {
			chosen = append(chosen, c)
		}
		width := 1
		if s != nil {
			width += 2 * len(s.names)
			if !even {
				width = 1
			}
		}
		if err != nil && width > widest {
			widest, fault = width, err
		}
	}
	switch {
	case len(chosen) == 0 && widest <= 1+2*2 && o.Format == "":
		return errNoTable
	case len(chosen) == 0:
		return fault
	case len(chosen) > 1:
		return fmt.Errorf("fields may be separated by %q or by %q: --comma names it", chosen[0].Comma, chosen[1].Comma)
	}
	*o = chosen[0]
	if o.Quote = NoQuotes; chosen[0].dialect().Quoted {
		o.Quote = Double
	}
	return nil
}

// sample parts the first records into fields; even is whether nine in ten have as many as the
// first.
func (o *Options) sample(text []byte) (s *sample, even bool, err error) {
	cut, split := o.cutter(), table.Splitter{Dialect: o.dialect(), Most: mostFields}
	s = &sample{}
	records, same := 0, 0
	for at := 0; at < len(text) && records < sampled; {
		n := cut.End(text, at, true)
		record := trimEnd(text[at : at+n])
		if at += n; blank(record) {
			continue
		}
		fields, reason := split.Split(record)
		if records++; records == 1 {
			if reason != "" {
				return nil, false, errors.New("header: " + reason)
			}
			for _, name := range fields {
				s.names = append(s.names, strings.TrimSpace(string(name[:min(len(name), 1<<10)])))
			}
		}
		if reason == "" && len(fields) == len(s.names) {
			same++
		}
		var values [][]byte
		for _, field := range fields {
			values = append(values, bytes.Clone(field[:min(len(field), 1<<10)]))
		}
		s.values = append(s.values, values)
	}
	return s, 10*same >= 9*records, nil
}

// settle finds columns, and whether there is a header, and then how times and lists are
// written.
func (o *Options) settle(s *sample) error {
	c := o.Columns
	first := *s
	first.values = s.values[min(1, len(s.values)):]
	err := errors.New("")
	if !o.NoHeader {
		err = first.choose(&c)
	}
	if err != nil {
		bare := sample{values: s.values}
		for i := range s.names {
			bare.names = append(bare.names, strconv.Itoa(i+1))
		}
		places := c
		if o.NoHeader {
			columns, _ := places.wanted()
			for i, column := range columns {
				*column = cmp.Or(*column, strconv.Itoa(i+1))
			}
		}
		switch {
		case o.NoHeader || numbered(&places, len(s.names)):
			if err := bare.choose(&places); err != nil {
				return err
			}
			at, _ := bare.find(places.Time)
			if _, told := clock.Of(bare.of(at)[:1]); told != nil && !o.NoHeader { // the first record is a header, counted by places
				c = places
				for _, column := range []*string{&c.User, &c.Article, &c.Time, &c.Clicked, &c.Request} {
					if at, _ := bare.find(*column); *column != "" {
						*column = s.names[at]
					}
				}
				if err := first.choose(&c); err != nil {
					return err
				}
				break
			}
			c, first, o.NoHeader = places, bare, true
		case c.User == "" && c.Article == "" && c.Time == "" && bare.dated():
			return fmt.Errorf("the first line, of fields %s, names no columns: %s", s.list(), bare.suggest(c))
		default:
			return err
		}
	}
	o.Columns = c
	if at, _ := first.find(c.Time); true {
		if err := first.clock(o, at); err != nil {
			return fmt.Errorf("column %q: %w", c.Time, err)
		}
	}
	if at, _ := first.find(c.Article); o.List == "" && len(first.values) > 0 {
		o.List = listOf(c.Article, first.of(at))
	}
	return nil
}

// numbered is whether the columns are places of so many.
func numbered(c *Columns, fields int) bool {
	for _, column := range []string{c.User, c.Article, c.Time, c.Clicked, c.Request} {
		n, err := strconv.Atoi(column)
		if column != "" && (err != nil || n < 1 || n > fields) {
			return false
		}
	}
	return c.User != "" && c.Article != "" && c.Time != ""
}

// dated is whether a field of the first record is a time of our days: then it is no header.
func (s *sample) dated() bool {
	for i := range s.names {
		one := sample{names: s.names, values: s.values[:1]}
		if told, err := clock.Of(one.of(i)); err == nil && told != "" && (told != Seconds || one.late(i)) {
			return true
		}
	}
	return false
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
func findColumns(first []byte, o *Options, want Columns, header bool) (*columns, error) {
	s, _, err := o.sample(first)
	if err != nil {
		return nil, err
	}
	if !header {
		for i := range s.names {
			s.names[i] = strconv.Itoa(i + 1)
		}
	}
	if err := s.choose(&want); err != nil {
		return nil, err
	}
	at := func(name string) int {
		if name == "" {
			return -1
		}
		at, _ := s.find(name)
		return at
	}
	return &columns{
		user: at(want.User), article: at(want.Article), time: at(want.Time), clicked: at(want.Clicked), request: at(want.Request),
		fields: len(s.names), header: header, clock: Seconds,
	}, nil
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
	clicked, request := []byte(nil), []byte(nil)
	if c.clicked >= 0 {
		clicked = fields[c.clicked]
	}
	if c.request >= 0 {
		request = fields[c.request]
	}
	articles := fields[c.article : c.article+1]
	if p.o.List != "" && p.o.List != NoList {
		if articles, reason = p.list(fields[c.article]); reason != "" {
			return reason
		}
	}
	return p.request(fields[c.user], articles, fields[c.time], c.clock, clicked, c.request >= 0, request)
}

// request takes in what was shown at once, or a part of it: consecutive parts of one user and
// key are one request.
func (p *parser) request(user []byte, articles [][]byte, at []byte, own Clock, clicked []byte, keyed bool, key []byte) (reason string) {
	who, noUser := p.key("user", user)
	when, noTime := p.clock(at, own)
	if reason := cmp.Or(noUser, noTime); reason != "" {
		return reason
	}
	kind := Shown
	switch text := bytes.TrimSpace(clicked); string(text) {
	case "1", "1.0", "true", "True", "TRUE":
		kind = Clicked
	case "0", "0.0", "false", "False", "FALSE":
		kind = Ignored
	case "":
	default:
		return "clicked " + shown.Value(text) + " is neither 0, 1, true nor false"
	}
	if len(articles) == 0 {
		return ""
	}
	of := requestKey{}
	if keyed {
		of = requestKey{true, who, uint64(strategies.XXHash(key))}
	}
	b := p.b
	if len(b.events) == 0 {
		b.opening = of
	}
	if !of.set || of != b.final || len(b.events) == 0 {
		p.begin()
	}
	b.final = of
	for _, name := range articles {
		article, noArticle := p.key("article", name)
		if noArticle != "" {
			return noArticle
		}
		p.event(who, strategies.ID(article), when, kind)
	}
	return ""
}

func csvHeader(w *Writer) {
	c := w.o.Columns
	for _, name := range []string{cmp.Or(c.User, "user"), cmp.Or(c.Article, "article"), cmp.Or(c.Time, "time"), c.Clicked, c.Request} {
		if name == "" {
			continue
		}
		if len(w.line) > 0 {
			w.comma()
		}
		w.text(name)
	}
}

func (w *Writer) comma() { w.line = append(w.line, cmp.Or(w.o.Comma, ",")...) }

// writeCSV writes a line for each event.
func writeCSV(w *Writer, request []Event) {
	for _, e := range request {
		w.begin()
		w.quoted(e.User, w.odd(3))
		w.comma()
		w.quoted(uint64(e.Article), w.odd(4))
		w.comma()
		w.time(e.Time)
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

// time writes a time as the clock has it.
func (w *Writer) time(seconds int64) *Writer {
	switch w.o.Clock {
	case RFC3339:
		w.line = time.Unix(seconds, 0).UTC().AppendFormat(w.line, time.RFC3339)
	case Millis:
		w.number(uint64(seconds) * 1000)
	default:
		w.number(uint64(seconds))
	}
	return w
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
