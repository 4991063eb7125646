package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"dejavu/workload/logs/decision"
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
	outage  outage
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
	file, err := s.open(l.ctx)
	if err != nil {
		return fmt.Errorf("logs: %w", err)
	}
	defer file.Close()
	plain, done, err := lines(file, read, s, l.o)
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
				l.end(l.judged(l.o.Judge(l.counts, l.first, l.decided.Format)))
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
	for i, f := range b.faults {
		since := l.begun.Seconds
		if b.after[i] > 0 {
			since = b.Events[b.after[i]-1].Time
		}
		l.outage.faults(l.counts.Lines+f.Line-b.first, 1, f, since)
	}
	l.outage.faults(l.outage.next, b.counts.Faults-int64(len(b.faults)), l.outage.first, l.outage.since)
	l.counts.Add(b.counts)
	l.keys.Add(b.Keys)
	if l.o.OnFault != nil {
		for _, f := range b.faults {
			l.o.OnFault(f)
		}
	}
	if err := cmp.Or(l.judged(l.o.TooMany(l.counts, l.first)), b.err); err != nil {
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

// judged is an error of too many faults, or where all begin at one point, that.
func (l *stream) judged(err error) error {
	if text := l.outage.text(l.counts.Lines); err != nil && text != "" && l.counts.Empty < l.counts.Faults {
		return fmt.Errorf("logs: %s: is it written in another way there? (--faults and --share let more pass) The first: %w",
			text, l.outage.first)
	}
	return err
}

// Warnings says what of the log read so far is perhaps not what it seems, and which flag helps: keys that may stand
// for no user or no article, those to be left out that are not there, and that no line can be read from some place on.
func (l *stream) Warnings() (all []string) {
	kinds := map[bool]string{true: "user", false: "article"}
	for _, s := range l.keys.Suspects() {
		all = append(all, fmt.Sprintf("about %.2g %% of what was read is of the %s %.40q: if that is none, "+
			"--without-%[2]s=%[4]s leaves it out", 100*s.Share, kinds[s.User], s.Text, decision.Quoted(s.Text)))
	}
	for i, without := range [][]string{l.o.WithoutArticles, l.o.WithoutUsers} {
		for _, text := range without {
			if k := (event.Key{User: i > 0, Text: text}); !l.keys.LeftOut[k] {
				most := l.keys.Keys(i > 0)
				all = append(all, fmt.Sprintf("--without-%s=%s leaves nothing out: no line that was read has that %[1]s; the "+
					"most frequent are %.40[3]q", kinds[k.User], decision.Quoted(text), most[:min(len(most), 3)]))
			}
		}
	}
	if text := l.outage.text(l.counts.Lines); text != "" {
		all = append(all, text)
	}
	return all
}

// IsHalf is whether the times read so far name no hours but those of a clock of twelve, and neither AM nor PM.
func (l *stream) IsHalf() bool { return l.keys.IsHalf() }

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
