package logs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"dejavu/internal/plural"
)

// A splitter splits lines of a table into fields. It reuses its memory.
type splitter struct {
	fields  [][]byte
	scratch []byte // quoted fields whose value differs from their text
}

// mostFields limits the memory for one line of commas.
const mostFields = 1 << 14

// line splits a line into fields, as encoding/csv does, or returns why it cannot. A field that begins with a quote ends
// at the next one; two quotes within it mean one. The fields are valid until the next call.
func (s *splitter) line(o *Options, line []byte) (fields [][]byte, reason string) {
	s.fields, s.scratch = s.fields[:0], s.scratch[:0]
	comma := []byte(o.Comma)
	isQuoted := o.isQuoted() && bytes.IndexByte(line, '"') >= 0
	for more := true; more; {
		var field []byte
		if isQuoted && len(line) > 0 && line[0] == '"' {
			if field, line, reason = s.unquote(line[1:], comma); reason != "" {
				return nil, reason
			}
			more = len(line) > 0
		} else {
			end := bytes.Index(line, comma)
			if more = end >= 0; !more {
				end = len(line)
			}
			field, line = line[:end], line[end:]
			if isQuoted && bytes.IndexByte(field, '"') >= 0 {
				return nil, fmt.Sprintf("a quote within field %.40q, which does not begin with one%s", field, asTheyAre)
			}
		}
		if more {
			line = line[len(comma):]
		}
		if s.fields = append(s.fields, field); len(s.fields) > mostFields {
			return nil, "more than " + plural.Of(mostFields, "field", "fields")
		}
	}
	return s.fields, ""
}

const asTheyAre = " (--quote none takes quotes as they are; a DuckDB query of docs/logs.md joins several lines)"

// unquote returns a quoted field, and what follows its closing quote.
func (s *splitter) unquote(line, comma []byte) (field, rest []byte, reason string) {
	from := len(s.scratch)
	for {
		end := bytes.IndexByte(line, '"')
		if end < 0 {
			return nil, nil, "a quoted field does not end" + asTheyAre
		}
		rest = line[end+1:]
		if len(rest) > 0 && rest[0] == '"' {
			s.scratch = append(s.scratch, line[:end+1]...)
			line = rest[1:]
			continue
		}
		if len(rest) > 0 && !bytes.HasPrefix(rest, comma) {
			return nil, nil, fmt.Sprintf("%.40q follows a closing quote, where %q should%s", rest, string(comma), asTheyAre)
		}
		if field = line[:end]; len(s.scratch) > from {
			s.scratch = append(s.scratch, field...)
			field = s.scratch[from:]
		}
		return field, rest, ""
	}
}

var errNoTable = errors.New("no table")

// decideCSV decides how a table that begins with this text is read: by the one separator for which the first line names
// the columns, or numbered columns can be read.
func (o *Options) decideCSV(text []byte) error {
	separators := []string{",", "\t", ";", "|", "::"}
	if o.Comma != "" {
		separators = []string{o.Comma}
	}
	var fits []Options
	widest, width := errNoTable, 0 // the error for the separator that makes the most fields
	for _, comma := range separators {
		r := *o
		r.Comma = comma
		s, even, err := r.sampleTable(text)
		if err == nil {
			err = r.header(s)
		}
		if err == nil && r.NoHeader && !even && len(separators) > 1 {
			err = errNoTable
		}
		if err == nil {
			fits = append(fits, r)
		} else if (even || len(separators) == 1) && len(s.names) > width {
			widest, width = err, len(s.names)
		}
	}
	switch {
	case len(fits) > 1:
		return fmt.Errorf("fields may be separated by %q or by %q: --comma names it", fits[0].Comma, fits[1].Comma)
	case len(fits) == 1:
		*o = fits[0]
		if o.Quote = NoQuotes; fits[0].isQuoted() {
			o.Quote = Double
		}
		return nil
	case width < 3 && o.Format == "" && o.Comma == "":
		return errNoTable
	}
	return widest
}

