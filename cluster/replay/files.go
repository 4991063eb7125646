package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"dejavu/cluster/internal/storage"
	"dejavu/experiments/replay"
	"dejavu/workload/logs"
)

// A File is one of the log, as workers find it.
type File struct {
	Number int    // in the log, from 0
	Name   string // as faults have it
	Path   string // where it is
	Bytes  int64  // as it is packed
}

// Find looks for the log from here, before anything runs: it fills in the files and the number of shards, and
// sees that no simulated run is overwritten. Its errors are the user's to mend.
func (c Config) Find(ctx context.Context) (Config, error) {
	if err := c.Check(); err != nil {
		return c, err
	}
	files, err := files(ctx, c.Named)
	if err != nil {
		return c, err
	}
	m, err := storage.Manifest(ctx, c.Out)
	if err := replay.Overwrites(c.Out, m, err); err != nil {
		return c, err
	}
	c.Files = files
	if c.Shards == 0 {
		var sum int64
		for _, f := range files {
			sum += f.Bytes
		}
		c.Shards = int(min(max(sum/shardBytes, leastShards), mostShards))
	}
	return c, nil
}

// files lists the files that are named, in their order.
func files(ctx context.Context, named []string) (files []File, err error) {
	for _, pattern := range named {
		found, err := match(ctx, pattern)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if slices.ContainsFunc(files, func(other File) bool { return other.Path == f.Path }) {
				return nil, fmt.Errorf("%s is named twice", f.Name)
			}
			f.Number = len(files)
			files = append(files, f)
		}
	}
	return files, nil
}

// match lists the files of one pattern.
func match(ctx context.Context, pattern string) (files []File, err error) {
	if pattern == "-" {
		return nil, errors.New("- is the standard input, which workers do not have: name files")
	}
	var found []logs.File
	if storage.IsRemote(pattern) {
		found, err = storage.List(ctx, pattern)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", pattern, err)
		case len(found) == 0:
			return nil, fmt.Errorf("no file matches %q", pattern)
		}
		slices.SortFunc(found, func(a, b logs.File) int { return strings.Compare(a.Name, b.Name) })
	} else if found, err = logs.Files(pattern); err != nil {
		return nil, err
	}
	for _, f := range found {
		if f.Bytes < 0 {
			return nil, fmt.Errorf("%s cannot be read again, as a worker that failed must", f.Name)
		}
		path, err := storage.Absolute(f.Name) // workers may be elsewhere in the file system
		if err != nil {
			return nil, err
		}
		files = append(files, File{Name: f.Name, Path: path, Bytes: f.Bytes})
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
		if o, err = decided(ctx, f, o); err != nil {
			return c, err
		}
	}
	c.Reading = c.Reading.Decided(o)
	return c, nil
}

// decided is how a file is read by what it begins with, and an error where that cannot be told.
func decided(ctx context.Context, f File, o logs.Options) (logs.Options, error) {
	l, done, err := open(ctx, f, o)
	if err != nil {
		return o, err
	}
	defer done()
	l.NextRequest()
	if d := l.Decided(); d.Format != "" { // what else is wrong will be found where it is read
		return d, nil
	}
	return o, l.Err()
}

// open opens a file of the log. The caller calls done in the end.
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
