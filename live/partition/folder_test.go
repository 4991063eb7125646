package partition

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dejavu/live/exposure"
	"dejavu/store"
	"dejavu/strategies"

	"dejavu/strategies/strategytest"
)

// A partition where nothing was since its last snapshot gets a record, so that the next one has a name of its own.
func TestTouch(t *testing.T) {
	l, c, p := begun(t)
	_, err := p.Record(1, Exposure{Kind: Forgotten, User: 1})
	for records := 1; records < 5; records++ {
		err = errors.Join(err, p.Touch())
		strategytest.Equal(t, len(l.records), records, "records")
		strategytest.Equal(t, len(l.records[records-1]), []int{0, 28, 10, 10, 10}[records], "bytes of record %d", records)
		l.settle(len(l.records))
		_, _, failed := p.Snapshot(t.Context())
		err = errors.Join(err, failed)
	}
	strategytest.Must(t, err)
	strategytest.Equal(t, strategytest.Value(Reached(c.Dir)), l.at[3]+1, "what the snapshots reach to")
}

// The number of partitions is recorded once, and another one is refused, as is what is no number.
func TestDivided(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "snapshots")
	for _, want := range []bool{false, true} {
		if recorded, err := Divided(dir, 4); recorded != want || err != nil {
			t.Errorf("recorded: %v, %v, want %v", recorded, err, want)
		}
		strategytest.Must(t, Divide(dir, 4))
	}
	strategytest.ErrorSays(t, "another number", Divide(dir, 8), `divided into "4"`)
	strategytest.Must(t, os.WriteFile(filepath.Join(dir, "partitions"), nil, 0o600))
	strategytest.ErrorSays(t, "an empty file", strategytest.ErrorOf(Divided(dir, 4)), `divided into ""`)
	strategytest.ErrorSays(t, "no folder", strategytest.ErrorOf(Divided("/dev/null", 4)), "snapshots: ")
	strategytest.ErrorSays(t, "no folder to be", Divide("/dev/null/snapshots", 4), "snapshots: ")
	taken := t.TempDir() // where the file would be written
	strategytest.Must(t, os.MkdirAll(filepath.Join(taken, "partitions.saving", "folder"), 0o700))
	strategytest.ErrorSays(t, "no room for the file", Divide(taken, 4), "snapshots: ")
	_, _, err := Load(t.Context(), configOf(t, &memoryLog{}, "/dev/null"))
	strategytest.ErrorSays(t, "no folder to load from", err, "partition 0: snapshots: ")
}

// The furthest snapshot counts, whichever partition it is of.
func TestReached(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"partition-0000-0000000000000007", "partition-0001-0000000000000003"} {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name+suffix), nil, 0o600))
	}
	strategytest.Equal(t, strategytest.Value(Reached(dir)), 7, "what the snapshots reach to")
}

// A snapshot is its owner's alone. What it is of has its time, where the log has nothing more.
func TestSnapshotHasItsTime(t *testing.T) {
	l, c, p := begun(t)
	strategytest.Must(t, strategytest.ErrorOf(showOf(1, 0, 7).of(p, 123)))
	l.settle(1)
	strategytest.Equal(t, start(t, c).Begin(0), 123, "the last time of the log alone")
	_, _, err := p.Snapshot(t.Context())
	names, err2 := c.snapshots()
	again, found, err3 := Load(t.Context(), c)
	strategytest.Must(t, errors.Join(err, err2, err3))
	if last := again.Begin(found.From); last != 123 || found.From != l.at[0]+1 {
		t.Errorf("the last time is %d, the log is read from %d, want 123 and %d", last, found.From, l.at[0]+1)
	}
	if info, err := os.Stat(filepath.Join(c.Dir, names[0])); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v, want 0600", info.Mode(), err)
	}
	for _, h := range []header{{From: 3, Next: 2}, {From: -1, Next: 2}} {
		if _, err := readHeader(bytes.NewReader(h.bytes())); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%+v: %v", h, err)
		}
	}
}

// The first reason for which a partition fails stays. Where no retries are remembered a call that comes again counts.
func TestFirstReason(t *testing.T) {
	c := configOf(t, &memoryLog{}, t.TempDir())
	c.Retries = 0
	p := start(t, c)
	for want := range strategies.ID(3) {
		if shown, err := showOf(1, 5, 0, 1, 2).of(p, 1); err != nil || shown[0] != want {
			t.Errorf("shown %v, %v, want %d", shown, err, want)
		}
	}
	for range 2 {
		seen := []bool{true, true}
		strategytest.Must(t, p.Seen(1, 1, []strategies.ID{2, 3}, seen))
		strategytest.EqualSlices(t, seen, []bool{true, false}, "seen")
	}
	l := &memoryLog{fails: errors.New("full")}
	other := start(t, configOf(t, l, t.TempDir()))
	for range 2 {
		_, err := showOf(1, 5, 0).of(other, 1)
		strategytest.ErrorSays(t, "a log that takes nothing", err, "unavailable: full")
	}
	strategytest.ErrorSays(t, "its partition", other.Seen(1, 1, nil, nil), "unavailable: full")
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
}
