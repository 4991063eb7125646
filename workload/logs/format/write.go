package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/event"
)

// LastTime is the end of the year 9999.
const LastTime = 253402300799

// WriterOptions says how a log is written. What reading needs to know, too, has
// the name that it has in Options.
type WriterOptions struct {
	_       struct{}
	Columns decision.Columns // of a CSV or JSON; without Clicked or Request there are no such columns
	Comma   string           // of a CSV
	Clock   clock.Clock      // of a CSV or JSON: Seconds, which "" is, Millis or RFC3339
}

// A Writer writes requests as a log that a Log reads. Keys are decimal numbers,
// after the letters U and N in MIND: Options.Numbered reads back the same users
// and articles, and without it their digests are those of the numbers.
type Writer struct {
	out      *bufio.Writer
	syntax   *syntax
	o        WriterOptions
	requests int // written
}

// NewWriter returns a writer of logs of that format, or an error where an option
// is none. The caller calls Close.
func NewWriter(to io.Writer, format decision.Format, o WriterOptions) (*Writer, error) {
	s, err := find(string(format))
	if err != nil {
		return nil, err
	}
	if _, err := (decision.Options{Comma: o.Comma}).WithDefaults(); err != nil {
		return nil, err
	}
	clocks := []clock.Clock{clock.Seconds, clock.Millis, clock.RFC3339}
	if o.Clock != "" && !slices.Contains(clocks, o.Clock) {
		return nil, fmt.Errorf("logs: Clock %q cannot be written, want one of %q", o.Clock, clocks)
	}
	w := &Writer{out: bufio.NewWriterSize(to, 1<<16), syntax: s, o: o}
	if s.header != nil {
		s.header(w)
	}
	return w, nil
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
			return fmt.Errorf("logs: a request of user %d at %d has an event of user %d at %d",
				request[0].User, request[0].Time, e.User, e.Time)
		case e.Time < 0 || e.Time > LastTime:
			return fmt.Errorf("logs: time %d, want 0 to %d", e.Time, int64(LastTime))
		case e.Kind > event.Acted:
			return fmt.Errorf("logs: %v cannot be written", e.Kind)
		}
	}
	w.requests++
	w.syntax.write(w, request)
	if _, err := w.out.Write(nil); err != nil { // the first of the buffer
		return fmt.Errorf("logs: %w", err)
	}
	return nil
}

// Close ends the log. It does not close what it was written to.
func (w *Writer) Close() error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("logs: %w", err)
	}
	return nil
}

// line writes a line, as fmt.Printf does; Write has its error.
func (w *Writer) line(format string, values ...any) { fmt.Fprintf(w.out, format+"\n", values...) }

// time is a time as the clock has it.
func (w *Writer) time(seconds int64) string {
	switch w.o.Clock {
	case clock.RFC3339:
		return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	case clock.Millis:
		return strconv.FormatInt(seconds*1000, 10)
	}
	return strconv.FormatInt(seconds, 10)
}

// click is 1 for what was opened and 0 for what was not, "" where that is not known.
func click(k event.Kind) string {
	return [...]string{event.Shown: "", event.Ignored: "0", event.Clicked: "1", event.Acted: "1"}[k]
}
