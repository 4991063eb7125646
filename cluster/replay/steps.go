package replay

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"dejavu/cluster/internal/storage"
	"dejavu/experiments/replay"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/results"
	"dejavu/store"
	"dejavu/workload/logs"
)

// What is counted, as a runner shows it: lines read, those of them that cannot be read, exposures put to the histories.
var (
	lines     = beam.NewCounter("dejavu/replay", "lines")
	faults    = beam.NewCounter("dejavu/replay", "faults")
	exposures = beam.NewCounter("dejavu/replay", "exposures")
)

// shownFaults is how many lines of a file that cannot be read are told one by one.
const shownFaults = 10

func numberFn(file File) (int, File) { return file.Number, file }

type readFn struct {
	Reading replay.Reading
	Shards  int
	Most    int64 // bytes of a file's requests, or 0

	// Apart is never set. Beam's runner for Flink takes nothing that a bundle puts out before the bundle has ended, holds
	// 100 messages of it, and waits for ever where there are more. Without state it reads all files of a task in one
	// bundle; with state, each in one of its own.
	Apart state.Value[bool]

	options logs.Options
}

func newReadFn(c Config) *readFn {
	return &readFn{Reading: c.Reading, Shards: c.Shards, Most: c.Most, Apart: state.MakeValueState[bool]("apart")}
}

func (fn *readFn) Setup() (err error) {
	fn.options, err = fn.Reading.Options()
	fn.options.Workers = 1  // a runner fills a machine with as many files as it has slots
	fn.options.MaxShare = 1 // the log's share is judged, not a file's
	return err
}

