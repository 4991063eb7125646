package decision

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/jsonline"
	"dejavu/workload/logs/shown"
	"dejavu/workload/logs/table"
)

// ErrNoTable is for text that no delimiter parts into as many fields as a log has.
var ErrNoTable = errors.New("no table")

// commas are what stands between fields where the options do not say it; the last is tried where no other parts them.
var commas = []string{",", "\t", ";", "|", "::", table.Blanks}

// Cutter cuts a table into records, and Splitter those into fields.
func (o *Options) Cutter() table.Cutter { return table.Cutter{Dialect: o.dialect(), Limit: o.MaxLine} }

// Splitter parts the records of a table into fields.
func (o *Options) Splitter() table.Splitter {
	return table.Splitter{Dialect: o.dialect(), Most: mostFields}
}

func (o *Options) dialect() table.Dialect {
	unquoted := []string{"\t", "::", table.Blanks}
	quoted := o.Quote == Double || o.Quote == "" && !slices.Contains(unquoted, o.Comma)
	return table.Dialect{Comma: cmp.Or(o.Comma, ","), Quoted: quoted}
}

// A reading is the text that a log begins with, read with one delimiter.
type reading struct {
	Options
	width int   // fields of the first record, 0 where the others have another number of them
	err   error // why it cannot be read so
}

// Table decides how a CSV is read that begins with this text: by the one delimiter by which its
// first record names the columns, or by which the columns that are numbers can be read.
func Table(o *Options, text []byte) error {
	tried := commas
	if o.Comma != "" {
		tried = []string{o.Comma}
	}
	var fit []reading
	var widest reading // of those that cannot be
	for _, comma := range tried {
		if comma == table.Blanks && len(tried) > 1 && (len(fit) > 0 || widest.width > 2) {
			break
		}
		if r := read(*o, comma, text, len(tried) > 1); r.err == nil {
			fit = append(fit, r)
		} else if widest.err == nil || r.width > widest.width {
			widest = r
		}
	}
	switch len(fit) {
	case 0:
		if widest.width < 3 && o.Format == "" && o.Comma == "" {
			return ErrNoTable
		}
		return widest.err
	case 1:
		*o = fit[0].Options
		if o.Quote = NoQuotes; fit[0].dialect().Quoted {
			o.Quote = Double
		}
		return nil
	}
	return fmt.Errorf("fields may be separated by %q or by %q: --comma names it", fit[0].Comma, fit[1].Comma)
}

// read reads the text with this delimiter. Where it is a guess and the first record does not name
// the columns, the records must have as many fields as the first.
func read(o Options, comma string, text []byte, guess bool) reading {
	r := reading{Options: o}
	r.Comma = comma
	s, even, err := r.Sample(text)
	if err != nil {
		r.err = err
		return r
	}
	if guess && comma == table.Blanks && (text[0] == '#' || !s.hasTime(len(s.values)-1)) { // prose has blanks, too
		r.err = ErrNoTable
		return r
	}
	if even {
		r.width = len(s.Names)
	}
	if r.err = r.settle(s); r.err != nil && o.Comma != "" && len(s.Names) < 3 {
		r.err = fmt.Errorf("with %q between fields (--comma) the first line has %d: %s", comma, len(s.Names), s.list())
	}
	if _, isName := strconv.Atoi(o.Columns.User); r.err == nil && (r.NoHeader || isName == nil) && !even && guess {
		r.err = ErrNoTable // by another delimiter all records have one field, or it is told why not
	}
	return r
}

// Sample parts the first records of a table into fields, and has the first record's for names; even
// is whether nine in ten have as many as the first.
func (o *Options) Sample(text []byte) (s *Sample, even bool, err error) {
	cut, split := o.Cutter(), o.Splitter()
	s = &Sample{}
	same := 0
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
				s.Names = append(s.Names, strings.TrimSpace(string(name[:min(len(name), mostBytes)])))
			}
		}
		if reason == "" && len(fields) == len(s.Names) {
			same++
		}
		var values [][]byte
		for _, field := range fields {
			values = append(values, bytes.Clone(field[:min(len(field), mostBytes)]))
		}
		s.values = append(s.values, values)
	}
	return s, 10*same >= 9*len(s.values), nil
}

