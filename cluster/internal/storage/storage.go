// Package storage is files where a pipeline's workers see them: of their machines, or
// in a storage that Beam has a file system for (gs://bucket/file).
package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // of any machine

	"dejavu/experiments/engine"
	"dejavu/results"
	"dejavu/workload/logs"
)

// IsRemote reports whether a path is one of a storage, and not of a machine.
func IsRemote(path string) bool { return strings.Contains(path, "://") }

// Absolute makes a path of this machine one that holds in any directory. A path
// of a storage is one already, and none stays none.
func Absolute(path string) (string, error) {
	if IsRemote(path) || path == "" {
		return path, nil
	}
	return filepath.Abs(path)
}

// Join is a file's path in a directory.
func Join(dir, name string) string {
	if !IsRemote(dir) {
		return filepath.Join(dir, filepath.FromSlash(name))
	}
	return strings.TrimSuffix(dir, "/") + "/" + path.Clean(name)
}

// Open opens a file for reading.
func Open(ctx context.Context, name string) (io.ReadCloser, error) {
	from, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	in, err := from.OpenRead(ctx, name)
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	return opened{in, from}, nil
}

type opened struct {
	io.ReadCloser
	from io.Closer
}

func (o opened) Close() error { return errors.Join(o.ReadCloser.Close(), o.from.Close()) }

// List lists the files of a storage that match a pattern, by their names: there is one at least.
func List(ctx context.Context, pattern string) (files []logs.File, err error) {
	in, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	names, err := in.List(ctx, pattern)
	slices.Sort(names)
	for _, name := range names {
		n, sizeErr := in.Size(ctx, name)
		err = errors.Join(err, sizeErr)
		files = append(files, logs.File{Name: name, Bytes: n})
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", pattern, err)
	case len(files) == 0:
		return nil, fmt.Errorf("no file matches %q", pattern)
	}
	return files, nil
}

// Read reads a file: the error is fs.ErrNotExist where there is none.
func Read(ctx context.Context, name string) ([]byte, error) {
	if !IsRemote(name) {
		return os.ReadFile(name)
	}
	in, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	found, err := in.List(ctx, name) // storages have errors of their own for what is not there
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return filesystem.Read(ctx, in, name)
}

// Manifest reads the manifest of the run in a directory: the error is fs.ErrNotExist where there is none.
func Manifest(ctx context.Context, dir string) (m results.Manifest, err error) {
	data, err := Read(ctx, Join(dir, results.ManifestName))
	if err != nil {
		return m, fmt.Errorf("no run in %s: %w", dir, err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s in %s: %w", results.ManifestName, dir, err)
	}
	return m, nil
}

// Vacant returns nil if a run of the named experiments may write its results to out. An error means that out holds
// another run's results, or experiments that the run would drop from the manifest, and force is false.
func Vacant(ctx context.Context, out string, wanted results.Manifest, names []string, force bool) error {
	there, err := Manifest(ctx, out)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, x := range there.Experiments {
		if !force && there.Differs(wanted) == "" && !slices.Contains(names, x.Name) {
			return fmt.Errorf("--out: %s holds %s too, which would be lost: name it, or another directory, or --force to "+
				"replace the run", out, x.Name)
		}
	}
	switch {
	case !IsRemote(out):
		return engine.Vacant(out, wanted, names, force)
	case force:
		return nil
	}
	return engine.Other(out, there, err, wanted)
}

// Publish copies the files of a run, which make leaves in a directory of this machine, to
// where they are wanted. The manifest is the last: a run that has one is whole.
func Publish(ctx context.Context, out string, make func(dir string) error) error {
	dir, err := os.MkdirTemp("", "dejavu-run-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := make(dir); err != nil {
		return err
	}
	files := os.DirFS(dir)
	copied := func(name string) error {
		data, err := fs.ReadFile(files, name)
		if err == nil {
			err = write(ctx, Join(out, name), data)
		}
		if err != nil {
			return fmt.Errorf("writing %s to %s: %w", name, out, err)
		}
		return nil
	}
	if _, err := fs.Stat(files, results.ManifestName); err != nil {
		return fmt.Errorf("there is no run to publish: %w", err)
	}
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || name == results.ManifestName {
			return err
		}
		return copied(name)
	})
	if err != nil {
		return err
	}
	return copied(results.ManifestName)
}

// write writes a file, whole or not at all: an object appears when it is closed.
func write(ctx context.Context, path string, data []byte) error {
	if !IsRemote(path) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return results.Replace(path, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	to, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer to.Close()
	return filesystem.Write(ctx, to, path, data)
}
