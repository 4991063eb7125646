//go:build !race

package choice

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/describe"
	"dejavu/experiments/golden"
	"dejavu/experiments/replay"
	"dejavu/experiments/replay/replayer"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

// logOf is a log of users who go back to what they were shown, mostly not far, and who are away for seconds or weeks.
func logOf(t *testing.T, seed uint64, users int) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	var events []logs.Event
	for user := range users {
		at := 1_573_776_000 + r.Int64N(86_400)
		var shown []strategies.ID
		for range 1 + r.IntN(400) {
			at += []int64{0, 10, 600, 3600, 100_000, 1_000_000}[min(r.IntN(6), r.IntN(6))]
			id := strategies.ID(r.Uint64N(5000))
			if back := 1 + int(0.5/(r.Float64()+0.002)); r.IntN(3) == 0 && back <= len(shown) {
				id = shown[len(shown)-back]
			}
			shown = append(shown, id)
			events = append(events, logs.Event{User: uint64(user), Article: id, Time: at})
		}
	}
	slices.SortStableFunc(events, func(a, b logs.Event) int { return int(a.Time - b.Time) })
	var requests [][]logs.Event
	for i := range events {
		requests = append(requests, events[i:i+1])
	}
	return logtest.Text(logs.CSV, logs.Columns{}, requests...)
}

