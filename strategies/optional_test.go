package strategies_test

import (
	"fmt"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// days is a strategy that remembers the days it was asked on and recorded on.
type days struct {
	strategies.Strategy
	asked, recorded *[]int
}

func (d days) SeenOn(_ []byte, day int, _ []strategies.ID, _ []bool) {
	*d.asked = append(*d.asked, day)
}

func (d days) RecordOn(history []byte, day int, _ []strategies.ID) []byte {
	*d.recorded = append(*d.recorded, day)
	return append(history, byte(day))
}

// A strategy on a day asks and records on it, whichever it is; there are no others.
func TestOnDay(t *testing.T) {
	var asked, recorded []int
	for _, day := range []int{0, 1, strategies.MaxDay} {
		on := strategies.OnDay(days{asked: &asked, recorded: &recorded}, day)
		on.Seen(nil, nil, nil)
		if h := on.Record([]byte{7}, nil); len(h) != 2 || h[1] != byte(day) {
			t.Errorf("on day %d the history is %v", day, h)
		}
	}
	if want := fmt.Sprint([]int{0, 1, strategies.MaxDay}); fmt.Sprint(asked) != want || fmt.Sprint(recorded) != want {
		t.Errorf("asked on %v, recorded on %v, want %s", asked, recorded, want)
	}
	for _, day := range []int{-1, strategies.MaxDay + 1} {
		func() {
			defer func() {
				strategytest.Equal(t, fmt.Sprint(recover()), fmt.Sprintf("strategies: day %d, want 0 to 65535", day),
					"on day %d", day)
			}()
			strategies.OnDay(days{}, day)
		}()
	}
}
