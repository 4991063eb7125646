package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/table"
)

// errNoTable is for text that nothing parts into as many fields as a log has.
var errNoTable = errors.New("no table")

// decideCSV decides how a table is read that begins with this text: by the one separator by which its first record names
// the columns, or by which numbered columns can be read.
func decideCSV(o *Options, text []byte) error {
	separators := []string{",", "\t", ";", "|", "::"}
	if o.Comma != "" {
		separators = []string{o.Comma}
	}
	var fits []Options
	widest, width := errNoTable, 0 // why it cannot be read by the separator that makes the most fields
	for _, comma := range separators {
		r := *o
		r.Comma = comma
		s, even, err := r.sample(text)
		fields := 0
		if err != nil && s != nil {
			fields = len(s.names)
		} else if err == nil {
			if fields = len(s.names); !even && len(separators) > 1 {
				fields = 1
			}
			if err = r.header(s); err == nil && !even && r.NoHeader && len(separators) > 1 {
				err = errNoTable
			}
		}
		if err == nil {
			fits = append(fits, r)
		} else if fields > width {
			widest, width = err, fields
		}
	}
	switch {
	case len(fits) > 1:
		return fmt.Errorf("fields may be separated by %q or by %q: --comma names it", fits[0].Comma, fits[1].Comma)
	case len(fits) == 1:
		*o = fits[0]
		if o.Quote = NoQuotes; fits[0].dialect().Quoted {
			o.Quote = Double
		}
		return nil
	case width < 3 && o.Format == "" && o.Comma == "":
		return errNoTable
	case width < 3 && o.Comma != "":
		return fmt.Errorf("with %q between fields (--comma): %w", o.Comma, widest)
	}
	return widest
}

// sample parts the first records of a table into fields. The names are those of the first record. It reports whether
// nine in ten have as many fields as the first.
func (o *Options) sample(text []byte) (s *sample, even bool, err error) {
	cut, split := table.Cutter{Dialect: o.dialect(), Limit: o.MaxLine}, o.splitter()
	s = &sample{}
	same, longer := 0, 0
	for at := 0; at < len(text) && len(s.values) < sampled; {
		n := cut.End(text, at, true)
		record := table.TrimEnd(text[at : at+n])
		if at += n; table.Blank(record) {
			continue
		}
		fields, reason := split.Split(record)
		if len(s.values) == 0 {
			if reason != "" {
				return nil, false, errors.New("header: " + reason)
			}
			for _, name := range fields {
				s.names = append(s.names, strings.TrimSpace(string(name[:min(len(name), mostBytes)])))
			}
		}
		if reason == "" && len(fields) == len(s.names) {
			same++
		} else if reason == "" && len(fields) == len(s.names)+1 && len(fields[len(fields)-1]) > 0 {
			longer++
		}
		var values [][]byte
		for _, field := range fields {
			values = append(values, bytes.Clone(field[:min(len(field), mostBytes)]))
		}
		s.values = append(s.values, values)
	}
	if longer > 0 && longer == len(s.values)-1 && len(s.names) > 1 {
		return s, false, fmt.Errorf("the header has %d fields and the lines have %d, as R writes row names: sed '1s/^/%s/' "+
			"FILE gives them a column first", len(s.names), len(s.names)+1, "row"+o.Comma)
	}
	return s, 10*same >= 9*len(s.values), nil
}

// header finds the columns, and whether the first record is a header: it is unless columns are numbers, and then if it
// has no time in its place. With NoHeader it is data.
func (o *Options) header(s *sample) error {
	named := &sample{s.names, s.values[min(1, len(s.values)):]}
	places := &sample{values: s.values}
	for i := range s.names {
		places.names = append(places.names, strconv.Itoa(i+1))
	}
	c := o.Columns
	if !o.NoHeader {
		at, missing := named.choose(&o.Columns)
		if missing == nil {
			return named.settle(o, at)
		}
		if o.Columns = c; c.User == "" && c.Article == "" && c.Time == "" {
			if hasTime(s.values[0]) {
				return places.refuse(c, "the first line, %.40q, names no columns", s.names)
			}
			return missing
		}
		if at, err := places.choose(&o.Columns); err != nil {
			return missing
		} else if !o.reads(s.values[0], at[2]) { // numbers, under a header
			columns, _ := o.Columns.Places()
			for i, column := range columns {
				if *column != "" {
					*column = s.names[at[i]]
				}
			}
			if at, err = named.choose(&o.Columns); err != nil {
				return err
			}
			return named.settle(o, at)
		}
	}
	o.Columns.User, o.Columns.Article = cmp.Or(c.User, "1"), cmp.Or(c.Article, "2")
	o.Columns.Time, o.NoHeader = cmp.Or(c.Time, "3"), true
	at, err := places.choose(&o.Columns)
	if err != nil {
		return err
	}
	return places.settle(o, at)
}

// reads reports whether a field of the record is a time.
func (o *Options) reads(record [][]byte, at int) bool {
	if at >= len(record) {
		return false
	}
	told := o.Clock
	if told == "" {
		var err error
		if told, err = clock.Detect([][]byte{record[at]}); err != nil { // what may be several times is one
			return strings.ContainsAny(string(record[at]), "0123456789")
		}
	}
	_, reason := told.Read(record[at])
	return reason == ""
}

// beginCSV finds the columns of a file by its first record, and returns how the others are read.
func beginCSV(first []byte, o *Options) (read Reader, header bool, err error) {
	s, _, err := o.sample(first)
	if err != nil {
		return nil, false, err
	}
	if o.NoHeader {
		for i := range s.names {
			s.names[i] = strconv.Itoa(i + 1)
		}
	}
	want := o.Columns
	at, err := s.choose(&want)
	width := len(s.names)
	return func(p *Parser, record []byte) (reason string) {
		fields, reason := p.splitter.Split(record)
		if reason != "" {
			return reason
		}
		n := len(fields)
		for n > width && len(fields[n-1]) == 0 { // commas at the end are harmless, others shift the columns
			n--
		}
		if n != width {
			return fmt.Sprintf("%d fields, where the first line has %d", len(fields), width)
		}
		var values [5][]byte
		for i, column := range at {
			if column >= 0 {
				values[i] = fields[column]
			}
		}
		articles, reason := p.split(values[1])
		return cmp.Or(reason, p.row(values, articles))
	}, !o.NoHeader, err
}
