package logs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"dejavu/workload/logs/table"
)

// blockSize is how many bytes of lines are parsed at once: large enough that
// handing them over costs nothing, small enough for a processor's cache.
const blockSize = 128 << 10

// blockEvents is how many events a worker keeps of one block, some 1.3 MB. A block that
// has more is parsed when its turn comes, so that there is one of them and not one for
// each worker: a line of a million bytes can have half a million events.
const blockEvents = 1 << 15

// described is how many faults of one block are kept with their reasons.
const described = 1000

// A block is some whole lines of one file, and what they say. Blocks go round:
// the cutter fills them, a worker parses them, the log hands their events out.
type block struct {
	buf    []byte // room for the lines
	data   []byte // the lines, within buf
	file   string
	first  int64    // number of the first line
	last   int64    // number of the last
	read   int64    // bytes of all files when the block was cut
	o      *Options // how the lines are read, with what is known by now
	syntax *syntax  // of the lines, nil where it is not known
	parse  reading  // what reads them, nil where all are blank
	opens  bool     // the first of its file
	done   chan struct{}
	err    error // what ends the log after this block

	parsed
}

// parsed is what a block's lines say.
type parsed struct {
	late           int     // events, more than blockEvents, that are still to be parsed
	events         []Event // Request counts from 0 in every block
	requests       uint64
	opening, final requestKey // of the first event and the last, where the format has keys

	faults                       []Fault // the first of them
	lines, faulty, passed, blank int64
}

// A requestKey tells consecutive lines of one request from those of another.
type requestKey struct {
	set       bool
	user, key uint64
}

// reset empties a block. Room for one very long line is given back once it is
// not needed, so that one of them does not make every block large.
func (b *block) reset() {
	if len(b.data) <= blockSize && cap(b.buf) > blockSize || b.buf == nil {
		b.buf = make([]byte, 0, blockSize)
	}
	if b.done == nil {
		b.done = make(chan struct{}, 1)
	}
	if cap(b.events) > 2*blockEvents {
		b.events = nil
	}
	clear(b.faults)
	*b = block{buf: b.buf, done: b.done, parsed: parsed{events: b.events[:0], faults: b.faults[:0]}}
}

func (b *block) fault(line int64, reason string) {
	b.lines++
	b.faulty++
	if len(b.faults) < described {
		b.faults = append(b.faults, Fault{b.file, line, reason})
	}
}

// An input is one file while it is cut into blocks.
type input struct {
	ctx      context.Context // ends the reading
	name     string
	r        io.Reader
	log      *decision // how the log is read, as far as the files before tell
	parse    reading   // nil until the first line was seen that is not blank
	carry    []byte    // read, and not yet in a block
	line     int64     // number of the line that carry begins with
	eof      bool
	err      error // what ended the reading, where it was not the end
	refused  error // why the file cannot be read
	skipping bool  // what comes is the rest of a line that was too long
}

// fill cuts the next block. It is false at the end of the file, where the block
// stays empty.
func (in *input) fill(b *block) bool {
	b.file, b.first = in.name, in.line
	buf := append(b.buf[:0], in.carry...)
	in.carry = in.carry[:0]
	for {
		if len(buf) < cap(buf) {
			buf = in.load(buf)
		}
		if in.skipping {
			end := bytes.IndexByte(buf, '\n') + 1
			if end == 0 {
				if buf = buf[:0]; in.eof {
					return false
				}
				continue
			}
			in.skipping = false
			in.line++
			b.first = in.line
			buf = buf[:copy(buf, buf[end:])]
			continue
		}
		if in.err != nil && len(buf) > 0 { // half a line is worse than none
			buf = buf[:bytes.LastIndexByte(buf, '\n')+1]
		}
		if in.eof && len(buf) == 0 {
			return false
		}
		if in.parse == nil {
			if blanks := in.blanks(buf); blanks > 0 {
				in.keep(b, buf, blanks)
				return true
			}
			header, ok, err := in.meet(buf)
			if in.refused = err; err != nil {
				b.buf, b.err = buf, fmt.Errorf("logs: %s:%d: %w", in.name, in.line, err)
				return true
			}
			if ok {
				in.line += int64(bytes.Count(buf[:header], []byte{'\n'}))
				b.first = in.line
				if buf = buf[:copy(buf, buf[header:])]; len(buf) == 0 && in.eof {
					b.buf = buf
					return true // of a file that has a header alone
				}
			}
		}
		if whole := in.whole(buf); whole > 0 && in.parse != nil {
			in.keep(b, buf, whole)
			return true
		}
		if most := in.log.MaxLine; !in.eof && len(buf) <= most {
			buf = append(make([]byte, 0, min(2*cap(buf), most+most/8+blockSize)), buf...)
			continue
		}
		in.give(b, buf)
		return true
	}
}

