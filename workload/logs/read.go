package logs

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"dejavu/workload/logs/clock"
)

const (
	maxLine        = 1 << 20   // bytes of a line
	blockSize      = 128 << 10 // bytes of lines that are parsed at once
	blockEvents    = 1 << 16   // events that a block keeps room for, some 3 MB
	described      = 1000      // faults of a block that are kept with their reasons
	longestRequest = 1 << 16   // events of a request that goes over blocks
	recentRequests = 1 << 20   // requests of which at least the latest are known not to come again
)

// A source is a file of a log, opened when its turn comes.
type source struct {
	name string
	open func() (io.ReadCloser, error)
}

// A block is some whole lines of one file, and what they say. The cutter fills it, a worker parses it, the stream hands
// its events out, and the cutter fills it again.
type block struct {
	parser
	data   []byte
	file   string
	first  int64 // number of the first line
	last   int64 // number of the last
	header int64 // number of the line that is a header, or 0
	bytes  int64 // of all files when the block was cut
	opens  bool  // the first of its file
	done   chan struct{}
	err    error // ends the log after this block

	faults []Fault // the first of them
	counts Counts  // of lines
}

// parse parses the lines of a block.
func (b *block) parse() {
	b.line = b.first
	for rest := b.data; len(rest) > 0; b.line++ {
		var line []byte
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line, rest = rest[:end], rest[end+1:]
		} else {
			line, rest = rest, nil
		}
		if b.line == b.header {
			continue
		}
		b.counts.Lines++
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if blank(line) {
			b.counts.Blank++
			continue
		}
		events := len(b.events)
		switch reason := b.record(line); {
		case reason != "":
			b.fault(reason)
			if reason == b.missing {
				b.counts.Empty++
			}
		case len(b.events) > events:
		case b.leftOut:
			b.counts.LeftOut++
		default:
			b.counts.Passed++
		}
	}
	b.counts.OtherMethods = b.otherMethods
}

func (b *block) fault(reason string) {
	b.counts.Faults++
	if len(b.faults) < described {
		b.faults = append(b.faults, Fault{b.file, b.line, reason})
	}
}

func blank(line []byte) bool { return len(bytes.Trim(line, " \t\r\n")) == 0 }

// A stream reads files in their order. Other goroutines cut and parse for it, and end with close.
type stream struct {
	o       Options
	sources []source
	total   int64
	order   chan *block // as they were cut, perhaps not yet parsed
	work    chan *block // the same, for the workers
	free    chan *block
	group   sync.WaitGroup
	ctx     context.Context // ends with the reading
	cancel  context.CancelCauseFunc

	now     *block // whose events are handed out
	next    int    // the first that was not
	counts  Counts
	first   Fault // the first of all
	doubts  clock.Doubts
	said    []string
	keys    tally
	at      Position
	decided *Options
	ended   requests // of the file
	joined  request  // of the last event
	begun   Event    // the first of the latest request
	latest  Event    // of all of the file
	pending []Event  // a request that goes on in the next block
	err     error
	over    bool
}

