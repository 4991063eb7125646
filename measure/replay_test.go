package measure

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
	"dejavu/workload/logs"
)

// logStart is when the logs of these tests begin, in seconds since 1970.
const logStart = 1573776000

// A lived is what readers of the daily population left who lived with a strategy:
// what was put to it, and what was shown, as logs.
type lived struct{ recalled, shown []byte }

// live writes both logs of readers who live with the strategy.
func live(t *testing.T, s Subject, users int, idle store.Clock, format logs.Format) lived {
	t.Helper()
	population, err := workload.NewDaily(7, users)
	if err != nil {
		t.Fatal(err)
	}
	histories, err := store.New(store.Config{Strategy: s.Strategy, Users: users, Idle: idle})
	if err != nil {
		t.Fatal(err)
	}
	var recalled, shown bytes.Buffer
	writer := func(b *bytes.Buffer) *logs.Writer {
		w, err := logs.NewWriter(b, format, logs.WriterOptions{Columns: logs.Columns{Request: "request"}})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	kind := logs.Shown
	if format == logs.OTTO || format == logs.Adressa {
		kind = logs.Clicked
	}
	put, out := writer(&recalled), writer(&shown)
	requests, err := logs.Daily(population, 0, users, logStart, func(user int, at uint32, candidates []strategies.ID, seen []bool) {
		var events []logs.Event
		for _, id := range candidates {
			events = append(events, logs.Event{User: uint64(user), Article: id, Time: logStart + int64(at), Kind: kind})
		}
		if err := put.Write(events); err != nil {
			t.Error(err)
		}
		histories.Seen(user, store.Clock(at), candidates, seen)
		var record []strategies.ID
		for i, seen := range seen {
			if !seen && len(record) < workload.PerRefresh {
				record = append(record, candidates[i])
			}
		}
		histories.Record(user, store.Clock(at), record)
	})
	if err != nil {
		t.Fatal(err)
	}
	for events := range requests {
		for i := range events {
			events[i].Kind = kind
		}
		if err := out.Write(events); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range []*logs.Writer{put, out} {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return lived{recalled.Bytes(), shown.Bytes()}
}

func replayed(t *testing.T, log []byte, r Replay, workers int, all ...Subject) ([]Replayed, ReplayedLog) {
	t.Helper()
	l, err := logs.New(bytes.NewReader(log), "log", logs.Options{Numbered: true, Columns: logs.Columns{Request: "request"}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r.End = logStart + workload.Horizon
	got, facts, machine, err := r.Run(context.Background(), all, l, Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	if machine.Truth == 0 || machine.Resident == 0 || len(machine.Slabs) != len(all) {
		t.Errorf("the machine's side is %+v", machine)
	}
	return got, facts
}

// What the candidates of a simulated population come to in a replay is what they
// came to in the simulation, number by number. Two things a log cannot say, or says
// otherwise: readers who never came, who have no line, and which of several times
// that an article was shown it was recalled for: a replay knows the latest, and so
// finds more of them inside the window.
func TestReplayIsTheSimulation(t *testing.T) {
	users := 1500
	if testing.Short() || raceDetector {
		users = 300
	}
	for _, s := range subjects(t) {
		counts := daily(t, s, users, Options{})
		for _, c := range []struct {
			rule string
			idle store.Clock
			want Regime
		}{{"24 h", store.Day, counts.Rule}, {"no rule", 0, counts.NoRule}} {
			log := live(t, s, users, c.idle, logs.CSV)
			all, facts := replayed(t, log.recalled, Replay{Idle: c.idle, Passed: true, Most: workload.PerRefresh}, 2, s)
			got, want := all[0].Regime, c.want
			if want.Fresh.Hits == 0 && s.Name != "queue" || want.Repeats == 0 && s.Name == "chain-literal" {
				t.Fatalf("%s, %s: the simulation found nothing: %+v", s.Name, c.rule, want.Fresh)
			}
			if got.WindowChecks < want.WindowChecks {
				t.Errorf("%s, %s: %d repeats inside the window, the simulation has %d", s.Name, c.rule, got.WindowChecks, want.WindowChecks)
			}
			want.Held = slices.Clone(want.Held)
			want.Held[0] -= int64(users) - facts.Users
			want.WindowChecks, want.ByHeld = got.WindowChecks, got.ByHeld
			if !reflect.DeepEqual(got, want) {
				got.Held, want.Held, got.ByHeld, want.ByHeld = nil, nil, nil, nil
				t.Errorf("%s, %s: got %+v\nwant %+v", s.Name, c.rule, got, want)
			}

			// What was shown, recorded as it was: the same articles, and so the same
			// histories. None of them is taken for seen, or it had not been shown.
			for _, r := range []Replay{{Idle: c.idle}, {Idle: c.idle, Passed: true}} {
				all, _ := replayed(t, log.shown, r, 1, s)
				got, want := all[0].Regime, c.want
				if got.Fresh.Hits != 0 || got.Shown != want.Shown || got.Repeats != want.Repeats || got.WindowMisses != 0 ||
					got.Alive != want.Alive || got.Payload != want.Payload || got.Users != want.Users || got.Bytes != want.Bytes ||
					!slices.Equal(got.Held[1:], want.Held[1:]) {
					got.Held, want.Held, got.ByHeld, want.ByHeld = nil, nil, nil, nil
					t.Errorf("%s, %s, what was shown: got %+v\nwant %+v", s.Name, c.rule, got, want)
				}
				if repeats := sum(all[0].Repeated); repeats != want.Repeats || sum(all[0].Recognised) != 0 {
					t.Errorf("%s, %s: %d repeats in the log, %d recognised, want %d and none", s.Name, c.rule, repeats, sum(all[0].Recognised), want.Repeats)
				}
			}
		}
	}
}

func sum(all []int64) (sum int64) {
	for _, n := range all {
		sum += n
	}
	return sum
}

// Every format carries the same log: where each event is a request, the histories
// see articles one by one.
func TestReplayOfEachFormat(t *testing.T) {
	all := subjects(t)
	var table, single []Replayed
	for _, format := range logs.Formats() {
		log := live(t, all[3], 60, 0, format).recalled
		got, facts := replayed(t, log, Replay{Idle: store.Day}, 2, all...)
		if facts.Read.Faults != 0 || facts.Exposures < 1000 {
			t.Fatalf("%s: %+v", format, facts)
		}
		want := &single
		if format == logs.CSV || format == logs.MIND {
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
	all := subjects(t)
	log := live(t, all[1], 200, 0, logs.MIND).recalled
	for _, r := range []Replay{{Idle: store.Day}, {Idle: store.Day, Passed: true, Most: 3}} {
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

// A replay by hand: ages, the 24 hours, what is twice in a request, and a memory
// of two articles.
func TestReplayByHand(t *testing.T) {
	const csv = "user,article,time,request\n" +
		"1,10,1000,a\n1,11,1000,a\n1,10,1000,a\n" + // the third is twice in its request
		"2,10,1001,b\n" +
		"1,10,2000,c\n" + // 2 ago: inside the window of two
		"1,12,3000,d\n1,13,3000,d\n1,11,3000,d\n" + // 11 is 2 ago
		"1,13,99000,e\n" + // more than a day later: forgotten, though 2 ago
		"1,13,99001,f\n" // 1 ago
	s := Subject{Name: "two", Strategy: lastTwo{}, Theory: lastTwo{}}
	got, facts := replayed(t, []byte(csv), Replay{Idle: store.Day}, 2, s)
	want := ReplayedLog{Users: 2, Exposures: 9, Twice: 1, First: 1000, Last: 99001}
	want.Read = logs.Counts{Lines: 10, Events: 10, Requests: 6}
	if facts != want {
		t.Errorf("the log is %+v, want %+v", facts, want)
	}
	g := got[0]
	if g.Requests != 6 || g.Shown != 9 || g.Fresh.Queries != 5 || g.Fresh.Hits != 0 {
		t.Errorf("%d requests, %d shown, %+v", g.Requests, g.Shown, g.Fresh)
	}
	// 10 2 ago, 11 2 ago, 13 2 ago, 13 1 ago; only the third is not recognised.
	if g.Repeated[1] != 1 || g.Repeated[2] != 3 || g.Recognised[1] != 1 || g.Recognised[2] != 2 || g.Repeats != 1 {
		t.Errorf("repeats %v, recognised %v, let through %d", g.Repeated[:4], g.Recognised[:4], g.Repeats)
	}
	if g.WindowChecks != 3 || g.WindowMisses != 0 {
		t.Errorf("%d checks and %d misses, want 3 and none", g.WindowChecks, g.WindowMisses)
	}
	if g.Users[0] != 1 || g.Users[3] != 1 {
		t.Errorf("readers by activity %v, want one of 1 and one of 8", g.Users)
	}
	free, _ := replayed(t, []byte(csv), Replay{}, 1, s)
	if f := free[0]; f.Recognised[2] != 3 || f.WindowChecks != 4 || f.Alive != 2 {
		t.Errorf("without the rule %v recognised, %d checks, %d alive", f.Recognised[:4], f.WindowChecks, f.Alive)
	}
	// Only what passes is recorded: of the second 10 nothing is, and 11 is 1 ago
	// in d, where one article may be shown, which is 12.
	passed, _ := replayed(t, []byte(csv), Replay{Passed: true, Most: 1}, 1, s)
	if p := passed[0]; p.Shown != 4 || p.Fresh.Queries != 7 || p.Repeated[1] != 2 || p.Recognised[1] != 2 {
		t.Errorf("of what passed: %d shown, %+v, repeats %v", p.Shown, p.Fresh, p.Repeated[:4])
	}
	// A promise that is not kept is found out.
	broken := Subject{Name: "broken", Strategy: lastTwo{}, Theory: promising{}}
	if b, _ := replayed(t, []byte(csv), Replay{Idle: store.Day}, 1, broken); b[0].WindowMisses != 0 || b[0].WindowChecks != 3 {
		t.Errorf("%d of %d", b[0].WindowMisses, b[0].WindowChecks)
	}
	const older = "user,article,time,request\n1,1,1,a\n1,2,2,b\n1,3,3,c\n1,1,4,d\n"
	if b, _ := replayed(t, []byte(older), Replay{}, 1, broken); b[0].WindowMisses != 1 || b[0].WindowChecks != 1 {
		t.Errorf("%d misses in %d checks, want the one", b[0].WindowMisses, b[0].WindowChecks)
	}
	// And what was not promised is not looked for.
	if g, _ := replayed(t, []byte(older), Replay{}, 1, s); g[0].Repeated[3] != 1 || g[0].WindowChecks != 0 {
		t.Errorf("%d checks of an article beyond the window", g[0].WindowChecks)
	}
	// The rule of 24 hours holds from the very second on.
	for _, c := range []struct {
		csv  string
		want int64
	}{
		{"user,article,time,request\n1,1,1000,a\n1,1,87399,b\n", 1},
		{"user,article,time,request\n1,1,1000,a\n1,1,87400,b\n", 0},
		{"user,article,time,request\n1,1,87400,a\n1,1,1000,b\n", 1}, // a clock that runs back
	} {
		if g, _ := replayed(t, []byte(c.csv), Replay{Idle: store.Day}, 1, s); g[0].Recognised[1] != c.want || g[0].WindowChecks != c.want {
			t.Errorf("%q: %d recognised of %d checks, want %d", c.csv, g[0].Recognised[1], g[0].WindowChecks, c.want)
		}
	}
}

// What is no exposure is left out, and counted.
func TestReplayLeavesOut(t *testing.T) {
	s := Subject{Name: "two", Strategy: lastTwo{}, Theory: lastTwo{}}
	for _, c := range []struct {
		log  string
		want ReplayedLog
	}{
		{
			`{"session":1,"events":[{"aid":5,"ts":1000000,"type":"clicks"},{"aid":5,"ts":1001000,"type":"carts"},{"aid":5,"ts":1002000,"type":"orders"}]}`,
			ReplayedLog{Users: 1, Exposures: 1, NotShown: 2, First: 1000, Last: 1000},
		},
		{
			"user,article,time,request\n1,1,1573776000,a\n1,2,9999999999,b\n2,2,1573775999,c\n",
			ReplayedLog{Users: 2, Exposures: 2, Strayed: 1, First: 1573775999, Last: 1573776000},
		},
	} {
		l, err := logs.New(strings.NewReader(c.log), "log", logs.Options{Numbered: true, Columns: logs.Columns{Request: "request"}})
		if err != nil {
			t.Fatal(err)
		}
		_, got, _, err := Replay{}.Run(t.Context(), []Subject{s}, l, Options{})
		l.Close()
		got.Read = logs.Counts{}
		if err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.log, got, err, c.want)
		}
	}
}

// lastTwo remembers exactly two articles.
type lastTwo struct{}

func (lastTwo) Sizes() []int          { return []int{16} }
func (lastTwo) Validate([]byte) error { return nil }
func (lastTwo) Bytes(int) int         { return 16 }
func (lastTwo) FPR(int) float64       { return 0 }
func (lastTwo) Window(read int) int   { return min(read, 2) }

func (lastTwo) Seen(h []byte, candidates []strategies.ID, seen []bool) {
	for i, id := range candidates {
		seen[i] = len(h) > 0 && (h[0] == byte(id) || h[8] == byte(id))
	}
}

func (lastTwo) Record(h []byte, shown []strategies.ID) []byte {
	if len(h) == 0 {
		h = append(h, make([]byte, 16)...)
	}
	for _, id := range shown {
		h[8], h[0] = h[0], byte(id)
	}
	return h
}

// promising promises one article more than lastTwo keeps.
type promising struct{ lastTwo }

func (promising) Window(read int) int { return min(read, 3) }

func TestReplayErrors(t *testing.T) {
	s := subjects(t)[:1]
	for _, c := range []struct {
		log    string
		r      Replay
		reason string
	}{
		{"user,article,time\n", Replay{}, "no exposure in the log"},
		{"user,article,time\n1,1,1\n2,1,1\n", Replay{MaxUsers: 1}, "more than 1 readers"},
		{"user,article,time\n1,1,1\n", Replay{Most: 1}, "Most is 1, want 0 or, with Passed"},
		{"user,article,time\n1,1,1\n", Replay{End: 1 << 40}, "End is 1099511627776"},
		{"user,article,time\n1,1,x\n", Replay{}, "log:2: time \"x\""},
	} {
		l, err := logs.New(strings.NewReader(c.log), "log", logs.Options{Format: logs.CSV})
		if err != nil {
			t.Fatal(err)
		}
		_, _, _, err = c.r.Run(context.Background(), s, l, Options{})
		l.Close()
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%q: got error %v, want %q", c.log, err, c.reason)
		}
	}
	// An interrupt, and a strategy that panics.
	log := live(t, s[0], 300, 0, logs.CSV).recalled
	open := func() *logs.Log {
		l, err := logs.New(bytes.NewReader(log), "log", logs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := open()
	_, _, _, err := Replay{Progress: func(logs.Position) { cancel() }}.Run(ctx, s, l, Options{})
	l.Close()
	if err != context.Canceled {
		t.Errorf("interrupted: got %v", err)
	}
	l = open()
	_, _, _, err = Replay{}.Run(context.Background(), []Subject{{"bad", panics{}, lastTwo{}}}, l, Options{})
	l.Close()
	if err == nil || !strings.Contains(err.Error(), "panic: on purpose") {
		t.Errorf("got %v, want the panic", err)
	}
}

type panics struct{ lastTwo }

func (panics) Seen([]byte, []strategies.ID, []bool) { panic("on purpose") }

// Bins cover all ages once, in order.
func TestAgeBins(t *testing.T) {
	before := 0
	for age := 1; age < 1<<20; age++ {
		bin := AgeBin(age)
		if bin != before && bin != before+1 || AgeOf(bin) > age || bin+1 < AgeBins && AgeOf(bin+1) <= age {
			t.Fatalf("age %d is in bin %d from %d, after bin %d", age, bin, AgeOf(bin), before)
		}
		before = bin
	}
	if AgeBin(1<<40) != AgeBins-1 {
		t.Error("an age beyond all bins is in none")
	}
}
