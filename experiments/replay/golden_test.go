package replay

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/experimenttest"
	"dejavu/experiments/text"
	"dejavu/internal/golden"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/store"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// Replays of a simulated log: rows, tables and figures of the first, tables of the others, and the log's entry in the
// manifest.
func TestGolden(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("theory takes ten times as long with the race detector, and holds no goroutines")
	}
	names := []string{"single:bits=600", "ring:window=30", "fpr=0.1"}
	subjects := strategytest.Value(Settings{Strategies: names}.Subjects())
	var b strings.Builder
	for i, s := range []Settings{
		{Idle: 24 * time.Hour},
		{},
	} {
		tally := replayed(t, logOf(120, 200), s.Config(), subjects)
		fmt.Fprintf(&b, "%+v\n%+v\n", s.Config(), *s.Log([]string{"file"}, logs.Options{Format: logs.CSV}, ByFile, tally.Log))
		rows, timing := Rows(subjects, tally)
		if x := (experiment.Experiment{Name: results.Replay, Tables: Tables, Figures: Figures}); i == 0 {
			fmt.Fprintln(&b, experimenttest.Text(x, rows, timing))
			s, skipped, err := plots.NewData(Figures, rows).Lay(Figures[0])
			if err != nil || skipped != "" || s.Unfound != nil {
				t.Error("the figure of the log: ", skipped, s.Unfound, err)
			} else if p := s.Panels; p[2].X.Max != p[3].X.Max || p[2].X.Label == "" || p[2].X.Label != p[3].X.Label {
				t.Errorf("panels by activity have the axes %+v and %+v", p[2].X, p[3].X)
			}
			continue
		}
		for _, declared := range Tables {
			table := declared.Of(results.NewCells(rows))
			fmt.Fprintf(&b, "%s\n%s\n", table.Title, strings.Join(table.Header, " | "))
			for _, cells := range table.Rows {
				fmt.Fprintln(&b, strings.Join(cells, " | "))
			}
		}
	}
	golden.File(t, "replay.golden", b.String())
}

// logOf returns a log of the given users, each shown up to most articles, in requests of four an hour or a day apart;
// one in seven is a repeat.
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

// replayed returns the tally of a log of these lines.
func replayed(t *testing.T, log string, c Config, subjects []measure.Subject) Tally {
	t.Helper()
	o := logs.Options{Numbered: true, Columns: logs.Columns{Request: "request"}}
	l := strategytest.Value(logs.New(strings.NewReader(log), "log", o))
	defer l.Close()
	return strategytest.Value(c.Run(t.Context(), subjects, l, measure.Options{}))
}

// The rate's interval covers users and articles. Rates by activity, which do not tell articles apart, have none.
func TestIntervalsOfRows(t *testing.T) {
	subjects := catalogue.Subjects("single")
	tally := replayed(t, logOf(100, 1200), Config{}, subjects)
	c := tally.Strategies[0]
	low, high := c.Articles.Interval(c.Fresh)
	rows, _ := Rows(subjects, tally)
	rates := 0
	for _, r := range rows {
		if r.Quantity == results.QFPR && r.Where == "" {
			rates++
			if r.Low != results.Num(low) || r.High != results.Num(high) {
				t.Errorf("the row has %v to %v, want %v to %v", r.Low, r.High, low, high)
			}
		}
		if r.Quantity == results.QFPR && r.Where.Of(by.Activity) != "" && (r.Low.IsSet() || r.High.IsSet()) {
			t.Error("the rate by activity has an interval by user alone")
		}
	}
	if rates != 1 || c.Fresh.Hits < 10 {
		t.Errorf("%d rates, of %d hits: the log shows nothing", rates, c.Fresh.Hits)
	}
}

// A log of nothing that anybody was shown twice has no share of repeats, and no row of any.
func TestRowsOfFew(t *testing.T) {
	subjects := catalogue.Subjects("queue")
	const log = "user,article,time,request\n1,1,1573776000,a\n1,2,1573776000,a\n"
	rows, _ := Rows(subjects, replayed(t, log, Config{}, subjects))
	for _, r := range rows {
		switch {
		case r.Quantity == results.QRetention || r.Where.Of(by.Elapsed) != "":
			t.Errorf("%+v of no repeat", r)
		case r.Quantity == results.QRecognised && (r.Value != results.Num(0) || r.Count != 0):
			t.Errorf("%v of %d repeats are recognised", r.Value, r.Count)
		case r.Quantity == results.QFPR && r.Value.IsSet() && r.Where.Of(by.Activity) != "" && r.Count != 1:
			t.Errorf("a rate of %d users, want 1: there are too few for an interval", r.Count)
		case r.Quantity == results.QFPR && r.Value.IsSet() && r.Where.Of(by.Activity) == "" && r.Count != 2:
			t.Errorf("%d fresh articles, want 2", r.Count)
		}
	}
	cells := results.NewCells(rows)
	if all := Tables[0].Of(cells); all.Rows[0][slices.Index(all.Header, "recognised")] != text.None {
		t.Errorf("a share of no repeats is recognised: %q", all.Rows)
	}
	for _, table := range Tables[1:4] {
		if got := table.Of(cells); len(got.Rows) > 0 {
			t.Errorf("%q of no repeats: %v", got.Title, got.Rows)
		}
	}
}