// ProcessElement reads a file: what was found goes one way, its requests another, by their user's shard. With more
// faults than a whole log may have it is not read to the end: see judgeFn.
func (fn *readFn) ProcessElement(
	ctx context.Context, _ state.Provider, _ int, file File, find func(found), batch func(int, []byte),
) error {
	o := fn.options
	f := found{Latest: map[int64]int64{}}
	told := 0
	o.OnFault = func(fault logs.Fault) {
		if f.FaultIn == 0 {
			f.Fault, f.FaultIn = fault, file.Number+1
		}
		if told++; told <= shownFaults {
			log.Warnf(ctx, "%v", fault)
		} else if told == shownFaults+1 {
			log.Warnf(ctx, "%s: further unreadable lines are counted, and not shown", file.Name)
		}
	}
	l, done, err := open(ctx, file, o)
	if err != nil {
		return err
	}
	defer done()
	p := newPacker(file.Number, fn.Shards, batch)
	for request := l.NextRequest(); len(request) > 0; request = l.NextRequest() {
		if f.BeginIn == 0 {
			f.Begin, f.BeginIn = request[0].Time, file.Number+1
			f.Earliest = f.Begin
		}
		at := request[0].Time
		f.Earliest = min(f.Earliest, at)
		f.Latest[stretch(at)] = max(f.Latest[stretch(at)], at)
		p.add(request)
		if fn.Most > 0 && p.put+int64(p.held) > fn.Most {
			return fmt.Errorf("%s has more requests than this runner can hold of a file, %d MB after %d lines: "+
				"split the file, or replay on one machine", file.Name, fn.Most/1e6, l.Counts().Lines)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	f.Read = l.Counts()
	if err := l.Err(); err != nil && o.Judge(f.Read, f.Fault, o.Format) == nil {
		return err
	}
	p.end()
	lines.Inc(ctx, f.Read.Lines)
	faults.Inc(ctx, f.Read.Faults)
	find(f)
	return nil
}

// stretch is the beginning of the part of a day that a time is in: a log's clock runs for 2^32 s from the beginning of
// a day, so that it has all of a part or nothing of it.
func stretch(at int64) int64 {
	const day, rest = int64(store.Day), 1 << 32 % int64(store.Day)
	within := (at%day + day) % day
	if within >= rest {
		within -= rest
	}
	return at - within
}

type shardFn struct {
	Settings replay.Settings
	Order    string

	subjects []measure.Subject
}

func (fn *shardFn) Setup() (err error) {
	fn.subjects, err = fn.Settings.Subjects()
	return err
}

// ProcessElement replays a shard: its batches come in any order.
func (fn *shardFn) ProcessElement(
	ctx context.Context, shard int, next func(*[]byte) bool, log found, emit func(replay.Tally),
) error {
	var batches [][]byte
	var batch []byte
	for next(&batch) {
		batches = append(batches, batch)
	}
	requests, err := unpack(batches, fn.Order == replay.ByTime)
	if err != nil {
		return err
	}
	options := measure.Options{Workers: 1}
	tally, err := fn.Settings.Config().Part(ctx, fn.subjects, requests, log.span(fn.Order), options)
	if err != nil {
		return fmt.Errorf("shard %d: %w", shard, err)
	}
	exposures.Inc(ctx, tally.Log.Exposures)
	emit(tally)
	return nil
}

func sum(a, b replay.Tally) (replay.Tally, error) {
	err := a.Add(b)
	return a, err
}

type found struct {
	Read logs.Counts

	// The first request: the time, and the number of its file and one more, 0 where there is none.
	Begin   int64
	BeginIn int

	Earliest int64 // time of all requests, where there is one

	Latest map[int64]int64 // exposure of each stretch, by where that begins

	// The first line that cannot be read, and its file likewise.
	Fault   logs.Fault
	FaultIn int
}

func (f found) plus(g found) found {
	f.Read.Add(g.Read)
	latest := map[int64]int64{}
	maps.Copy(latest, f.Latest)
	for from, at := range g.Latest {
		latest[from] = max(latest[from], at)
	}
	f.Latest = latest
	if g.BeginIn > 0 && (f.BeginIn == 0 || g.Earliest < f.Earliest) {
		f.Earliest = g.Earliest
	}
	if g.BeginIn > 0 && (f.BeginIn == 0 || g.BeginIn < f.BeginIn) {
		f.Begin, f.BeginIn = g.Begin, g.BeginIn
	}
	if g.FaultIn > 0 && (f.FaultIn == 0 || g.FaultIn < f.FaultIn) {
		f.Fault, f.FaultIn = g.Fault, g.FaultIn
	}
	return f
}

// span is that of the log of which this is all, in the order of its times or of its files.
func (f found) span(order string) deal.Span {
	if order == replay.ByTime {
		f.Begin = f.Earliest
	}
	span := deal.Span{First: f.Begin, Last: f.Begin}
	for _, at := range f.Latest {
		span.Take([]logs.Event{{Time: at, Kind: logs.Shown}})
	}
	return span
}

func decodeTally(b []byte) (t replay.Tally, err error) {
	err = t.UnmarshalBinary(b)
	return t, err
}

type judgeFn struct{ Reading replay.Reading }

func (fn *judgeFn) ProcessElement(f found) (found, error) {
	o, err := fn.Reading.Options()
	if err != nil {
		return f, err
	}
	if err := o.Judge(f.Read, f.Fault, o.Format); err != nil {
		return f, err
	}
	if f.BeginIn == 0 {
		return f, deal.ErrNoExposure
	}
	return f, nil
}

type writeFn struct{ Config Config }

// ProcessElement is called once, with what was found in the whole log and, if there
// was anything to replay, with the sum of all shards.
func (fn *writeFn) ProcessElement(ctx context.Context, f found, sum func(*replay.Tally) bool) error {
	c := fn.Config
	var tally replay.Tally
	sum(&tally)
	tally.Log.Read = f.Read
	if err := c.Settings.Config().Check(tally); err != nil {
		return err
	}
	subjects, err := c.Settings.Subjects()
	if err != nil {
		return err
	}
	tally.Machine.Seconds = time.Since(c.Started).Seconds() // by two machines' clocks, perhaps
	o, err := c.Reading.Options()
	if err != nil {
		return err
	}
	rows, timing := replay.Rows(subjects, tally)
	m := results.Manifest{
		Users: int(tally.Log.Users), Args: c.Args, Commit: sysinfo.Commit(),
		Started: c.Started.UTC().Format(time.RFC3339), Seconds: math.Round(tally.Machine.Seconds*1000) / 1000,
		Environment: sysinfo.Environment(), Log: c.Settings.Log(c.Named, o, c.Reading.Order, tally.Log),
	}
	m.Log.Asked = c.Asked
	if err := c.Vacant(ctx); err != nil {
		return err
	}
	err = storage.Publish(ctx, c.Out, func(dir string) error { return replay.Save(dir, m, rows, timing) })
	if err != nil {
		return err
	}
	log.Infof(ctx, "%d exposures of %d users are replayed", tally.Log.Exposures, tally.Log.Users)
	return nil
}

// Outcome reads what a replay has left in its directory, which has to be one that this machine sees: the log
// that was read, and the error of promises that were not kept.
func Outcome(ctx context.Context, out string) (results.Manifest, error) {
	m, err := storage.Manifest(ctx, out)
	if err != nil {
		return m, err
	}
	if m.Log == nil {
		return m, fmt.Errorf("the run in %s is not a replay", out)
	}
	data, err := storage.Read(ctx, storage.Join(out, results.FileName(results.Replay)))
	if err != nil {
		return m, err
	}
	rows, err := results.Read(bytes.NewReader(data))
	if err != nil {
		return m, err
	}
	return m, replay.Broken(rows)
}
