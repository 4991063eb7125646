package partition

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"

	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/store"
	"dejavu/strategies/strategytest"
)

// opened opens a folder of snapshots.
func opened(t *testing.T, dir string, alone bool) *Folder {
	t.Helper()
	f := strategytest.Value(OpenFolder(dir, alone))
	t.Cleanup(f.Close)
	return f
}

// A folder's record is final, but for a log that replaces a lost one. An earlier version's, a number, is completed.
func TestFolder(t *testing.T) {
	one, two := log.Identity{1}, log.Identity{2}
	choice := layout.Choice{Name: "chain-sized", Window: 400, FPR: 0.02}
	for _, alone := range []bool{true, false} {
		for _, before := range []string{"", "1\n", "1\nlog " + one.String() + "\n"} {
			dir := t.TempDir()
			strategytest.Must(t, os.WriteFile(filepath.Join(dir, "partitions"), []byte(before), 0o600))
			f := opened(t, dir, alone)
			strategytest.Equal(t, f.Partitions, min(len(before), 1), "partitions of %q", before)
			strategytest.Must(t, f.Claim(), f.Record(1, one, choice, false))
			strategytest.Equal(t, f.Partitions, 1, "partitions that are recorded")
			strategytest.Must(t, f.Record(1, log.Identity{}, choice, false))
			strategytest.ErrorSays(t, "another number", f.Record(8, one, choice, false), "divided into 1 partitions")
			strategytest.ErrorSays(t, "another log", f.Record(1, two, choice, false), "are of log "+one.String())
			strategytest.ErrorSays(t, "a log not known", f.Check(1, log.Identity{}), "")
			other := log.Identity{3}
			strategytest.Must(t, f.Record(1, other, choice, true), f.Record(1, two, choice, true))
			recorded := func(f *Folder) {
				t.Helper()
				got, want := fmt.Sprint(f.Partitions, f.Logs, f.Strategy), fmt.Sprint(1, []log.Identity{one, other, two}, &choice)
				strategytest.Equal(t, got, want, "what is recorded in %q", before)
			}
			recorded(f)
			strategytest.Must(t, f.Record(1, two, choice, true))
			f.Close()
			recorded(opened(t, dir, alone))
		}
	}
	for _, text := range []string{"x", "0", "4\nlog 12", "4\nlog", "4\nstrategy chain", "4\nother", "4\n\nlog"} {
		dir := t.TempDir()
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, "partitions"), []byte(text), 0o600))
		strategytest.ErrorSays(t, text, strategytest.ErrorOf(OpenFolder(dir, true)), "is damaged in line ")
	}
	strategytest.ErrorSays(t, "no folder", strategytest.ErrorOf(OpenFolder("/dev/null", false)), "snapshots: ")
	strategytest.ErrorSays(t, "no folder to be", (&Folder{dir: "/dev/null/snapshots"}).Claim(), "snapshots: ")
	_, _, err := Load(t.Context(), configOf(t, &memoryLog{}, "/dev/null"))
	strategytest.ErrorSays(t, "no folder to load from", err, "partition 0: snapshots: ")
}

// A process has the folder to itself, also if it recorded nothing yet. Instances that share a topic record it at once.
func TestFolderLocked(t *testing.T) {
	dir := t.TempDir()
	first, second := opened(t, dir, true), opened(t, dir, true)
	strategytest.Must(t, first.Claim())
	strategytest.ErrorSays(t, "a claim", second.Claim(), "another process uses "+dir)
	strategytest.ErrorSays(t, "a start", strategytest.ErrorOf(OpenFolder(dir, true)), "another process uses "+dir)
	first.Close()
	var group errgroup.Group
	for range 8 {
		f := opened(t, dir, false)
		group.Go(func() error { return f.Record(4, log.Identity{1}, layout.Default, false) })
	}
	strategytest.Must(t, group.Wait())
	b := strategytest.Value(os.ReadFile(filepath.Join(dir, "partitions")))
	strategytest.Equal(t, bytes.Count(b, []byte("\n")), 3, "lines of %q", b)
}

// Snapshots of another log are refused, except of a log that this one replaces, or older ones without identity.
func TestSnapshotOfLog(t *testing.T) {
	one, two := log.Identity{1}, log.Identity{2}
	l, c, _ := begun(t)
	c.Logs = []log.Identity{one}
	p := start(t, c)
	strategytest.Must(t, strategytest.ErrorOf(showOf(1, 0, 7).of(p, 1)))
	l.settle(1)
	_, _, err := p.Snapshot(t.Context())
	strategytest.Must(t, err)
	load := func(logs ...log.Identity) error {
		c.Logs = logs
		_, found, err := Load(t.Context(), c)
		return errors.Join(append(found.Damaged, err)...)
	}
	strategytest.ErrorSays(t, "its own", load(one), "")
	strategytest.ErrorSays(t, "one that takes its place", load(one, two), "")
	strategytest.ErrorSays(t, "another's", load(two), "it is of log "+one.String())
	path := filepath.Join(c.Dir, strategytest.Value(c.snapshots())[0])
	b := strategytest.Value(os.ReadFile(path))
	want := append([]byte("dejavu\x00\x04\x00\x00\x00\x00\x01\x00\x00\x00"), b[16:]...) // partition 0 of 1
	want[16], want[24], want[36] = 4, 4, 1                                              // next, from, and the log
	strategytest.Equal(t, string(b), string(want), "a snapshot")
	strategytest.Equal(t, strategytest.Value(os.Stat(path)).Mode(), 0o600, "its mode")
	for _, h := range []header{{From: 3, Next: 2}, {From: -1, Next: 2}} {
		damaged := strategytest.ErrorOf(readHeader(bytes.NewReader(h.bytes())))
		strategytest.ErrorSays(t, "a header", damaged, store.ErrDamaged.Error())
	}
	old := append([]byte("dejavu\x00\x01"), b[8:36]...) // as versions before wrote it
	old = binary.LittleEndian.AppendUint64(old, xxhash.Sum64(old))
	strategytest.Must(t, os.WriteFile(path, append(old, b[60:]...), 0o600))
	strategytest.ErrorSays(t, "of before there were identities", load(two), "")
}

// The first reason for which a partition fails stays.
func TestFirstReason(t *testing.T) {
	other := start(t, configOf(t, &memoryLog{fails: errors.New("full")}, t.TempDir()))
	for range 2 {
		_, err := showOf(1, 5, 0).of(other, 1)
		strategytest.ErrorSays(t, "a log that takes nothing", err, "unavailable: full")
	}
	strategytest.ErrorSays(t, "its partition", other.Seen(1, 1, nil, nil), "unavailable: full")
	p := start(t, configOf(t, &memoryLog{}, t.TempDir()))
	strategytest.Must(t, strategytest.ErrorOf(showOf(1, 0, 7).of(p, 1)))
	p.Fail(errors.New("planted"))
	p.Fail(errors.New("later"))
	strategytest.Equal(t, p.Forget(1<<30), 0, "users forgotten by a partition that has failed")
	for what, err := range map[string]error{
		"the reason": p.Err(), "touch": p.Touch(), "snapshot": strategytest.ErrorOf(p.Snapshot(t.Context())),
		"record":  strategytest.ErrorOf(p.Record(1, Exposure{Kind: Forgotten})),
		"history": strategytest.ErrorOf(p.History(1, 1)),
	} {
		strategytest.ErrorSays(t, what, err, exposure.ErrUnavailable.Error()+": planted")
	}
	p.Close()
	strategytest.Equal(t, p.Stats().Users, 0, "users in the memory of a partition that is closed")
}