// A log's times are real time, and the manifest holds the settings of its replay.
func TestLog(t *testing.T) {
	facts := deal.Facts{First: 0, Last: 86399, Exposures: 1, Twice: 2, Strayed: 4}
	want := results.Log{
		Files: []string{"a"}, Format: "mind", Layout: "mind", Exposures: 1, Twice: 2, Strayed: 4,
		First: "1970-01-01T00:00:00Z", Last: "1970-01-01T23:59:59Z", Order: "time",
	}
	says := func(settings Settings, idle string) {
		t.Helper()
		want.Idle = idle
		got := settings.Log([]string{"a"}, logs.Options{Format: logs.MIND}, ByTime, facts)
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("%+v, want %+v", *got, want)
		}
	}
	says(Settings{}, "never")
	says(Settings{Idle: 90 * time.Minute}, "1h30m")
}

// A list split at its commas is rejoined within a strategy's parameters.
func TestJoined(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{nil, nil},
		{[]string{"a:x=1", "y=2"}, []string{"a:x=1,y=2"}},
		{[]string{"a:x=1", "y=2", "z=3", "b", "c:y=2"}, []string{"a:x=1,y=2,z=3", "b", "c:y=2"}},
		{[]string{"y=2", "a"}, []string{"y=2", "a"}},
		{[]string{"a", "y=2"}, []string{"a", "y=2"}},
	} {
		strategytest.EqualSlices(t, joined(c.names), c.want, "%q become", c.names)
	}
}

// A repeat inside the window is shouted; and what was forgotten, with what never
// forgetting would do, which a log that is never forgotten confirms for an exact window.
func TestFindings(t *testing.T) {
	const day = 86400
	// One user is shown three articles in turn, these seconds apart.
	log := func(steps ...int) string {
		b, at := "user,article,time,request\n", 1_600_000_000
		for i, step := range steps {
			at += step
			b += fmt.Sprintf("1,%d,%d,%d\n", i%3+1, at, i)
		}
		return b
	}
	finds := func(name, strategy, log string, idle store.Timestamp, broken int64, want string) {
		t.Helper()
		subjects := strategytest.Value(Settings{Strategies: []string{strategy}}.Subjects())
		tally := replayed(t, log, Config{Idle: idle}, subjects)
		tally.Strategies[0].WindowMisses += broken
		rows, _ := Rows(subjects, tally)
		strategytest.Equal(t, strings.Join(Findings(results.NewCells(rows), "24h"), "\n"), want, "%s", name)
	}
	finds("broken", "queue", log(0, 1, 1, 1, 1), 0, 2,
		"FALSE NEGATIVES: repeats inside the guaranteed window were shown, which must never happen: queue 2.")
	finds("idle", "queue", log(0, day, day, day, day), store.Day, 0,
		"Of the repeats shown by queue all had been forgotten after 24h without an article recorded. "+
			"Without that rule (--idle 0) at most this many would be shown: queue 0.")
	finds("never", "queue", log(0, day, day, day, day), 0, 0, "")
	finds("outside", "queue:window=2", log(0, 1, 1, 1, 1), 0, 0,
		"Of the repeats shown by queue:window=2 all lay outside the guaranteed window. "+
			"A window of 3 has 100 % of all repeats: 'choose --log' says which strategies keep it.")
	finds("none", "queue", log(0, 1, 1), store.Day, 0, "")
}

func TestMost(t *testing.T) {
	for want, shares := range map[string][]float64{
		"all": {1, 1}, "50 %": {0.5}, "50 to 75 %": {0.75, 0.5}, "33.3 %": {0.33331, 0.33332}, "50 to 100 %": {0.5, 1},
	} {
		c := cause{names: []string{"a", "b"}, shares: shares}
		strategytest.Equal(t, c.most(), "Of the repeats shown by a, b "+want, "%v", shares)
	}
}
