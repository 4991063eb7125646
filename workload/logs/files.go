package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dejavu/workload/logs/format"
)

// A source is a file of a log, opened when its turn comes.
type source struct {
	name string
	open func(context.Context) (io.ReadCloser, error)
	log  []File // all of the log, for a message
}

// pipe opens what may have to be waited for, until the context ends.
func pipe(open func() (io.ReadCloser, error)) func(context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) {
		in, out := io.Pipe()
		context.AfterFunc(ctx, func() { in.CloseWithError(context.Cause(ctx)) })
		go func() {
			file, err := open()
			if err == nil {
				_, err = io.Copy(out, file)
				file.Close()
			}
			out.CloseWithError(err)
		}()
		return in, nil
	}
}

// named are the files that the patterns name, their bytes in all, 0 where that is not
// known, and whether one cannot be read twice.
func named(o Options, patterns []string) (full Options, sources []source, total int64, once bool, err error) {
	if o, err = format.Options(o); err != nil {
		return o, nil, 0, false, err
	}
	files, err := Files(patterns...)
	if err != nil {
		return o, nil, 0, false, err
	}
	for _, f := range files {
		name, open := f.Name, func() (io.ReadCloser, error) { return os.Open(f.Name) }
		if f.Name == "-" {
			name, open = "standard input", func() (io.ReadCloser, error) { return io.NopCloser(os.Stdin), nil }
		}
		s := source{name, func(context.Context) (io.ReadCloser, error) { return open() }, files}
		if f.Bytes < 0 {
			once = true
			s.open = pipe(open)
		}
		sources = append(sources, s)
		total += max(f.Bytes, 0)
	}
	if once {
		total = 0
	}
	return o, sources, total, once, nil
}

// A File is one of a log.
type File struct {
	Name  string // "-" is the standard input
	Bytes int64  // its length as it is packed; -1 where that is not known, as of a pipe
}

// Files lists the files that Open opens for these patterns.
func Files(patterns ...string) ([]File, error) {
	names, err := expand(patterns)
	if err != nil {
		return nil, err
	}
	files := make([]File, len(names))
	for i, name := range names {
		files[i] = File{name, -1}
		if name == "-" {
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("logs: %w", err)
		case info.IsDir():
			return nil, fmt.Errorf("logs: %s is a directory: name its files, as in %s", name, filepath.Join(name, "*.csv"))
		case info.Mode().IsRegular():
			files[i].Bytes = info.Size()
		}
	}
	return files, nil
}

// expand lists the files that the patterns name. A file whose very name looks like a pattern is that file.
func expand(patterns []string) (names []string, err error) {
	for _, pattern := range patterns {
		found := []string{pattern}
		if _, err := os.Lstat(pattern); errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(pattern, `*?[`) {
			if found, err = filepath.Glob(pattern); err != nil {
				return nil, fmt.Errorf("logs: pattern %q: %w", pattern, err)
			}
			if len(found) == 0 {
				return nil, fmt.Errorf("logs: no file matches %q", pattern)
			}
		}
		for _, name := range found {
			if name != "-" {
				name = filepath.Clean(name)
			}
			if slices.Contains(names, name) {
				return nil, fmt.Errorf("logs: %s is named twice", name)
			}
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("logs: no file named")
	}
	return names, nil
}
