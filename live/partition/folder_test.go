package partition

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A partition where nothing was since its last snapshot gets a record, so that the next one has a name of its own.
func TestTouch(t *testing.T) {
	l := &memoryLog{}
	c := configOf(t, l, t.TempDir())
	p := start(t, c)
	_, err := p.Record(1, Exposure{Kind: Forgotten, User: 1})
	for records := 1; records < 5; records++ {
		err = errors.Join(err, p.Touch())
		if len(l.records) != records {
			t.Errorf("%d records, want %d", len(l.records), records)
		}
		l.settle(len(l.records))
		_, _, failed := p.Snapshot(t.Context())
		err = errors.Join(err, failed)
	}
	if reached, failed := Reached(c.Dir); err != nil || failed != nil || reached != l.at[3]+1 {
		t.Errorf("%v; the snapshots reach to %d, %v, want %d", err, reached, failed, l.at[3]+1)
	}
}

// The number of partitions is recorded once, and another one is refused, as is what is no number.
func TestDivided(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "snapshots")
	for _, want := range []bool{false, true} {
		if recorded, err := Divided(dir, 4); recorded != want || err != nil {
			t.Errorf("recorded: %v, %v, want %v", recorded, err, want)
		}
		if err := Divide(dir, 4); err != nil {
			t.Error(err)
		}
	}
	if err := Divide(dir, 8); err == nil || !strings.Contains(err.Error(), `divided into "4"`) {
		t.Errorf("another number: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "partitions"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Divided(dir, 4); err == nil {
		t.Error("an empty file is taken for a number")
	}
}
