package describe

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dejavu/experiments/catalogue/cataloguetest"
	"dejavu/experiments/replay/replayer"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/strategies"
	_ "dejavu/strategies/strategytest/seeded"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

// A truth is what a log comes to, counted with maps.
type truth struct{ users, requests, exposures, twice, notShown, repeats int64 }

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
			case e.Kind == logs.Acted:
				t.notShown++
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

// randomLog is a log of that format, of few users, articles and times, so that all
// comes together: ties, times that run back, articles twice in a request, acts.
func randomLog(r *rand.Rand, format logs.Format, columns logs.Columns) []byte {
	var requests [][]logs.Event
	users, articles, times := 1+r.Uint64N(9), 1+r.Uint64N(40), 1+r.Int64N(300_000)
	for range 1 + r.IntN(200) {
		user, at := r.Uint64N(users), 1573776000+r.Int64N(times)
		var request []logs.Event
		for range 1 + r.IntN(12) {
			id, kind := strategies.ID(r.Uint64N(articles)), logs.Kind(r.IntN(4))
			request = append(request, logs.Event{User: user, Article: id, Time: at, Kind: kind})
		}
		requests = append(requests, request)
	}
	return logtest.Text(format, columns, requests...)
}

// A log of any format, in whatever order its times are and by either order, is counted
// alike by what describes it, by what replays it, in either way, and by an exact model.
func TestDescribeCountsAsReplayDoes(t *testing.T) {
	subjects, dir := cataloguetest.Paper(t)[:1], t.TempDir()
	repeats, forgotten := int64(0), int64(0)
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		o := logs.Options{Numbered: true, Format: rapid.SampledFrom(logs.Formats()).Draw(rt, "format")}
		if rapid.Bool().Draw(rt, "requests") {
			o.Columns.Request = "request"
		}
		log := randomLog(r, o.Format, o.Columns)
		path := filepath.Join(dir, "log")
		if err := os.WriteFile(path, log, 0o600); err != nil {
			rt.Fatal(err)
		}
		byTime := rapid.Bool().Draw(rt, "by time")
		open := func() *logs.Log {
			open := logs.Open
			if byTime {
				open = logs.OpenOrdered
			}
			l, err := open(t.Context(), o, path)
			if err != nil {
				rt.Fatal(err)
			}
			return l
		}
		var requests [][]logs.Event
		plain, err := logs.Open(t.Context(), o, path)
		if err != nil {
			rt.Fatal(err)
		}
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
			return truth{f.Users, f.Requests, f.Exposures, f.Twice, f.NotShown, repeats}
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
		for _, c := range []replayer.Config{{}, {Passed: true}, {Idle: d.Rules[rule]}} {
			l = open()
			tally, err := c.Run(t.Context(), subjects, l, measure.Options{Workers: 2})
			if l.Close(); err != nil {
				rt.Fatal(err)
			}
			s := tally.Strategies[0]
			if got := facts(tally.Log, row.Sum(s.Repeated)); got != want || s.Requests != want.requests {
				rt.Errorf("replayed, %+v: %+v in %d requests, want %+v", c, got, s.Requests, want)
			}
			if c.Passed {
				continue
			}
			// A queue goes further back than any repeat here, and recognises what was not forgotten.
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
