package logs

import "io"

// An elements reads the elements of a JSON array as lines, one each: commas between elements become ends of lines, and
// these, as far as they stand within the array, blanks. Nothing is moved, and nothing kept.
type elements struct {
	r       io.Reader
	depth   int
	quoted  bool // within a string,
	escaped bool // and behind a backslash
}

func (e *elements) Read(p []byte) (n int, err error) {
	n, err = e.r.Read(p)
	for i, c := range p[:n] {
		switch {
		case (c == '\n' || c == '\r') && e.depth > 0:
			p[i] = ' '
		case e.quoted:
			e.quoted, e.escaped = c != '"' || e.escaped, c == '\\' && !e.escaped
		case c == '"':
			e.quoted = true
		case c == '[' || c == '{':
			if e.depth++; e.depth == 1 {
				p[i] = ' '
			}
		case c == ']' || c == '}':
			if e.depth--; e.depth == 0 {
				p[i] = ' '
			}
		case c == ',' && e.depth == 1:
			p[i] = '\n'
		}
	}
	if err == io.EOF && e.depth > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