// blanks is the length of the blank lines that buf begins with.
func (in *input) blanks(buf []byte) (n int) {
	for {
		line := table.Line(buf[n:], in.eof)
		if line == 0 || !blank(buf[n:n+line]) {
			return n
		}
		n += line
	}
}

// meet finds out how to read a file by what it begins with, and how long its header is; not
// ok where more of the file must tell. It decides for the log, if no file before has.
func (in *input) meet(buf []byte) (header int, ok bool, err error) {
	n := table.Line(buf, in.eof)
	if n == 0 {
		return 0, false, nil
	}
	if !in.log.IsDecided() {
		text := buf
		if !in.eof {
			text = buf[:bytes.LastIndexByte(buf, '\n')+1]
		}
		d := *in.log // which those that read other files may have
		if err := d.decide(text); err != nil {
			return 0, false, err
		}
		in.log = &d
	}
	s := in.log.syntax
	if s.table == nil {
		in.parse = s.parse
		if s.heads == nil || !s.heads(trimEnd(buf[:n])) {
			n = 0
		}
		return n, true, nil
	}
	cut := in.log.cutter()
	if n = cut.End(buf, 0, in.eof); n == 0 {
		return 0, false, nil
	}
	c, err := s.table(trimEnd(buf[:n]), &in.log.Options)
	if err != nil {
		return 0, false, err
	}
	if in.parse = c.row; !c.header {
		n = 0
	}
	return n, true, nil
}

// load fills the buffer up.
func (in *input) load(buf []byte) []byte {
	for idle := 0; !in.eof && len(buf) < cap(buf); idle++ {
		n, err := 0, context.Cause(in.ctx)
		if err == nil {
			n, err = in.r.Read(buf[len(buf):cap(buf)])
		}
		if buf = buf[:len(buf)+n]; n > 0 {
			idle = 0
		} else if err == nil && idle == 100 {
			err = io.ErrNoProgress
		}
		if err != nil {
			in.eof = true
			if !errors.Is(err, io.EOF) {
				in.err = err
			}
		}
	}
	return buf
}

// whole is the length of the whole records that buf begins with. At the end of
// the file the last need not end in a newline.
func (in *input) whole(buf []byte) int {
	if s := in.log.syntax; s != nil && s.table != nil && in.log.dialect().Quoted && bytes.IndexByte(buf, '"') >= 0 {
		end := 0
		c := in.log.cutter()
		for end < len(buf) {
			n := c.End(buf, end, in.eof)
			if n == 0 {
				break
			}
			end += n
		}
		return end
	}
	if in.eof {
		return len(buf)
	}
	return bytes.LastIndexByte(buf, '\n') + 1 // 0 where there is none
}

// keep puts the first n bytes of buf into the block, the rest aside.
func (in *input) keep(b *block, buf []byte, n int) {
	b.buf, b.data = buf, buf[:n]
	in.carry = append(in.carry, buf[n:]...)
	lines := int64(bytes.Count(b.data, []byte{'\n'}))
	in.line += lines
	b.last = in.line - 1
	if buf[n-1] != '\n' {
		b.last++
	}
}

// give gives up the line that buf begins, which is too long, with a block that
// tells of nothing else.
func (in *input) give(b *block, buf []byte) {
	b.buf, b.last = buf, in.line
	b.fault(in.line, tooLong(in.log.MaxLine))
	in.skipping = true
}

func tooLong(limit int) string {
	return fmt.Sprintf("longer than %d bytes", limit)
}
