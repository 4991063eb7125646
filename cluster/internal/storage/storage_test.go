package storage_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"

	"dejavu/cluster/internal/storage"
	"dejavu/results"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// A broken storage fails at what its paths say, and knows what was closed.
type broken struct {
	filesystem.Interface
	closed []string
}

var storages = &broken{}

func init() {
	filesystem.Register("broken", func(ctx context.Context) filesystem.Interface {
		return &broken{Interface: memfs.New(ctx)}
	})
}

func (b *broken) Close() error {
	storages.closed = append(storages.closed, "storage")
	return nil
}

func (b *broken) List(_ context.Context, pattern string) ([]string, error) {
	switch {
	case strings.Contains(pattern, "unlisted"):
		return nil, errors.New("no list")
	case strings.Contains(pattern, "absent"):
		return nil, nil
	case strings.Contains(pattern, "several"):
		return []string{"b", "c", "a"}, nil
	}
	return []string{pattern}, nil
}

func (b *broken) Size(_ context.Context, name string) (int64, error) {
	if strings.Contains(name, "://") {
		return 0, errors.New("no size")
	}
	return int64(name[0]), nil
}

func (b *broken) OpenRead(_ context.Context, name string) (io.ReadCloser, error) {
	if strings.Contains(name, "unread") || strings.Contains(name, "absent") {
		return nil, errors.New("no reading")
	}
	return &file{name: name}, nil
}

func (b *broken) OpenWrite(_ context.Context, name string) (io.WriteCloser, error) {
	if strings.Contains(name, "unopened") {
		return nil, errors.New("not opened")
	}
	return &file{name: name}, nil
}

// A file fails at what its name says.
type file struct {
	io.Reader
	name string
}

func (f *file) Write(p []byte) (int, error) {
	if strings.Contains(f.name, "unwritten") {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func (f *file) Close() error {
	storages.closed = append(storages.closed, f.name)
	if strings.Contains(f.name, "unclosed") {
		return errors.New("not closed")
	}
	return nil
}

func run(names ...string) func(dir string) error {
	return func(dir string) error {
		for _, name := range names {
			path := filepath.Join(dir, name)
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(name), 0o600))
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// What was published is read again, on a machine and in a storage; the manifest is the last that is written.
func TestPublished(t *testing.T) {
	names := []string{results.ManifestName, "rows.csv", "figures/a.svg", "z"}
	for _, out := range []string{filepath.Join(t.TempDir(), "a", "run"), "memfs://a/run", "memfs://b/run/"} {
		strategytest.Must(t, storage.Publish(t.Context(), out, run(names...)))
		for _, name := range names {
			strategytest.Equal(t, string(strategytest.Value(storage.Read(t.Context(), storage.Join(out, name)))), name,
				"the file in %s", out)
		}
		if _, err := storage.Read(t.Context(), storage.Join(out, "none")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("what is not in %s: %v", out, err)
		}
		_, err := storage.Manifest(t.Context(), out)
		strategytest.ErrorSays(t, "a manifest that is none", err, results.ManifestName+" in "+out)
		if _, err := storage.Manifest(t.Context(), storage.Join(out, "other")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no manifest: %v", err)
		}
	}
	storages.closed = nil
	strategytest.Must(t, storage.Publish(t.Context(), "broken://run", run(names...)))
	want := []string{
		"broken://run/figures/a.svg", "storage", "broken://run/rows.csv", "storage", "broken://run/z", "storage",
		"broken://run/" + results.ManifestName, "storage",
	}
	strategytest.EqualSlices(t, storages.closed, want, "closed are")
}

// A run is published whole, or there is an error and no manifest.
func TestNotPublished(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"unopened", "writing unopened to broken://run: not opened"},
		{"unwritten", "writing unwritten to broken://run: disk full"},
		{"unclosed", "writing unclosed to broken://run: not closed"},
	} {
		storages.closed = nil
		err := storage.Publish(t.Context(), "broken://run", run(results.ManifestName, c.file))
		if err == nil || err.Error() != c.want || slices.Contains(storages.closed, "broken://run/"+results.ManifestName) {
			t.Errorf("%v, want %s; closed are %q", err, c.want, storages.closed)
		}
	}
	err := storage.Publish(t.Context(), t.TempDir(), run("rows.csv"))
	strategytest.ErrorSays(t, "no manifest", err, "there is no run to publish")
	inTheWay := filepath.Join(t.TempDir(), "file")
	strategytest.Must(t, os.WriteFile(inTheWay, nil, 0o600))
	if err := storage.Publish(t.Context(), inTheWay, run(results.ManifestName)); err == nil {
		t.Error("a run was written below a file")
	}
}

// What a storage cannot do is an error, and what was opened of it is closed.
func TestBrokenStorages(t *testing.T) {
	storages.closed = nil
	in := strategytest.Value(storage.Open(t.Context(), "broken://file"))
	strategytest.Must(t, in.Close())
	_, err := storage.Open(t.Context(), "broken://unread")
	if err == nil || !slices.Equal(storages.closed, []string{"broken://file", "storage", "storage"}) {
		t.Errorf("%v, closed are %q", err, storages.closed)
	}
	for _, path := range []string{"broken://unlisted", "broken://unread", "s4://file"} {
		if _, err := storage.List(t.Context(), path); err == nil { // the sizes of the second
			t.Errorf("%s is listed", path)
		}
		if _, err := storage.Read(t.Context(), path); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := storage.Read(t.Context(), "broken://absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err) // whatever a storage says
	}
}

// Files are in the order of their names, whatever a storage has them in: it is the order of a log.
func TestListed(t *testing.T) {
	files, err := storage.List(t.Context(), "broken://several")
	want := []logs.File{{Name: "a", Bytes: 'a'}, {Name: "b", Bytes: 'b'}, {Name: "c", Bytes: 'c'}}
	if err != nil || !slices.Equal(files, want) {
		t.Errorf("%+v, %v, want %+v", files, err, want)
	}
}

func TestPaths(t *testing.T) {
	for _, dir := range []string{"gs://a/b", "gs://a/b/"} {
		strategytest.Equal(t, storage.Join(dir, "c/d"), "gs://a/b/c/d", "c/d in %s is", dir)
	}
	here := strategytest.Value(os.Getwd())
	for path, want := range map[string]string{"": "", "gs://a/b": "gs://a/b", "/a": "/a", "a": filepath.Join(here, "a")} {
		strategytest.Equal(t, strategytest.Value(storage.Absolute(path)), want, "%q is", path)
	}
}