// sampleTable splits the first lines of a table into fields. The first line has the names. even reports whether nine
// lines in ten have the same number of fields.
func (o *Options) sampleTable(text []byte) (s *sample, even bool, err error) {
	s = &sample{}
	var split splitter
	width, same, longer := 0, 0, 0
	for i, line := range firstLines(text) {
		fields, reason := split.line(o, line)
		if i == 0 && reason != "" {
			return s, false, errors.New("header: " + reason)
		}
		width = cmp.Or(width, len(fields))
		if len(fields) == width {
			same++
		} else if len(fields) == width+1 && len(fields[width]) > 0 {
			longer++
		}
		var values [][]byte
		for _, field := range fields {
			values = append(values, bytes.Clone(field[:min(len(field), mostBytes)]))
		}
		s.values = append(s.values, values)
	}
	for _, name := range s.values[0] {
		s.names = append(s.names, string(bytes.TrimSpace(name)))
	}
	if longer > 0 && longer == len(s.values)-1 && width > 1 {
		return s, true, fmt.Errorf("the header has %s and the lines have %d, as R writes row names: sed '1s/^/%s/' "+
			"FILE gives them a column first", plural.Of(width, "field", "fields"), width+1, "row"+o.Comma)
	}
	return s, 10*same >= 9*len(s.values), nil
}

// header finds the columns. The first line is a header, unless columns are numbers that are not names in it.
func (o *Options) header(s *sample) error {
	named, c := &sample{s.names, s.values[min(1, len(s.values)):]}, o.Columns
	at, missing := named.choose(&o.Columns)
	if missing == nil {
		return named.settle(o, at)
	}
	places := &sample{values: s.values}
	for i := range s.names {
		places.names = append(places.names, strconv.Itoa(i+1))
	}
	o.Columns = c
	at, err := places.choose(&o.Columns)
	if err == nil {
		o.NoHeader = true
		return places.settle(o, at)
	}
	if _, other := strconv.Atoi(cmp.Or(c.User, c.Article, c.Time)); other == nil { // columns are named by numbers
		return err
	}
	hasTime := slices.ContainsFunc(s.values[0], func(field []byte) bool { return isTime(field) })
	if o.Columns = c; c == (Columns{Request: c.Request}) && hasTime {
		return places.refuse(c, "the first line names no columns")
	}
	return missing
}

// beginCSV finds the columns in the first line of a file, and returns a reader of the others.
func (o *Options) beginCSV(first []byte) (read lineReader, err error) {
	s, _, err := o.sampleTable(first)
	if err != nil {
		return nil, err
	}
	if o.NoHeader {
		for i := range s.names {
			s.names[i] = strconv.Itoa(i + 1)
		}
	}
	want := o.Columns
	at, err := s.choose(&want)
	if err != nil {
		err = fmt.Errorf("%w; all files are read as the first, with %q between fields", err, o.Comma)
	}
	width := len(s.names)
	return func(p *parser, line []byte) (reason string) {
		fields, reason := p.split.line(p.o, line)
		if reason != "" {
			return reason
		}
		for len(fields) > width && len(fields[len(fields)-1]) == 0 { // ignore commas at the end
			fields = fields[:len(fields)-1]
		}
		if len(fields) != width {
			return fmt.Sprintf("%s, where the first line has %d", plural.Of(len(fields), "field", "fields"), width)
		}
		var q []byte
		if at[3] >= 0 {
			q = fields[at[3]]
		}
		articles, reason := p.list(fields[at[1]])
		if reason != "" {
			return reason
		}
		return p.row(fields[at[0]], fields[at[2]], q, articles)
	}, err
}

// firstLines returns the first lines that are not blank.
func firstLines(text []byte) (lines [][]byte) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, "\r\n"); !blank(line) && len(lines) < sampled {
			lines = append(lines, line)
		}
	}
	return lines
}

func blank(line []byte) bool { return len(bytes.Trim(line, " \t\r\n")) == 0 }
