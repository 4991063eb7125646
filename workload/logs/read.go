package logs

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	maxLine        = 1 << 20   // bytes of a line, a multiple of sampleBytes
	sampleBytes    = 128 << 10 // of a log's beginning, which decide how it is read
	longestRequest = 1 << 16   // events that NextRequest returns
	recentRequests = 1 << 20   // requests of a file that are remembered, so that none of them continues after others
)

type source struct {
	name string
	open func() (io.ReadCloser, error)
}

type stream struct {
	parser
	ctx     context.Context
	sources []source // that follow
	in      *bufio.Reader
	read    counter // bytes of all files so far
	total   int64
	file    string     // being read
	opened  io.Closer  // that file, or nil
	reader  lineReader // of the file, nil until its first line that is not blank

	counts   Counts
	reported int64 // faults that OnFault got; a log that is sorted is read twice
	first    Fault
	given    int // how many of events request returned
	ended    requests
	joined   request // of the latest line
	begun    Event   // the first event of its request
	latest   Event   // the latest event of the file
	err      error
	over     bool
}

func start(ctx context.Context, o Options, sources []source, total int64) *stream {
	in := bufio.NewReaderSize(nil, maxLine+2)
	p := parser{o: &o, users: newTally("user", o.WithoutUsers), shown: newTally("article", o.WithoutArticles)}
	return &stream{ctx: ctx, parser: p, sources: sources, in: in, total: total}
}

// request returns the next request, empty at the log's end.
func (s *stream) request() []Event {
	s.events = s.events[:copy(s.events, s.events[s.given:])] // keep a line that was read ahead
	for s.given = 0; len(s.events) < longestRequest; {
		n := len(s.events)
		if n > 0 && (s.joined == request{}) || !s.line() {
			break
		}
		if n > 0 && len(s.events) > n && s.events[n].Request != s.events[0].Request {
			s.given = n
			return s.events[:n]
		}
	}
	s.given = min(len(s.events), longestRequest)
	return s.events[:s.given]
}

// line reads a line and appends its events. It returns false at the log's end.
func (s *stream) line() bool {
	if s.opened == nil && !s.over {
		s.open()
	}
	if s.over {
		return false
	}
	var head []byte
	if s.reader == nil {
		if head, _ = s.in.Peek(sampleBytes); bytes.IndexByte(head, '\n') < 0 {
			head, _ = s.in.Peek(maxLine)
		}
	}
	line, err := s.in.ReadSlice('\n')
	if s.number++; s.number%1024 == 1 && s.ctx.Err() != nil {
		s.end(context.Cause(s.ctx))
		return false
	}
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		for errors.Is(err, bufio.ErrBufferFull) { // other errors are returned again
			_, err = s.in.ReadSlice('\n')
		}
		s.counts.Lines++
		s.fault(fmt.Sprintf("longer than %d bytes", maxLine))
	case errors.Is(err, io.EOF) && len(line) > 0, err == nil:
		s.take(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'}), head)
	case errors.Is(err, io.EOF):
		s.number--
		s.opened.Close()
		s.opened = nil
	default: // drop a partial line
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("the file is cut short: %w", err)
		}
		s.end(fmt.Errorf("logs: %s:%d: %w", s.file, s.number, err))
	}
	return true
}

// open opens the next file, or ends the log.
func (s *stream) open() {
	if len(s.sources) == 0 {
		s.end(s.o.tooMany(s.counts, s.first, true))
		return
	}
	f := s.sources[0]
	s.sources, s.file, s.number = s.sources[1:], f.name, 0
	s.reader, s.joined, s.ended, s.latest = nil, request{}, requests{}, Event{}
	file, err := f.open()
	if err == nil {
		s.opened = file
		err = text(s.in, file, &s.read)
	}
	if err != nil {
		s.end(fmt.Errorf("logs: %s: %w", s.file, err))
	}
}

