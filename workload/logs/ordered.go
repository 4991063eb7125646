package logs

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrUnsorted is the Err of an Ordered of which requests were given that another, found
// later, should have come before. What was made of them is void: from the next
// NextRequest on, the log comes anew and sorted.
var ErrUnsorted = errors.New("logs: a file is not in the order of its times")

// mostOpen bounds how many files are merged at once: each takes the memory of a Log.
const mostOpen = 32

// An Ordered is a log in the order of its times, whatever the order in its files:
// requests of one time come in the order of the files, and those of one file in that of
// its lines.
//
// Files that are sorted are read once, and merged where they overlap in time, so that
// nothing is written. That is assumed until a request comes that is earlier than one
// before it in its file, or more than 32 files overlap: then NextRequest ends with
// ErrUnsorted, and the log begins anew, read in the order of its files and sorted, by
// runs of 128 MB that lie in a temporary file where they are more than one. It takes 24
// bytes a request and 9 an event, and is gone with Close, and in Unix also with a
// process that is killed. A log with a pipe, which cannot be read twice, is sorted from
// the beginning.
//
// Merging takes the memory of a Log for each file that is open. One goroutine may use it.
type Ordered struct {
	// OnSort, if not nil, is called before the log is sorted, and now and then while it is
	// read for that.
	OnSort func(Position)

	ctx     context.Context
	o       Options // with what counts faults
	onFault func(Fault)
	sources []source
	total   int64
	memory  int // of sorting

	waiting []waiting // by their times
	open    heads     // a heap by their requests
	given   *head     // whose request was given, and which is to go on
	fault   map[string]int64
	number  uint64

	sorted  *sorter
	spool   bool  // there is a pipe
	broken  error // of a file that was looked at
	counts  Counts
	first   numberedFault
	decided Options
	read    int64 // of files that have ended
	at      Position
	err     error
	ended   bool
}

// A Reader is a log being read: a Log or an Ordered.
type Reader interface {
	NextRequest() []Event
	Err() error
	Counts() Counts
	Position() Position
	Format() Format
	Decided() Options
	Close() error
}

// A waiting file is opened when it is time for its first request.
type waiting struct {
	file  int
	first moment
}

// A head is a file being merged.
type head struct {
	*Log
	file    int
	request []Event
	time    moment
	faults  int64 // of its Counts
}

// A numberedFault is the first fault, of the first of the files that have one.
type numberedFault struct {
	Fault
	file int
}

// OpenOrdered returns the log of the files that Open opens, in the order of its times. The
// context ends the sorting.
func OpenOrdered(ctx context.Context, o Options, patterns ...string) (*Ordered, error) {
	o, sources, total, spool, err := named(o, patterns)
	if err != nil {
		return nil, err
	}
	return newOrdered(ctx, o, sources, total, spool), nil
}

func newOrdered(ctx context.Context, o Options, sources []source, total int64, spool bool) *Ordered {
	l := &Ordered{ctx: ctx, o: o, onFault: o.OnFault, sources: sources, total: total, memory: sortMemory, spool: spool, at: Position{Total: total}, fault: map[string]int64{}}
	l.o.OnFault = l.tell
	if !spool {
		l.look()
	}
	return l
}

// tell tells of a fault, once: a file may be read twice.
func (l *Ordered) tell(f Fault) {
	if f.Line > l.fault[f.File] {
		l.fault[f.File] = f.Line
		if l.onFault != nil {
			l.onFault(f)
		}
	}
}

// look finds the order in which files begin. One that cannot be read comes first, to
// say why, and those after it are not looked at.
func (l *Ordered) look() {
	known := &decision{Options: l.o}
	known.syntax, _ = find(string(l.o.Format))
	defer func() { l.o = known.Options }()
	for i, s := range l.sources {
		w := waiting{file: i}
		if len(l.sources) > 1 {
			var err error
			if w.first, err = s.begins(l.ctx, &known); err != nil {
				l.waiting, l.broken = []waiting{w}, fmt.Errorf("logs: %s: %w", s.name, err)
				return
			}
		}
		l.waiting = append(l.waiting, w)
	}
	slices.SortStableFunc(l.waiting, func(a, b waiting) int { return a.first.compare(b.first) })
}

// NextRequest returns the next request, as that of a Log, and numbers them anew: a piece
// of one of more than 65536 events has a number of its own.
func (l *Ordered) NextRequest() []Event {
	if errors.Is(l.err, ErrUnsorted) || l.spool && l.sorted == nil && !l.ended {
		l.err = nil
		l.sort()
	}
	if l.ended || l.err != nil {
		return nil
	}
	if l.sorted != nil {
		request, err := l.sorted.next()
		if len(request) == 0 {
			l.end(err)
		}
		return request
	}
	request := l.merge()
	for i := range request {
		request[i].Request = l.number
	}
	l.number++
	return request
}

