package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// aside is added to the name of a file that is being written.
const aside = ".saving"

// errBusy is the lock that another has.
var errBusy = errors.New("is being written by another Save")

// Save makes the file at path a snapshot of all histories that have not expired
// at time now, as WriteSnapshot writes it, or leaves it as it was. The bytes go
// to a file beside it, path with ".saving" added, and reach the disk before that
// takes the name: whenever the process is killed, or the power fails, path holds
// the old snapshot whole or the new one. When Save has returned without an error
// it is the new one.
//
// What a killed process leaves under the name aside is never read, and the next
// Save writes over it. Two at once to the same path are an error of the later
// one (on Unix; elsewhere the caller has to see to it). The disk needs room for
// both snapshots. A new file is its owner's alone (0600), for it says what
// people read; one that is replaced hands its permissions on.
func (s *Store[U]) Save(path, about string, now Timestamp) (Snapshot, error) {
	var snapshot Snapshot
	err := replaceFile(path, func(f *os.File) (err error) {
		snapshot, err = s.write(&spooled{File: f}, about, now)
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
func Open[U User](path string, c Config, about string) (*Store[U], Snapshot, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Snapshot{}, fmt.Errorf("store: snapshot: %w", err)
	}
	defer f.Close()
	s, snapshot, err := read[U](f, c, about)
	if err != nil {
		return nil, Snapshot{}, fmt.Errorf("store: snapshot %s: %w", path, err)
	}
	return s, snapshot, nil
}

// replaceFile makes path the file that write writes, or leaves it as it was; but
// where only the directory cannot be synced, path is the new file and may, after
// a power cut, be the old one.
func replaceFile(path string, write func(*os.File) error) (err error) {
	mode := fs.FileMode(0o600)
	switch old, err := os.Stat(path); {
	case err == nil && !old.Mode().IsRegular():
		return fmt.Errorf("it is no regular file but %v", old.Mode())
	case err == nil:
		mode = old.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	name := path + aside
	f, err := openAside(name)
	if err != nil {
		return err
	}
	renamed := false
	defer func() {
		if !renamed {
			os.Remove(name) // before the lock goes
			f.Close()
		}
	}()
	for _, step := range []func() error{
		func() error { return f.Chmod(mode) },
		func() error { return write(f) },
		f.Sync,
		func() error { return rename(f, path) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	renamed = true
	return syncDir(filepath.Dir(path))
}

// openAside opens the file to write to, empty and locked. A leftover of the same
// name is as good as a new file, unless its writer lives.
func openAside(name string) (*os.File, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		ours, err := claim(f, name)
		if ours {
			err = f.Truncate(0)
		}
		if ours && err == nil {
			return f, nil
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// claim locks the file that was opened by a name, and reports whether it still
// has it. Before the lock another writer may have given the file its final name:
// then it is a snapshot, and must not be touched.
func claim(f *os.File, name string) (ours bool, err error) {
	if err := lock(f); err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(opened, named), err
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
