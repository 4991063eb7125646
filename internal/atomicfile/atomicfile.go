// Package atomicfile replaces files whole: whenever the process is killed, or the power
// fails, a path holds the old file or the new one.
package atomicfile

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// aside, and a number, is added to the name of a file that is being written.
const aside = ".saving-"

// errBusy is the lock that another has.
var errBusy = errors.New("is being written already")

// Replace makes path hold what write writes, or leaves it as it was. The bytes go to a
// new file beside it, which reaches the disk before it takes the name.
//
// The new file is called path, ".saving-" and a number; such names are Replace's own.
// What a killed process leaves there the next Replace of that path removes. Of two at
// once to one path the later is an error (on Unix, on file systems with locks and for
// processes of one user; elsewhere the caller has to see to it).
//
// Where path is a symbolic link, the file it points to is replaced, or made, and the link
// stays. A new file has the given mode; one that is replaced hands its own on. Once ctx
// is done, Replace gives up before its next step, with ctx.Err().
func Replace(ctx context.Context, path string, mode fs.FileMode, write func(io.Writer) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := followed(path)
	if err != nil {
		return err
	}
	switch old, err := os.Stat(path); {
	case err == nil && !old.Mode().IsRegular():
		return fmt.Errorf("it is not a regular file: %v", old.Mode())
	case err == nil:
		mode = old.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := createAside(ctx, path)
	if err != nil {
		return err
	}
	renamed := false
	// Deferred, so that a write that panics leaves nothing behind either.
	defer func() {
		if !renamed {
			err := os.Remove(f.Name()) // before the lock goes
			f.Close()
			if err != nil {
				os.Remove(f.Name()) // where an open file cannot be removed
			}
		}
	}()
	w := bufio.NewWriterSize(&spooled{File: f}, 1<<16)
	for _, step := range []func() error{
		func() error { return write(w) },
		w.Flush,
		func() error { return f.Chmod(mode) },
		f.Sync,
		ctx.Err,
		func() error { return rename(f, path) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	renamed = true
	// Where only the directory cannot be synced, path may be the old file after a power cut.
	return syncDir(filepath.Dir(path))
}

// followed is the file that path means: itself, or where its symbolic links lead,
// which need not exist.
func followed(path string) (string, error) {
	const most = 255 // links, as filepath.EvalSymlinks has it
	for range most {
		end, err := filepath.EvalSymlinks(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return end, err
		}
		dir, name := filepath.Split(path)
		if dir, err = filepath.EvalSymlinks(cmp.Or(dir, ".")); err != nil {
			return "", err
		}
		link, err := os.Readlink(path)
		if err != nil {
			return filepath.Join(dir, name), nil // no link, and nothing there yet
		}
		if !filepath.IsAbs(link) {
			// Not Join: "a/.." is elsewhere where a is a link.
			link = dir + string(filepath.Separator) + link
		}
		path = link
	}
	return "", fmt.Errorf("%s: more than %d symbolic links", path, most)
}

// createAside creates the file to write to, beside path, and locks it. First it
// removes what killed processes left. All this happens under a lock of the folder, so
// that nobody meets a file that is created and not locked yet.
func createAside(ctx context.Context, path string) (*os.File, error) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close() // and unlock
	if err := awaitLock(ctx, dir); err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		number, ok := strings.CutPrefix(name, filepath.Base(path)+aside)
		if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if err := removeLeftover(filepath.Join(filepath.Dir(path), name)); err != nil {
			return nil, err
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+aside+"*")
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		os.Remove(f.Name())
		f.Close()
		return nil, err
	}
	return f, nil
}

// awaitLock locks a file that others lock for moments only.
func awaitLock(ctx context.Context, f *os.File) error {
	for {
		err := lock(f)
		if !errors.Is(err, errBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// removeLeftover removes a file that a killed process left; if it is alive, that
// is errBusy. What nobody left so, and what cannot be removed, stays: it is not
// in the way of a file with a name of its own.
func removeLeftover(name string) error {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.OpenFile(name, os.O_RDWR|asItIs, 0) // some file systems lock no other
	if errors.Is(err, fs.ErrPermission) {
		f, err = os.OpenFile(name, os.O_RDONLY|asItIs, 0)
	}
	switch {
	case err == nil:
		defer f.Close()
		if err := lock(f); errors.Is(err, errBusy) {
			return fmt.Errorf("%s: %w", name, err)
		} else if err != nil {
			return nil
		}
	case info.Mode().Perm()&0o400 != 0:
		return nil // another user's
	}
	// What not even its owner may read has its permissions from the file to be replaced;
	// its writer has set them for the last step alone, which then fails.
	_ = os.Remove(name)
	return nil
}

// spooled is a file whose bytes set out for the disk as they are written, so
// that Sync does not find them all waiting.
type spooled struct {
	*os.File
	written int64
}

// Write writes b to the file.
func (s *spooled) Write(b []byte) (int, error) {
	n, err := s.File.Write(b)
	if err == nil {
		writeBack(s.File, s.written, int64(n))
	}
	s.written += int64(n)
	return n, err
}