// merge is the earliest request of all files.
func (l *Ordered) merge() []Event {
	if h := l.given; h != nil {
		l.given = nil
		before := h.time
		if more := l.advance(h); l.err != nil {
			return nil
		} else if !more {
			heap.Pop(&l.open)
		} else if h.time.before(before) {
			l.stop(ErrUnsorted)
			return nil
		} else {
			heap.Fix(&l.open, 0)
		}
	}
	for len(l.waiting) > 0 && (len(l.open) == 0 || !l.open[0].time.before(l.waiting[0].first)) {
		file := l.waiting[0].file
		l.waiting = l.waiting[1:]
		if len(l.open) == mostOpen {
			l.stop(ErrUnsorted)
			return nil
		}
		o := l.o
		o.MaxShare = 1 // the log's share is judged, not a file's
		o.Workers = max(1, o.Workers/(1+len(l.open)))
		h := &head{Log: start(l.ctx, o, l.sources[file:file+1], 0), file: file}
		l.open = append(l.open, h)
		if more := l.advance(h); l.err != nil {
			return nil
		} else if more {
			heap.Fix(&l.open, len(l.open)-1)
		} else {
			l.open = l.open[:len(l.open)-1]
		}
	}
	if len(l.open) == 0 {
		l.end(cmp.Or(l.o.Judge(l.counts, l.first.Fault, l.Format()), l.broken))
		return nil
	}
	l.given = l.open[0]
	return l.given.request
}

// advance reads a file's next request, and is false at its end.
func (l *Ordered) advance(h *head) bool {
	h.request = h.NextRequest()
	if h.counts.Faults > h.faults {
		h.faults = h.counts.Faults
		if l.first.Line == 0 || h.file < l.first.file {
			l.first = numberedFault{h.Log.first, h.file}
		}
		if err := l.o.tooMany(l.Counts(), l.first.Fault); err != nil {
			l.close(h)
			l.stop(err)
			return false
		}
	}
	l.at = Position{File: h.at.File, Line: h.at.Line, Total: l.total}
	if d := h.Decided(); l.decided.Format == "" || l.decided.Clock == "" {
		l.decided = d
	}
	if len(h.request) > 0 {
		h.time = moment{h.request[0].Time, h.request[0].Nanos}
		return true
	}
	l.counts.Add(h.counts)
	l.read += h.at.Read
	if err := l.close(h); err != nil {
		l.stop(err)
	}
	return false
}

// close ends the reading of a file.
func (l *Ordered) close(h *head) error {
	err := h.Close()
	h.counts, h.at = Counts{}, Position{} // which are the log's now
	return err
}

// stop ends the merging, with an error.
func (l *Ordered) stop(err error) {
	for _, h := range l.open {
		h.Close()
	}
	l.open, l.waiting, l.given = nil, nil, nil
	l.err = err
	l.ended = !errors.Is(err, ErrUnsorted)
}

// sort reads all of the log.
func (l *Ordered) sort() {
	in := start(l.ctx, l.o, l.sources, l.total)
	defer in.Close()
	l.sorted = newSorter(l.memory)
	l.counts = Counts{}
	for n := 0; ; n++ {
		if n%4096 == 0 {
			if l.at = in.Position(); l.OnSort != nil {
				l.OnSort(l.Position())
			}
			if err := context.Cause(l.ctx); err != nil {
				l.end(err)
				return
			}
		}
		request := in.NextRequest()
		if len(request) == 0 {
			break
		}
		if err := l.sorted.add(request); err != nil {
			l.end(err)
			return
		}
	}
	l.counts, l.decided, l.at = in.Counts(), in.Decided(), in.Position()
	err := in.Err()
	if err == nil {
		err = l.sorted.sort()
	}
	if err != nil {
		l.end(err)
	}
}

// end ends the log, once.
func (l *Ordered) end(err error) {
	l.ended, l.err = true, err
	if l.sorted != nil {
		l.sorted.close()
	}
}

// Err is why there is no next request, nil at the log's end, and ErrUnsorted where it is
// to be read anew.
func (l *Ordered) Err() error { return l.err }

// Counts is what was read so far: all of the log, once it is sorted.
func (l *Ordered) Counts() Counts {
	c := l.counts
	for _, h := range l.open {
		c.Add(h.counts)
	}
	return c
}

// Position is how far the reading is. Where the log is sorted, half of its bytes are
// the reading, and half what comes after it.
func (l *Ordered) Position() Position {
	p := l.at
	switch {
	case l.sorted == nil:
		p.Read = l.read
		for _, h := range l.open {
			p.Read += h.at.Read
		}
	case !l.sorted.ready:
		p.Read /= 2
	default:
		p.Read = l.total/2 + int64(float64(l.total)/2*float64(l.sorted.given)/float64(max(l.sorted.added, 1)))
	}
	return p
}

// Format is the log's format, "" until that is known.
func (l *Ordered) Format() Format { return l.Decided().Format }

// Decided is how the log is read, as that of a Log.
func (l *Ordered) Decided() Options {
	if l.decided.Format == "" {
		return l.o
	}
	return l.decided
}

// Close ends the reading, as that of a Log.
func (l *Ordered) Close() error {
	if !l.ended {
		l.stop(l.err)
		l.end(l.err)
	}
	return l.err
}

// heads is a heap of files by the times of their requests, and then by their order.
type heads []*head

func (h heads) Len() int { return len(h) }
func (h heads) Less(i, j int) bool {
	return h[i].time.before(h[j].time) || h[i].time == h[j].time && h[i].file < h[j].file
}
func (h heads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)   { *h = append(*h, x.(*head)) }

func (h *heads) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return x
}
