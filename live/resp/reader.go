package resp

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"dejavu/live/traffic"
)

// A protocolError ends the connection: the next command's start is unknown.
type protocolError struct {
	status int // HTTP's code
	what   string
}

// Error implements error.
func (e *protocolError) Error() string { return e.what }

func malformed(format string, args ...any) error {
	return &protocolError{400, fmt.Sprintf(format, args...)}
}

// Lengths of an inline command, which is for people, and of a line with a number.
const inlineBytes, numberBytes = 4096, 32

// A reader finds commands in a connection's bytes. It makes room for what came, not for what was announced.
type reader struct {
	t    *traffic.Traffic
	most int // bytes of a command
	buf  []byte
	// The command under way begins at buf[from], and is read up to buf[at].
	from, at int
	left     int      // words of it still to come; 0: it has not begun
	size     int      // of the next, -1: not known
	words    [][2]int // of it, in buf
	args     [][]byte // of all commands found since reset
}

// fill reads more. Results of next are no longer valid.
func (r *reader) fill(in io.Reader) error {
	if r.from > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.from:])]
		for i := range r.words {
			r.words[i][0] -= r.from
			r.words[i][1] -= r.from
		}
		r.at -= r.from
		r.from = 0
	}
	clear(r.args)
	r.args = r.args[:0]
	if len(r.buf) == cap(r.buf) {
		grown, err := r.t.Grow(r.buf)
		if err != nil {
			return &protocolError{503, err.Error()}
		}
		r.buf = grown
	}
	n, err := in.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf = r.buf[:len(r.buf)+n]
	if n > 0 {
		return nil
	}
	return err
}

// free releases the memory, and what it held.
func (r *reader) free() {
	r.t.Free(r.buf)
	r.buf, r.from, r.at, r.words, r.args = nil, 0, 0, nil, nil
}

// next returns the next complete command, or nil: then call fill. Its words are in the reader's memory.
func (r *reader) next() (words [][]byte, err error) {
	for r.left == 0 {
		r.from, r.words, r.size = r.at, r.words[:0], -1
		if r.at == len(r.buf) {
			return nil, nil
		}
		if r.buf[r.at] != '*' {
			if words, err = r.inline(); words != nil || err != nil || r.from == r.at {
				return words, err
			}
			continue
		}
		n, some, err := r.number('*', r.most/6) // a word takes six bytes at least
		if !some || err != nil {
			return nil, err
		}
		r.left = max(n, 0) // a command without words has no answer
	}
	for r.left > 0 {
		if r.size < 0 {
			n, some, err := r.number('$', r.most)
			if !some || err != nil {
				return nil, err
			}
			if n < 0 {
				return nil, malformed("Protocol error: invalid bulk length")
			}
			r.size = n
		}
		if r.at-r.from+r.size > r.most {
			return nil, tooLong(r.most)
		}
		end := r.at + r.size
		if len(r.buf) < end+2 {
			return nil, nil
		}
		if r.buf[end] != '\r' || r.buf[end+1] != '\n' {
			return nil, malformed("Protocol error: %d bytes are not followed by the end of a line", r.size)
		}
		r.words = append(r.words, [2]int{r.at, end})
		r.at, r.size = end+2, -1
		r.left--
	}
	before := len(r.args)
	for _, w := range r.words {
		r.args = append(r.args, r.buf[w[0]:w[1]:w[1]])
	}
	return r.args[before:len(r.args):len(r.args)], nil
}

func tooLong(most int) error {
	return &protocolError{413, fmt.Sprintf("Protocol error: a command is too long, want at most %d bytes", most)}
}

// inline reads a command of words between blanks. A line without words leaves nil and goes on behind it.
func (r *reader) inline() ([][]byte, error) {
	line, err := r.line(inlineBytes)
	if line == nil || err != nil {
		return nil, err
	}
	if bytes.ContainsAny(line, `"'`) { // which a Redis takes for the ends of a word
		return nil, malformed("Protocol error: quotes in a line, want an array of words")
	}
	before := len(r.args)
	blank := func(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' } // ASCII's: others are part of names
	r.args = append(r.args, bytes.FieldsFunc(line, blank)...)
	if len(r.args) == before {
		return nil, nil
	}
	return r.args[before:len(r.args):len(r.args)], nil
}

// line returns the next line without its end, or nil if it is incomplete.
func (r *reader) line(most int) ([]byte, error) {
	end := bytes.IndexByte(r.buf[r.at:min(len(r.buf), r.at+most)], '\n')
	if end < 0 {
		if len(r.buf)-r.at >= most {
			return nil, malformed("Protocol error: a line of more than %d bytes", most)
		}
		return nil, nil
	}
	line := r.buf[r.at : r.at+end]
	r.at += end + 1
	return bytes.TrimSuffix(line, []byte{'\r'}), nil
}

// number reads the number of a line of a kind, up to most, or -1 if negative. some reports whether the line is
// complete.
func (r *reader) number(kind byte, most int) (n int, some bool, err error) {
	b := r.buf[r.at:min(len(r.buf), r.at+8)]
	for i := 1; i < len(b)-1 && b[0] == kind; i++ { // most lines, in half the time
		if d := b[i] - '0'; d <= 9 {
			n = 10*n + int(d)
			continue
		}
		if i > 1 && b[i] == '\r' && b[i+1] == '\n' && n <= most {
			r.at += i + 2
			return n, true, nil
		}
		break
	}
	n = 0
	line, err := r.line(numberBytes)
	if line == nil || err != nil {
		return 0, false, err
	}
	if len(line) == 0 || line[0] != kind {
		return 0, false, malformed("Protocol error: expected '%c', got %.20q", kind, line)
	}
	digits, negative := bytes.CutPrefix(line[1:], []byte{'-'})
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false, malformed("Protocol error: invalid length %.20q", line)
		}
		n = min(10*n+int(d-'0'), math.MaxInt32) // more than most
	}
	switch {
	case len(digits) == 0:
		return 0, false, malformed("Protocol error: invalid length %.20q", line)
	case negative:
		return -1, true, nil
	case n > most:
		return 0, false, tooLong(r.most)
	}
	return n, true, nil
}
