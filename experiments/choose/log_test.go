//go:build !race

package choose

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dejavu/experiments/describe"
	"dejavu/experiments/replay"
	"dejavu/experiments/row"
	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

// logOf returns a log of users who go back, mostly not far, and who are away for seconds or weeks.
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
	return logtest.Text(logs.CSV, requests...)
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

// replayed returns the tally of a log replayed with a strategy.
func replayed(t *testing.T, log []byte, spec string, idle store.Timestamp, from int64) replay.Tally {
	t.Helper()
	subjects := strategytest.Value(replay.Settings{Strategies: []string{spec}}.Subjects())
	c := replay.Config{Idle: idle, From: from}
	tally, err := c.Run(t.Context(), subjects, opened(t, log), measure.Options{Workers: 1})
	strategytest.Must(t, err)
	return tally
}

// recognised returns the share of a log's repeats that a strategy recognises.
func recognised(t *testing.T, log []byte, spec string, idle store.Timestamp) float64 {
	t.Helper()
	c := replayed(t, log, spec, idle, 0).Strategies[0]
	return row.Mean(row.Sum(c.Recognised), row.Sum(c.Repeated))
}

// The window and rule of forgetting from Ask recognise the share of repeats asked for. A replay with a queue confirms
// it. Half the window does not suffice.
func TestAskKeepsItsWord(t *testing.T) {
	for seed := range uint64(6) {
		log := logOf(t, seed, 30)
		for _, own := range []int64{-1, 0, 5000} {
			d := describing(t, log, store.Timestamp(max(own, 0)))
			for _, share := range []float64{0.3, 0.9, 0.99, 1} {
				l, err := Ask(Need{FPR: 0.02}, d, share, own)
				n := l.Needed
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

// Given values stay, and impossible ones are errors.
func TestAskWhatIsGiven(t *testing.T) {
	d := describing(t, logOf(t, 1, 10), 60)
	given := Need{Users: 7, Window: 50, FPR: 0.1, Articles: 60}
	l, err := Ask(given, d, 0.99, -1)
	if n := l.Needed; err != nil || n != given || l.Has != d.Within(l.Idle, 50) || l.Has < min(0.99, d.Within(0, 50)) {
		t.Errorf("%+v, %v", l, err)
	}
	const none = "--repeats is 0.99, and where histories are forgotten after 1m no window has more than 0."
	strategytest.ErrorSays(t, "nothing to ask", strategytest.ErrorOf(Ask(Need{}, d, 0.99, 60)), none)
	d = describing(t, []byte("user,article,time\n1,1,1\n1,2,1\n2,1,1\n"), 0)
	l, err = Ask(Need{FPR: 0.02}, d, 1, -1)
	if n := l.Needed; err != nil || n.Window != DefaultWindow || l.Idle != LeastIdle || n.Users != 2 {
		t.Errorf("no repeat: %+v, %v", l, err)
	}
	for window, want := range map[int]string{ // the ends of the last bin up to MaxWindow, and of the one after it
		499_967: "", 500_031: "--repeats is 1, which takes a window of 500031, want one up to 500000",
	} {
		bin := deal.Fine.Bin(window)
		_, err := Ask(Need{FPR: 0.02}, &describe.Description{Repeats: 1, Ages: append(make([]int64, bin), 1)}, 1, 0)
		strategytest.ErrorSays(t, "a repeat that long ago", err, want)
	}
}

// The rule of forgetting is the shortest, of a day or more, with which the window is at most a quarter longer, or a
// given window has the share asked for.
func TestRuled(t *testing.T) {
	d := &describe.Description{
		Repeats: 100, Rules: []store.Timestamp{60, store.Day, 7 * store.Day}, Ages: []int64{8: 98, 10: 1, 11: 1},
	}
	rules := func(forgotten int64, given int, want store.Timestamp) {
		t.Helper()
		d.Forgotten = [][]int64{make([]int64, 9), {8: forgotten}, make([]int64, 9)}
		strategytest.Equal(t, ruled(d, given, 0.98), want, "%d forgotten, a window of %d", forgotten, given)
	}
	rules(0, 0, store.Day)
	rules(1, 0, store.Day) // 10 articles for 8
	rules(2, 0, 7*store.Day)
	rules(0, 8, store.Day)
	rules(1, 8, 7*store.Day)
	rules(1, 10, store.Day)
	rules(1, 7, store.Day) // which has none anyway
	d.Forgotten[1][8], d.Forgotten[2][8] = 50, 50
	strategytest.Equal(t, ruled(d, 0, 0.98), 0, "every rule costs too much")
}

// before returns a log's part before a time.
func before(log []byte, until int64) []byte {
	lines := strings.SplitAfter(string(log), "\n")
	return []byte(strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		fields := strings.Split(line, ",")
		at, err := strconv.ParseInt(fields[min(2, len(fields)-1)], 10, 64)
		return err == nil && at >= until
	}), ""))
}

// A replay's late counts are the whole log's less the earlier part's, and the requests up to a time are described as
// that part.
func TestLateIsTheRest(t *testing.T) {
	log := logOf(t, 3, 40)
	d := describing(t, log, 0)
	from := HeldFrom(d)
	first := before(log, from)
	early := strategytest.Value(describe.Config{Until: from}.Run(t.Context(), opened(t, log), measure.Options{Workers: 2}))
	want := describing(t, first, 0)
	if early.Read = want.Read; !reflect.DeepEqual(early, want) {
		t.Errorf("described up to %d: %+v, want %+v", from, early, want)
	}
	const spec = "chain:window=20,fpr=0.2"
	all, part := replayed(t, log, spec, 0, from), replayed(t, first, spec, 0, from)
	counted := func(c replay.Counts) replay.Late {
		return replay.Late{
			Repeats: row.Sum(c.Repeated), Recognised: row.Sum(c.Recognised),
			Fresh: c.Fresh.Queries, FalsePositives: c.Fresh.Hits,
		}
	}
	got, of, less := all.Strategies[0].Late, counted(all.Strategies[0]), counted(part.Strategies[0])
	measure.Sum(&less, got)
	if less != of || got.FalsePositives == 0 || got.Recognised == 0 || part.Strategies[0].Late != (replay.Late{}) {
		t.Errorf("late %+v of %+v, which with those before make %+v", got, of, less)
	}
	if rest := d.Without(early); rest.Repeats != got.Repeats || row.Sum(rest.Ages) != got.Repeats {
		t.Errorf("%d repeats are left, want %d", rest.Repeats, got.Repeats)
	}
}

// If users go back further from some day on, the answer from the time before is clearly worse, and the window said to
// be needed is the least with the share asked for. If they do not, it is not worse.
func TestHeldOut(t *testing.T) {
	for _, further := range []int{1, 30} {
		r := rand.New(rand.NewPCG(8, uint64(further)))
		var requests [][]logs.Event
		past := map[uint64][]strategies.ID{}
		for at := range int64(20_000) {
			user, id, back := at%10, strategies.ID(r.Uint64()), 1+r.IntN(10)
			if at > 16_000 {
				back *= 1 + r.IntN(further)
			}
			if shown := past[uint64(user)]; r.IntN(4) == 0 && back <= len(shown) {
				id = shown[len(shown)-back]
			}
			past[uint64(user)] = append(past[uint64(user)], id)
			requests = append(requests, []logs.Event{{User: uint64(user), Article: id, Time: 1_573_776_000 + 60*at}})
		}
		log := logtest.Text(logs.CSV, requests...)
		d := describing(t, log, 0)
		from := HeldFrom(d)
		l := strategytest.Value(Ask(Need{FPR: 0.02}, d, 0.99, 0))
		first := strategytest.Value(Ask(Need{FPR: 0.02}, describing(t, before(log, from), 0), 0.99, 0))
		late := func(window int) replay.Tally {
			return replayed(t, log, fmt.Sprintf("queue:window=%d", window), 0, from)
		}
		first.Replayed(late(first.Needed.Window))
		l.HeldOut(from, first)
		h := l.Held
		share := func(window int) float64 {
			c := late(window).Strategies[0].Late
			return row.Mean(c.Recognised, c.Repeats)
		}
		if h.Worse != (further > 1) || first.Seen.Late != late(first.Needed.Window).Strategies[0].Late {
			t.Errorf("%d times as far: %+v of %+v", further, h, first.Seen)
		}
		if share(h.Needed) < 0.99 || share(h.Needed-1) >= 0.99 {
			t.Errorf("%d times as far: %d has %v, one less %v", further, h.Needed, share(h.Needed), share(h.Needed-1))
		}
	}
	strategytest.Equal(t, HeldFrom(&describe.Description{Facts: deal.Facts{First: 5, Last: 15}}), 13,
		"of seconds 5 to 15 are held out those from")
}

// The answer to a log, with a recommendation, and when nothing fits.
func TestLogGolden(t *testing.T) {
	log := logOf(t, 1, 60)
	d := describing(t, log, 0)
	var b strings.Builder
	for i, need := range []Need{{FPR: 0.02, Paper: true}, {FPR: 0.02, Memory: 60 * 36, Paper: true}} {
		asked := func(d *describe.Description) *Log {
			l := strategytest.Value(Ask(need, d, 0.99, -1))
			if fits := strategytest.Value(l.Recommend()); fits != (i == 0) {
				t.Fatalf("need %d: it fits: %t", i, fits)
			} else if fits {
				l.Replayed(replayed(t, log, l.Spec, l.Idle, HeldFrom(describing(t, log, 0))))
			}
			for i := range l.Offers {
				l.Offers[i].Query, l.Offers[i].Request = 0, 0
			}
			return l
		}
		l := asked(d)
		l.Files = []string{"log.csv"}
		if s := l.Seen; s != nil {
			if s.Recognised+s.Forgotten+s.Outside != s.Repeats || s.Repeats != l.Repeats ||
				s.Unseen+s.Repeats != l.Exposures || s.Inside != 0 {
				t.Errorf("%+v of %+v", s, l)
			}
			l.HeldOut(HeldFrom(d), asked(describing(t, before(log, HeldFrom(d)), 0)))
			strategytest.Must(t, WriteJSON(&b, l.Needed, nil, l))
		}
		fmt.Fprintln(&b, document.Terminal(80, Answer(l.Needed, l.Offers, l, false)...))
		fmt.Fprintln(&b, document.Markdown(Answer(l.Needed, l.Offers, l, true)...))
		l.Read = "how it was read"
		whole := document.Markdown(Answer(l.Needed, l.Offers, l, true)...)
		strategytest.Contains(t, whole, "\n"+l.Read+"\n", "the answer")
	}
	golden.File(t, "log.golden", strings.ReplaceAll(b.String(), reference().machine, "MACHINE"))
}
