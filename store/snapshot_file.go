package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// aside, and a number, is added to the name of a file that is being written.
const aside = ".saving-"

// errBusy is the lock that another has.
var errBusy = errors.New("is being written by another Save")

// Save makes the file at path a snapshot of all histories that have not expired
// at time now, as WriteSnapshot writes it, or leaves it as it was. The bytes go
// to a new file beside it and reach the disk before that takes the name: whenever
// the process is killed, or the power fails, path holds the old snapshot whole or
// the new one. When Save has returned without an error it is the new one.
//
// The new file is called path, ".saving-" and a number; such names are Save's
// own. What a killed process leaves there is never read, and the next Save to
// that path removes it. Two at once to the same path are an error of the later
// one, and do no harm (on Unix, on file systems with locks and for processes of
// one user; elsewhere the caller has to see to it). The disk needs room for both
// snapshots.
//
// Where path is a symbolic link, the file it points to is replaced, or made, and
// the link stays. A new file is its owner's alone (0600), for it says what people
// read; one that is replaced hands its permissions on, and may be read-only.
//
// Once ctx is done, Save gives up, with an error that wraps ctx.Err(), and path
// is as it was. It does not interrupt the operating system while that moves what
// was written to the disk.
func (s *Store[U]) Save(ctx context.Context, path, about string, now Timestamp) (Snapshot, error) {
	var snapshot Snapshot
	err := replaceFile(ctx, path, func(f *os.File) (err error) {
		snapshot, err = s.write(ctx, &spooled{File: f}, about, now)
		return err
	})
	if err != nil {
		return Snapshot{}, fmt.Errorf("store: snapshot %s: %w", path, err)
	}
	return snapshot, nil
}

// Open returns a new store with the histories of the snapshot at path, and what
// the snapshot says of itself; ReadSnapshot says what is checked. Where there is
// no file the error is fs.ErrNotExist: the service starts for the first time,
// with New.
func Open[U User](ctx context.Context, path string, c Config, about string) (*Store[U], Snapshot, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Snapshot{}, fmt.Errorf("store: snapshot: %w", err)
	}
	defer f.Close()
	s, snapshot, err := read[U](ctx, f, c, about)
	if err != nil {
		return nil, Snapshot{}, fmt.Errorf("store: snapshot %s: %w", path, err)
	}
	return s, snapshot, nil
}

// replaceFile makes path the file that write writes, or leaves it as it was; but
// where only the directory cannot be synced, path is the new file and may, after
// a power cut, be the old one.
func replaceFile(ctx context.Context, path string, write func(*os.File) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := followed(path)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o600)
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
	defer func() {
		if !renamed {
			err := os.Remove(f.Name()) // before the lock goes
			f.Close()
			if err != nil {
				os.Remove(f.Name()) // where an open file cannot be removed
			}
		}
	}()
	for _, step := range []func() error{
		func() error { return write(f) },
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
// removes what killed Saves left. All this happens under a lock of the folder, so
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

// removeLeftover removes a file that a killed Save left; if its Save lives, that
// is errBusy. What no Save leaves, and what cannot be removed, stays: it is not
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
	// What not even its owner may read has its permissions from such a snapshot,
	// and a Save that lives has them so for its last step alone, which then fails.
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
