package describe

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/replay"
	"dejavu/experiments/row"
	"dejavu/internal/golden"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"
	"dejavu/workload"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"

	"pgregory.net/rapid"
)

// A truth holds a log's counts, made with maps.
type truth struct{ users, requests, exposures, twice, repeats int64 }

// truthOf counts requests in their order.
func truthOf(requests [][]logs.Event) (t truth) {
	users := map[uint64]map[strategies.ID]bool{}
	for _, r := range requests {
		shown := users[r[0].User]
		if shown == nil {
			shown = map[strategies.ID]bool{}
			users[r[0].User] = shown
		}
		now := map[strategies.ID]bool{}
		for _, e := range r {
			switch {
			case now[e.Article]:
				t.twice++
			default:
				now[e.Article] = true
				t.exposures++
				if shown[e.Article] {
					t.repeats++
				}
			}
		}
		if len(now) > 0 {
			t.requests++
		}
		for id := range now {
			shown[id] = true
		}
	}
	t.users = int64(len(users))
	return t
}

// randomLog returns a log of few users, articles and times, so that all comes together: ties, times that run back,
// articles twice in a request.
func randomLog(r *rand.Rand, format logs.Format) []byte {
	var requests [][]logs.Event
	users, articles, times := 1+r.Uint64N(9), 1+r.Uint64N(40), 1+r.Int64N(300_000)
	for range 1 + r.IntN(200) {
		user, at := r.Uint64N(users), 1573776000+r.Int64N(times)
		var request []logs.Event
		for range 1 + r.IntN(12) {
			request = append(request, logs.Event{User: user, Article: strategies.ID(r.Uint64N(articles)), Time: at})
		}
		requests = append(requests, request)
	}
	return logtest.Text(format, requests...)
}

// A log of any format, with times and requests in any order, is counted alike by the description, by both kinds of
// replay, and by an exact model.
func TestDescribeCountsAsReplayDoes(t *testing.T) {
	subjects, dir := catalogue.Subjects("queue"), t.TempDir()
	repeats, forgotten := int64(0), int64(0)
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		o := logs.Options{Numbered: true, Format: rapid.SampledFrom(logs.Formats()).Draw(rt, "format")}
		if rapid.Bool().Draw(rt, "requests") {
			o.Columns.Request = "request"
		}
		log := randomLog(r, o.Format)
		path := filepath.Join(dir, "log")
		if err := os.WriteFile(path, log, 0o600); err != nil {
			rt.Fatal(err)
		}
		files, _, err := logs.Files(t.Context(), path)
		if err != nil {
			rt.Fatal(err)
		}
		byTime := rapid.Bool().Draw(rt, "by time")
		open := func() *logs.Log {
			o := o
			o.ByTime = byTime
			return strategytest.Value(logs.Open(t.Context(), o, files))
		}
		var requests [][]logs.Event
		plain := strategytest.Value(logs.Open(t.Context(), o, files))
		for q := range plain.Requests() {
			requests = append(requests, slices.Clone(q))
		}
		if err := plain.Close(); err != nil {
			rt.Fatal(err)
		}
		if byTime {
			slices.SortStableFunc(requests, func(a, b []logs.Event) int { return cmp.Compare(a[0].Time, b[0].Time) })
		}
		want := truthOf(requests)
		if want.exposures == 0 {
			return
		}
		repeats += want.repeats
		facts := func(f deal.Facts, repeats int64) truth {
			return truth{f.Users, f.Requests, f.Exposures, f.Twice, repeats}
		}
		l := open()
		d, err := Config{}.Run(t.Context(), l, measure.Options{Workers: 2})
		if l.Close(); err != nil {
			rt.Fatal(err)
		}
		if byTime && d.Backwards > 0 {
			rt.Errorf("%d requests go back in time, in its order", d.Backwards)
		}
		byAge, bySeconds := row.Sum(d.Ages[:]), row.Sum(d.Seconds[:])
		got := facts(d.Facts, d.Repeats)
		if got != want || d.PerArticle.Sum != want.exposures || byAge != want.repeats || bySeconds != want.repeats {
			rt.Errorf("described: %+v, %d repeats by age and %d by time, want %+v", got, byAge, bySeconds, want)
		}
		rule := rapid.IntRange(0, len(d.Rules)-1).Draw(rt, "rule")
		forgotten += row.Sum(d.Forgotten[rule][:])
		for _, c := range []replay.Config{{}, {Idle: d.Rules[rule]}} {
			l = open()
			tally, err := c.Run(t.Context(), subjects, l, measure.Options{Workers: 2})
			if l.Close(); err != nil {
				rt.Fatal(err)
			}
			s := tally.Strategies[0]
			if got := facts(tally.Log, row.Sum(s.Repeated)); got != want || s.Requests != want.requests {
				rt.Errorf("replayed, %+v: %+v in %d requests, want %+v", c, got, s.Requests, want)
			}
			// A queue longer than any age here recognises all that was not forgotten.
			lost := int64(0)
			if c.Idle > 0 {
				lost = row.Sum(d.Forgotten[rule][:])
			}
			if s.Forgotten != lost || s.Outside != 0 || s.RepeatedAfter != d.After {
				rt.Errorf("replayed, %+v: %d forgotten of %v, described: %d of %v", c, s.Forgotten, s.RepeatedAfter, lost, d.After)
			}
		}
	})
	if repeats == 0 || forgotten == 0 {
		t.Errorf("of all logs %d repeats, %d of them forgotten", repeats, forgotten)
	}
}

