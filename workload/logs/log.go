package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"dejavu/workload/logs/clock"
)

// mostSorted bounds the memory of sorting.
const mostSorted = 1 << 26

// ErrUnsorted is returned by Err for a log with Options.ByTime if a request comes that is earlier than one already
// returned. What was made of the log is void: the next NextRequest begins anew, sorted.
var ErrUnsorted = errors.New("logs: a file is not in the order of its times")

// A Log is a log being read. One goroutine may use it.
//
// Requests come in the order of files and lines or, with Options.ByTime, of their times, and then of files and lines.
// Files are read once until a request comes that is earlier than one before it. Then NextRequest ends with
// ErrUnsorted, and the log begins anew, sorted in memory, which takes 40 to 90 bytes an event. A log of more than 2^26
// events is refused then.
type Log struct {
	*stream

	// OnSort, if not nil, is called before the log is sorted, and now and then while it is read for that.
	OnSort func(Position)

	named   []source
	faults  int64     // since the log last began
	told    int64     // the most of them
	last    Event     // of the request before
	next    uint64    // number of the next request
	most    int       // events that are sorted
	sorted  []Event   // Request is twice the number of the event as it came, plus 1 at the beginning of a request
	given   int       // of them
	sorting bool      // the log is read to be sorted
	held    [][]Event // the requests that Begin read
	remove  func()    // of temporary files, or nil
	err     error
	ended   bool
}

// Open returns the log of all files that the patterns name, in their order: see Files. Pipes are copied into temporary
// files. NextRequest reports whether lines can be read. The log ends with the context, even while it waits: Err is
// then the context's cause. The caller calls Close.
func Open(ctx context.Context, o Options, patterns ...string) (*Log, error) {
	files, err := Files(patterns...)
	if err != nil {
		return nil, err
	}
	files, remove, err := Spool(ctx, files)
	if err != nil {
		return nil, err
	}
	l, err := OpenFiles(ctx, o, files)
	if err != nil {
		remove()
		return nil, err
	}
	l.remove = remove
	return l, nil
}

// OpenFiles is Open of files that Spool has returned. The caller removes them after Close.
func OpenFiles(ctx context.Context, o Options, files []File) (*Log, error) {
	var named []source
	total := int64(0)
	for _, f := range files {
		named = append(named, source{f.Name, func() (io.ReadCloser, error) { return os.Open(f.Path) }})
		total += f.Bytes
	}
	return newLog(ctx, o, named, total)
}

// New returns the log that r holds, in the order of its lines; name replaces the file's name in faults. The caller
// calls Close, which does not close r.
func New(r io.Reader, name string, o Options) (*Log, error) {
	o.ByTime = false
	open := func() (io.ReadCloser, error) { return io.NopCloser(r), nil }
	return newLog(context.Background(), o, []source{{name, open}}, 0)
}

func newLog(ctx context.Context, o Options, named []source, total int64) (*Log, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &Log{named: named, most: mostSorted}
	if tell := o.OnFault; tell != nil {
		o.OnFault = func(f Fault) { // a log that is sorted is read twice
			if l.faults++; l.faults > l.told {
				l.told = l.faults
				tell(f)
			}
		}
	}
	l.stream = start(ctx, o, named, total)
	return l, nil
}

// Begin reads the first requests, which NextRequest then returns, so that Decided, Said and Doubt describe how the log
// was understood.
func (l *Log) Begin() error {
	for len(l.held) < sampled {
		request := l.request()
		if errors.Is(l.err, ErrUnsorted) {
			l.held = nil
			continue
		}
		if len(request) == 0 {
			break
		}
		l.held = append(l.held, slices.Clone(request))
	}
	return l.Err()
}

// Doubt returns an error if the times read so far are doubtful, unless an option names their clock.
func (l *Log) Doubt() error {
	reason := l.doubts.Reason(time.Now())
	if reason == "" || l.o.clockNamed {
		return nil
	}
	return fmt.Errorf("%s: --clock %s takes them so, --clock with %s another way",
		reason, quoted(string(l.o.Clock)), clock.Wanted)
}

// Requests returns NextRequest as a sequence. Err says how it ended.
func (l *Log) Requests() iter.Seq[[]Event] {
	return func(yield func([]Event) bool) {
		for r := l.NextRequest(); len(r) > 0 && yield(r); r = l.NextRequest() {
		}
	}
}

// NextRequest returns the next request: the events with one number. The slice is valid until the next call, and empty
// at the end of the log and if Err is not nil. A request of more than 65536 events comes in pieces, which in the order
// of times have their own numbers.
func (l *Log) NextRequest() (request []Event) {
	if len(l.held) > 0 {
		request, l.held = l.held[0], l.held[1:]
		return request
	}
	return l.request()
}

func (l *Log) request() (request []Event) {
	if !l.o.ByTime {
		return l.stream.request()
	}
	if !l.ended && errors.Is(l.err, ErrUnsorted) {
		l.next, l.err = 0, l.sort()
	}
	switch {
	case l.ended || l.err != nil:
		return nil
	case l.sorted != nil:
		request = l.sorted[l.given:]
		n := min(1, len(request))
		for n < len(request) && request[n].Request&1 == 0 {
			n++
		}
		request, l.given = request[:n], l.given+n
	default:
		request, l.err = l.stream.request(), l.stream.err
		if len(request) > 0 && request[0].before(&l.last) {
			l.stream.end(nil)
			l.err = ErrUnsorted
			return nil
		}
	}
	if len(request) == 0 {
		l.ended, l.sorted = true, nil
		return nil
	}
	l.last = request[0]
	for i := range request {
		request[i].Request = l.next
	}
	l.next++
	return request
}

// sort reads the log anew, and sorts it.
func (l *Log) sort() error {
	l.stream, l.faults = start(l.ctx, *l.o, l.named, l.total), 0
	l.sorting = true
	var all []Event
	for n := 0; ; n++ {
		if n%4096 == 0 && l.OnSort != nil {
			l.OnSort(l.Position())
		}
		request := l.stream.request()
		if len(request) == 0 {
			break
		}
		if len(all)+len(request) > l.most {
			return fmt.Errorf("logs: %s:%d: the log is not in the order of its times, and has more than %d events: sort it "+
				"with the DuckDB query of docs/logs.md, or read it as it is with --order file", l.file, l.number, l.most)
		}
		for i, e := range request {
			if e.Request = uint64(len(all)) << 1; i == 0 {
				e.Request++
			}
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Nanos, b.Nanos), cmp.Compare(a.Request, b.Request))
	})
	l.sorted, l.sorting = all, false
	return l.stream.err
}

// Err returns why there is no next request, and nil at the log's end: an unreadable file, more faults than Options
// allow, or ErrUnsorted if the log is to be read anew.
func (l *Log) Err() error { return cmp.Or(l.err, l.stream.err) }

// Position returns how far the reading is. If the log is sorted, half of its bytes are the reading, and half what comes
// after it.
func (l *Log) Position() Position {
	p := Position{l.file, l.number, int64(l.read), l.total}
	switch {
	case l.sorting:
		p.Read /= 2
	case l.sorted != nil:
		p.Read = l.total/2 + int64(float64(l.total)/2*float64(l.given)/float64(max(len(l.sorted), 1)))
	}
	return p
}

// Close ends the reading, and returns Err. After it, there is no next request.
func (l *Log) Close() error {
	l.ended = true
	l.stream.end(nil)
	l.sorted, l.held = nil, nil
	if l.remove != nil {
		l.remove()
	}
	return l.Err()
}