func start(ctx context.Context, o Options, sources []source, total int64) *stream {
	n := 2*o.Workers + 2
	s := &stream{
		o: o, sources: sources, total: total, at: Position{Total: total}, keys: newTally(), decided: &o,
		order: make(chan *block, n), work: make(chan *block, n), free: make(chan *block, n),
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	for range n {
		s.free <- &block{done: make(chan struct{}, 1)}
	}
	s.group.Go(s.cut)
	for range o.Workers {
		s.group.Go(func() {
			for b := range s.work {
				b.parse()
				b.done <- struct{}{}
			}
		})
	}
	return s
}

// cut cuts the files into blocks until they end, or the log does.
func (s *stream) cut() {
	defer close(s.work)
	defer close(s.order)
	read, known, line := counter(0), &s.o, int64(0)
	in := bufio.NewReaderSize(nil, maxLine+blockSize)
	for _, f := range s.sources {
		if err := s.cutFile(f, in, &read, &known, &line); err != nil {
			if b := s.take(); b != nil {
				b.o, b.file, b.first, b.last, b.bytes, b.err = known, f.name, line, line, int64(read), err
				s.send(b)
			}
			return
		}
	}
}

// cutFile cuts one file, of which line is the number of the next line. It decides how the log is read, if no file
// before did.
func (s *stream) cutFile(f source, in *bufio.Reader, read *counter, known **Options, line *int64) error {
	*line = 1
	before := *read
	file, err := f.open()
	if err != nil {
		return fmt.Errorf("logs: %w", err)
	}
	defer file.Close()
	done, err := text(in, file, read)
	if err != nil {
		return fmt.Errorf("logs: %s: %w", f.name, err)
	}
	defer done()
	var parse reader
	for opens := true; err == nil; opens = false {
		b := s.take()
		if b == nil {
			return context.Cause(s.ctx)
		}
		var isLong bool
		b.data, isLong, err = lines(in, b.data)
		b.file, b.first, b.line, b.bytes, b.opens = f.name, *line, *line, int64(*read), opens
		*line += int64(bytes.Count(b.data, []byte{'\n'}))
		b.last = *line - 1
		switch {
		case isLong:
			b.counts.Lines++
			b.fault(fmt.Sprintf("longer than %d bytes", maxLine))
			b.last, *line = *line, *line+1
		case len(b.data) > 0 && b.data[len(b.data)-1] != '\n':
			b.last++
		}
		if parse == nil {
			var wrong error
			if parse, wrong = b.begin(known); wrong != nil {
				return fmt.Errorf("logs: %s:%d: %w", f.name, b.line, wrong)
			}
		}
		b.o, b.read = *known, parse
		s.send(b)
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the file is cut short: %w", err)
	}
	return fmt.Errorf("logs: %s:%d: after %d bytes: %w", f.name, *line, *read-before, err)
}

// lines appends some whole lines to buf[:0], or skips a line that is too long. The last line of a file need not end in a
// newline. An error says that there are no more.
func lines(in *bufio.Reader, buf []byte) (text []byte, isLong bool, err error) {
	var head []byte
	n := 0
	for _, most := range []int{blockSize, maxLine + 1} {
		if head, err = in.Peek(most); n == 0 {
			n = bytes.LastIndexByte(head, '\n') + 1
		}
		if n > 0 || err != nil {
			break
		}
	}
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		n = len(head)
	case n == 0 && err == nil:
		for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
			_, err = in.ReadSlice('\n')
		}
		return buf[:0], true, err
	}
	text = append(buf[:0], head[:n]...)
	if _, _ = in.Discard(n); n > 0 && n < len(head) {
		err = nil // what is left comes again
	}
	return text, false, err
}

// begin finds out how a file is read by the first line of a block that is not blank, and which line is a header. The
// reader is nil if all are blank.
func (b *block) begin(known **Options) (parse reader, err error) {
	for rest := b.data; len(rest) > 0; b.line++ {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		line := bytes.TrimRight(rest[:end], "\r\n")
		if blank(line) {
			rest = rest[end:]
			continue
		}
		if !(*known).IsDecided() {
			d := **known // which those that read other files may have
			if err := d.decide(rest); err != nil {
				return nil, err
			}
			*known = &d
		}
		isHeader := false
		if parse, isHeader, err = (*known).begin(line); isHeader {
			b.header = b.line
		}
		return parse, err
	}
	return nil, nil
}

// take returns a block to fill, or nil once the log was closed.
func (s *stream) take() *block {
	select {
	case <-s.ctx.Done():
		return nil
	case b := <-s.free:
		data, events := b.data[:0], b.events[:0]
		if cap(data) > 2*blockSize { // room for one very long line is given back
			data = nil
		}
		if cap(events) > blockEvents {
			events = nil
		}
		old := b.parser
		*b = block{data: data, done: b.done, faults: b.faults[:0]}
		b.parser = parser{
			events: events, keys: old.keys[:0], starts: old.starts[:0], json: old.json, lists: old.lists, split: old.split,
			articles: old.articles, numbers: old.numbers,
		}
		return b
	}
}

// send hands a block on. There is room: a channel holds all blocks.
func (s *stream) send(b *block) {
	s.order <- b
	s.work <- b
}

// request returns the next request, empty at the log's end.
func (s *stream) request() []Event {
	s.pending = s.pending[:0]
	for {
		for s.now == nil || s.next == len(s.now.events) {
			if !s.advance() {
				return s.pending
			}
		}
		events := s.now.events[s.next:]
		if len(s.pending) > 0 && events[0].Request != s.pending[0].Request {
			return s.pending
		}
		n, most := 1, min(len(events), longestRequest-len(s.pending))
		for n < most && events[n].Request == events[0].Request {
			n++
		}
		s.next += n
		if n < len(events) && len(s.pending) == 0 {
			return events[:n:n]
		}
		s.pending = append(s.pending, events[:n]...)
		if n < len(events) || len(s.pending) >= longestRequest {
			return s.pending
		}
	}
}

