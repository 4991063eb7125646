package replayer

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue/cataloguetest"
	"dejavu/experiments/row"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

// logStart is when the logs of these tests begin, in seconds since 1970.
const logStart = 1573776000

// A lived is what users of the daily population left who lived with a strategy:
// what was put to it, and what was shown, as logs.
type lived struct{ recalled, shown []byte }

// live writes both logs of users who live with the strategy.
func live(t *testing.T, s measure.Subject, users int, idle store.Timestamp, format logs.Format) lived {
	t.Helper()
	population, err := workload.NewDaily(7, users)
	if err != nil {
		t.Fatal(err)
	}
	histories, err := store.New[int](store.Config{Unsalted: true, Strategy: s.Strategy, Users: users, Idle: idle})
	if err != nil {
		t.Fatal(err)
	}
	kind := logtest.Kind(format)
	var recalled [][]logs.Event
	show := func(user int, at uint32, candidates []strategies.ID) []bool {
		var events []logs.Event
		for _, id := range candidates {
			events = append(events, logs.Event{User: uint64(user), Article: id, Time: logStart + int64(at), Kind: kind})
		}
		recalled = append(recalled, events)
		shown := make([]bool, len(candidates))
		histories.Seen(user, store.Timestamp(at), candidates, shown)
		var record []strategies.ID
		for i, seen := range shown {
			if shown[i] = !seen; shown[i] && len(record) < workload.PerRefresh {
				record = append(record, candidates[i])
			}
		}
		histories.Record(user, store.Timestamp(at), record)
		return shown
	}
	shown := logtest.Daily(population, logStart, kind, show)
	text := func(requests [][]logs.Event) []byte {
		return logtest.Text(format, logs.Columns{Request: "request"}, requests...)
	}
	return lived{text(recalled), text(shown)}
}

