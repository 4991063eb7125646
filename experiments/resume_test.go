package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dejavu/experiments/golden"
	"dejavu/internal/sysinfo"
	"dejavu/results"
)

// A run that was killed, without a chance to clear up, goes on where it was, and its
// files are those of a run that was not.
func TestKillAndResume(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("slow, and about processes and files alone")
	}
	args := []string{"daily", "--users", "3000", "--parts", "2"}
	whole := t.TempDir()
	wants(t, program(t.Context(), "daily", "--users", "3000", "--workers", "1", "--out", whole), exitOK, "")
	out := t.TempDir()
	killAndResume(t, append(args, "--out", out)...)
	sameFiles(t, "killed and resumed", rowFiles(t, out), rowFiles(t, whole))
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// killAndResume kills the program in its third measurement and lets the same command go on.
func killAndResume(t *testing.T, args ...string) {
	t.Helper()
	const phrase = "daily-dual "
	cmd := exec.CommandContext(t.Context(), "experiments", args...)
	stderr := &trigger{phrase: phrase, pull: func() { _ = cmd.Process.Kill() }}
	cmd.Stderr = stderr
	if err := cmd.Run(); err == nil || runtime.GOOS != "windows" && err.Error() != "signal: killed" {
		t.Fatalf("%v: %v, want it killed", args, err)
	}
	r := program(t.Context(), args...)
	wants(t, r, exitOK, r.stderr, "daily-queue: taken over", "daily-single: taken over")
}

// sameFiles compares files of rows with those of the same names of a whole run.
func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) == 0 || len(got) != len(want) {
		t.Errorf("%s: %d files of rows, want %d", what, len(got), len(want))
	}
	for name, text := range got {
		if text != want[name] {
			t.Errorf("%s: %s differs from that of a whole run: %s", what, name, golden.Difference(text, want[name]))
		}
	}
}

// rowFiles reads the files of rows in a directory that no machine decides.
func rowFiles(t *testing.T, out string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(out, "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, path := range paths {
		if !strings.HasSuffix(path, results.TimingFileName("")) {
			files[filepath.Base(path)] = read(t, path)
		}
	}
	return files
}
