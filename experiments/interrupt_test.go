package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A trigger is a writer that pulls once when it has seen a phrase.
type trigger struct {
	phrase string
	pull   func()

	mu   sync.Mutex
	text bytes.Buffer
	once sync.Once
}

func (w *trigger) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	if strings.Contains(w.text.String(), w.phrase) {
		w.once.Do(w.pull)
	}
	return len(p), nil
}

// An interrupted run keeps the measurements that were finished, and the same
// command goes on from there.
func TestInterrupt(t *testing.T) {
	withCatalogue(t, named(t, "queue"), named(t, "single"), named(t, "dual"))
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"memory", "sizing", "--users", "300", "--out", out}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout bytes.Buffer
	stderr := &trigger{phrase: "full-dual ", pull: cancel}
	code := run(ctx, args, &stdout, stderr)
	r := ran{code, stdout.String(), stderr.text.String()}
	wants(t, r, exitInterrupt, r.stderr, "interrupted", out, "goes on from there")

	for _, name := range []string{"full-queue", "full-single"} {
		if _, err := os.Stat(filepath.Join(out, "measurements", name+".json")); err != nil {
			t.Errorf("a finished measurement was lost: %v", err)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "measurements", "full-dual.json")); err == nil {
		t.Error("the measurement that was interrupted was saved")
	}
	if _, err := os.Stat(filepath.Join(out, "memory.csv")); err == nil {
		t.Error("memory.csv was written before its measurements were made")
	}
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}

	r = program(t.Context(), args...)
	wants(t, r, exitOK, r.stderr, "full-queue: taken over", "full-single: taken over")
	if strings.Contains(r.stderr, "full-dual: taken over") {
		t.Errorf("took over a measurement that was never finished:\n%s", r.stderr)
	}

	if raceDetector {
		return // what follows is about files alone
	}
	// What was taken over is what would have been measured.
	whole := filepath.Join(t.TempDir(), "whole")
	r = program(t.Context(), "memory", "sizing", "--users", "300", "--out", whole)
	wants(t, r, exitOK, "")
	for _, name := range []string{"memory.csv", "sizing.csv"} {
		if read(t, filepath.Join(out, name)) != read(t, filepath.Join(whole, name)) {
			t.Errorf("%s differs between an interrupted run and a whole one", name)
		}
	}

	// Measurements of another population are not taken over, and --again takes none.
	for _, other := range [][]string{{"--users", "299"}, {"--users", "300", "--seed", "7"}, {"--users", "300", "--again"}} {
		r = program(t.Context(), append([]string{"memory", "--out", whole}, other...)...)
		wants(t, r, exitOK, "")
		if strings.Contains(r.stderr, "taken over") {
			t.Errorf("%v took over measurements:\n%s", other, r.stderr)
		}
	}
}

// The signal itself: the process ends with status 130.
func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no way to send an interrupt")
	}
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.CommandContext(t.Context(), "experiments", "window", "--users", "20000", "--out", out)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for in := bufio.NewReader(stderr); ; {
		line, err := in.ReadString('\n')
		text.WriteString(line)
		if strings.Contains(line, "full-single ") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupt {
		t.Errorf("after an interrupt: %v, want exit status %d\n%s", err, exitInterrupt, &text)
	}
	if _, err := os.Stat(filepath.Join(out, "measurements", "full-queue.json")); err != nil {
		t.Errorf("a finished measurement was lost: %v", err)
	}
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}
}
