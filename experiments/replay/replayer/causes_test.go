package replayer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/experiments/row"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload/logs"
)

// small are strategies that forget within a few articles.
func small(t *testing.T) (all []measure.Subject) {
	t.Helper()
	add := func(name string, s interface {
		strategies.Strategy
		strategies.Theory
	}, err error,
	) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, measure.Subject{Name: name, Strategy: s, Theory: s})
	}
	g := bloom.Geometry{Bits: 64, Hashes: 2} // many false positives
	q, err := queue.New(queue.Config{Window: 4})
	add("queue", q, err)
	s, err := single.New(single.Config{Capacity: 10, Geometry: g})
	add("single", s, err)
	d, err := dual.New(dual.Config{Capacity: 6, Threshold: 4, Geometry: g})
	add("dual", d, err)
	c, err := chain.New(chain.Config{Links: 3, Capacity: 2, Geometry: g})
	add("chain", c, err)
	l, err := chain.New(chain.Config{Links: 3, Capacity: 2, Geometry: g, HeadSilent: true})
	add("literal", l, err)
	return all
}

// An entry is an article that a user was shown, and when.
type entry struct {
	id strategies.ID
	at int64
}

// A life is the exact past of a user with one strategy, as a plain list.
type life struct {
	all     []entry
	begun   int // where in it the history begins
	last    int64
	history []byte
}

// naive replays a log with one strategy, by definition and no other way: a list of all
// that was shown, searched from its end.
func naive(s measure.Subject, requests [][]logs.Event, r Config) (c Counts) {
	c = newCounts()
	lives := map[uint64]*life{}
	for _, request := range requests {
		u := lives[request[0].User]
		if u == nil {
			u = &life{}
			lives[request[0].User] = u
		}
		at := request[0].Time
		if r.Idle > 0 && len(u.all) > u.begun && at-u.last >= int64(r.Idle) {
			u.begun, u.history = len(u.all), nil
		}
		var ids []strategies.ID
		for _, e := range request {
			if !slices.Contains(ids, e.Article) {
				ids = append(ids, e.Article)
			}
		}
		seen := make([]bool, len(ids))
		s.Strategy.Seen(u.history, ids, seen)
		inside := func(n, age int) bool {
			if p, ok := s.Strategy.(measure.Rememberer); ok {
				return age <= n && p.Remembers(n, age)
			}
			return age <= n && age <= s.Theory.Window(n)
		}
		var shown []strategies.ID
		for i, id := range ids {
			if !r.Passed || !seen[i] && (r.Most == 0 || len(shown) < r.Most) {
				shown = append(shown, id)
			}
			place := len(u.all) - 1
			for place >= 0 && u.all[place].id != id {
				place--
			}
			if place < 0 {
				continue
			}
			age, after := len(u.all)-place, at-u.all[place].at
			if !inside(len(u.all), age) {
				c.Ever++
			}
			held := inside(len(u.all)-u.begun, age)
			bin := 0
			for _, limit := range []int64{60, 600, 3600, 21600, 86400, 172800, 604800, 2592000} {
				if after >= limit {
					bin++
				}
			}
			c.RepeatedAfter[bin]++
			switch {
			case seen[i]:
				c.RecognisedAfter[bin]++
			case place < u.begun:
				c.Forgotten++
			case held:
				c.WindowMisses++
			default:
				c.Outside++
			}
		}
		if len(shown) > 0 {
			if len(u.all) == u.begun || at > u.last {
				u.last = at
			}
			for _, id := range shown {
				u.all = append(u.all, entry{id, at})
			}
			u.history = s.Strategy.Record(u.history, shown)
		}
	}
	return c
}

// randomLog is requests of a few users for a few articles, at times that stand still, go on
// by seconds or months, and back.
func randomLog(r *rand.Rand) (all [][]logs.Event) {
	at, users, articles := int64(1_600_000_000), 1+r.IntN(3), 2+r.IntN(30)
	steps := []int64{0, 1, 30, 59, 60, 599, 3600, 86399, 86400, 172800, 700_000, 3_000_000, -40}
	for range 1 + r.IntN(300) {
		at += steps[r.IntN(1+r.IntN(len(steps)))]
		var request []logs.Event
		user := uint64(r.IntN(users))
		for range 1 + r.IntN(4) {
			id := strategies.ID(r.IntN(articles)+1) * 0x9e3779b97f4a7c15
			request = append(request, logs.Event{User: user, Article: id, Time: at})
		}
		all = append(all, request)
	}
	return all
}

// Causes are what an exact model says, for random logs, either rule of recording, and rules
// of forgetting; they are all repeats shown. Counts are exact: no error is allowed for.
func TestCausesAgainstAModel(t *testing.T) {
	subjects := small(t)
	var causes [3]int64
	tries := uint64(40)
	if testing.Short() || sysinfo.RaceDetector {
		tries = 8
	}
	for seed := range tries {
		r := rand.New(rand.NewPCG(seed, 17))
		requests := randomLog(r)
		c := Config{Idle: []store.Timestamp{0, 1, 60, 3600, 86400}[r.IntN(5)], Passed: r.IntN(3) == 0}
		if c.Passed {
			c.Most = r.IntN(3)
		}
		tally := partOf(t, c, subjects, requests, spanOf(requests), 1+int(seed%2))
		for i, s := range subjects {
			got, want := tally.Strategies[i], naive(s, requests, c)
			counts := func(c Counts) string {
				return fmt.Sprint(c.Forgotten, c.Outside, c.WindowMisses, c.Ever, c.RepeatedAfter, c.RecognisedAfter)
			}
			if counts(got) != counts(want) {
				t.Fatalf("log %d, %+v, %s:\n%s\nwant\n%s", seed, c, s.Name, counts(got), counts(want))
			}
			shown := row.Sum(got.Repeated) - row.Sum(got.Recognised)
			if got.Forgotten+got.Outside != shown || got.WindowMisses != 0 {
				t.Fatalf("log %d, %s: %d repeats shown, %d forgotten, %d outside and %d inside the window",
					seed, s.Name, shown, got.Forgotten, got.Outside, got.WindowMisses)
			}
			causes[0] += got.Forgotten
			causes[1] += got.Outside
			causes[2] += got.WindowChecks
		}
	}
	if causes[0] < 100 || causes[1] < 100 || causes[2] < 100 {
		t.Errorf("%d forgotten, %d outside, %d checks: the logs show nothing", causes[0], causes[1], causes[2])
	}
}
