package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/order"
)

// ErrUnsorted is the Err of a log by OpenOrdered of which requests were given that another, found later, should have
// come before. What was made of them is void: from the next NextRequest on, the log comes anew and sorted.
var ErrUnsorted = errors.New("logs: a file is not in the order of its times")

// A Log is a log being read. One goroutine may use it: others parse for it, and end with Close.
type Log struct {
	*stream

	// OnSort, if not nil, is called before the log is sorted, and now and then while it is read for that.
	OnSort func(Position)

	byTime     bool
	ctx        context.Context
	named      []source         // in the order in which they are named
	told       map[string]int64 // the last line of each file of which a fault was told
	last       place            // of the request before
	number     uint64           // of the next request
	memory     int              // of sorting
	sorted     *order.Sorter
	sorting    bool    // requests are added to it
	peeked     []Event // the request that Begin read
	begun      bool
	remove     func() // of temporary files, or nil
	clockNamed bool   // by the options
	err        error
	ended      bool
}

// A place is where a request belongs: by its time, and then by the number of its file.
type place struct {
	time event.Moment
	file int
}

// Open returns the log of all files that the patterns name, in their order: see Files. Pipes are copied into temporary
// files. That lines can be read shows in NextRequest. The log ends with the context, whatever it waits for: Err is then
// the context's cause. The caller calls Close.
func Open(ctx context.Context, o Options, patterns ...string) (*Log, error) {
	return open(ctx, o, patterns, false)
}

// OpenOrdered returns the log that Open does in the order of its times: requests of one time come in the order of
// the files, and those of one file in that of its lines.
//
// Files are read in the order in which they begin, once, and nothing is written, until a request comes that is earlier
// than one before it: then NextRequest ends with ErrUnsorted, and the log begins anew and is sorted, by runs of 128 MB
// that lie in a temporary file where they are more than one. It takes 24 bytes a request and 9 an event, and is gone
// with Close, and in Unix also with a process that is killed.
func OpenOrdered(ctx context.Context, o Options, patterns ...string) (*Log, error) {
	return open(ctx, o, patterns, true)
}

func open(ctx context.Context, o Options, patterns []string, byTime bool) (*Log, error) {
	files, err := Files(patterns...)
	if err != nil {
		return nil, err
	}
	files, remove, err := Spool(ctx, files)
	if err != nil {
		return nil, err
	}
	l, err := OpenFiles(ctx, o, files, byTime)
	if err != nil {
		remove()
		return nil, err
	}
	l.remove = remove
	return l, nil
}

// OpenFiles is Open, or OpenOrdered, of files that Spool has returned. The caller removes them after Close.
func OpenFiles(ctx context.Context, o Options, files []File, byTime bool) (*Log, error) {
	o, err := o.WithDefaults()
	if err != nil {
		return nil, err
	}
	named, total := sources(files)
	l := &Log{}
	if byTime {
		l = newOrdered(ctx, o, named, total)
	} else {
		l.stream = start(ctx, o, named, total)
	}
	l.clockNamed = o.Clock != ""
	return l, nil
}

// New returns the log that r holds; name stands for the file's in faults. The caller calls Close, which does not
// close r.
func New(r io.Reader, name string, o Options) (*Log, error) {
	o, err := o.WithDefaults()
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(r), nil }
	return &Log{stream: start(context.Background(), o, []source{{name, open}}, 0), clockNamed: o.Clock != ""}, nil
}

func newOrdered(ctx context.Context, o Options, sources []source, total int64) *Log {
	l := &Log{byTime: true, ctx: ctx, named: sources, memory: order.Memory, told: map[string]int64{}}
	tell := o.OnFault
	o.OnFault = func(f Fault) { // a file may be read twice
		if f.Line > l.told[f.File] {
			l.told[f.File] = f.Line
			if tell != nil {
				tell(f)
			}
		}
	}
	if len(sources) > 1 {
		if o, sources = l.byBeginnings(o, total); l.err != nil {
			return l
		}
	}
	l.stream = start(ctx, o, sources, total)
	return l
}

