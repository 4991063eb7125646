//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// asItIs opens a file that is named, not what a link leads to, and does not wait
// for the other end of a pipe.
const asItIs = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// lock makes the file this writer's own until it is closed, by whatever: the
// kernel closes the files of the killed.
func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK):
			return nil // a file system without locks
		case errors.Is(err, syscall.EBADF):
			return nil // or one, NFS, that locks only what is open for writing
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errBusy
		}
		return err
	}
}

// rename gives the file its final name, and closes it then: until it has the
// name, it is locked.
func rename(f *os.File, path string) error {
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	f.Close() // has been synced
	return nil
}

// syncDir makes a rename survive a power cut. Some file systems cannot sync a
// directory; the file is complete all the same, so that is not an error.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
