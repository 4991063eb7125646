package delivery

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/queue"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// remembersAll returns a queue that these tests never fill.
func remembersAll(t *testing.T) strategies.Strategy {
	t.Helper()
	return catalogue.Must(queue.New(queue.Config{Window: 20_000}))
}

func counted(t *testing.T, s strategies.Strategy, population workload.Daily, users measure.Range,
	stream Stream, edge Edge, o measure.Options,
) pipelineCounts {
	t.Helper()
	return strategytest.Value(measureStream(context.Background(), o, s, population, users, stream, edge))
}

func dailyOf(t *testing.T, users int, change func(c *workload.DailyConfig)) workload.Daily {
	t.Helper()
	c := workload.DefaultDaily()
	if change != nil {
		change(&c)
	}
	return catalogue.Must(workload.NewDailyOf(c, 7, users))
}

// One user refreshes every ten seconds and is offered one candidate: a fresh article at first, and from then on
// always one that was shown. So there is but one article, and how often it is shown can be counted by hand.
func TestPipelineByHand(t *testing.T) {
	one := dailyOf(t, 1, func(c *workload.DailyConfig) {
		c.Sessions, c.Sigma, c.Refreshes, c.LeastPause, c.PauseMean = 1000, 0, 10_000, 10, 0
		c.Recalled, c.PerRefresh, c.Repeats = 1, 1, 1
	})
	v := one.Visitor(0)
	first, _ := v.Next()
	for range 10 {
		if v.Next(); !v.InSession() {
			t.Fatal("the session is too short for this test: take another seed")
		}
	}
	outage := Outage{From: first, To: first + 30, Speed: 2}
	type counts struct{ shown, repeats, settled, longest, faults, last int64 }
	says := func(name string, stream Stream, edge Edge, want counts) {
		t.Helper()
		p := counted(t, remembersAll(t), one, measure.Range{To: 1}, stream, edge, measure.Options{Workers: 1})
		got := counts{
			p.Repeats.Queries, p.Repeats.Hits, p.Settled.Queries, int64(p.Longest), p.Faults, int64(p.Last),
		}
		if got != want || p.Settled.Hits != 0 || p.Repeats.Users != 1 || p.Settled.Users != 1 {
			t.Errorf("%s: got %+v\n%+v, want\n%+v", name, p, got, want)
		}
	}
	says("at once", Stream{}, Edge{}, counts{shown: 1, settled: 1})
	says("for the next refresh", Stream{Delay: 10_000}, Edge{}, counts{shown: 1, settled: 1})
	says("a millisecond later", Stream{Delay: 10_001}, Edge{}, counts{shown: 2, repeats: 1, settled: 1})
	says("for the third after", Stream{Delay: 30_000}, Edge{}, counts{shown: 3, repeats: 2, settled: 1})
	says("a list of one", Stream{Delay: 25_000}, Edge{Articles: 1}, counts{shown: 1, settled: 1, longest: 1})
	// Off the list at 20, while the record arrives at 25: shown again.
	says("a list of 15 s", Stream{Delay: 25_000}, Edge{Seconds: 15}, counts{shown: 2, repeats: 1, settled: 1, longest: 1})
	says("a list of 20 s", Stream{Delay: 25_000}, Edge{Seconds: 20}, counts{shown: 2, repeats: 1, settled: 1, longest: 1})
	says("a list of 21 s", Stream{Delay: 25_000}, Edge{Articles: 5, Seconds: 21},
		counts{shown: 1, settled: 1, longest: 1})
	// Articles shown at 0, 10, 20 are read at 30, 35, 40.
	says("outage", Stream{Outage: outage}, Edge{},
		counts{shown: 3, repeats: 2, settled: 1, faults: 2, last: int64(first) + 20})
	// The first is there at 30+15, and so shown at 10, 20, 30, 40: the first of these it would have been
	// without an outage.
	says("outage and 15 s", Stream{Delay: 15_000, Outage: outage}, Edge{},
		counts{shown: 5, repeats: 4, settled: 1, faults: 3, last: int64(first) + 40})
	says("outage and a list", Stream{Outage: outage}, Edge{Seconds: 31}, counts{shown: 1, settled: 1, longest: 1})
}

// Without a delay the counts equal the daily population's, with any strategy.
func TestPipelineWithoutDelay(t *testing.T) {
	population := dailyOf(t, 1500, nil)
	for _, s := range catalogue.Subjects("queue", "single", "dual", "dual-blanked", "chain", "chain-literal") {
		days, _, err := measure.Daily(context.Background(), s, population, measure.Range{To: 1500}, 2, measure.Options{})
		strategytest.Must(t, err)
		want := days.NoRule
		got := counted(t, s.Strategy, population, measure.Range{To: 1500}, Stream{}, Edge{}, measure.Options{})
		if got.Repeats.Queries != want.Shown || got.Repeats.Hits != want.Repeats {
			t.Errorf("%s: %+v; Daily has %d repeats of %d", s.Name, got.Repeats, want.Repeats, want.Shown)
		}
		if got.Settled != got.Repeats {
			t.Errorf("%s: without a delay something was late: %+v", s.Name, got)
		}
	}
}

