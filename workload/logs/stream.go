package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/format"
)

// A stream is the lines of some files being read, in their order. Other goroutines parse for it, and end with Close.
type stream struct {
	o       Options
	sources []source
	total   int64
	order   chan *block // blocks as they were cut, perhaps not yet parsed
	work    chan *block // the same, for the workers
	free    chan *block // blocks to be filled
	group   sync.WaitGroup
	ctx     context.Context // ends with the reading
	cancel  context.CancelCauseFunc

	now     *block // whose events are handed out
	next    int    // the first that was not
	base    uint64 // the request number of its first event
	counts  Counts
	first   Fault // the first of all
	doubts  clock.Doubts
	said    []string
	keys    event.Tally
	at      Position
	decided *Options
	joined  format.Key
	begun   event.Moment // of the request before
	latest  event.Moment // of all of the file
	pending []Event      // a request that goes on in the next block
	err     error
	ended   bool
}

func start(ctx context.Context, o Options, sources []source, total int64) *stream {
	blocks := 2*o.Workers + 2
	l := &stream{
		o: o, sources: sources, total: total, at: Position{Total: total}, keys: event.NewTally(),
		order: make(chan *block, blocks), work: make(chan *block, blocks), free: make(chan *block, blocks),
	}
	l.decided = &o
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	for range blocks {
		l.free <- &block{done: make(chan struct{}, 1)}
	}
	l.group.Go(func() { l.cut(&o) })
	for range o.Workers {
		l.group.Go(func() {
			var p format.Parser
			for b := range l.work {
				b.read(&p)
				b.done <- struct{}{}
			}
		})
	}
	return l
}

// cut cuts the files into blocks until they end, or the log does.
func (l *stream) cut(known *Options) {
	defer close(l.work)
	defer close(l.order)
	var read counter
	for _, s := range l.sources {
		in := &input{name: s.name, known: known, line: 1}
		if err := l.cutFile(in, s, &read); err != nil {
			if b := l.take(); b != nil {
				b.file, b.first, b.last, b.bytes = s.name, in.line, in.line, int64(read)
				b.err, b.known = err, in.known
				l.send(b)
			}
			return
		}
		known = in.known
	}
}

// cutFile cuts one file. An error ends the log, if nothing did.
func (l *stream) cutFile(in *input, s source, read *counter) error {
	before := *read
	file, err := s.open()
	if err != nil {
		return fmt.Errorf("logs: %w", err)
	}
	defer file.Close()
	plain, done, err := lines(file, read)
	if err != nil {
		return fmt.Errorf("logs: %s: %w", s.name, err)
	}
	defer done()
	in.r = plain
	for opens := true; ; opens = false {
		b := l.take()
		if b == nil {
			return context.Cause(l.ctx)
		}
		more, err := in.fill(b)
		if err != nil {
			l.free <- b
			return fmt.Errorf("logs: %s:%d: %w", s.name, in.line, err)
		}
		if !more {
			l.free <- b
			break
		}
		b.bytes, b.opens, b.known, b.parse = int64(*read), opens, in.known, in.parse
		l.send(b)
	}
	if errors.Is(in.err, io.ErrUnexpectedEOF) {
		in.err = fmt.Errorf("the file is cut short: %w", in.err)
	}
	if in.err != nil {
		return fmt.Errorf("logs: %s:%d: after %d bytes: %w", s.name, in.line, *read-before, in.err)
	}
	return nil
}

// take returns a block to fill, or nil once the log was closed.
func (l *stream) take() *block {
	select {
	case <-l.ctx.Done():
		return nil
	case b := <-l.free:
		b.reset()
		return b
	}
}

// send hands a block on. There is room: a channel holds all blocks.
func (l *stream) send(b *block) {
	l.order <- b
	l.work <- b
}

