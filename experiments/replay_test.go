package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"dejavu/experiments/engine"
	"dejavu/workload"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

// makelog is a command for scripts, makelog format file readers: their two days as
// a log, from a memory of nothing.
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
	kind := logtest.Kind(logs.Format(format))
	requests := logtest.Daily(population, 1573776000, kind, nil)
	columns := logs.Columns{Clicked: "clicked", Request: "request"}
	text := logtest.Text(logs.Format(format), columns, requests...)
	return os.WriteFile(path, logtest.Pack(path, text), 0o600)
}

// An interrupted replay leaves an earlier one as it was, and nothing half-written.
func TestReplayInterrupted(t *testing.T) {
	dir := t.TempDir()
	log, out := filepath.Join(dir, "log.csv"), filepath.Join(dir, "out")
	if err := writeLog("csv", log, "200"); err != nil {
		t.Fatal(err)
	}
	wants(t, program(t.Context(), "replay", log, "--out", out, "--strategies", "single"), exitOK, "")
	before := read(t, filepath.Join(out, "replay.csv")) + read(t, filepath.Join(out, "run.json"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout bytes.Buffer
	stderr := &trigger{phrase: "replay ", pull: cancel}
	code := run(ctx, []string{"replay", log, "--out", out, "--force"}, &stdout, stderr)
	r := ran{code, stdout.String(), stderr.text.String()}
	wants(t, r, exitInterrupt, r.stderr, "interrupted; nothing was written")
	if after := read(t, filepath.Join(out, "replay.csv")) + read(t, filepath.Join(out, "run.json")); after != before {
		t.Error("the interrupted replay changed the results of an earlier one")
	}
	if found := leftovers(t, out); len(found) > 0 {
		t.Errorf("left behind: %v", found)
	}
}

// How far a log is read is told now and then, in a clock of the test's own.
func TestReadingTellsHowFar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told bytes.Buffer
		r := reading{progress: engine.NewProgress(&told)}
		r.progress.Start([]engine.Planned{{Name: "replay", Cost: 1}})
		r.progress.Begin("replay", 400)
		for _, read := range []int64{100, 300} {
			time.Sleep(time.Minute)
			r.at(logs.Position{Read: read, Total: 400})
		}
		want := "  0 %  replay                0s so far, ? left\n" +
			" 25 %  replay                1m0s so far, 3m0s left\n" +
			" 75 %  replay                2m0s so far, 40s left\n"
		if got := told.String(); got != want {
			t.Errorf("told:\n%swant:\n%s", got, want)
		}
	})
}
