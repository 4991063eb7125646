package logs

import "bytes"

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
	p.fields = p.fields[:0]
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
