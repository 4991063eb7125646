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
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // of any machine

	"dejavu/results"
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

// An opened file is closed with its file system.
type opened struct {
	io.ReadCloser
	from io.Closer
}

func (o opened) Close() error { return errors.Join(o.ReadCloser.Close(), o.from.Close()) }

// List lists the files of a storage that match a pattern, and their lengths.
func List(ctx context.Context, pattern string) (names []string, bytes []int64, err error) {
	in, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	if names, err = in.List(ctx, pattern); err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		n, err := in.Size(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		bytes = append(bytes, n)
	}
	return names, bytes, nil
}

// Read reads a file: the error is fs.ErrNotExist where there is none.
func Read(ctx context.Context, name string) ([]byte, error) {
	if !IsRemote(name) {
		return os.ReadFile(name)
	}
	switch found, _, err := List(ctx, name); { // storages have errors of their own for what is not there
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	in, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// Manifest reads the manifest of the run in a directory: the error is
// fs.ErrNotExist where there is none.
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

// Publish copies the files of a run from a directory of this machine to where they
// are wanted. The manifest is the last: a run that has one is whole.
func Publish(ctx context.Context, dir, out string) error {
	if _, err := os.Stat(filepath.Join(dir, results.ManifestName)); err != nil {
		return fmt.Errorf("there is no run to publish: %w", err)
	}
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && name != results.ManifestName {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range append(names, results.ManifestName) {
		if err := publish(ctx, dir, out, name); err != nil {
			return fmt.Errorf("writing %s to %s: %w", name, out, err)
		}
	}
	return nil
}

// publish copies one file, whole or not at all.
func publish(ctx context.Context, dir, out, name string) error {
	in, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer in.Close()
	path := Join(out, name)
	if !IsRemote(out) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return results.Replace(path, func(w io.Writer) error {
			_, err := io.Copy(w, in)
			return err
		})
	}
	to, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer to.Close()
	w, err := to.OpenWrite(ctx, path) // an object appears when it is closed
	if err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return errors.Join(err, w.Close())
}
