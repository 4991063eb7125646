package stopwatch

import (
	"bytes"
	"dejavu/strategies/strategytest"
	"reflect"
	"slices"
	"testing"

	"dejavu/measure"
	"dejavu/strategies"
)

// Nothing takes all for fresh, keeps nothing and promises nothing.
func TestNothing(t *testing.T) {
	var n Nothing
	seen := []bool{true, true}
	n.Seen(nil, make([]strategies.ID, 2), seen)
	if seen[0] || seen[1] {
		t.Errorf("nothing has seen %v", seen)
	}
	if h := n.Record([]byte{7}, make([]strategies.ID, 3)); !bytes.Equal(h, []byte{7}) {
		t.Errorf("nothing keeps %v", h)
	}
	if n.Bytes(600) != 0 || n.FPR(600) != 0 || n.Window(600) != 0 || n.Validate([]byte{1, 2}) != nil ||
		!slices.Equal(n.Sizes(), []int{1}) {
		t.Error("nothing promises something")
	}
}

// A floor loads six bytes for a candidate, always the same: whatever one bit of all six is set is seen.
func TestFloor(t *testing.T) {
	const candidates = 40
	f := NewFloor(candidates, 1)
	if again, other := NewFloor(candidates, 1), NewFloor(candidates, 2); !reflect.DeepEqual(f, again) ||
		reflect.DeepEqual(f, other) {
		t.Error("places do not follow from the seed")
	}
	ids := make([]strategies.ID, candidates)
	history := f.Record(nil, ids)
	if len(history) != 512 || len(f.Record(nil, nil)) != 0 {
		t.Errorf("%d bytes after articles, %d after none", len(history), len(f.Record(nil, nil)))
	}
	seen := make([]bool, candidates+1)
	seen[candidates] = true
	ask := func() int {
		f.Seen(history, ids, seen)
		if !seen[candidates] {
			t.Fatal("an answer that nobody asked for")
		}
		return measure.Count(seen[:candidates], true)
	}
	strategytest.Equal(t, ask(), 0, "of zeros are seen")
	for i := range history {
		history[i] = 0x10
	}
	strategytest.Equal(t, ask(), candidates, "of a bit everywhere are seen")
	loaded := make([]int, candidates) // places without which a candidate is not seen
	for i := range history {
		history[i] = 0xef
		ask()
		for c := range loaded {
			if !seen[c] {
				loaded[c]++
			}
		}
		history[i] = 0x10
	}
	for c, n := range loaded {
		if n < 4 || n > 6 { // two of the six may be one
			t.Errorf("candidate %d is seen by %d bytes", c, n)
		}
	}
	if slices.Max(loaded) != 6 {
		t.Errorf("no candidate has six places: %v", loaded)
	}
	f.Seen(history, ids[:3], seen[:3])
}
