package shared

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/internal/golden"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// scope returns a run of few users and entries: some are beyond the paper, one has another population, and one has few
// users.
func scope(t *testing.T, names ...string) engine.Scope {
	t.Helper()
	s := engine.Scope{Users: 60, Seed: results.DefaultSeed}
	for _, name := range names {
		e := catalogue.Must(catalogue.Find(name))
		s.Entries = append(s.Entries, e)
	}
	return s
}

// runs finds equal counts in a line, to be shown as one.
var runs = regexp.MustCompile(`\b(0 ){3,}|(- ){3,}`)

// All counts of the shared measurements, with their users and costs.
func TestGolden(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("theory takes ten times as long with the race detector, and holds no goroutines")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	sizes := stopwatch.Sizes
	stopwatch.Sizes = sizes[:2]
	defer func() { stopwatch.Sizes = sizes }()
	s := scope(t, "queue", "single", "chain", "chain-sized", "dual-blanked", results.Beyond+"ring", results.Beyond+"daily")
	r := engine.New(t.Context(), s, engine.NewProgress(io.Discard))
	var b strings.Builder
	for _, list := range []struct {
		name  string
		tasks []engine.Task
	}{{"full", FullTasks(s)}, {"daily", DailyTasks(s)}, {"extended", ExtendedTasks(s)}, {
		"hot",
		[]engine.Task{Hot},
	}} {
		for _, task := range list.tasks {
			p := task.Planned(s)
			fmt.Fprintf(&b, "%s: %s costs %.6g", list.name, p.Name, p.Cost)
			if p.Users > 0 {
				fmt.Fprintf(&b, ", %d users", p.Users)
			}
			fmt.Fprintf(&b, ", machine %t\n", p.Machine)
		}
	}
	for _, e := range s.Full() {
		full := strategytest.Value(Full(e).Of(r))
		fmt.Fprintf(&b, "full %s: %+v\n", e.Name, full.Counts)
		if full.Machine.Parts < 1 || len(full.Machine.Held) == 0 {
			t.Errorf("%s: the machine's side is %+v", e.Name, full.Machine)
		}
		if e.IsBeyond() {
			continue
		}
		if cold := full.Alive[0]; cold.Users == 0 {
			t.Errorf("%s: %+v", e.Name, cold)
		}
	}
	for _, e := range UnsampledEntries(s) {
		daily := strategytest.Value(Daily(e).Of(r))
		fmt.Fprintf(&b, "daily %s: %+v\n", e.Name, daily.Counts)
	}
	for _, e := range ExtendableEntries(s) {
		extended := strategytest.Value(Extended(e).Of(r))
		fmt.Fprintf(&b, "extended %s: %+v\n", e.Name, extended)
	}
	hot := strategytest.Value(Hot.Of(r))
	for _, h := range []HotRound{hot.Paper, hot.Beyond} {
		for _, name := range h.Names {
			fmt.Fprintf(&b, "hot %s:", name)
			for _, l := range h.Of(name) {
				fmt.Fprintf(&b, " %d candidates", l.Candidates)
				if l.P50 <= 0 {
					t.Errorf("%s takes %v ns", name, l.P50)
				}
			}
			fmt.Fprintln(&b)
		}
	}
	if hot.Paper.Of("nobody") != nil || len(hot.Of(s.Entries[5])) != 1 || len(hot.Of(s.Entries[0])) != 2 {
		t.Error("the times of an entry are those of another")
	}
	for _, cost := range r.Costs {
		fmt.Fprintf(&b, "%s had histories alive: %t\n", cost.Name, cost.Bytes > 0)
	}
	none := fmt.Sprintf("%+v", measure.Rate{})
	golden.File(t, "shared.golden", runs.ReplaceAllStringFunc(strings.ReplaceAll(b.String(), none, "-"),
		func(run string) string {
			return fmt.Sprintf("%d×%c ", strings.Count(run, " "), run[0])
		}))
}

