package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"dejavu/workload/logs/event"
	"dejavu/workload/logs/format"
	"dejavu/workload/logs/table"
)

const (
	blockSize      = 128 << 10 // bytes of lines parsed at once: handing them over costs nothing, and a cache holds them
	blockEvents    = 1 << 16   // events that a block keeps room for, some 3 MB; room for more is given back
	described      = 1000      // faults of one block that are kept with their reasons
	longestRequest = 1 << 16   // events of a request that a key joins over blocks, which bounds its memory
)

// A block is some whole lines of one file, and what they say. Blocks go round: the cutter fills them, a worker parses
// them, the log hands their events out.
type block struct {
	buf   []byte // room for the lines
	data  []byte // the lines, within buf
	file  string
	first int64         // number of the first line
	last  int64         // number of the last
	bytes int64         // of all files when the block was cut
	known *Options      // how the lines are read, with what is known by now
	parse format.Reader // what reads them, nil if all are blank
	opens bool          // the first of its file
	done  chan struct{}
	err   error // what ends the log after this block

	format.Batch         // what the lines say
	faults       []Fault // the first of them
	counts       Counts  // of lines
}

// reset empties a block. Room for one very long line is given back, so that it does not make every block large.
func (b *block) reset() {
	if len(b.data) <= blockSize && cap(b.buf) > blockSize || b.buf == nil {
		b.buf = make([]byte, 0, blockSize)
	}
	if cap(b.Events) > blockEvents {
		b.Events = nil
	}
	clear(b.faults)
	*b = block{
		buf: b.buf, done: b.done, Batch: format.Batch{Events: b.Events[:0], Keys: event.NewTally()},
		faults: b.faults[:0],
	}
}

func (b *block) read(p *format.Parser) {
	p.Use(b.known, b.Batch)
	cut := b.known.Cutter()
	line := b.first
	for at := 0; at < len(b.data); {
		// The cutter left whole records: where one seems open here, it was to the cutter, too, and is its first line.
		text := b.data[at : at+cut.End(b.data, at, true)]
		at += len(text)
		record := table.TrimEnd(text)
		events := len(p.Events)
		switch {
		case len(record) > b.known.MaxLine:
			b.fault(line, tooLong(b.known.MaxLine))
		case table.Blank(record):
			b.counts.Blank++
		default:
			p.Line = line
			if reason := p.Record(b.parse, record); reason != "" {
				b.fault(line, reason)
			} else if len(p.Events) == events && p.LeftOut {
				b.counts.LeftOut++
			} else if len(p.Events) == events {
				b.counts.Passed++
			}
			if p.Empty {
				b.counts.Empty++
			}
		}
		b.counts.Lines++
		line += int64(max(1, bytes.Count(text, []byte{'\n'})))
	}
	b.Batch = p.Batch
	b.counts.OtherMethods = b.Batch.OtherMethods
}

func (b *block) fault(line int64, reason string) {
	b.counts.Faults++
	if len(b.faults) < described {
		b.faults = append(b.faults, event.Fault{File: b.file, Line: line, Reason: reason})
	}
}

// An input is one file while it is cut into blocks.
type input struct {
	name     string
	r        io.Reader
	known    *Options      // how the log is read, as far as the files before tell
	parse    format.Reader // nil until the first line was seen that is not blank
	carry    []byte        // read, and not yet in a block
	line     int64         // number of the line that carry begins with
	eof      bool
	err      error // what ended the reading, where it was not the end
	skipping bool  // what comes is the rest of a line that was too long
}