// simulated returns a log of the given users of a daily population.
func simulated(t *testing.T, c workload.DailyConfig, seed uint64, users int) []byte {
	t.Helper()
	population := strategytest.Value(workload.NewDailyOf(c, seed, users))
	return logtest.Text(logs.MIND, logtest.Daily(population, 1573776000)...)
}

// The counts of a log of a single user, and the tables of a simulated one, with the population most like it and its
// distance.
func TestGolden(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("the fit takes ten times as long with the race detector, and holds no goroutines")
	}
	const single = "user,article,time,request\n1,1,1,a\n1,2,100000,a\n1,1,100001,a\n1,2,100500,a\n"
	var b strings.Builder
	few := described(t, []byte(single), Config{Session: 1200}, 2)
	counted(&b, few)
	for _, table := range Tables(few, nil) {
		fmt.Fprintf(&b, "%d lines of %s\n", len(table.Rows), table.Title)
	}
	c := workload.DefaultDaily()
	c.Sessions, c.Refreshes, c.Repeats = 3, 4, 0.3
	d := described(t, simulated(t, c, 11, 400), Config{Session: 1200}, 2)
	fit := strategytest.Value(FitDaily(d))
	for _, table := range Tables(d, fit) {
		fmt.Fprintf(&b, "\n%s\n", table.Within(120))
	}
	golden.File(t, "described.golden", b.String())
}

// counted writes what is counted; of a histogram, what is not 0.
func counted(b *strings.Builder, d *Description) {
	for field, value := range reflect.ValueOf(*d).Fields() {
		switch counts := value.Interface().(type) {
		case []int64:
			histogram(b, field.Name, counts)
		case [][]int64:
			for i, of := range counts {
				fmt.Fprintf(b, "%s, rule %d: %d of %d\n", field.Name, i, row.Sum(of), d.Repeats)
			}
		case [33][33]int64:
			for i, of := range counts {
				if row.Sum(of[:]) != 0 {
					fmt.Fprintf(b, "octaves of %d: %d\n", i, of)
				}
			}
		default:
			fmt.Fprintf(b, "%s: %+v\n", field.Name, counts)
		}
	}
}

