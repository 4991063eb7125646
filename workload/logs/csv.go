package logs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"dejavu/strategies"
)

// recordLen is the length of the first record of data, its newline included, or
// 0 where more of the file must tell.
//
// A quoted field may have newlines; but where it does not end within limit bytes or
// before the file does, or where something other than a comma follows its
// end, a quote was set wrongly. Then the record is its first line alone, for the
// parser to find fault with, and the lines after it are read for themselves: one
// quote too many would otherwise turn all that follows inside out.
func recordLen(data []byte, comma byte, eof bool, limit int) int {
	for i := 0; ; {
		if i < len(data) && data[i] == '"' {
			for i++; ; i += 2 { // a pair of quotes is one
				quote := -1
				if i < len(data) {
					quote = bytes.IndexByte(data[i:], '"')
				}
				switch {
				case quote < 0 && (eof || len(data) > limit), i+quote > limit:
					return lineLen(data, eof)
				case quote < 0:
					return 0
				}
				if i += quote; i+1 == len(data) || data[i+1] != '"' {
					i++
					break
				}
			}
			if i < len(data) && data[i] != comma && data[i] != '\n' && data[i] != '\r' {
				return lineLen(data, eof)
			}
		}
		for i < len(data) && data[i] != comma && data[i] != '\n' {
			i++
		}
		switch {
		case i == len(data) && eof:
			return i
		case i == len(data):
			return 0
		case data[i] == '\n':
			return i + 1
		}
		i++
	}
}

// lineLen is the length of the first line of data, 0 where its end must be told
// by more of the file.
func lineLen(data []byte, eof bool) int {
	n := bytes.IndexByte(data, '\n') + 1
	if n == 0 && eof {
		return len(data)
	}
	return n
}

// split parts a record into fields, as encoding/csv does.
func (p *parser) split(record []byte) (reason string) {
	p.fields, p.scratch = p.fields[:0], p.scratch[:0]
	if bytes.IndexByte(record, '"') < 0 {
		for {
			comma := bytes.IndexByte(record, p.o.Comma)
			if comma < 0 {
				p.fields = append(p.fields, record)
				return ""
			}
			p.fields = append(p.fields, record[:comma])
			record = record[comma+1:]
		}
	}
	for {
		field, rest, reason := p.field(record)
		if reason != "" {
			return reason
		}
		p.fields = append(p.fields, field)
		if rest == nil {
			return ""
		}
		record = rest
	}
}

// field is the first field of a record, and what follows its comma, or nil.
func (p *parser) field(record []byte) (field, rest []byte, reason string) {
	if len(record) == 0 || record[0] != '"' {
		end := bytes.IndexByte(record, p.o.Comma)
		if end < 0 {
			end = len(record)
		}
		if bytes.IndexByte(record[:end], '"') >= 0 {
			return nil, nil, "a quote within field " + quote(record[:end]) + ", which does not begin with one"
		}
		return record[:end], after(record, end), ""
	}
	from, plain := len(p.scratch), true
	for i := 1; ; {
		end := bytes.IndexByte(record[i:], '"')
		if end < 0 {
			return nil, nil, "a quoted field does not end, or not well"
		}
		end += i
		if end+1 < len(record) && record[end+1] == '"' {
			p.scratch = append(p.scratch, record[i:end+1]...)
			plain = false
			i = end + 2
			continue
		}
		if end+1 < len(record) && record[end+1] != p.o.Comma {
			return nil, nil, quote(record[end+1:]) + " follows a closing quote, where a comma should"
		}
		if field = record[i:end]; !plain {
			p.scratch = append(p.scratch, field...)
			field = p.scratch[from:]
		}
		if bytes.IndexByte(field, '\r') >= 0 {
			field = bytes.ReplaceAll(field, []byte("\r\n"), []byte("\n"))
		}
		return field, after(record, end+1), ""
	}
}

// after is what follows the comma at i: nil at the record's end, and empty but
// not nil where the record ends in a comma.
func after(record []byte, i int) []byte {
	if i >= len(record) {
		return nil
	}
	return record[i+1:]
}

// row reads a line of a CSV.
func row(p *parser, record []byte) (reason string) {
	if reason := p.split(record); reason != "" {
		return reason
	}
	c := p.b.layout
	if len(p.fields) < c.fields {
		return fmt.Sprintf("%d fields, where the first line has %d", len(p.fields), c.fields)
	}
	for _, extra := range p.fields[c.fields:] { // commas at the end are harmless, others shift the columns
		if len(extra) > 0 {
			return fmt.Sprintf("%d fields, where the first line has %d", len(p.fields), c.fields)
		}
	}
	user, reason := p.key("user", p.fields[c.user])
	if reason != "" {
		return reason
	}
	article, reason := p.key("article", p.fields[c.article])
	if reason != "" {
		return reason
	}
	own := Seconds
	if c.format == KuaiRand {
		own = Millis
	}
	at, reason := p.clock(p.fields[c.time], own)
	if reason != "" {
		return reason
	}
	kind := Shown
	if c.clicked >= 0 {
		switch text := bytes.TrimSpace(p.fields[c.clicked]); string(text) {
		case "1", "1.0", "true", "True", "TRUE":
			kind = Clicked
		case "0", "0.0", "false", "False", "FALSE":
			kind = Ignored
		case "":
		default:
			return "clicked " + quote(text) + " is neither 0, 1, true nor false"
		}
	}
	key := requestKey{}
	if c.request >= 0 {
		key = requestKey{true, user, uint64(strategies.XXHash(p.fields[c.request]))}
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

// columns finds the columns in a file's first record.
func columns(format Format, names [][]byte, o *Options) (*layout, error) {
	l := &layout{format: format, table: true, parse: row, fields: len(names), clicked: -1, request: -1}
	want := o.Columns
	if format == KuaiRand {
		want = Columns{User: "user_id", Article: "video_id", Time: "time_ms"}
	}
	header := make([]string, len(names))
	for i, name := range names {
		if header[i] = strings.TrimSpace(string(name)); format == CSV && o.NoHeader {
			header[i] = fmt.Sprint(i + 1)
		}
	}
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
		*c.at = slices.Index(header, c.name)
		switch {
		case *c.at < 0:
			return nil, fmt.Errorf("no column %q (%s) among %.200q", c.name, c.what, header)
		case slices.Contains(header[*c.at+1:], c.name):
			return nil, fmt.Errorf("two columns %q (%s)", c.name, c.what)
		}
	}
	if format == KuaiRand {
		l.clicked = slices.Index(header, "is_click")
	}
	return l, nil
}
