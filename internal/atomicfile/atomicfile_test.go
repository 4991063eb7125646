package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"dejavu/strategies/strategytest"
)

// replace puts text at a path.
func replace(path, text string) error {
	return Replace(context.Background(), path, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// namesIn lists a folder.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	strategytest.Must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// holds compares a file with what is expected, and the names in its folder.
func holds(t *testing.T, path, want string, names ...string) {
	t.Helper()
	strategytest.Equal(t, string(strategytest.Value(os.ReadFile(path))), want, "%s holds", path)
	slices.Sort(names)
	strategytest.EqualSlices(t, namesIn(t, filepath.Dir(path)), names, "in the folder lie")
}

// A failure at whatever step, a panic too, leaves the old file, and no other.
func TestAllOrNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	strategytest.Must(t, Write(path, []byte("old")))
	strategytest.Equal(t, strategytest.Value(os.Stat(path)).Mode(), 0o600, "a new file")
	strategytest.Must(t, os.Chmod(path, 0o640))
	full := errors.New("disk full")
	ctx, cancel := context.WithCancel(context.Background())
	for name, write := range map[string]func(io.Writer) error{
		"error": func(w io.Writer) error {
			_, _ = w.Write(make([]byte, 1<<17))
			return full
		},
		"panic": func(io.Writer) error { panic("in the middle") },
		"cancelled": func(w io.Writer) error {
			cancel()
			_, err := io.WriteString(w, "half")
			return err
		},
	} {
		func() {
			defer func() {
				if p := recover(); (p != nil) != (name == "panic") {
					t.Errorf("%s: panic %v", name, p)
				}
			}()
			of := context.Background()
			if name == "cancelled" {
				of = ctx
			}
			if err := Replace(of, path, 0o600, write); !errors.Is(err, full) && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		}()
		holds(t, path, "old", "f")
	}
	if err := Replace(ctx, path, 0o600, func(io.Writer) error { return full }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	long := strings.Repeat("new", 1<<17)
	strategytest.Must(t, replace(path, long))
	holds(t, path, long, "f")
	strategytest.Equal(t, strategytest.Value(os.Stat(path)).Mode(), 0o640, "a file that is replaced")
	strategytest.ErrorSays(t, "in place of a folder", replace(filepath.Dir(path), ""), "not a regular file")
	strategytest.ErrorSays(t, "in a folder that is a file", replace(filepath.Join(path, "f"), ""), "not a directory")
}

// Writing to a link replaces, or makes, the file at its end. The link stays, and nothing else is left anywhere.
func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making a symbolic link takes a privilege on Windows")
	}
	for _, test := range []struct {
		name  string
		links [][2]string // name and where it leads, "/" for the absolute path of dir
		end   string
	}{
		{"relative", [][2]string{{"path", "there/file"}}, "there/file"},
		{"absolute", [][2]string{{"path", "/there/file"}}, "there/file"},
		{"chain", [][2]string{{"path", "there/second"}, {"there/second", "third"}, {"there/third", "../file"}}, "file"},
		{"folder", [][2]string{{"folder", "there/deep"}, {"path", "folder/../file"}}, "there/file"},
		{"beside", [][2]string{{"path", "file"}}, "file"},
	} {
		for _, dangling := range []bool{false, true} {
			dir := t.TempDir()
			strategytest.Must(t, os.MkdirAll(filepath.Join(dir, "there", "deep"), 0o700))
			for _, link := range test.links {
				to := link[1]
				if filepath.IsAbs(to) {
					to = dir + to
				}
				strategytest.Must(t, os.Symlink(to, filepath.Join(dir, link[0])))
			}
			end, mode := filepath.Join(dir, test.end), fs.FileMode(0o600)
			if !dangling {
				mode = 0o444
				strategytest.Must(t, os.WriteFile(end, []byte("old"), mode))
			}
			if err := replace(filepath.Join(dir, "path"), "saved"); err != nil {
				t.Errorf("%s, dangling %v: %v", test.name, dangling, err)
				continue
			}
			if info, err := os.Lstat(end); err != nil || info.Mode() != mode || info.Size() != 5 {
				t.Errorf("%s, dangling %v: at its end %v, %v, want mode %v", test.name, dangling, info, err, mode)
			}
			for _, link := range test.links {
				if to, err := os.Readlink(filepath.Join(dir, link[0])); err != nil || !strings.HasSuffix(to, link[1]) {
					t.Errorf("%s, dangling %v: link %s leads to %q, %v", test.name, dangling, link[0], to, err)
				}
			}
			// Besides links and end there is the folder there, and deep in it.
			names := append(namesIn(t, dir), namesIn(t, filepath.Join(dir, "there"))...)
			strategytest.Equal(t, len(names), len(test.links)+3, "%s, dangling %v: %v", test.name, dangling, names)
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "path")
	strategytest.Must(t, os.Symlink("other", path), os.Symlink("path", filepath.Join(dir, "other")))
	strategytest.ErrorSays(t, "links that lead to each other", replace(path, ""), "more than 255 symbolic links")
	strategytest.Must(t, os.Remove(path), os.Symlink("none/file", path))
	if err := replace(path, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link into a folder that does not exist: %v, want fs.ErrNotExist", err)
	}
	// The working directory does not matter either.
	t.Chdir(dir)
	strategytest.Must(t, os.Remove("path"), os.Symlink("other", "path"), os.Remove("other"), replace("path", "saved"))
	holds(t, "./other", "saved", "other", "path")
}

// Leftovers of killed processes are overwritten, whatever their mode; a link there is removed, and its target stays. So
// do files that are not Replace's.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	theirs := []string{"f.saving-1", "f.savings", "another.saving"}
	for _, name := range theirs {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte("theirs"), 0o400))
	}
	left := path + aside
	for _, leave := range []func() error{
		func() error { return os.WriteFile(left, []byte("left, and longer"), 0o600) },
		func() error { return errors.Join(os.WriteFile(left, []byte("left"), 0o600), os.Chmod(left, 0o666)) },
		func() error { return os.Mkdir(left, 0o700) },
		func() error {
			if runtime.GOOS == "windows" {
				return nil
			}
			return os.Symlink("another.saving", left)
		},
	} {
		strategytest.Must(t, leave(), Replace(t.Context(), path, 0o600, func(w io.Writer) error {
			if info, err := os.Stat(left); err != nil || info.Mode() != 0o600 && runtime.GOOS != "windows" {
				t.Errorf("while it is written it has %v, %v", info.Mode(), err)
			}
			_, err := io.WriteString(w, "saved")
			return err
		}))
		holds(t, path, "saved", append(theirs, "f")...)
		strategytest.Equal(t, strategytest.Value(os.Stat(path)).Mode(), 0o600, "it has")
		strategytest.Must(t, os.Remove(path))
	}
	holds(t, filepath.Join(dir, "another.saving"), "theirs", theirs...)
}