func histogram(b *strings.Builder, name string, counts []int64) {
	fmt.Fprintf(b, "%s:", name)
	for i, n := range counts {
		if n != 0 {
			fmt.Fprintf(b, " %d×%d", n, i)
		}
	}
	fmt.Fprintln(b)
}

// A time has the unit in which it is short.
func TestSecondsText(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 s", 119: "119 s", 120: "2 min", 7199: "120 min", 7200: "2 h", 48*3600 - 1: "48 h", 48 * 3600: "2 d",
		int(100 * 24 * time.Hour / time.Second): "100 d",
	} {
		strategytest.Equal(t, secondsText(n), want, "%d s are", n)
	}
}

// The least bin with the share behind it, not one more.
func TestQuantile(t *testing.T) {
	for p, want := range map[float64]int{0.01: 1, 0.25: 1, 0.26: 3, 0.75: 3, 0.76: 4, 1: 4} {
		strategytest.Equal(t, Quantile([]int64{0, 1, 0, 2, 1, 0}, p), want, "quantile %v is", p)
	}
	strategytest.Equal(t, Quantile([]int64{0, 0}, 0.5), 0, "of nothing")
}

// Quantiles from the histogram equal the sorted numbers' quantiles: exactly below 8192, and within one part in 8000
// beyond.
func TestQuantilesAreThoseOfTheSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 6))
	for range 15 {
		var histogram []int64
		numbers := make([]int, 1+r.IntN(5000))
		for i := range numbers {
			numbers[i] = int(math.Exp(20 * r.Float64() * r.Float64()))
			count(&histogram, numbers[i])
		}
		slices.Sort(numbers)
		for p := 0.001; p <= 1; p += 0.002 {
			want := numbers[int(math.Ceil(p*float64(len(numbers))))-1]
			bin := Quantile(histogram, p)
			got := (deal.Fine.From(bin) + deal.Fine.To(bin)) / 2
			if off := math.Abs(float64(got - want)); want < 8192 && off > 0 || off > float64(want)/8000 {
				t.Fatalf("of %d numbers quantile %v is %d, want %d", len(numbers), p, got, want)
			}
		}
	}
}

// A population outside of what can be simulated is moved to the nearest that can.
func TestWithin(t *testing.T) {
	low, high := workload.DefaultDaily(), workload.DefaultDaily()
	low.Sessions, low.Sigma, low.Refreshes, low.Repeats, low.Octave = 0, -1, 0, -1, 0
	low.LeastPause, low.PauseMean, low.PerRefresh, low.Recalled = -1, -1, 0, 0
	high.Sessions, high.Sigma, high.Refreshes, high.Repeats, high.Octave = 1e6, 6, 1e6, 2, 1e6
	high.LeastPause, high.PauseMean, high.PerRefresh, high.Recalled = 1e6, 1e6, 1e6, 1e6
	some := workload.DefaultDaily()
	some.Sessions, some.Sigma, some.Refreshes = 12.34567, 1.234567, 123.4567
	some.Repeats, some.Octave = 0.0123456, 1.234567
	some.PerRefresh, some.Recalled = 7, 6
	var b strings.Builder
	for _, c := range []workload.DailyConfig{low, high, some} {
		if c = within(c); c.Validate() != nil {
			t.Error(c.Validate())
		}
		fmt.Fprintf(&b, "%+v\n", c)
	}
	golden.File(t, "within.golden", b.String())
}

// Too short a log, and the pauses of too few.
func TestFitPauses(t *testing.T) {
	c := workload.DefaultDaily()
	if mean, least := fitPauses([]int64{0, 9}, c); mean != c.PauseMean || least != c.LeastPause {
		t.Errorf("nine pauses are fitted: %d, %d", mean, least)
	}
	pauses := make([]int64, 100)
	pauses[20], pauses[50] = 5, 5
	if mean, least := fitPauses(pauses, c); mean != 27 || least != 13 {
		t.Errorf("quartiles of 20 and 50 are fitted with %d and %d, want 27 and 13", mean, least)
	}
}
