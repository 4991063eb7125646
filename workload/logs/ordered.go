package logs

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"dejavu/workload/logs/event"
	"dejavu/workload/logs/order"
)

// ErrUnsorted is the Err of an Ordered of which requests were given that another, found later, should have
// come before. What was made of them is void: from the next NextRequest on, the log comes anew and sorted.
var ErrUnsorted = errors.New("logs: a file is not in the order of its times")

// An Ordered is a log in the order of its times, whatever the order in its files: requests of one time come
// in the order of the files, and those of one file in that of its lines.
//
// Files are read in the order in which they begin, once, and nothing is written, until a request comes that is earlier
// than one before it: then NextRequest ends with ErrUnsorted, and the log begins anew, read in the order of its files
// and sorted, by runs of 128 MB that lie in a temporary file where they are more than one. It takes 24 bytes a request
// and 9 an event, and is gone with Close, and in Unix also with a process that is killed. A log with a pipe, which
// cannot be read twice, is sorted from the beginning. One goroutine may use it.
type Ordered struct {
	// OnSort, if not nil, is called before the log is sorted, and now and then while it is read for that.
	OnSort func(Position)

	ctx     context.Context
	o       Options
	sources []source // as they are named
	total   int64
	log     *Log             // of the sources, in the order in which they begin or are named
	told    map[string]int64 // the last line of each file of which a fault was told
	last    place            // of the request before
	number  uint64           // of the next request

	memory  int // of sorting
	sorted  *order.Sorter
	sorting bool // requests are added to it
	spool   bool // there is a pipe, and nothing was read
	err     error
	ended   bool
}

// A Reader is a log being read: a Log or an Ordered.
type Reader interface {
	NextRequest() []Event
	Err() error
	Counts() Counts
	Position() Position
	Decided() Options
	Close() error
}

// A place is where a request belongs, or the first of a file: by its time, and then by the number of the file.
type place struct {
	time event.Moment
	file int
}

func (p place) compare(q place) int {
	return cmp.Or(p.time.Compare(q.time), cmp.Compare(p.file, q.file))
}

// OpenOrdered returns the log of the files that Open opens, in the order of its times. The context ends the sorting.
func OpenOrdered(ctx context.Context, o Options, patterns ...string) (*Ordered, error) {
	o, sources, total, spool, err := named(o, patterns)
	if err != nil {
		return nil, err
	}
	return newOrdered(ctx, o, sources, total, spool), nil
}

func newOrdered(ctx context.Context, o Options, sources []source, total int64, spool bool) *Ordered {
	l := &Ordered{
		ctx: ctx, o: o, sources: sources, total: total, memory: order.Memory, spool: spool, told: map[string]int64{},
	}
	l.o.OnFault = func(f Fault) { // a file may be read twice
		if f.Line > l.told[f.File] {
			l.told[f.File] = f.Line
			if o.OnFault != nil {
				o.OnFault(f)
			}
		}
	}
	if len(sources) > 1 && !spool {
		if sources = l.byBeginnings(); l.err != nil {
			return l
		}
	}
	l.log = start(ctx, l.o, sources, total)
	return l
}

// byBeginnings are the files in the order in which they begin.
func (l *Ordered) byBeginnings() []source {
	var places []place
	for i := range l.sources {
		o := l.o
		o.MaxShare, o.Workers, o.OnFault = 1, 1, nil // the share is the log's, and faults are told later
		l.log = start(l.ctx, o, l.sources[i:i+1], l.total)
		p := place{file: i}
		if first := l.log.NextRequest(); len(first) > 0 {
			p.time = first[0].Moment()
		}
		if l.err = l.log.Close(); l.err != nil {
			return nil
		}
		o = l.log.Decided()
		o.MaxShare, o.Workers, o.OnFault = l.o.MaxShare, l.o.Workers, l.o.OnFault
		l.o = o
		places = append(places, p)
	}
	slices.SortFunc(places, place.compare)
	sorted := make([]source, len(places))
	for i, p := range places {
		sorted[i] = l.sources[p.file]
	}
	return sorted
}

// NextRequest returns the next request, as that of a Log, and numbers them anew: a piece
// of one of more than 65536 events has a number of its own.
func (l *Ordered) NextRequest() (request []Event) {
	if !l.ended && (l.spool || errors.Is(l.err, ErrUnsorted)) {
		l.number, l.err = 0, l.sort()
	}
	switch {
	case l.ended || l.err != nil:
		return nil
	case l.sorted != nil:
		request, l.err = l.sorted.Next()
	default:
		request, l.err = l.log.NextRequest(), l.log.Err()
		if len(request) > 0 {
			at := place{request[0].Moment(), l.log.from}
			if at.compare(l.last) < 0 {
				l.log.Close()
				l.err = ErrUnsorted
				return nil
			}
			l.last = at
		}
	}
	if len(request) == 0 {
		l.Close()
	}
	for i := range request {
		request[i].Request = l.number
	}
	l.number++
	return request
}

// sort reads all of the log.
func (l *Ordered) sort() error {
	if !l.spool {
		l.log = start(l.ctx, l.o, l.sources, l.total)
	}
	defer l.log.Close()
	l.sorted, l.spool, l.sorting = order.NewSorter(l.memory), false, true
	defer func() { l.sorting = false }()
	for n := 0; ; n++ {
		if n%4096 == 0 {
			if l.OnSort != nil {
				l.OnSort(l.Position())
			}
			if err := context.Cause(l.ctx); err != nil {
				return err
			}
		}
		request := l.log.NextRequest()
		if len(request) == 0 {
			break
		}
		if err := l.sorted.Add(request); err != nil {
			return err
		}
	}
	if err := l.log.Err(); err != nil {
		return err
	}
	return l.sorted.Sort()
}

// Err is why there is no next request, nil at the log's end, and ErrUnsorted where it is to be read anew.
func (l *Ordered) Err() error { return l.err }

// Counts is what was read so far: all of the log, once it is sorted.
func (l *Ordered) Counts() Counts { return l.log.Counts() }

// Position is how far the reading is. Where the log is sorted, half of its bytes are
// the reading, and half what comes after it.
func (l *Ordered) Position() Position {
	p := l.log.Position()
	switch {
	case l.sorting:
		p.Read /= 2
	case l.sorted != nil:
		p.Read = l.total/2 + int64(float64(l.total)/2*l.sorted.Given())
	}
	return p
}

// Decided is how the log is read, as that of a Log.
func (l *Ordered) Decided() Options { return l.log.Decided() }

// Close ends the reading, as that of a Log.
func (l *Ordered) Close() error {
	l.ended = true
	l.log.Close()
	if l.sorted != nil {
		l.sorted.Close()
	}
	return l.err
}
