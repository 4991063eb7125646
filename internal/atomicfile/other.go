//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import "os"

// asItIs opens a file as it is named: nothing here that all these systems have
// says so.
const asItIs = 0

// lock does nothing: nothing here that all these systems have goes with a killed
// process.
func lock(*os.File) error { return nil }

// rename closes the file first: not all systems rename an open one.
func rename(f *os.File, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// syncDir does nothing: not all systems open a directory as a file.
func syncDir(string) error { return nil }
