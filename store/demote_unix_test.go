//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store_test

import (
	"errors"
	"os"
	"syscall"
)

// nobody is a user with no rights of its own.
const nobody = 65534

// demote makes a process of root nobody's.
func demote() error {
	if os.Getuid() != 0 {
		return nil
	}
	return errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody))
}

// give makes a file of root nobody's.
func give(path string) error {
	if os.Getuid() != 0 {
		return nil
	}
	return os.Lchown(path, nobody, nobody)
}