// settle finds columns, and whether the first record is a header:
//
//	NoHeader   columns                    first record            it is
//	yes        numbers, or 1, 2 and 3     any                     data
//	no         found by their names       any                     a header
//	no         numbers                    has a time in its place data
//	no         numbers                    any other               a header, counted
//	no         none is named, or found    has a time of our days  refused: it names no columns
//	no         any other                  any                     refused: what was not found
//
// Then it finds how times and lists are written.
func (o *Options) settle(s *Sample) error {
	named := &Sample{s.Names, s.values[min(1, len(s.values)):]}
	places := &Sample{values: s.values}
	for i := range s.Names {
		places.Names = append(places.Names, strconv.Itoa(i+1))
	}
	c, numbered := o.Columns, o.Columns
	named.Join(c.Time)
	places.Join(c.Time)
	if !o.NoHeader {
		missing := named.Choose(&c)
		switch {
		case missing == nil:
			return named.notation(o, c, "column")
		case places.Choose(&numbered) == nil:
		case c.User == "" && c.Article == "" && c.Time == "" && places.hasTime(0):
			return fmt.Errorf("the first line, of fields %s, names no columns: %s", s.list(), places.suggest(c))
		default:
			return missing
		}
	} else {
		c.User, c.Article, c.Time = cmp.Or(c.User, "1"), cmp.Or(c.Article, "2"), cmp.Or(c.Time, "3")
	}
	if err := places.Choose(&c); err != nil {
		return err
	}
	if _, err := clock.Of(places.column(c.Time)[:1]); err != nil && !o.NoHeader {
		columns, _ := c.Places()
		for _, column := range columns {
			if at, _ := places.Find(*column); at >= 0 {
				*column = named.Names[at]
			}
		}
		if err := named.Choose(&c); err != nil {
			return err
		}
		return named.notation(o, c, "column")
	}
	o.NoHeader = true
	return places.notation(o, c, "column")
}

// hasTime is whether a field of the record is a time of our days: then it is no header.
func (s *Sample) hasTime(record int) bool {
	one := &Sample{s.Names, s.values[record : record+1]}
	for i := range s.Names {
		if one.dated(i) {
			return true
		}
	}
	return false
}

func listOf(column string, fields [][]byte) string {
	if strings.HasSuffix(column, ":token_seq") { // as RecBole writes it
		return " "
	}
	list := NoList
	for _, field := range fields {
		if field = bytes.TrimSpace(field); len(field) > 0 {
			if list = Brackets; field[0] != '[' || field[len(field)-1] != ']' {
				return NoList
			}
		}
	}
	return list
}

// Articles appends the articles of a field to those of a list. Of several one that is empty is none.
func (o *Options) Articles(list [][]byte, field []byte) (articles [][]byte, reason string) {
	between := o.List
	if o.List == "" || o.List == NoList {
		return append(list, field), ""
	}
	if between == Brackets {
		inside, opens := bytes.CutPrefix(bytes.TrimSpace(field), []byte{'['})
		inside, closes := bytes.CutSuffix(inside, []byte{']'})
		if !opens || !closes {
			return nil, "article " + shown.Value(field) + " is not a list in brackets (--list none takes it for one article)"
		}
		if field, between = inside, " "; bytes.IndexByte(inside, ',') >= 0 {
			between = ","
		}
	}
	for more := true; more; {
		var article []byte
		article, field, more = bytes.Cut(field, []byte(between))
		article = bytes.TrimSpace(article)
		if o.List == Brackets {
			article = bytes.Trim(article, `"'`)
		}
		if len(article) > 0 {
			list = append(list, article)
		}
	}
	return list, ""
}

// Objects decides how lines of JSON are read that begin with this text, by the members that the first of them have.
func Objects(o *Options, text []byte) error {
	s := &Sample{}
	fault := ""
	var scan jsonline.Scanner
	for lines := 0; len(text) > 0 && lines < sampled; lines++ {
		n := table.Line(text, true)
		line := table.TrimEnd(text[:n])
		if text = text[n:]; table.Blank(line) {
			continue
		}
		record := make([][]byte, len(s.Names))
		object, reason := scan.Object(line)
		if reason != "" {
			fault = cmp.Or(fault, reason)
			continue
		}
		scan.Members("", object, func(name string, value []byte) {
			at := slices.Index(s.Names, name)
			if at < 0 {
				if len(s.Names) == mostNames {
					return
				}
				at = len(s.Names)
				s.Names, record = append(s.Names, name), append(record, nil)
			}
			record[at] = bytes.Clone(value[:min(len(value), mostBytes)])
		})
		s.values = append(s.values, record)
	}
	if len(s.Names) == 0 {
		return errors.New("the first lines are not JSON objects: " + fault)
	}
	for _, name := range []string{o.Columns.Clicked, o.Columns.Request} { // lines may do without
		if at, _ := s.Find(name); at < 0 && name != "" {
			s.Names = append(s.Names, name)
		}
	}
	if err := s.Choose(&o.Columns); err != nil {
		return err
	}
	// An array is a list whatever is decided; a string may look like one.
	return s.notation(o, o.Columns, "member")
}