// take reads a line. head is the file's text from there on, if the file has no reader yet.
func (s *stream) take(line, head []byte) {
	if blank(line) {
		s.counts.Lines++
		s.counts.Blank++
		return
	}
	if s.reader == nil {
		isHeader, err := s.decide(line, head)
		if err != nil {
			s.end(fmt.Errorf("logs: %s:%d: %w", s.file, s.number, err))
		}
		if err != nil || isHeader {
			return
		}
	}
	s.counts.Lines++
	from := len(s.events)
	switch reason := s.record(s.reader, line); {
	case reason != "":
		s.fault(reason)
	case len(s.events) > from:
		s.joins(from)
	case s.leftOut:
		s.counts.LeftOut++
	default:
		s.counts.Passed++
	}
	if s.isOther {
		s.counts.OtherMethods++
	}
}

// decide decides how a file that begins with this line is read, and how the log is, unless an earlier file did. It
// reports whether the line is a header.
func (s *stream) decide(line, head []byte) (isHeader bool, err error) {
	if !s.o.IsDecided() {
		if end := bytes.LastIndexByte(head, '\n'); end >= 0 && len(head)%sampleBytes == 0 { // drop a partial line
			head = head[:end+1]
		}
		if err = s.o.decide(head); err != nil {
			return false, err
		}
	}
	if s.o.Format == CSV {
		s.reader, err = s.o.beginCSV(line)
		return !s.o.NoHeader, err
	}
	s.reader = map[Format]lineReader{MIND: readMIND, Access: readAccess, JSON: readJSON}[s.o.Format]
	return s.o.Format == MIND && mindHeader.Match(line), nil
}

// joins adds the events of a line to the current request, or begins another with them.
func (s *stream) joins(from int) {
	if s.of == (request{}) || s.of != s.joined {
		if s.joined = s.of; s.of != (request{}) && s.ended.again(s.of) {
			s.end(fmt.Errorf("logs: %s:%d: the request of this line goes on after others: sort the log by user and request",
				s.file, s.number))
			s.events = s.events[:from]
			return
		}
		s.counts.Requests++
		if s.begun = s.events[from]; !s.begun.before(&s.latest) {
			s.latest = s.begun
		}
	}
	for i := from; i < len(s.events); i++ {
		e := &s.events[i]
		e.Request, e.Time, e.Nanos = uint64(s.counts.Requests-1), s.begun.Time, s.begun.Nanos
		s.counts.Events++
		if e.before(&s.latest) {
			s.counts.OutOfOrder++
		}
	}
	s.doubts.Take(s.time)
}

func (s *stream) fault(reason string) {
	f := Fault{s.file, s.number, reason}
	if s.counts.Faults++; s.counts.Faults == 1 {
		s.first = f
	}
	if reason == s.missing {
		s.counts.Empty++
	}
	if s.counts.Faults > s.reported && s.o.OnFault != nil {
		s.o.OnFault(f)
		s.reported++
	}
	if err := s.o.tooMany(s.counts, s.first, false); err != nil {
		s.end(err)
	}
}

// A requests remembers at least the latest 2^20 requests of a file.
type requests struct{ new, old map[request]struct{} }

// again reports whether a request is remembered, and remembers it.
func (r *requests) again(q request) bool {
	if len(r.new) == recentRequests || r.new == nil {
		r.new, r.old = map[request]struct{}{}, r.new
	}
	_, isNew := r.new[q]
	_, isOld := r.old[q]
	r.new[q] = struct{}{}
	return isNew || isOld
}

// end ends the log. Only the first error counts.
func (s *stream) end(err error) {
	if s.opened != nil {
		s.opened.Close()
	}
	s.over, s.err, s.opened = true, cmp.Or(s.err, err), nil
}

// Position returns how much was read. A log that is sorted was read before its first request.
func (s *stream) Position() Position { return Position{s.file, s.number, int64(s.read), s.total} }

// Counts returns what was read so far.
func (s *stream) Counts() Counts { return s.counts }

// Decided returns the options with all decisions.
func (s *stream) Decided() Options { return *s.o }

// Said returns the first three events, in words.
func (s *stream) Said() []string { return s.said }

// Warnings lists what may be wrong in the log so far, and which flag helps.
func (s *stream) Warnings() []string { return append(s.users.warnings(s.o), s.shown.warnings(s.o)...) }
