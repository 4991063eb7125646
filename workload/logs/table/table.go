// Package table cuts text into the records of a table, and records into fields.
//
// A record is a line. Where fields may be quoted it may have several, as RFC 4180 has it; but one quote too many would
// turn all that follows inside out. So a record of several lines is one of at most so many bytes in which every quote
// closes where a field ends; otherwise it is its first line alone, and the lines after it are read for themselves.
//
// The cost is linear in the text, whatever its quotes: each byte is looked at twice at the most, once as part
// of a line that begins a record and once as part of a quoted field that goes on from an earlier line.
package table

import (
	"bytes"
	"fmt"
	"strconv"
)

// Dialect is how fields are parted.
type Dialect struct {
	Comma  string // between fields; not empty, without a quote or the end of a line
	Quoted bool   // a field that begins with " goes on to the next ", and "" is one " within it
}

// A Cutter finds where records end. All threads of quoted text that reach the beginning of
// one line are in the same state there, so that it follows one of them for all records.
type Cutter struct {
	Dialect
	Limit int // bytes that a record of several lines may have

	from, at int    // the lines from here to there were read as the inside of a quoted field
	state    ending // of it, after the last of them
}

// An ending is how a line leaves a record.
type ending uint8

const (
	ended   ending = iota // with its end
	open                  // within a quoted field
	broken                // a quote is where none can be
	unknown               // within a quoted field, and the text ends before the next line does
)

// End is the length of the record that begins at this place of the text, its newline included, or 0 where more of the
// text must tell; with eof there is no more. In all calls the text is the same, and no place is before an earlier one.
func (c *Cutter) End(text []byte, at int, eof bool) int {
	n := Line(text[at:], eof)
	if n == 0 || !c.Quoted || c.line(text[at:at+n], false) != open {
		return n
	}
	if next := at + n; next < c.from || next > c.at || next == c.at && c.state != open && c.state != unknown {
		c.from, c.at, c.state = next, next, open
	}
	for c.state == open && c.at-at <= c.Limit {
		if more := Line(text[c.at:], eof); more > 0 {
			c.state = c.line(text[c.at:c.at+more], true)
			c.at += more
		} else if c.state = unknown; eof {
			c.state = broken
		}
	}
	switch {
	case c.state == ended && c.at-at <= c.Limit:
		return c.at - at
	case c.state == unknown && len(text)-at <= c.Limit:
		return 0
	}
	return n
}

// Line is the length of the first line of text, 0 where more of the text must tell.
func Line(text []byte, eof bool) int {
	n := bytes.IndexByte(text, '\n') + 1
	if n == 0 && eof {
		return len(text)
	}
	return n
}

// TrimEnd cuts the end of a line off.
func TrimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
}

// Blank is whether a line has nothing but white space.
func Blank(line []byte) bool { return len(bytes.Trim(line, " \t\r\n")) == 0 }

// line reads a line from its beginning, within a quoted field or not.
func (d Dialect) line(line []byte, quoted bool) ending {
	if !quoted && bytes.IndexByte(line, '"') < 0 {
		return ended
	}
	for {
		if !quoted && len(line) > 0 && line[0] == '"' {
			quoted, line = true, line[1:]
		}
		for quoted {
			end := bytes.IndexByte(line, '"')
			if end < 0 {
				return open
			}
			if line = line[end+1:]; len(line) > 0 && line[0] == '"' { // a pair of quotes is one
				line = line[1:]
			} else if quoted = false; !d.closes(line) {
				return broken
			}
		}
		comma := d.next(line)
		if comma < 0 {
			return ended
		}
		line = line[comma+len(d.Comma):]
	}
}

// closes is whether a quoted field ends before this.
func (d Dialect) closes(rest []byte) bool {
	return len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r' || bytes.HasPrefix(rest, []byte(d.Comma))
}

func (d Dialect) next(text []byte) int { return bytes.Index(text, []byte(d.Comma)) }

// A Splitter parts records into fields. It keeps its memory for the next.
type Splitter struct {
	Dialect
	Most int // fields that a record may have

	fields  [][]byte
	scratch []byte // what quoted fields say, where it is not what they look like
}

// Split parts a record, without its newline, into fields, as encoding/csv does, or says why
// that cannot be. The fields are valid until the next call.
func (s *Splitter) Split(record []byte) (fields [][]byte, reason string) {
	s.fields, s.scratch = s.fields[:0], s.scratch[:0]
	quoted := s.Quoted && bytes.IndexByte(record, '"') >= 0
	for more := true; more; {
		if len(s.fields) == s.Most {
			return nil, "more than " + strconv.Itoa(s.Most) + " fields"
		}
		var field []byte
		if quoted && len(record) > 0 && record[0] == '"' {
			if field, record, reason = s.unquote(record[1:]); reason != "" {
				return nil, reason
			}
			more = len(record) > 0
		} else {
			end := s.next(record)
			if more = end >= 0; !more {
				end = len(record)
			}
			field, record = record[:end], record[end:]
			if quoted && bytes.IndexByte(field, '"') >= 0 {
				return nil, fmt.Sprintf("a quote within field %.40q, which does not begin with one%s", field, asTheyAre)
			}
		}
		if more {
			record = record[len(s.Comma):]
		}
		s.fields = append(s.fields, field)
	}
	return s.fields, ""
}

// asTheyAre is what helps where quotes are none.
const asTheyAre = " (--quote none takes quotes as they are)"

// unquote is the field that a quote opened, and what follows its closing one.
func (s *Splitter) unquote(record []byte) (field, rest []byte, reason string) {
	from, plain := len(s.scratch), true
	for i := 0; ; {
		end := bytes.IndexByte(record[i:], '"')
		if end < 0 {
			return nil, nil, "a quoted field does not end, or not well" + asTheyAre
		}
		end += i
		if end+1 < len(record) && record[end+1] == '"' {
			s.scratch = append(s.scratch, record[i:end+1]...)
			plain = false
			i = end + 2
			continue
		}
		if rest = record[end+1:]; len(rest) > 0 && !bytes.HasPrefix(rest, []byte(s.Comma)) {
			return nil, nil, fmt.Sprintf("%.40q follows a closing quote, where %q should%s", rest, s.Comma, asTheyAre)
		}
		if field = record[i:end]; !plain {
			s.scratch = append(s.scratch, field...)
			field = s.scratch[from:]
		}
		if bytes.IndexByte(field, '\r') >= 0 {
			field = bytes.ReplaceAll(field, []byte("\r\n"), []byte("\n"))
		}
		return field, rest, ""
	}
}
