package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A profile is whole when it was stopped, there is one at a time, and none without a name.
func TestProfile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"first", "second"} {
		stop, err := profile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := profile(filepath.Join(dir, "other")); err == nil || !strings.Contains(err.Error(), "--cpuprofile: ") {
			t.Errorf("two at once: %v", err)
		}
		stop()
		if of, err := os.Stat(filepath.Join(dir, name)); err != nil || of.Size() == 0 {
			t.Errorf("%s: %v, %v", name, of, err)
		}
	}
	if stop, err := profile(""); err != nil {
		t.Error(err)
	} else {
		stop()
	}
	_, err := profile(filepath.Join(dir, "nowhere", "profile"))
	if err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("in no folder: %v", err)
	}
}
