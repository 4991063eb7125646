package logs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// WriterOptions says how a log is written. What reading needs to know, too, has
// the name that it has in Options.
type WriterOptions struct {
	_       struct{}
	Columns Columns // of a CSV; without Clicked or Request there are no such columns
	Comma   string  // of a CSV
	Clock   Clock   // of a CSV or JSON: Seconds, which "" is, Millis or RFC3339

	// Odd adds what makes real files odd, and should change nothing: a byte order
	// mark, lines that end in CRLF, blank lines, no newline at the end; in a CSV
	// some quoted fields and commas at the end; in JSON members that nobody asks
	// for, in another order.
	Odd bool
	// Malformed, where above 0, sets a line that cannot be read before the first,
	// and then before every Malformed-th.
	Malformed int
}

// A Writer writes requests as a log that a Log reads. Keys are decimal numbers,
// after the letters U and N in MIND: Options.Numbered reads back the same users
// and articles, and without it their digests are those of the numbers.
type Writer struct {
	out     *bufio.Writer
	syntax  *syntax
	o       WriterOptions
	line    []byte
	lines   int // written, without those that are odd
	first   bool
	written int64 // requests

	// The line that is not ended, of OTTO's session.
	user   uint64
	events int
}

// NewWriter returns a writer of logs of that format, or an error where an option
// is none. The caller calls Close.
func NewWriter(w io.Writer, format Format, o WriterOptions) (*Writer, error) {
	s, err := find(string(format))
	if err != nil {
		return nil, err
	}
	if o.Malformed < 0 {
		return nil, fmt.Errorf("logs: Malformed %d, want 0 or more", o.Malformed)
	}
	if _, err := (Options{Comma: o.Comma, Clock: o.Clock}).withDefaults(); err != nil {
		return nil, err
	}
	if !slices.Contains([]Clock{"", Seconds, Millis, RFC3339}, o.Clock) {
		return nil, fmt.Errorf("logs: Clock %q cannot be written, want %q, %q or %q", o.Clock, Seconds, Millis, RFC3339)
	}
	return &Writer{out: bufio.NewWriterSize(w, 1<<16), syntax: s, o: o, first: true}, nil
}

// Write writes the events of one request, which share user and time; what a
// format has no word for is not written: OTTO has Clicked and Acted alone, Adressa
// Clicked; Acted is Clicked elsewhere.
func (w *Writer) Write(request []Event) error {
	if len(request) == 0 {
		return errors.New("logs: a request without events cannot be written")
	}
	for _, e := range request {
		switch {
		case e.User != request[0].User || e.Time != request[0].Time:
			return fmt.Errorf("logs: a request of user %d at %d has an event of user %d at %d", request[0].User, request[0].Time, e.User, e.Time)
		case e.Time < 0 || e.Time > lastTime:
			return fmt.Errorf("logs: time %d, want 0 to %d", e.Time, int64(lastTime))
		case e.Kind > Acted:
			return fmt.Errorf("logs: %v cannot be written", e.Kind)
		}
	}
	w.written++
	w.syntax.write(w, request)
	if _, err := w.out.Write(nil); err != nil { // the first of the buffer
		return fmt.Errorf("logs: %w", err)
	}
	return nil
}

// Close ends the log. It does not close what it was written to.
func (w *Writer) Close() error {
	if w.syntax.finish != nil {
		w.syntax.finish(w)
	}
	if w.first { // nothing was written, and the header is due
		w.header()
	}
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("logs: %w", err)
	}
	return nil
}

// begin begins a line: it ends the one before, so that the last can stay
// without a newline where that is asked for.
func (w *Writer) begin() {
	if w.first {
		w.first = false
		if w.o.Odd {
			w.out.WriteString("\xef\xbb\xbf")
			w.newline()
		}
		w.header()
	} else if w.o.Odd {
		w.newline()
	}
	if w.o.Odd && w.lines%16 == 5 {
		w.newline()
	}
	if w.o.Malformed > 0 && w.lines%w.o.Malformed == 0 {
		w.out.WriteString("this line cannot be read")
		w.newline()
	}
	w.lines++
}

// header writes the first line, where the format has one.
func (w *Writer) header() {
	if w.syntax.header != nil {
		w.syntax.header(w)
		w.end(true)
	}
}

// end writes a line; in an odd log its newline follows with the next.
func (w *Writer) end(newline bool) {
	w.out.Write(w.line)
	w.line = w.line[:0]
	if newline || !w.o.Odd {
		w.newline()
	}
}

func (w *Writer) newline() {
	if w.o.Odd {
		w.out.WriteByte('\r')
	}
	w.out.WriteByte('\n')
}

// odd is whether the line is one of n that differ.
func (w *Writer) odd(n int) bool { return w.o.Odd && w.lines%n == 0 }

func (w *Writer) text(s string) *Writer {
	w.line = append(w.line, s...)
	return w
}

func (w *Writer) number(n uint64) *Writer {
	w.line = strconv.AppendUint(w.line, n, 10)
	return w
}

// quoted writes a number, now and then as a quoted string.
func (w *Writer) quoted(n uint64, quote bool) *Writer {
	if quote {
		return w.text(`"`).number(n).text(`"`)
	}
	return w.number(n)
}
