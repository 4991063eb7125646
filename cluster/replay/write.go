package replay

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"dejavu/cluster/internal/storage"
	"dejavu/experiments/replay"
	"dejavu/experiments/replay/replayer"
	"dejavu/internal/sysinfo"
	"dejavu/results"
)

// A writeFn writes what a replay leaves.
type writeFn struct{ Config Config }

// ProcessElement is called once, with what was found in the whole log and, if there
// was anything to replay, with the sum of all shards.
func (fn *writeFn) ProcessElement(ctx context.Context, f found, sum func(*replayer.Tally) bool) error {
	c := fn.Config
	var tally replayer.Tally
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
