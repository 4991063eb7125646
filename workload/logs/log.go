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

	"dejavu/internal/plural"
	"dejavu/workload/logs/clock"
)

// ErrUnsorted is returned by Err for a log with Options.ByTime if a request is earlier than one already returned.
// Discard what was made of the log: the next NextRequest begins again, sorted.
var ErrUnsorted = errors.New("logs: a file is not in the order of its times")

// A Log is a log being read. It is not safe for concurrent use.
//
// Requests come in the order of files and lines or, with Options.ByTime, of their times, and then of files and lines.
// If a request is earlier than one before it, NextRequest ends with ErrUnsorted. Then the log begins again, sorted in
// memory, which takes 24 bytes an event. More than 2^26 events cannot be sorted.
type Log struct {
	*stream

	// OnSort, if not nil, is called before the log is read in order to sort it, and now and then meanwhile.
	OnSort func(Position)

	named  []source
	last   Event // the first of the last request
	most   int   // events that can be sorted
	run    int   // events sorted at once
	sorted *sorter
	held   [][]Event // requests that Begin read ahead
	err    error
}

// Open returns the log of these files, in their order. It ends with the context, even while it waits: then Err returns
// the context's cause. The caller calls Close.
func Open(ctx context.Context, o Options, files []File) (*Log, error) {
	var named []source
	total := int64(0)
	for _, f := range files {
		named = append(named, source{f.Name, func() (io.ReadCloser, error) { return os.Open(f.Path) }})
		total += f.Bytes
	}
	return newLog(ctx, o, named, total)
}

// New returns the log in r, in the order of its lines; name is for messages. The caller calls Close, and closes r.
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
	return &Log{stream: start(ctx, o, named, total), named: named, most: mostSorted, run: runRecords}, nil
}

// Begin reads the first requests ahead, so that Decided, Said and Doubt describe how the log is read.
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

// Requests returns the results of NextRequest as a sequence. Call Err at its end.
func (l *Log) Requests() iter.Seq[[]Event] {
	return func(yield func([]Event) bool) {
		for r := l.NextRequest(); len(r) > 0 && yield(r); r = l.NextRequest() {
		}
	}
}

// NextRequest returns the events of the next request. The slice is valid until the next call, and empty at the log's
// end or if Err is not nil. A request of more than 65536 events comes in pieces, which in a sorted log have their own
// numbers.
func (l *Log) NextRequest() (request []Event) {
	if len(l.held) > 0 {
		request, l.held = l.held[0], l.held[1:]
		return request
	}
	return l.request()
}

func (l *Log) request() (request []Event) {
	if errors.Is(l.err, ErrUnsorted) && l.sorted == nil {
		l.err = l.sort()
	}
	switch {
	case l.err != nil:
		return nil
	case l.sorted != nil:
		return l.sorted.next()
	}
	request, l.err = l.stream.request(), l.stream.err
	if l.o.ByTime && len(request) > 0 {
		if request[0].before(&l.last) {
			l.end(nil)
			l.err = ErrUnsorted
			return nil
		}
		l.last = request[0]
	}
	return request
}

func (l *Log) sort() error {
	reported := l.reported
	l.stream = start(l.ctx, *l.o, l.named, l.total)
	l.reported = reported
	s := &sorter{most: l.run}
	for n := 0; ; n++ {
		if n%4096 == 0 && l.OnSort != nil {
			l.OnSort(l.Position())
		}
		request := l.stream.request()
		if len(request) == 0 {
			break
		}
		if s.added += len(request); s.added > l.most || request[0].Time > lastSorted {
			return fmt.Errorf("logs: %s:%d: the log is not in the order of its times, and has more than %s or a time "+
				"after the year 2261: sort it with the DuckDB query of docs/logs.md, or read it as it is with --order file",
				l.file, l.number, plural.Of(l.most, "event", "events"))
		}
		s.add(request)
	}
	s.sort()
	l.sorted = s
	return l.stream.err
}

// Err returns why there is no next request, and nil at the log's end: an unreadable file, more faults than Options
// allow, or ErrUnsorted if the log begins again.
func (l *Log) Err() error { return cmp.Or(l.err, l.stream.err) }

// Close ends the reading, and returns Err. There is no next request after it.
func (l *Log) Close() error {
	l.end(nil)
	l.sorted, l.held = &sorter{}, nil
	return l.Err()
}
