//go:build linux

package atomicfile

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"dejavu/strategies/strategytest"
)

// A directory that cannot be synced is no error: the kernel's own say EINVAL.
func TestSyncDirPassesOverWhatCannotBeSynced(t *testing.T) {
	for _, name := range []string{"/proc", "/sys"} {
		d, err := os.Open(name)
		if err != nil {
			continue
		}
		err = d.Sync()
		d.Close()
		if !errors.Is(err, syscall.EINVAL) {
			continue
		}
		strategytest.Must(t, SyncDir(name))
		return
	}
	t.Skip("every directory can be synced")
}

func TestSyncDirErrors(t *testing.T) {
	if err := SyncDir(t.TempDir() + "/none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want os.ErrNotExist", err)
	}
	strategytest.Must(t, SyncDir(t.TempDir()))
}