func (l *stream) request() []Event {
	l.pending = l.pending[:0]
	for {
		if l.now == nil || l.next == len(l.now.Events) {
			if !l.advance() || len(l.pending) > 0 && l.pending[0].Request != l.base {
				return l.pending // it was whole
			}
		}
		events := l.now.Events[l.next:]
		n, most := 1, min(len(events), longestRequest-len(l.pending))
		for n < most && events[n].Request == events[0].Request {
			n++
		}
		for i := range events[:n] {
			events[i].Request += l.base
		}
		l.next += n
		if n < len(events) && len(l.pending) == 0 {
			return events[:n:n]
		}
		l.pending = append(l.pending, events[:n]...)
		if n < len(events) || len(l.pending) >= longestRequest {
			return l.pending
		}
	}
}

// advance moves to the next block that has events, and ends the log where there is none.
func (l *stream) advance() bool {
	for !l.ended {
		l.release()
		select {
		case b, more := <-l.order:
			switch {
			case more:
				<-b.done
				l.enter(b)
				if l.now != nil && len(b.Events) > 0 { // once the log has ended the block is another's
					return true
				}
				continue
			case l.ctx.Err() == nil:
				l.end(l.o.Judge(l.counts, l.first, l.decided.Format))
				continue
			}
		case <-l.ctx.Done():
		}
		l.end(context.Cause(l.ctx))
	}
	return false
}

func (l *stream) release() {
	if l.now != nil {
		l.free <- l.now
		l.now, l.next = nil, 0
	}
}

// enter makes a block the present one, and counts it.
func (l *stream) enter(b *block) {
	l.now, l.next = b, 0
	l.at = Position{File: b.file, Line: b.last, Read: b.bytes, Total: l.total}
	l.decided = b.known
	if l.counts.Faults == 0 && b.counts.Faults > 0 {
		l.first = b.faults[0]
	}
	l.counts.Add(b.counts)
	l.keys.Add(b.Keys)
	if b.Doubts != nil {
		l.doubts.Add(b.Doubts)
	}
	l.said = append(l.said, b.Said...)[:min(3, len(l.said)+len(b.Said))]
	if l.o.OnFault != nil {
		for _, f := range b.faults {
			l.o.OnFault(f)
		}
	}
	if err := cmp.Or(l.o.TooMany(l.counts, l.first), b.err); err != nil {
		l.end(err)
		return
	}
	if b.opens {
		l.joined, l.begun, l.latest = format.Key{}, event.Moment{}, event.Moment{}
	}
	l.base = uint64(l.counts.Requests)
	if len(b.Events) > 0 {
		goesOn := b.Opening.Set && b.Opening == l.joined
		if goesOn {
			l.base--
		}
		l.times(b.Events, goesOn)
		l.joined = b.Final
		l.counts.Requests = int64(l.base + b.Requests)
		l.counts.Events += int64(len(b.Events))
	}
}

// Warnings says what in the log read so far is perhaps not what it seems, and which flag helps.
func (l *stream) Warnings() []string { return l.keys.Warnings(l.o.Without(), format.Quoted) }

// Said returns the first three events, in words.
func (l *stream) Said() []string { return l.said }

// times gives all events of a request the time of its first, and counts those that come out of order. goesOn is whether
// the first of them are of the request before.
func (l *stream) times(events []Event, goesOn bool) {
	for i := range events {
		e := &events[i]
		if i > 0 && e.Request == events[i-1].Request || i == 0 && goesOn {
			e.Time, e.Nanos = l.begun.Seconds, l.begun.Nanos
		} else if l.begun = e.Moment(); l.begun.Compare(l.latest) >= 0 {
			l.latest = l.begun
		}
		if l.begun.Compare(l.latest) < 0 {
			l.counts.OutOfOrder++
		}
	}
}

// end ends the log, once, and its goroutines.
func (l *stream) end(err error) {
	l.ended, l.err = true, err
	l.release()
	format.Forget()
	l.cancel(nil)
}

// Counts is what was read so far, in whole blocks of lines.
func (l *stream) Counts() Counts { return l.counts }

// Decided is how the log is read: the options that it was opened with, and in place of what they leave open
// what the log's beginning told. With them any other file of the log is read as in the log.
func (l *stream) Decided() Options { return *l.decided }

// close ends the reading, where it did not end by itself, and waits for the goroutines.
func (l *stream) close() {
	if !l.ended {
		l.end(l.err)
	}
	l.group.Wait()
}
