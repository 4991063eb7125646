package results_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"dejavu/results"
)

// A narrow place takes room bytes, and then no more.
type narrowPlace struct {
	room  int
	taken bytes.Buffer
}

var errFull = errors.New("no room is left")

func (n *narrowPlace) Write(p []byte) (int, error) {
	if n.room < len(p) {
		return 0, errFull
	}
	n.room -= len(p)
	return n.taken.Write(p)
}

// An error of the writer is returned: at the end, or from the middle of more than a buffer, 4 kB. Then later rows are
// not asked for.
func TestWriteTellsErrors(t *testing.T) {
	row := results.Row{Experiment: "e", Quantity: "q", Value: results.Num(1)}
	if err := results.Write(&narrowPlace{}, []results.Dimension{along}, []results.Row{row}); !errors.Is(err, errFull) {
		t.Errorf("at the end: %v", err)
	}
	many := slices.Repeat([]results.Row{row}, 2000)
	many[1999].Count = -1 // which Write refuses, where it comes so far
	if err := results.Write(&narrowPlace{room: 5000}, []results.Dimension{along}, many); !errors.Is(err, errFull) {
		t.Errorf("in the middle: %v", err)
	}
	if err := results.Write(&narrowPlace{room: 1 << 20}, []results.Dimension{along}, many); err == nil ||
		errors.Is(err, errFull) {
		t.Errorf("with room: %v", err)
	}
}

// Of rows with one key the last are extra, however many.
func TestExtraRowsOfOneKey(t *testing.T) {
	row := func(v float64) results.Row { return results.Row{Experiment: "e", Quantity: "q", Value: results.Num(v)} }
	other := results.Row{Experiment: "e", Quantity: "other"}
	c := results.Compare([]results.Row{row(1), row(2), other, row(3), row(4)}, []results.Row{row(1)})
	key := row(0).Name()
	if want := []results.Query{key, other.Name(), key, key}; c.Matched != 1 || !slices.Equal(c.Extra, want) {
		t.Errorf("%d match, extra are %v, want %v", c.Matched, c.Extra, want)
	}
	if c := results.Compare([]results.Row{row(1), row(2), row(3)}, nil); len(c.Extra) != 3 {
		t.Errorf("%v", c)
	}
}
