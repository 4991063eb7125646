package replay

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"dejavu/experiments/catalogue/cataloguetest"
	"dejavu/experiments/experiment"
	"dejavu/experiments/golden"
	"dejavu/experiments/roomtest"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/results"
	"dejavu/sysinfo"
	"dejavu/workload/logs"
)

// All that is said of replays of a simulated log: rows, tables, figures, and the log's
// entry in the manifest.
func TestGolden(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("theory takes ten times as long with the race detector, and holds no goroutines")
	}
	subjects := cataloguetest.Paper(t)
	log := live(t, subjects[1], 120, 0, logs.MIND).recalled
	var b strings.Builder
	for _, s := range []Settings{
		{Idle: 24 * time.Hour, MaxUsers: 1000},
		{Passed: true, Show: 4, MaxUsers: 120},
		{Passed: true, Idle: time.Hour, MaxUsers: 1 << 20},
	} {
		l, err := logs.New(bytes.NewReader(log), "log", logs.Options{Numbered: true})
		if err != nil {
			t.Fatal(err)
		}
		tally, err := s.Config().Run(context.Background(), subjects, l, measure.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%+v\n%+v\n", s.Config(), *s.Log([]string{"file"}, l.Format(), ByFile, tally.Log))
		l.Close()
		rows, timing := Rows(subjects, tally)
		x := experiment.Experiment{Name: results.Replay, Tables: Tables, Figures: Figures}
		fmt.Fprintln(&b, roomtest.Text(t, x, rows, timing))
	}
	golden.File(t, "replay.golden", b.String())
}

// A log of nothing that anybody was shown twice has no share of repeats.
func TestRowsOfFew(t *testing.T) {
	subjects := cataloguetest.Paper(t)[:1]
	counts, facts := replayed(t, []byte("user,article,time,request\n1,1,1573776000,a\n1,2,1573776000,a\n"), Config{}, 1, subjects...)
	rows, _ := Rows(subjects, Tally{Log: facts, Strategies: counts, Machine: Machine{Slabs: make([]int64, 1)}})
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%s %q at %v: %v, %v to %v, theory %v, of %d\n", r.Strategy, r.Quantity, r.X, r.Value, r.Low, r.High, r.Theory, r.Count)
	}
	golden.File(t, "few.golden", b.String())
}

// The least and the most that may be set, and what lies beyond.
func TestSettingsAtTheirEdges(t *testing.T) {
	good := Settings{MaxUsers: 1}
	const longest = (1<<32 - 1) * time.Second
	for _, c := range []struct {
		change func(s *Settings)
		ok     bool
	}{
		{func(*Settings) {}, true},
		{func(s *Settings) { s.MaxUsers = logs.MaxUsers }, true},
		{func(s *Settings) { s.MaxUsers = 0 }, false},
		{func(s *Settings) { s.Idle = longest }, true},
		{func(s *Settings) { s.Idle = longest + time.Second }, false},
		{func(s *Settings) { s.Idle = time.Second }, true},
		{func(s *Settings) { s.Passed, s.Show = true, 1 }, true},
		{func(s *Settings) { s.Passed, s.Show = true, -1 }, false},
		{func(s *Settings) { s.Show = 1 }, false},
	} {
		s := good
		c.change(&s)
		if err := s.Check(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", s, err)
		}
	}
	reading := Reading{Format: "auto", Comma: ",", Clock: "auto", Order: ByTime, Share: 1}
	for _, c := range []struct {
		change func(r *Reading)
		ok     bool
	}{
		{func(*Reading) {}, true},
		{func(r *Reading) { r.Faults = -1 }, false},
		{func(r *Reading) { r.Share = 0 }, false},
		{func(r *Reading) { r.Share = 1.01 }, false},
		{func(r *Reading) { r.Comma = "::" }, true},
		{func(r *Reading) { r.Comma = "" }, false},
		{func(r *Reading) { r.Order = ByFile }, true},
		{func(r *Reading) { r.Order = "" }, false},
	} {
		r := reading
		c.change(&r)
		if _, err := r.Options(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", r, err)
		}
	}
	none, err := reading.Options()
	one := reading
	one.Faults = 1
	some, err2 := one.Options()
	if err != nil || err2 != nil || none.MaxFaults != -1 || some.MaxFaults != 1 || none.MaxShare != 1 {
		t.Errorf("%+v, %v; %+v, %v", none, err, some, err2)
	}
}

// A log's times are of the world's clock, and what it is replayed with is said.
func TestLog(t *testing.T) {
	facts := deal.Facts{First: 0, Last: 86399, Exposures: 1, Twice: 2, NotShown: 3, Strayed: 4}
	l := Settings{}.Log([]string{"a"}, logs.OTTO, ByTime, facts)
	want := results.Log{
		Files: []string{"a"}, Format: "otto", Exposures: 1, Twice: 2, NotShown: 3, Strayed: 4,
		First: "1970-01-01T00:00:00Z", Last: "1970-01-01T23:59:59Z", Idle: "never", Record: "all that was shown", Order: "time",
	}
	if fmt.Sprintf("%+v", *l) != fmt.Sprintf("%+v", want) {
		t.Errorf("%+v, want %+v", *l, want)
	}
}

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