// A queue of all users' events, with sets, counts the same.
func TestPipelineAgainstSets(t *testing.T) {
	const users = 300
	own := dailyOf(t, users, nil)
	fast := dailyOf(t, users, func(c *workload.DailyConfig) { c.LeastPause, c.PauseMean = 20, 0 })
	outage := Outage{From: 36 * 3600, To: 38 * 3600, Speed: 3}
	for _, c := range []struct {
		name       string
		population workload.Daily
		stream     Stream
		edge       Edge
	}{
		{"a minute", own, Stream{Delay: 60_000}, Edge{}},
		{"every 20 s", fast, Stream{Delay: 41_000}, Edge{}},
		{"exponential", own, Stream{Delay: 60_000, Exponential: true}, Edge{}},
		{"a list of 30", fast, Stream{Delay: 300_000}, Edge{Articles: 30}},
		{"a list of 90 s", own, Stream{Delay: 300_000, Exponential: true}, Edge{Seconds: 90}},
		{"both", fast, Stream{Delay: 600_000}, Edge{Articles: 25, Seconds: 50}},
		{"outage", own, Stream{Delay: 5000, Outage: outage}, Edge{}},
		{"outage, list", fast, Stream{Delay: 5000, Outage: outage}, Edge{Articles: 40}},
	} {
		got := counted(t, remembersAll(t), c.population, measure.Range{To: users}, c.stream, c.edge, measure.Options{})
		want := plainly(c.population, users, c.stream, c.edge)
		counts := [5]int64{
			got.Repeats.Queries, got.Repeats.Hits, got.Settled.Queries, got.Settled.Hits, got.Faults,
		}
		strategytest.Equal(t, counts, want, "%s: shown, repeats, settled, again, faults", c.name)
		if want[1] == 0 {
			t.Errorf("%s: nothing was shown again, the test shows nothing", c.name)
		}
	}
}

// plainly counts the same in another way: one queue of all users' events, sets of articles, and linear searches. Its
// memory is exact.
func plainly(population workload.Daily, users int, stream Stream, edge Edge) [5]int64 {
	var shown, repeats, settled, again, faults int64
	type reader struct {
		workload.Visitor
		log    []int32
		at     []uint32
		known  map[int32]bool
		flying int
		step   int
	}
	type event struct {
		at     uint64 // milliseconds
		kind   int    // landings before refreshes
		number int    // the order of what happens at once
		do     func()
	}
	var events []event
	number := 0
	push := func(at uint64, kind int, do func()) {
		number++
		e := event{at, kind, number, do}
		i, _ := slices.BinarySearchFunc(events, e, func(a, b event) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number))
		})
		events = slices.Insert(events, i, e)
	}
	config := population.Config()
	var refresh func(user int, r *reader, now uint32)
	next := func(user int, r *reader) {
		if at, ok := r.Next(); ok {
			push(1000*uint64(at), 1, func() { refresh(user, r, at) })
		}
	}
	refresh = func(user int, r *reader, now uint32) {
		n := config.Recalled
		articles, ages, ids := make([]int32, n), make([]int, n), make([]strategies.ID, n)
		r.Recall(r.log, articles, ages, ids)
		var list []int32
		for i, article := range r.log {
			newest := edge.Articles == 0 || i >= len(r.log)-edge.Articles
			young := edge.Seconds == 0 || now < r.at[i]+edge.Seconds
			if edge != (Edge{}) && newest && young {
				list = append(list, article)
			}
		}
		var display []int32
		calm, before := r.flying == 0, slices.Clone(r.log)
		for _, article := range articles {
			if len(display) == config.PerRefresh || r.known[article] || slices.Contains(list, article) {
				continue
			}
			display = append(display, article)
			shown++
			if calm {
				settled++
			}
			if i := slices.Index(before, article); i >= 0 {
				repeats++
				if calm {
					again++
				}
				if stream.Outage.Speed > 0 && 1000*uint64(r.at[i])+stream.Delay <= 1000*uint64(now) {
					faults++
				}
			}
		}
		delay := float64(stream.Delay)
		if stream.Exponential {
			delay = float64(population.Delays(user).Exponential(r.step, stream.Delay))
		}
		r.step++
		begin := 1000 * float64(now)
		if o := stream.Outage; o.Speed > 0 && now >= o.From && float64(now) < o.CaughtUp() {
			begin = math.Floor(1000*float64(o.To) + 1000*float64(now-o.From)/float64(o.Speed))
		}
		if len(display) > 0 {
			r.flying++
			push(uint64(begin+delay), 0, func() {
				r.flying--
				for _, article := range display {
					r.known[article] = true
				}
			})
		}
		for _, article := range display {
			r.log, r.at = append(r.log, article), append(r.at, now)
		}
		next(user, r)
	}
	for user := range users {
		next(user, &reader{Visitor: population.Visitor(user), known: map[int32]bool{}})
	}
	for len(events) > 0 {
		e := events[0]
		events = events[1:]
		e.do()
	}
	return [5]int64{shown, repeats, settled, again, faults}
}