// Doubt returns an error if the times read so far are doubtful, and no option names their clock.
func (l *Log) Doubt() error {
	reason := l.doubts.Reason(time.Now())
	if reason == "" || l.clockNamed {
		return nil
	}
	names := string(l.decided.Clock)
	if names == "" {
		names = map[Format]string{MIND: "'%m/%d/%Y %I:%M:%S %p'", Access: "access"}[l.decided.Format]
	}
	return fmt.Errorf("%s: --clock %s takes them so, --clock with %s another way", reason, names, clock.Wanted)
}

// Begin reads the first request, which NextRequest then returns, so that Decided, Said and Doubt tell what was understood.
func (l *Log) Begin() error {
	l.peeked, l.begun = l.NextRequest(), true
	return l.Err()
}

// byBeginnings are the files in the order in which they begin, and how they are read, as far as that tells.
func (l *Log) byBeginnings(o Options, total int64) (Options, []source) {
	look, begins := o, map[string]event.Moment{}
	for i, s := range l.named {
		look.MaxShare, look.Workers, look.OnFault = 1, 1, nil // the share is the log's, and faults are told later
		l.stream = start(l.ctx, look, l.named[i:i+1], total)
		if first := l.stream.request(); len(first) > 0 {
			begins[s.name] = first[0].Moment()
		}
		l.stream.close()
		if l.err = l.stream.err; l.err != nil {
			return o, nil
		}
		look = l.Decided()
	}
	look.MaxShare, look.Workers, look.OnFault = o.MaxShare, o.Workers, o.OnFault
	sources := slices.Clone(l.named)
	slices.SortStableFunc(sources, func(a, b source) int { return begins[a.name].Compare(begins[b.name]) })
	return look, sources
}

// Requests is NextRequest as a sequence. Err says how it ended.
func (l *Log) Requests() iter.Seq[[]Event] {
	return func(yield func([]Event) bool) {
		for r := l.NextRequest(); len(r) > 0 && yield(r); r = l.NextRequest() {
		}
	}
}

// NextRequest returns the next request: the events of one number. The slice is valid until the next call, and empty at
// the end of the log and where Err is not nil. A request of more than 65536 events comes in pieces of so many, which in
// the order of the times have numbers of their own.
func (l *Log) NextRequest() (request []Event) {
	if l.begun {
		l.begun = false
		return l.peeked
	}
	if !l.byTime {
		return l.stream.request()
	}
	if !l.ended && errors.Is(l.err, ErrUnsorted) {
		l.number, l.err = 0, l.sort()
	}
	switch {
	case l.ended || l.err != nil:
		return nil
	case l.sorted != nil:
		request, l.err = l.sorted.Next()
	default:
		request, l.err = l.stream.request(), l.stream.err
		if len(request) > 0 {
			file := l.last.file
			if l.named[file].name != l.at.File {
				file = slices.IndexFunc(l.named, func(s source) bool { return s.name == l.at.File })
			}
			at := place{request[0].Moment(), file}
			if cmp.Or(at.time.Compare(l.last.time), cmp.Compare(at.file, l.last.file)) < 0 {
				l.stream.close()
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

func (l *Log) sort() error {
	l.stream = start(l.ctx, l.o, l.named, l.total)
	defer l.stream.close()
	l.sorted, l.sorting = &order.Sorter{Memory: l.memory}, true
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
		request := l.stream.request()
		if len(request) == 0 {
			break
		}
		if err := l.sorted.Add(request); err != nil {
			return err
		}
	}
	if l.stream.err != nil {
		return l.stream.err
	}
	return l.sorted.Sort()
}

// Err is why there is no next request, nil at the log's end: a file that cannot be read, more faults than Options
// allow, or ErrUnsorted where the log is to be read anew.
func (l *Log) Err() error { return cmp.Or(l.err, l.stream.err) }

// Position is how far the reading is. Where the log is sorted, half of its bytes are the reading, and half what comes
// after it.
func (l *Log) Position() Position {
	p := l.at
	switch {
	case l.sorting:
		p.Read /= 2
	case l.sorted != nil:
		p.Read = l.total/2 + int64(float64(l.total)/2*l.sorted.Given())
	}
	return p
}

// Close ends the reading, where it did not end by itself, and waits for the goroutines that parse, but not
// for a pipe's next bytes. It returns Err. After it, there is no next request.
func (l *Log) Close() error {
	l.ended = true
	l.stream.close()
	if l.sorted != nil {
		l.sorted.Close()
	}
	if l.remove != nil {
		l.remove()
	}
	return l.Err()
}
