package partition

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Histories that were begun when IDs were not mixed go on, and are taken by nobody who does not know of it.
func TestEarlier(t *testing.T) {
	l := &memoryLog{}
	c := configOf(t, l, t.TempDir())
	c.Layout = earlier
	p := start(t, c)
	strategytest.Must(t, strategytest.ErrorOf(showOf(1, 0, 7).of(p, 1)))
	l.settle(1)
	strategytest.Must(t, strategytest.ErrorOf(p.Snapshot(t.Context())))
	mixed := c
	mixed.Layout = chain
	_, _, err := Load(t.Context(), mixed)
	mixed.Dir = t.TempDir()
	fresh, _, err2 := Load(t.Context(), mixed)
	if err2 != nil {
		t.Fatal(err2)
	}
	for _, err := range []error{err, fresh.Apply(l.at[0], l.records[0])} {
		if !strings.Contains(fmt.Sprint(err), `"earlier: true"`) {
			t.Errorf("%v, want a hint", err)
		}
	}
	h, err := start(t, c).History(1, 1)
	want := chain.Record(nil, c.Secret.EarlierSalt(1).Append(nil, []strategies.ID{7}))
	if err != nil || !bytes.Equal(h, want) {
		t.Errorf("the history is %x, %v, want %x", h, err, want)
	}
}
