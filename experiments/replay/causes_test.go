package replay

import (
	"fmt"
	"strings"
	"testing"

	"dejavu/experiments/replay/replayer"
	"dejavu/results"
	"dejavu/store"
)

// A repeat inside the window is shouted; and what was forgotten, with what never
// forgetting would do, which a log that is never forgotten confirms for an exact window.
func TestFindings(t *testing.T) {
	const day = 86400
	// One user is shown three articles in turn, so many seconds apart.
	log := func(steps ...int) string {
		b, at := "user,article,time,request\n", 1_600_000_000
		for i, step := range steps {
			at += step
			b += fmt.Sprintf("1,%d,%d,%d\n", i%3+1, at, i)
		}
		return b
	}
	for _, c := range []struct {
		name, strategy, log string
		idle                store.Timestamp
		broken              int64 // so many false negatives are planted
		want                string
	}{
		{
			"broken", "queue", log(0, 1, 1, 1, 1), 0, 2,
			"FALSE NEGATIVES: repeats inside the guaranteed window were shown, which must not be: queue 2.",
		},
		{
			"idle", "queue", log(0, day, day, day, day), store.Day, 0,
			"Of the repeats shown by queue all had been forgotten after 24h without an article recorded. " +
				"Without that rule (--idle 0) at most so many would be shown: queue 0.",
		},
		{"never", "queue", log(0, day, day, day, day), 0, 0, ""},
		{
			"outside", "queue:window=2", log(0, 1, 1, 1, 1), 0, 0,
			"Of the repeats shown by queue:window=2 all lay outside the guaranteed window. " +
				"A window of 3 articles has 100 % of all repeats: 'choose --log' says which strategies keep it.",
		},
		{"none", "queue", log(0, 1, 1), store.Day, 0, ""},
	} {
		subjects, err := Settings{Strategies: []string{c.strategy}}.Subjects()
		if err != nil {
			t.Fatal(err)
		}
		tally := replayed(t, c.log, replayer.Config{Idle: c.idle}, subjects)
		tally.Strategies[0].WindowMisses += c.broken
		rows, _ := Rows(subjects, tally)
		if got := strings.Join(Findings(results.NewCells(rows), "24h"), "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMost(t *testing.T) {
	for want, shares := range map[string][]float64{
		"all": {1, 1}, "50 %": {0.5}, "50 to 75 %": {0.75, 0.5}, "33.3 %": {0.33331, 0.33332}, "50 to 100 %": {0.5, 1},
	} {
		c := cause{names: []string{"a", "b"}, shares: shares}
		if got := c.most(); got != "Of the repeats shown by a, b "+want {
			t.Errorf("%v: %q, want %q", shares, got, want)
		}
	}
}