// fill cuts the next block. There is no more at the end of the file, where the block stays empty.
func (in *input) fill(b *block) (more bool, err error) {
	b.file, b.first = in.name, in.line
	b.buf = append(b.buf[:0], in.carry...)
	in.carry = in.carry[:0]
	for {
		in.load(b)
		if in.skipping {
			end := bytes.IndexByte(b.buf, '\n') + 1
			if end == 0 {
				if b.buf = b.buf[:0]; in.eof {
					return false, nil
				}
				continue
			}
			in.skipping = false
			in.drop(b, end)
			continue
		}
		if in.err != nil { // half a line is worse than none
			b.buf = b.buf[:bytes.LastIndexByte(b.buf, '\n')+1]
		}
		if in.eof && len(b.buf) == 0 {
			return false, nil
		}
		if in.parse == nil {
			if blanks := in.blanks(b.buf); blanks > 0 {
				in.keep(b, blanks)
				return true, nil
			}
			header, err := in.begin(b.buf)
			if err != nil {
				return false, err
			}
			if in.drop(b, header); len(b.buf) == 0 && in.eof {
				return true, nil // of a file that has a header alone
			}
		}
		if whole := in.whole(b.buf); whole > 0 && in.parse != nil {
			in.keep(b, whole)
			return true, nil
		}
		most := in.known.MaxLine
		if in.eof || len(b.buf) > most { // a block of nothing but a line that is too long
			b.last = in.line
			b.counts.Lines++
			b.fault(in.line, tooLong(most))
			in.skipping = true
			return true, nil
		}
		b.buf = append(make([]byte, 0, min(2*cap(b.buf), most+most/8+blockSize)), b.buf...)
	}
}

// drop drops the first n bytes of a block, the ends of which are lines' ends.
func (in *input) drop(b *block, n int) {
	in.line += int64(bytes.Count(b.buf[:n], []byte{'\n'}))
	b.first = in.line
	b.buf = b.buf[:copy(b.buf, b.buf[n:])]
}

// blanks is the length of the blank lines that buf begins with.
func (in *input) blanks(buf []byte) (n int) {
	for {
		line := table.Line(buf[n:], in.eof)
		if line == 0 || !table.Blank(buf[n:n+line]) {
			return n
		}
		n += line
	}
}

// begin finds out how to read a file by what it begins with, and how long its header is; parse stays
// nil where more of the file must tell. It decides for the log, if no file before has.
func (in *input) begin(buf []byte) (header int, err error) {
	if table.Line(buf, in.eof) == 0 {
		return 0, nil
	}
	if !in.known.IsDecided() {
		text := buf
		if !in.eof {
			text = buf[:bytes.LastIndexByte(buf, '\n')+1]
		}
		d := *in.known // which those that read other files may have
		if err := format.Decide(&d, text); err != nil {
			return 0, err
		}
		in.known = &d
	}
	cut := in.known.Cutter()
	n := cut.End(buf, 0, in.eof)
	if n == 0 {
		return 0, nil
	}
	isHeader := false
	if in.parse, isHeader, err = format.Begin(in.known, table.TrimEnd(buf[:n])); err != nil || !isHeader {
		return 0, err
	}
	return n, nil
}

func (in *input) load(b *block) {
	for !in.eof && len(b.buf) < cap(b.buf) {
		n, err := in.r.Read(b.buf[len(b.buf):cap(b.buf)])
		b.buf = b.buf[:len(b.buf)+n]
		if in.eof = err != nil; in.eof && !errors.Is(err, io.EOF) {
			in.err = err
		}
	}
}

// whole is the length of the whole records that buf begins with; the last of the file need not end in a newline.
func (in *input) whole(buf []byte) (end int) {
	if cut := in.known.Cutter(); cut.Quoted && bytes.IndexByte(buf, '"') >= 0 {
		for end < len(buf) {
			n := cut.End(buf, end, in.eof)
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

// keep leaves the first n bytes to the block, and puts the rest aside.
func (in *input) keep(b *block, n int) {
	b.data = b.buf[:n]
	in.carry = append(in.carry, b.buf[n:]...)
	in.line += int64(bytes.Count(b.data, []byte{'\n'}))
	b.last = in.line - 1
	if b.data[n-1] != '\n' {
		b.last++
	}
}

func tooLong(limit int) string { return fmt.Sprintf("longer than %d bytes", limit) }