// A file that is being written stays, and the later writer gets the error. Who finds that another gave
// the file its name meanwhile makes a new one.
func TestBesideAnother(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing is locked on Windows: the caller writes once at a time")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	strategytest.Must(t, Replace(context.Background(), path, 0o600, func(w io.Writer) error {
		err := replace(path, "later")
		strategytest.ErrorSays(t, "while another writes", err, "is being written already")
		strategytest.EqualSlices(t, namesIn(t, dir), []string{"f.saving"}, "in the folder lie")
		strategytest.Must(t, replace(filepath.Join(dir, "elsewhere"), ""))
		_, err = w.Write([]byte("first"))
		return err
	}))
	holds(t, path, "first", "elsewhere", "f")

	var group sync.WaitGroup
	long := [2]string{strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<16)}
	for _, text := range long {
		group.Go(func() {
			for range 200 {
				if err := replace(path, text); err != nil && !errors.Is(err, errBusy) {
					t.Error(err)
				}
				if got, err := os.ReadFile(path); err != nil || !slices.Contains([]string{"first", long[0], long[1]}, string(got)) {
					t.Errorf("%.20q, %v", got, err)
				}
			}
		})
	}
	group.Wait()
	strategytest.Must(t, replace(path, "last"))
	holds(t, path, "last", "elsewhere", "f")
}

// Bytes that go to the disk early are Write's.
func TestSpooled(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	strategytest.Must(t, err)
	defer f.Close()
	s := &spooled{File: f}
	for _, b := range [][]byte{[]byte("ab"), nil, bytes.Repeat([]byte("c"), 5000)} {
		if n, err := s.Write(b); n != len(b) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	strategytest.Equal(t, s.written, 5002, "bytes written")
}

// A folder is made with its parents, for its owner only; an existing one is unchanged.
func TestMakeFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b")
	strategytest.Must(t, MakeFolder(path), MakeFolder(path), os.Chmod(path, 0o750), MakeFolder(path))
	for name, want := range map[string]fs.FileMode{path: 0o750, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if strategytest.Must(t, err); info.Mode().Perm() != want && runtime.GOOS != "windows" {
			t.Errorf("%s has %v, want %v", name, info.Mode(), want)
		}
	}
	strategytest.Must(t, replace(filepath.Join(path, "f"), ""))
	strategytest.ErrorSays(t, "a folder in a file", MakeFolder(filepath.Join(path, "f", "c")), "not a directory")
}
