package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dejavu/experiments/catalogue/cataloguetest"
	"dejavu/experiments/experiment"
	"dejavu/experiments/golden"
	"dejavu/experiments/replay/replayer"
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
	log := logOf(120, 400)
	var b strings.Builder
	for _, s := range []Settings{
		{Idle: 24 * time.Hour, MaxUsers: 1000},
		{Passed: true, Show: 4, MaxUsers: 120},
		{Passed: true, Idle: time.Hour, MaxUsers: 1 << 20},
	} {
		l, err := logs.New(strings.NewReader(log), "log", logs.Options{Numbered: true})
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

// logOf is a log of so many users, each shown up to so many articles, in requests of four
// an hour or a day apart; one in seven is a repeat.
func logOf(users, most int) string {
	r := rand.New(rand.NewPCG(3, 9))
	var b strings.Builder
	b.WriteString("user,article,time,request\n")
	for user := range users {
		at := 1_573_776_000
		for i := range 1 + r.IntN(most) {
			if i%4 == 0 {
				at += 3600 * (1 + 23*(r.IntN(9)/8))
			}
			article := i
			if i > 0 && r.IntN(7) == 0 {
				article = r.IntN(i)
			}
			fmt.Fprintf(&b, "%d,%d,%d,%d\n", user, uint64(article*users+user+1)*0x9e3779b97f4a7c15, at, i/4)
		}
	}
	return b.String()
}

// replayed is what a log of these lines comes to.
func replayed(t *testing.T, log string, c replayer.Config, subjects []measure.Subject) replayer.Tally {
	t.Helper()
	l, err := logs.New(strings.NewReader(log), "log", logs.Options{Numbered: true, Columns: logs.Columns{Request: "request"}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tally, err := c.Run(t.Context(), subjects, l, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tally
}

// The interval of the rate is that of users and articles both, and rates by activity,
// where articles are not told apart, have none.
func TestIntervalsOfRows(t *testing.T) {
	subjects := cataloguetest.Paper(t)[1:2]
	tally := replayed(t, logOf(100, 1200), replayer.Config{}, subjects)
	c := tally.Strategies[0]
	low, high := c.Articles.Interval(c.Fresh)
	rows, _ := Rows(subjects, tally)
	rates := 0
	for _, r := range rows {
		if r.Quantity == results.QFPR && !r.X.IsSet() {
			rates++
			if r.Low != results.Num(low) || r.High != results.Num(high) {
				t.Errorf("the row has %v to %v, want %v to %v", r.Low, r.High, low, high)
			}
		}
		if r.Quantity == results.QFPRByActivity && (r.Low.IsSet() || r.High.IsSet()) {
			t.Error("the rate by activity has an interval by user alone")
		}
	}
	if rates != 1 || c.Fresh.Hits < 10 {
		t.Errorf("%d rates, of %d hits: the log shows nothing", rates, c.Fresh.Hits)
	}
}

// A log of nothing that anybody was shown twice has no share of repeats.
func TestRowsOfFew(t *testing.T) {
	subjects := cataloguetest.Paper(t)[:1]
	rows, _ := Rows(subjects, replayed(t, "user,article,time,request\n1,1,1573776000,a\n1,2,1573776000,a\n", replayer.Config{}, subjects))
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
