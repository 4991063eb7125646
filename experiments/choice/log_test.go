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
	"dejavu/workload/logs"
)

// logOf is a log of users who go back to what they were shown, mostly not far, and
// who are away for seconds or weeks.
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
	var b bytes.Buffer
	w, err := logs.NewWriter(&b, logs.CSV, logs.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := w.Write([]logs.Event{e}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func opened(t *testing.T, log []byte) *logs.Log {
	t.Helper()
	l, err := logs.New(bytes.NewReader(log), "log", logs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func describing(t *testing.T, log []byte, idle store.Timestamp) *describe.Description {
	t.Helper()
	d, err := describe.Config{Idle: idle}.Run(t.Context(), opened(t, log), measure.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// recognised is the share of a log's repeats that a strategy recognises, which is replayed.
func recognised(t *testing.T, log []byte, spec string, idle store.Timestamp) float64 {
	t.Helper()
	subjects, err := replay.Settings{Strategies: []string{spec}}.Subjects()
	if err != nil {
		t.Fatal(err)
	}
	tally, err := replayer.Config{Idle: idle}.Run(t.Context(), subjects, opened(t, log), measure.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	c := tally.Strategies[0]
	return row.Mean(row.Sum(c.Recognised), row.Sum(c.Repeated))
}

// The window and the forgetting that a log is said to need recognise as many repeats as
// was asked for, which a replay confirms: a queue recognises exactly those. Half the window does not.
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
					t.Errorf("log %d, idle %d: %v of the repeats are in the last %d articles, said to be %v, asked for were %v", seed, own, got, n.Window, l.Has, share)
				}
				if half := n.Window / 2; half > 0 && recognised(t, log, fmt.Sprintf("queue:window=%d", half), l.Idle) >= share {
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

// What is given stays, and what cannot be is said.
func TestAskWhatIsGiven(t *testing.T) {
	d := describing(t, logOf(t, 1, 10), 60)
	n, l, err := Ask(Need{Users: 7, Window: 50, FPR: 0.1, Articles: 60}, d, 0.99, -1)
	if err != nil || n != (Need{Users: 7, Window: 50, FPR: 0.1, Articles: 60}) || l.Has != d.Within(l.Idle, 50) || l.Has < min(0.99, d.Within(0, 50)) {
		t.Errorf("%+v, %+v, %v", n, l, err)
	}
	if _, _, err := Ask(Need{}, d, 0.99, 60); err == nil || !strings.Contains(err.Error(), "--repeats is 0.99, and where histories are forgotten after 1m no window has more than 0.") {
		t.Errorf("got %v", err)
	}
	none := describing(t, []byte("user,article,time\n1,1,1\n1,2,1\n2,1,1\n"), 0)
	if n, l, err := Ask(Need{FPR: 0.02}, none, 1, -1); err != nil || n.Window != DefaultWindow || l.Idle != LeastIdle || n.Users != 2 {
		t.Errorf("no repeat: %+v, %+v, %v", n, l, err)
	}
}

// All that is said of a log, with what is recommended, and where nothing fits.
func TestLogGolden(t *testing.T) {
	log := logOf(t, 1, 60)
	d := describing(t, log, 0)
	var b strings.Builder
	for _, need := range []Need{{FPR: 0.02, Paper: true}, {FPR: 0.02, Memory: 60 * 20, Paper: true}} {
		n, l, err := Ask(need, d, 0.99, -1)
		if err != nil {
			t.Fatal(err)
		}
		all := offered(t, n)
		for i := range all {
			all[i].Nanos = 0
			all[i].MeasuredOn = ""
		}
		l.Files = []string{"log.csv"}
		if l.Recommend(n, all) {
			subjects, err := replay.Settings{Strategies: []string{l.Spec}}.Subjects()
			if err != nil {
				t.Fatal(err)
			}
			tally, err := replayer.Config{Idle: l.Idle}.Run(t.Context(), subjects, opened(t, log), measure.Options{})
			if err != nil {
				t.Fatal(err)
			}
			l.Replayed(tally)
			if s := l.Seen; s.Recognised+s.Forgotten+s.Outside != s.Repeats || s.Repeats != l.Repeats || s.Unseen+s.Repeats != l.Exposures || s.Inside != 0 {
				t.Errorf("%+v of %+v", s, l)
			}
		}
		for _, markdown := range []bool{false, true} {
			fmt.Fprintln(&b, LogText(n, all, l, markdown, 0))
		}
		if err := WriteJSON(&b, n, all[:1], l); err != nil {
			t.Fatal(err)
		}
	}
	golden.File(t, "log.golden", strings.ReplaceAll(b.String(), reference().machine, "MACHINE"))
}
