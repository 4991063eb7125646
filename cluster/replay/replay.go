// Package replay replays a real exposure log on Apache Beam: many machines read a file of it each, and replay a
// shard each, a share of its users, as the module's README.md says. What comes out is, byte for byte, what `go run
// ./experiments replay` writes of the same log, for it is the same code that reads, replays and makes the rows.
//
// The order of the log is that of its times, and where these are the same, or --order file asks for it, that of the
// files as they are named, and in a file that of its lines. A request ends with its file.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"dejavu/cluster/internal/storage"
	"dejavu/experiments/replay"
	"dejavu/results"
	"dejavu/workload/logs"
)

func init() {
	register.DoFn6x1[context.Context, state.Provider, int, File, func(found), func(int, []byte), error](&readFn{})
	register.DoFn5x1[context.Context, int, func(*[]byte) bool, found, func(replay.Tally), error](&shardFn{})
	register.DoFn3x1[context.Context, found, func(*replay.Tally) bool, error](&writeFn{})
	register.DoFn1x2[found, found, error](&judgeFn{})
	register.Function1x2(numberFn)
	register.Function2x1(found.plus)
	register.Function2x2(sum)
	register.Emitter1[found]()
	register.Emitter1[replay.Tally]()
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
	register.Iter1[replay.Tally]()
	beam.RegisterType(reflect.TypeFor[File]())
	beam.RegisterType(reflect.TypeFor[found]())
	beam.RegisterCoder(reflect.TypeFor[replay.Tally](), replay.Tally.MarshalBinary, decodeTally)
}

// A Config says which log is replayed, and with what, as flags of a command line; Find and Detect make the rest. Shards
// are shares of the users, 1 to 10000; 0 is one for 32 MB of files.
type Config struct {
	Named    []string        `arg:"" optional:"" name:"file" help:"Files of the log, or patterns of them."`
	Reading  replay.Reading  `embed:""`
	Settings replay.Settings `embed:""`
	Out      string          `default:"out/replay" help:"${out}" placeholder:"DIR"`
	Force    bool            `help:"${force}"`
	Shards   int             `help:"${shards}" placeholder:"N"`

	Args    []string  `kong:"-"` // the command line, for the manifest
	Asked   string    `kong:"-"` // of it the flags that change what comes out, for the manifest
	Files   []File    `kong:"-"` // the log's, in its order: by Find
	Started time.Time `kong:"-"` // for the manifest
	Most    int64     `kong:"-"` // bytes of a file's requests the runner can hold: OnFlink, or 0 for any
}

// OnFlink is four fifths of what Beam's runner for Flink holds of a bundle: 100 messages of 4 MB. That is about 13
// million requests of one article.
const OnFlink = 320_000_000

const (
	mostShards  = 10_000
	leastShards = 4

	// shardBytes makes shards that a worker can hold: of 32 MB of files, packed perhaps, come some 10 to 70
	// MB of requests, and a few times as much to replay them.
	shardBytes = 32 << 20
)

// Replay adds a replay to a pipeline, of a configuration that went through Find and Detect. What fails on the
// way fails the pipeline, and then nothing is written.
func Replay(s beam.Scope, c Config) {
	s = s.Scope("Replay")
	finds, requests := beam.ParDo2(s, newReadFn(c), beam.ParDo(s, numberFn, beam.CreateList(s, c.Files)))
	log := beam.ParDo(s, &judgeFn{Reading: c.Reading}, beam.Combine(s, found.plus, finds))
	tallies := beam.ParDo(s, &shardFn{Settings: c.Settings, Order: c.Reading.Order}, beam.GroupByKey(s, requests),
		beam.SideInput{Input: log})
	c.Files = nil // they are many, and named already
	beam.ParDo0(s, &writeFn{Config: c}, log, beam.SideInput{Input: beam.Combine(s, sum, tallies)})
}

// A File is one of the log, as workers find it.
type File struct {
	Number int    // in the log, from 0
	Name   string // as faults have it
	Path   string // where it is
	Bytes  int64  // as it is packed
}

// Vacant returns an error if Out holds another run's results and Force is false.
func (c Config) Vacant(ctx context.Context) error {
	wanted := results.Manifest{Log: &results.Log{Files: c.Named, Asked: c.Asked}}
	return storage.Vacant(ctx, c.Out, wanted, []string{results.Replay}, c.Force)
}

// Find checks the configuration and looks for the log from here, before anything runs: it fills in the files and the
// number of shards, and sees that no simulated run is overwritten. Its errors are the user's to mend, in the words of
// the command line.
func (c Config) Find(ctx context.Context) (Config, error) {
	_, err := c.Reading.Options()
	if err = cmp.Or(err, c.Settings.Check()); err != nil {
		return c, err
	}
	switch {
	case c.Out == "":
		return c, fmt.Errorf("--out is empty: want a directory for results")
	case c.Shards < 0 || c.Shards > mostShards:
		return c, fmt.Errorf("--shards is %d, want 1 to %d", c.Shards, mostShards)
	case len(c.Named) == 0:
		return c, fmt.Errorf("no file named: want one or more files or patterns of them")
	}
	if c.Files, err = files(ctx, c.Named); err != nil {
		return c, err
	}
	if c.Shards == 0 {
		var sum int64
		for _, f := range c.Files {
			sum += f.Bytes
		}
		c.Shards = int(min(max(sum/shardBytes, leastShards), mostShards))
	}
	return c, nil
}

func files(ctx context.Context, named []string) (files []File, err error) {
	for _, pattern := range named {
		list := func(_ context.Context, pattern string) ([]logs.File, error) { return logs.Files(pattern) }
		if storage.IsRemote(pattern) {
			list = storage.List
		}
		found, err := list(ctx, pattern)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			path, err := storage.Absolute(f.Name) // workers may be elsewhere in the file system
			switch {
			case err != nil:
				return nil, err
			case f.Bytes < 0:
				return nil, fmt.Errorf("%s cannot be read again, as a worker that failed must: name files", f.Name)
			case slices.ContainsFunc(files, func(other File) bool { return other.Path == path }):
				return nil, fmt.Errorf("%s is named twice", f.Name)
			}
			files = append(files, File{len(files), f.Name, path, f.Bytes})
		}
	}
	return files, nil
}

// Detect finds out how the log is read, by the beginning of the first files that tell,
// where flags do not say it: each worker has to know what they tell.
func (c Config) Detect(ctx context.Context) (Config, error) {
	o, err := c.Reading.Options()
	if err != nil {
		return c, err
	}
	o.Workers = 1
	for _, f := range c.Files {
		if o.IsDecided() {
			break
		}
		l, done, err := open(ctx, f, o)
		if err != nil {
			return c, err
		}
		l.NextRequest()
		if d := l.Decided(); d.Format != "" { // what else is wrong will be found where it is read
			o = d
		} else {
			err = l.Err()
		}
		done()
		if err != nil {
			return c, err
		}
	}
	c.Reading = c.Reading.Decided(o)
	return c, nil
}

func open(ctx context.Context, f File, o logs.Options) (l *logs.Log, done func(), err error) {
	in, err := storage.Open(ctx, f.Path)
	if err != nil {
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			path.Path = f.Name // as it was named
		}
		return nil, nil, fmt.Errorf("logs: %w", err)
	}
	if l, err = logs.New(in, f.Name, o); err != nil {
		in.Close()
		return nil, nil, err
	}
	return l, func() {
		l.Close() // its error is Err's
		in.Close()
	}, nil
}