func opened(t *testing.T, log []byte) *logs.Log {
	t.Helper()
	l := strategytest.Value(logs.New(bytes.NewReader(log), "log", logs.Options{}))
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func describing(t *testing.T, log []byte, idle store.Timestamp) *describe.Description {
	t.Helper()
	return strategytest.Value(describe.Config{Idle: idle}.Run(t.Context(), opened(t, log), measure.Options{Workers: 1}))
}

// replayed is what a log replayed with a strategy comes to.
func replayed(t *testing.T, log []byte, spec string, idle store.Timestamp) replayer.Tally {
	t.Helper()
	subjects := strategytest.Value(replay.Settings{Strategies: []string{spec}}.Subjects())
	tally, err := replayer.Config{Idle: idle}.Run(t.Context(), subjects, opened(t, log), measure.Options{Workers: 1})
	strategytest.Must(t, err)
	return tally
}

// recognised is the share of a log's repeats that a strategy recognises.
func recognised(t *testing.T, log []byte, spec string, idle store.Timestamp) float64 {
	t.Helper()
	c := replayed(t, log, spec, idle).Strategies[0]
	return row.Mean(row.Sum(c.Recognised), row.Sum(c.Repeated))
}

// The window and the forgetting that a log needs, by Ask, recognise as many repeats as was asked for, which a
// replay confirms: a queue recognises exactly those. Half the window does not.
func TestAskKeepsItsWord(t *testing.T) {
	for seed := range uint64(6) {
		log := logOf(t, seed, 30)
		for _, own := range []int64{-1, 0, 5000} {
			d := describing(t, log, store.Timestamp(max(own, 0)))
			for _, share := range []float64{0.3, 0.9, 0.99, 1} {
				n, l, err := Ask(Need{FPR: 0.02}, d, share, own)
				if err != nil {
					if _, most := d.Window(l.Idle, share); own <= 0 || most >= share {
						t.Error(err)
					}
					continue
				}
				got := recognised(t, log, fmt.Sprintf("queue:window=%d", n.Window), l.Idle)
				if got != l.Has || got < share {
					t.Errorf("log %d, idle %d: %v of the repeats are in the last %d articles, want %v, asked for were %v",
						seed, own, got, n.Window, l.Has, share)
				}
				half := fmt.Sprintf("queue:window=%d", n.Window/2)
				if n.Window > 1 && recognised(t, log, half, l.Idle) >= share {
					t.Errorf("log %d, idle %d: half of %d articles would have done for %v", seed, own, n.Window, share)
				}
				if own >= 0 && int64(l.Idle) != own || own < 0 && l.Idle > 0 && l.Idle < LeastIdle {
					t.Errorf("log %d: idle is %d, want %d", seed, l.Idle, own)
				}
				if n.Users != 30 || n.Articles < n.Window || n.Check() != nil {
					t.Errorf("log %d: %+v, %v", seed, n, n.Check())
				}
			}
		}
	}
}

// What is given stays, and what cannot be is an error.
func TestAskWhatIsGiven(t *testing.T) {
	d := describing(t, logOf(t, 1, 10), 60)
	given := Need{Users: 7, Window: 50, FPR: 0.1, Articles: 60}
	n, l, err := Ask(given, d, 0.99, -1)
	if err != nil || n != given || l.Has != d.Within(l.Idle, 50) || l.Has < min(0.99, d.Within(0, 50)) {
		t.Errorf("%+v, %+v, %v", n, l, err)
	}
	const none = "--repeats is 0.99, and where histories are forgotten after 1m no window has more than 0."
	strategytest.ErrorSays(t, "nothing to ask", strategytest.ErrorOf(Ask(Need{}, d, 0.99, 60)), none)
	d = describing(t, []byte("user,article,time\n1,1,1\n1,2,1\n2,1,1\n"), 0)
	n, l, err = Ask(Need{FPR: 0.02}, d, 1, -1)
	if err != nil || n.Window != DefaultWindow || l.Idle != LeastIdle || n.Users != 2 {
		t.Errorf("no repeat: %+v, %+v, %v", n, l, err)
	}
}

// The rule of forgetting is the shortest of a day and more with which the window is at most
// a quarter longer, or with which a given one has what is asked for.
func TestRuled(t *testing.T) {
	d := &describe.Description{
		Repeats: 100, Rules: []store.Timestamp{60, store.Day, 7 * store.Day}, Ages: []int64{8: 98, 10: 1, 11: 1},
	}
	for _, c := range []struct {
		forgotten int64 // of age 8, by the rule of a day
		given     int
		want      store.Timestamp
	}{
		{0, 0, store.Day},
		{1, 0, store.Day}, // 10 articles for 8
		{2, 0, 7 * store.Day},
		{0, 8, store.Day},
		{1, 8, 7 * store.Day},
		{1, 10, store.Day},
		{1, 7, store.Day}, // which has none anyway
	} {
		d.Forgotten = [][]int64{make([]int64, 9), {8: c.forgotten}, make([]int64, 9)}
		strategytest.Equal(t, ruled(d, c.given, 0.98), c.want, "%d forgotten, a window of %d", c.forgotten, c.given)
	}
	d.Forgotten[1][8], d.Forgotten[2][8] = 50, 50
	strategytest.Equal(t, ruled(d, 0, 0.98), 0, "every rule costs too much")
}

// The answer to a log, with what is recommended, and where nothing fits.
func TestLogGolden(t *testing.T) {
	log := logOf(t, 1, 60)
	d := describing(t, log, 0)
	var b strings.Builder
	for i, need := range []Need{{FPR: 0.02, Paper: true}, {FPR: 0.02, Memory: 60 * 20, Paper: true}} {
		n, l, err := Ask(need, d, 0.99, -1)
		strategytest.Must(t, err)
		all := offered(t, n)
		for i := range all {
			all[i].Nanos, all[i].MeasuredOn = 0, ""
		}
		l.Files = []string{"log.csv"}
		if fits := l.Recommend(n, all); fits != (i == 0) {
			t.Fatalf("need %d: it fits: %t", i, fits)
		} else if fits {
			l.Replayed(replayed(t, log, l.Spec, l.Idle))
			s := l.Seen
			if s.Recognised+s.Forgotten+s.Outside != s.Repeats || s.Repeats != l.Repeats ||
				s.Unseen+s.Repeats != l.Exposures || s.Inside != 0 {
				t.Errorf("%+v of %+v", s, l)
			}
			strategytest.Must(t, WriteJSON(&b, n, nil, l))
		}
		fmt.Fprintln(&b, Text(n, all, l, i > 0, 0))
	}
	golden.File(t, "log.golden", strings.ReplaceAll(b.String(), reference().machine, "MACHINE"))
}