func replayed(t *testing.T, log []byte, r Config, workers int, all ...measure.Subject) ([]Counts, deal.Facts) {
	t.Helper()
	r.End = logStart + workload.Horizon
	l := opened(t, string(log), inRequests)
	tally, err := r.Run(context.Background(), all, l, measure.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	machine := tally.Machine
	if machine.Truth == 0 || machine.Resident == 0 || len(machine.Slabs) != len(all) {
		t.Errorf("the machine's side is %+v", machine)
	}
	return tally.Strategies, tally.Log
}

// What the candidates of a simulated population come to in a replay is what they
// came to in the simulation, number by number. Two things a log cannot say, or says
// otherwise: users who never came, who have no line, and which of several times
// that an article was shown it was recalled for: a replay knows the latest, and so
// finds more of them inside the window.
func TestReplayIsTheSimulation(t *testing.T) {
	users := 800
	if testing.Short() || sysinfo.RaceDetector {
		users = 150
	}
	for _, s := range cataloguetest.Paper(t) {
		population, err := workload.NewDaily(7, users)
		if err != nil {
			t.Fatal(err)
		}
		counts, _, err := measure.Daily(context.Background(), s, population, measure.Range{To: users}, 2, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			rule string
			idle store.Timestamp
			want measure.Regime
		}{{"24 h", store.Day, counts.Rule}, {"no rule", 0, counts.NoRule}} {
			log := live(t, s, users, c.idle, logs.CSV)
			all, facts := replayed(t, log.recalled, Config{Idle: c.idle, Passed: true, Most: workload.PerRefresh}, 2, s)
			got, want := all[0].Regime, c.want
			if want.Fresh.Hits == 0 && s.Name != "queue" || want.Repeats == 0 && s.Name == "chain-literal" {
				t.Fatalf("%s, %s: the simulation found nothing: %+v", s.Name, c.rule, want.Fresh)
			}
			if got.WindowChecks < want.WindowChecks {
				t.Errorf("%s, %s: %d repeats inside the window, the simulation has %d",
					s.Name, c.rule, got.WindowChecks, want.WindowChecks)
			}
			want.Held = slices.Clone(want.Held)
			want.Held[0] -= int64(users) - facts.Users
			want.WindowChecks, want.ByHeld = got.WindowChecks, got.ByHeld
			if !reflect.DeepEqual(got, want) {
				got.Held, want.Held, got.ByHeld, want.ByHeld = nil, nil, nil, nil
				t.Errorf("%s, %s: got %+v\nwant %+v", s.Name, c.rule, got, want)
			}

			// What was shown, recorded as it was: the same articles, and so the same
			// histories. No article is a false positive, or it had not been shown.
			for _, r := range []Config{{Idle: c.idle}, {Idle: c.idle, Passed: true}} {
				all, _ := replayed(t, log.shown, r, 1, s)
				got, want := all[0].Regime, c.want
				if got.Fresh.Hits != 0 || got.Shown != want.Shown || got.Repeats != want.Repeats || got.WindowMisses != 0 ||
					got.Alive != want.Alive || got.Payload != want.Payload || got.Users != want.Users || got.Bytes != want.Bytes ||
					!slices.Equal(got.Held[1:], want.Held[1:]) {
					got.Held, want.Held, got.ByHeld, want.ByHeld = nil, nil, nil, nil
					t.Errorf("%s, %s, what was shown: got %+v\nwant %+v", s.Name, c.rule, got, want)
				}
				repeats, recognised := row.Sum(all[0].Repeated), row.Sum(all[0].Recognised)
				if repeats != want.Repeats || recognised != 0 {
					t.Errorf("%s, %s: %d repeats in the log, %d recognised, want %d and none",
						s.Name, c.rule, repeats, recognised, want.Repeats)
				}
			}
		}
	}
}

// Every format carries the same log: where each event is a request, the histories
// see articles one by one.
func TestReplayOfEachFormat(t *testing.T) {
	all := cataloguetest.Paper(t)
	var table, single []Counts
	for _, format := range logs.Formats() {
		log := live(t, all[3], 60, 0, format).recalled
		got, facts := replayed(t, log, Config{Idle: store.Day}, 2, all...)
		if facts.Read.Faults != 0 || facts.Exposures < 1000 {
			t.Fatalf("%s: %+v", format, facts)
		}
		want := &single
		if format == logs.CSV || format == logs.MIND || format == logs.JSON {
			want = &table
		}
		if *want == nil {
			*want = got
		}
		if !reflect.DeepEqual(got, *want) {
			t.Errorf("%s: other numbers than the format before", format)
		}
	}
}

func TestReplayDoesNotDependOnWorkers(t *testing.T) {
	all := cataloguetest.Paper(t)
	log := live(t, all[1], 200, 0, logs.MIND).recalled
	for _, r := range []Config{{Idle: store.Day}, {Idle: store.Day, Passed: true, Most: 3}} {
		want, facts := replayed(t, log, r, 1, all...)
		for _, workers := range []int{2, 3, 16} {
			got, again := replayed(t, log, r, workers, all...)
			if !reflect.DeepEqual(got, want) || facts != again {
				t.Errorf("%d workers count otherwise than one", workers)
			}
		}
		// Nor on who else is replayed.
		if alone, _ := replayed(t, log, r, 2, all[4]); !reflect.DeepEqual(alone[0], want[4]) {
			t.Error("a strategy alone counts otherwise than among others")
		}
	}
}

func TestReplayErrors(t *testing.T) {
	s := cataloguetest.Paper(t)[:1]
	for _, c := range []struct {
		log    string
		r      Config
		reason string
	}{
		{"user,article,time\n", Config{}, "no exposure in the log"},
		{"user,article,time\n1,1,1\n2,1,1\n", Config{MaxUsers: 1}, "more than 1 users"},
		{"user,article,time\n1,1,1\n", Config{Most: 1}, "Most is 1, want 0 or, with Passed"},
		{"user,article,time\n1,1,1\n", Config{End: 1 << 40}, "End is 1099511627776"},
		{"user,article,time\n1,1,x\n", Config{}, "time \"x\" is in no known notation"},
	} {
		l := opened(t, c.log, logs.Options{Format: logs.CSV})
		_, err := c.r.Run(context.Background(), s, l, measure.Options{})
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%q: got error %v, want %q", c.log, err, c.reason)
		}
	}
	// An interrupt, and a strategy that panics.
	log := string(live(t, s[0], 300, 0, logs.CSV).recalled)
	ctx, cancel := context.WithCancel(context.Background())
	interrupted := Config{Progress: func(logs.Position) { cancel() }}
	if _, err := interrupted.Run(ctx, s, opened(t, log, logs.Options{}), measure.Options{}); err != context.Canceled {
		t.Errorf("interrupted: got %v", err)
	}
	bad := []measure.Subject{{Name: "bad", Strategy: panics{}, Theory: lastTwo{}}}
	_, err := Config{}.Run(t.Context(), bad, opened(t, log, logs.Options{}), measure.Options{})
	if err == nil || !strings.Contains(err.Error(), "panic: on purpose") {
		t.Errorf("got %v, want the panic", err)
	}
}

type panics struct{ lastTwo }

func (panics) Seen([]byte, []strategies.ID, []bool) { panic("on purpose") }

// An article that a request has twice is put to the histories once, by either rule, and
// counted; in a later request it is another matter.
func TestTwiceInARequest(t *testing.T) {
	subjects := cataloguetest.Paper(t)[:2]
	log := []byte("user,article,time,request\n1,1,1573776000,a\n1,2,1573776000,a\n1,1,1573776000,a\n1,2,1573776000,a\n" +
		"1,1,1573776060,b\n1,3,1573776060,b\n1,3,1573776060,b\n2,3,1573776060,c\n")
	for _, passed := range []bool{false, true} {
		counts, facts := replayed(t, log, Config{Passed: passed}, 1, subjects...)
		if facts.Twice != 3 || facts.Exposures != 5 {
			t.Errorf("passed %t: %d twice, %d exposures, want 3 and 5", passed, facts.Twice, facts.Exposures)
		}
		for i, c := range counts {
			if c.Fresh.Queries != 4 || c.Fresh.Hits != 0 {
				t.Errorf("passed %t, %s: fresh %+v, want 4 queries", passed, subjects[i].Name, c.Fresh)
			}
		}
	}
}
