package partition

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/strategies"
)

// A user who was forgotten is in neither of the snapshots once both were written later, though nobody else came.
func TestTouch(t *testing.T) {
	l := &memoryLog{}
	c := configOf(t, l, t.TempDir())
	p := start(t, c)
	for i, e := range []Exposure{
		{Kind: Recorded, User: 0xabcdef, Articles: []strategies.ID{1}}, {}, {Kind: Forgotten, User: 0xabcdef}, {}, {}, {},
	} {
		var err error
		if e.Kind > 0 {
			_, err = p.Record(1, e)
		} else {
			before := len(l.records)
			err = p.Touch()
			if touched := len(l.records) - before; touched != map[bool]int{true: 1}[i > 3] {
				t.Errorf("%d: %d records more", i, touched)
			}
			l.settle(len(l.records))
			_, _, err2 := p.Snapshot(t.Context())
			err = errors.Join(err, err2)
		}
		if err != nil {
			t.Fatal(err)
		}
		names, _ := c.snapshots()
		found := 0
		for _, name := range names {
			b, _ := os.ReadFile(filepath.Join(c.Dir, name))
			found += bytes.Count(b, []byte{0xef, 0xcd, 0xab})
		}
		if want := []int{0, 1, 1, 1, 0, 0}[i]; found != want {
			t.Errorf("%d: the user is in %d of %d snapshots, want %d", i, found, len(names), want)
		}
	}
	if reached, err := Reached(c.Dir); err != nil || reached != l.at[len(l.at)-1]+1 {
		t.Errorf("the snapshots reach to %d, %v, want %d", reached, err, l.at[len(l.at)-1]+1)
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
