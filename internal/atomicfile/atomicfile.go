// Package atomicfile replaces files atomically: even after a crash or power cut, a path holds the old or the new file.
package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// aside is added to the name of a file that is being written.
const aside = ".saving"

// errBusy means that another has the lock.
var errBusy = errors.New("is being written already")

// Replace makes path hold what write writes, or leaves it as it was. The bytes go to a new file, called path and
// ".saving", which reaches the disk before it takes the name. What a killed process leaves there the next Replace
// writes over. Of two at once to one path the later is an error (on Unix, on file systems with locks and for processes
// of one user; elsewhere the caller has to see to it).
//
// Where path is a symbolic link, the file it points to is replaced, or made, and the link stays. A new file has the
// given mode; one that is replaced hands its own on. Once ctx is done, Replace gives up before its next step.
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
	f, err := create(path + aside)
	if err != nil {
		return err
	}
	renamed := false
	defer func() { // where write panics, too
		if !renamed {
			_ = end(f, func() error { return os.Remove(f.Name()) })
		}
	}()
	w := bufio.NewWriterSize(&spooled{File: f}, 1<<16)
	const own = 0o600 // until it has the name, its owner can open what a killed process left
	for _, step := range []func() error{
		func() error { return f.Chmod(own) }, // what was left may have had more
		func() error { return f.Truncate(0) },
		func() error { return write(w) },
		w.Flush,
		func() error { return f.Chmod(mode | own) },
		f.Sync,
		ctx.Err,
		func() error { return end(f, func() error { return os.Rename(f.Name(), path) }) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	renamed = true
	if mode&own != own {
		if err := os.Chmod(path, mode); err != nil {
			return err
		}
	}
	dir, _ := filepath.Split(path)
	return SyncDir(dir + ".")
}

// Write makes path hold bytes, as Replace does. A new file is its owner's only.
func Write(path string, b []byte) error {
	return Replace(context.Background(), path, 0o600, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// followed returns the file that path means, following symbolic links. It need not exist.
func followed(path string) (string, error) {
	const most = 255 // links, as filepath.EvalSymlinks has it
	for range most {
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or nothing there yet
		}
		if !filepath.IsAbs(link) {
			dir, _ := filepath.Split(path)
			link = dir + link // not Join: "a/.." is elsewhere where a is a link
		}
		path = link
	}
	return "", fmt.Errorf("%s: more than %d symbolic links", path, most)
}

// create opens the file to write to, and locks it. What is there and no file, a link perhaps, is removed.
func create(name string) (*os.File, error) {
	for {
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			if err := os.Remove(name); err != nil {
				return nil, err
			}
		}
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := Lock(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		opened, err := f.Stat() // before it was locked another may have given it the name, or something else this one
		named, gone := os.Lstat(name)
		if err == nil && gone == nil && os.SameFile(opened, named) {
			return f, nil
		}
		f.Close()
	}
}

// end does the last thing to a file, locked until it has its name, and closes it: before that on Windows.
func end(f *os.File, do func() error) error {
	if runtime.GOOS != "windows" {
		defer f.Close() // has been synced
		return do()
	}
	return errors.Join(f.Close(), do())
}

// SyncDir makes a rename survive a power cut. That a file system cannot sync a directory is no error.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" { // where a directory is no file
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// MakeFolder makes a private folder, with its parents. They survive a power cut.
func MakeFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := MakeFolder(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncDir(parent)
}

// spooled is a file whose bytes go to the disk as they are written, so that Sync does not wait for all.
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
