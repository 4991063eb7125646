package replay

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"dejavu/experiments/replay"
	"dejavu/experiments/replay/replayer"
	"dejavu/measure"
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

// A readFn reads files.
type readFn struct {
	Reading replay.Reading
	Shards  int

	options logs.Options
}

// Setup makes the options, once in a worker.
func (fn *readFn) Setup() (err error) {
	fn.options, err = fn.Reading.Options()
	fn.options.Workers = 1  // a runner fills a machine with as many files as it has slots
	fn.options.MaxShare = 1 // the log's share is judged, not a file's
	return err
}

// ProcessElement reads a file: what was found in it goes one way, and its requests the other, by their user's
// shard. A file with more faults than the whole log may have is not read to the end: judgeFn will say so.
func (fn *readFn) ProcessElement(ctx context.Context, file File, find func(found), batch func(int, []byte)) error {
	o := fn.options
	var f found
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
		f.Earliest = min(f.Earliest, request[0].Time)
		p.add(request)
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

// A latestFn finds the latest exposure of some requests.
type latestFn struct{ Order string }

// ProcessElement looks through a batch, knowing when the log began.
func (fn *latestFn) ProcessElement(_ context.Context, _ int, batch []byte, log found, emit func(int64)) error {
	requests, err := unpack([][]byte{batch}, false)
	if err != nil {
		return err
	}
	span := log.span(fn.Order)
	for request := requests.NextRequest(); len(request) > 0; request = requests.NextRequest() {
		span.Take(request)
	}
	emit(span.Last)
	return nil
}

// A shardFn replays shards.
type shardFn struct {
	Settings replay.Settings
	Order    string

	subjects []measure.Subject
}

// Setup constructs the strategies, once in a worker.
func (fn *shardFn) Setup() (err error) {
	fn.subjects, err = fn.Settings.Subjects()
	return err
}

// ProcessElement replays a shard: its batches come in any order.
func (fn *shardFn) ProcessElement(
	ctx context.Context, shard int, next func(*[]byte) bool, log found, latest func(*int64) bool,
	emit func(replayer.Tally),
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
	span := log.span(fn.Order)
	latest(&span.Last)
	tally, err := fn.Settings.Config().Part(ctx, fn.subjects, requests, span, measure.Options{Workers: 1})
	if err != nil {
		return fmt.Errorf("shard %d: %w", shard, err)
	}
	exposures.Inc(ctx, tally.Log.Exposures)
	emit(tally)
	return nil
}

// sum adds up the tallies of two shards, which are of as many strategies.
func sum(a, b replayer.Tally) (replayer.Tally, error) {
	err := a.Add(b)
	return a, err
}