// A measurement of a part of a run's users is timed by the first shard alone.
func TestShards(t *testing.T) {
	for index, want := range []bool{true, false} {
		s := scope(t, "single")
		s.Shard = results.Shard{Index: index, Of: 2}
		r := engine.New(t.Context(), s, engine.NewProgress(io.Discard))
		full := strategytest.Value(Full(s.Entries[0]).Of(r))
		strategytest.Equal(t, len(full.Alive) == 1, want, "shard %d has times", index)
	}
}

// recorder is a strategy that keeps the numbers of articles recorded, by day.
type recorder struct {
	strategies.Strategy
	day   int
	shown *[]string
}

func (r recorder) On(day int) strategies.Strategy { return recorder{day: day, shown: r.shown} }

func (r recorder) Record(history []byte, shown []strategies.ID) []byte {
	*r.shown = append(*r.shown, fmt.Sprintf("day %d: %d from %d", r.day, len(shown), shown[0]))
	return append(history, 1)
}

// A newcomer's articles are spread over the days of a month, and later ones are the last day's.
func TestFullMonth(t *testing.T) {
	var shown []string
	s := FullMonth(recorder{shown: &shown})
	ids := make([]strategies.ID, MonthDays*workload.PerDay)
	for i := range ids {
		ids[i] = strategies.ID(i)
	}
	history := s.Record(nil, ids)
	if len(history) != MonthDays || len(shown) != MonthDays {
		t.Fatalf("%d bytes, %d days", len(history), len(shown))
	}
	for day, got := range shown {
		if want := fmt.Sprintf("day %d: %d from %d", day, workload.PerDay, day*workload.PerDay); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	s.Record(history[:1], ids[:3])
	strategytest.Equal(t, shown[len(shown)-1], fmt.Sprintf("day %d: 3 from 0", MonthDays-1), "then")
}

// A limited strategy is shown the first articles, and no more.
func TestLimited(t *testing.T) {
	var shown []string
	l := Limited{recorder{shown: &shown}, 2}
	l.Record(nil, make([]strategies.ID, 3))
	l.Record(nil, make([]strategies.ID, 1))
	strategytest.Equal(t, fmt.Sprint(shown), "[day 0: 2 from 0 day 0: 1 from 0]", "shown")
}

// Certainty comes from theory's window, or from the strategy itself.
func TestRemembers(t *testing.T) {
	s := scope(t, "chain", results.Beyond+"ring")
	for _, e := range s.Entries {
		subject := e.Subject()
		window := subject.Theory.Window(1000)
		r, says := subject.Strategy.(measure.Rememberer)
		for age := max(1, window-2); age < window+2; age++ {
			want := age <= window
			if says {
				want = r.Remembers(1000, age)
			}
			strategytest.Equal(t, Remembers(subject, 1000, age), want,
				"%s after 1000 articles: the one %d ago is remembered", e.Name, age)
		}
	}
	strategytest.Near(t, MeanOverLives(func(shown int) float64 { return float64(shown % 2) }), 0.5, 0.01,
		"of all lives are odd")
}

func TestMeanOverLives(t *testing.T) {
	strategytest.Near(t, MeanOverLives(func(int) float64 { return 1 }), 1, 1e-12, "the shares of all lives sum to")
	// The mean life, of the shares and of a million users. A life is at most MaxShown articles with a
	// standard deviation well below that, so the mean of a million is within 5 standard errors, the bound
	// below, but for one run in a million; the seed is fixed, so it is all or never.
	const users = 1_000_000
	population := catalogue.Must(workload.NewFull(2016, users))
	sum, squares := 0., 0.
	for user := range users {
		shown := float64(population.Shown(user))
		sum, squares = sum+shown, squares+shown*shown
	}
	mean := sum / users
	deviation := math.Sqrt((squares/users - mean*mean) / users)
	want := MeanOverLives(func(shown int) float64 { return float64(shown) })
	strategytest.Near(t, mean, want, 5*deviation,
		"articles that a user is shown on average, ± %.3f", deviation)
}