// advance moves to the next block, and ends the log if there is none.
func (s *stream) advance() bool {
	s.release()
	if s.over {
		return false
	}
	select {
	case b, more := <-s.order:
		switch {
		case more:
			<-b.done
			s.enter(b)
			return !s.over
		case s.ctx.Err() == nil:
			s.end(s.o.tooMany(s.counts, s.first, true))
			return false
		}
	case <-s.ctx.Done():
	}
	s.end(context.Cause(s.ctx))
	return false
}

func (s *stream) release() {
	if s.now != nil {
		s.free <- s.now
		s.now, s.next = nil, 0
	}
}

// enter makes a block the present one, and counts it.
func (s *stream) enter(b *block) {
	s.now, s.next, s.decided = b, 0, b.o
	s.at = Position{File: b.file, Line: b.last, Read: b.bytes, Total: s.total}
	if s.counts.Faults == 0 && b.counts.Faults > 0 {
		s.first = b.faults[0]
	}
	s.counts.Add(b.counts)
	s.keys.add(b.keys)
	s.doubts.Zoned, s.doubts.Bare = s.doubts.Zoned+b.zoned, s.doubts.Bare+b.bare
	s.said = append(s.said, b.said...)[:min(3, len(s.said)+len(b.said))]
	if s.o.OnFault != nil {
		for _, f := range b.faults {
			s.o.OnFault(f)
		}
	}
	if err := cmp.Or(s.o.tooMany(s.counts, s.first, false), b.err); err != nil {
		s.end(err)
		return
	}
	if b.opens {
		s.ended, s.joined, s.begun, s.latest = requests{}, request{}, Event{}, Event{}
	}
	if len(b.events) == 0 {
		return
	}
	goesOn := len(b.starts) > 0 && b.starts[0].request == s.joined && s.joined != request{}
	for i, r := range b.starts {
		if s.joined = r.request; (i > 0 || !goesOn) && s.ended.again(r.request) {
			s.end(fmt.Errorf("logs: %s:%d: the request of this line goes on after others: sort the log by user and request",
				b.file, r.line))
			return
		}
	}
	base := uint64(s.counts.Requests)
	if goesOn {
		base--
	}
	for i := range b.events {
		e := &b.events[i]
		if e.Request += base; (i > 0 || goesOn) && e.Request == s.begun.Request {
			e.Time, e.Nanos = s.begun.Time, s.begun.Nanos // all of a request have the time of its first
		} else if s.begun = *e; !e.before(&s.latest) {
			s.latest = *e
		}
		if e.before(&s.latest) {
			s.counts.OutOfOrder++
		}
		s.doubts.Take(e.Time, e.Nanos)
	}
	s.counts.Requests = int64(base + b.requests)
	s.counts.Events += int64(len(b.events))
}

// Requests remembers which requests of a file have begun, the latest 2^20 at the least.
type requests struct{ new, old map[request]struct{} }

// again reports whether a request has begun before, and remembers it.
func (r *requests) again(q request) bool {
	if len(r.new) == recentRequests || r.new == nil {
		r.new, r.old = map[request]struct{}{}, r.new
	}
	_, isNew := r.new[q]
	_, isOld := r.old[q]
	r.new[q] = struct{}{}
	return q != request{} && (isNew || isOld)
}

// end ends the log, once, and its goroutines.
func (s *stream) end(err error) {
	s.over, s.err = true, err
	s.release()
	s.cancel(nil)
}

// close ends the reading, if it did not end by itself, and waits for the goroutines.
func (s *stream) close() {
	if !s.over {
		s.end(s.err)
	}
	s.group.Wait()
}

// Counts returns what was read so far, in whole blocks of lines.
func (s *stream) Counts() Counts { return s.counts }

// Decided returns how the log is read: the options, and in place of what they leave open what the log's beginning told.
func (s *stream) Decided() Options { return *s.decided }

// Said returns the first three events, in words.
func (s *stream) Said() []string { return s.said }

// Warnings says what in the log read so far is perhaps not what it seems, and which flag helps.
func (s *stream) Warnings() []string { return s.keys.warnings(&s.o) }
