package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"dejavu/experiments/engine"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
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

// An interrupted run keeps the measurements that were finished, and the same command goes on from there.
func TestInterrupt(t *testing.T) {
	withCatalogue(t, "queue", "single", "dual")
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"daily", "sizing", "--users", "300"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout bytes.Buffer
	stderr := &trigger{phrase: "daily-dual ", pull: cancel}
	code := execute(ctx, append(args, "--out", out), &stdout, stderr)
	r := ran{code, stdout.String(), stderr.text.String()}
	wants(t, r, exitInterrupt, r.stderr, "interrupted", out, "goes on from there")

	for name, finished := range map[string]bool{"daily-queue": true, "daily-single": true, "daily-dual": false} {
		if _, err := os.Stat(engine.Path(out, name)); (err == nil) != finished {
			t.Errorf("%s, finished %v: %v", name, finished, err)
		}
	}
	strategytest.Equal(t, len(rowFiles(t, out)), 0, "files of rows were written before their measurements were made")
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}

	r = program(t.Context(), append(args, "--out", out)...)
	wants(t, r, exitOK, r.stderr, "reused from an earlier run: 2 ") // and not what was never finished
	// Reused measurements equal new ones, which --again makes.
	before := rowFiles(t, out)
	r = program(t.Context(), append(args, "--out", out, "--again")...)
	wants(t, r, exitOK, "")
	if strings.Contains(r.stderr, "reused") {
		t.Errorf("--again took over measurements:\n%s", r.stderr)
	}
	sameFiles(t, "interrupted", before, rowFiles(t, out))
}

// The signal itself: the process ends with status 130.
func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no way to send an interrupt")
	}
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.CommandContext(t.Context(), "experiments", "window", "--users", "20000", "--out", out)
	stderr := strategytest.Value(cmd.StderrPipe())
	strategytest.Must(t, cmd.Start())
	var text strings.Builder
	for in := bufio.NewReader(stderr); ; {
		line, err := in.ReadString('\n')
		text.WriteString(line)
		if strings.Contains(line, "full-single ") {
			strategytest.Must(t, cmd.Process.Signal(os.Interrupt))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		strategytest.Must(t, err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupt {
		t.Errorf("after an interrupt: %v, want exit status %d\n%s", err, exitInterrupt, &text)
	}
	strategytest.ErrorSays(t, "a finished measurement was lost",
		strategytest.ErrorOf(os.Stat(filepath.Join(out, "measurements", "full-queue.json"))), "")
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// A signal ends the reading of a log that stalls, and of one with endless lines that do not count.
func TestSignalWhileReading(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no way to send a signal")
	}
	for _, order := range []string{"time", "file"} {
		for name, in := range map[string]io.Reader{
			"nothing": nil, "one line without end": endless("x"), "blank lines": endless("\n"), "faults": endless("x,y,z\n"),
		} {
			// A busy machine may take long to start it, and a signal that comes before it listens ends it at once.
			wait := 200 * time.Millisecond
			took, ended := signalled(t, order, in, wait)
			for ; wait < 10*time.Second && strings.HasPrefix(ended.Error(), "signal: "); wait *= 2 {
				took, ended = signalled(t, order, in, 2*wait)
			}
			var exit *exec.ExitError
			if !errors.As(ended, &exit) || exit.ExitCode() != exitInterrupt {
				t.Errorf("%s, %s order: %v, want exit status %d", name, order, ended, exitInterrupt)
			}
			strategytest.AtMost(t, took, 5*time.Second, "%s, %s order: ended after the signal", name, order)
		}
	}
}

// signalled starts a program that reads a log, sends SIGTERM after wait, and returns how it ends and after how long.
func signalled(t *testing.T, order string, in io.Reader, wait time.Duration) (took time.Duration, ended error) {
	t.Helper()
	args := strings.Fields("describe - --columns user=1,article=2,time=3 --clock s --faults 1000000000 --order " + order)
	cmd := exec.CommandContext(t.Context(), "experiments", args...)
	stdin := strategytest.Value(cmd.StdinPipe())
	defer stdin.Close()
	if in != nil {
		go io.Copy(stdin, in) // until the pipe breaks
	}
	strategytest.Must(t, cmd.Start())
	time.Sleep(wait)
	begin := time.Now()
	strategytest.Must(t, cmd.Process.Signal(syscall.SIGTERM))
	if ended = cmd.Wait(); ended == nil {
		ended = errors.New("exit status 0")
	}
	return time.Since(begin), ended
}

// endless is a text that repeats.
type endless string

func (e endless) Read(p []byte) (n int, err error) {
	for n = 0; n+len(e) <= len(p); n += len(e) {
		copy(p[n:], e)
	}
	return n, nil
}

// makelog is a command for scripts, makelog format file readers: it writes their two days as a log.
func makelog() {
	if err := writeLog(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeLog(format, path, readers string) (err error) {
	users, err := strconv.Atoi(readers)
	if err != nil {
		return err
	}
	population, err := workload.NewDaily(2016, users)
	if err != nil {
		return err
	}
	requests := logtest.Daily(population, 1573776000)
	return os.WriteFile(path, logtest.Text(logs.Format(format), requests...), 0o600)
}

// An interrupted replay leaves an earlier one as it was, and nothing half-written.
func TestReplayInterrupted(t *testing.T) {
	dir := t.TempDir()
	log, out := filepath.Join(dir, "log.csv"), filepath.Join(dir, "out")
	strategytest.Must(t, writeLog("csv", log, "200"))
	wants(t, program(t.Context(), "replay", log, "--out", out, "--strategies", "single"), exitOK, "")
	before := read(t, filepath.Join(out, "replay.csv")) + read(t, filepath.Join(out, "run.json"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout bytes.Buffer
	stderr := &trigger{phrase: "replay ", pull: cancel}
	code := execute(ctx, []string{"replay", log, "--out", out, "--force"}, &stdout, stderr)
	r := ran{code, stdout.String(), stderr.text.String()}
	wants(t, r, exitInterrupt, r.stderr, "interrupted; nothing was written")
	strategytest.Equal(t, read(t, filepath.Join(out, "replay.csv"))+read(t, filepath.Join(out, "run.json")), before,
		"the interrupted replay changed the results of an earlier one")
	strategytest.EqualSlices(t, leftovers(t, out), nil, "left behind")
}

// How far a log is read is told now and then, in a clock of the test's own.
func TestReadingTellsHowFar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told bytes.Buffer
		r := reading{progress: engine.NewProgress(&told)}
		r.progress.Start([]engine.Planned{{Name: "replay", Cost: 20}})
		r.progress.Begin("replay", 400)
		for _, read := range []int64{100, 300} {
			time.Sleep(time.Minute)
			r.at(logs.Position{Read: read, Total: 400})
		}
		want := "  0 %  replay                0s so far, 0s left\n" +
			" 25 %  replay                1m0s so far, 2m9s left\n" +
			" 75 %  replay                2m0s so far, 35s left\n"
		if got := told.String(); got != want {
			t.Errorf("told:\n%swant:\n%s", got, want)
		}
	})
}
