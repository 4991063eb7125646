package replay

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// small returns strategies that forget within a few articles.
func small(t *testing.T) (all []measure.Subject) {
	t.Helper()
	add := func(name string, s interface {
		strategies.Strategy
		strategies.Theory
	}, err error,
	) {
		strategytest.Must(t, err)
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

// promising promises more articles than a queue of four keeps.
type promising struct{ strategies.Theory }

func (promising) Window(read int) int { return min(read, 6) }

// odd remembers every second article, as far as a queue of four goes.
type odd struct{ *queue.Queue }

func (odd) Remembers(read, age int) bool { return age%2 == 1 && age <= min(read, 4) }

// dated forgets by the calendar, whatever its window.
type dated struct{ *queue.Queue }

func (d dated) On(int) strategies.Strategy { return d.Queue }

// An entry is an article that a user was shown, and when.
type entry struct {
	id strategies.ID
	at int64
}

// A life is the exact past of a user with one strategy, as a plain list.
type life struct {
	all         []entry
	begun       int // where in it the history begins
	last        int64
	history     []byte
	fresh, hits int
}

// naive replays a log with one strategy, by definition and no other way: a list of all
// that was shown, searched from its end.
func naive(s measure.Subject, requests [][]logs.Event, r Config) (c Counts) {
	end := int64(0)
	for _, request := range requests {
		end = max(end, request[0].Time)
	}
	c = newCounts()
	lives := map[uint64]*life{}
	_, isDated := s.Strategy.(strategies.Dated)
	inside := func(n, age int) bool {
		if p, ok := s.Strategy.(measure.Rememberer); ok {
			return age <= n && p.Remembers(n, age)
		}
		return !isDated && age <= n && age <= s.Theory.Window(n)
	}
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
		c.Requests++
		held := len(u.all) - u.begun
		for i, id := range ids {
			place := len(u.all) - 1
			for place >= 0 && u.all[place].id != id {
				place--
			}
			if place < 0 {
				u.fresh++
				c.Articles.Add(id, seen[i])
				bin := min(held, 16383) // and more
				c.FreshByHeld[bin]++
				if seen[i] {
					u.hits++
					c.HitsByHeld[bin]++
				}
				continue
			}
			if !seen[i] {
				c.Repeats++
			}
			age, after := len(u.all)-place, at-u.all[place].at
			if !inside(len(u.all), age) {
				c.Ever++
			}
			if inside(held, age) {
				c.WindowChecks++
			}
			bin := 0
			for _, limit := range []int64{60, 600, 3600, 21600, 86400, 172800, 604800, 2592000} {
				if after >= limit {
					bin++
				}
			}
			c.Repeated[deal.AgeBin(age)]++
			c.RepeatedAfter[bin]++
			switch {
			case seen[i]:
				c.Recognised[deal.AgeBin(age)]++
				c.RecognisedAfter[bin]++
			case inside(held, age):
				c.WindowMisses++
			case place < u.begun:
				c.Forgotten++
			default:
				c.Outside++
			}
		}
		if len(u.all) == u.begun || at > u.last {
			u.last = at
		}
		for _, id := range ids {
			u.all = append(u.all, entry{id, at})
		}
		u.history = s.Strategy.Record(u.history, ids)
	}
	for _, u := range lives {
		if r.Idle > 0 && end-u.last >= int64(r.Idle) {
			u.begun, u.history = len(u.all), nil
		}
		if len(u.history) > 0 {
			c.Alive++
			c.Payload += int64(len(u.history))
		}
		c.Count(measure.Life{
			Shown: len(u.all), Fresh: u.fresh, Hits: u.hits, Held: len(u.all) - u.begun, Bytes: len(u.history),
		})
	}
	return c
}

// randomLog returns requests of a few users for a few articles. Their times stand still, advance by seconds or months,
// and go back.
func randomLog(r *rand.Rand) (all [][]logs.Event) {
	at, users, articles := int64(1_600_000_000), 1+r.IntN(3), 2+r.IntN([]int{30, 300}[r.IntN(2)])
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

// compare compares the counts of a replay and of the model.
func compare(t *testing.T, name string, got, want Counts) {
	t.Helper()
	for field := range reflect.TypeFor[Counts]().NumField() {
		of := func(c Counts) any { return reflect.ValueOf(c).Field(field).Interface() }
		strategytest.DeepEqual(t, of(got), of(want), "%s: %s differ", name, reflect.TypeFor[Counts]().Field(field).Name)
	}
}

// Two users are shown 17,500 articles, more than there are counts by articles held: the last count is of all such
// histories. One is shown every tenth again for a while.
func TestReplayOfALargeUser(t *testing.T) {
	single, err := single.New(single.Config{Capacity: 17_000, Geometry: bloom.Geometry{Bits: 1 << 17, Hashes: 5}})
	strategytest.Must(t, err)
	q := strategytest.Value(queue.New(queue.Config{Window: 4000}))
	subjects := []measure.Subject{
		{Name: "single", Strategy: single, Theory: single},
		{Name: "queue", Strategy: q, Theory: q},
	}
	var requests [][]logs.Event
	for i := range 70 {
		request, user := make([]logs.Event, 500), uint64(i%2)
		for j := range request {
			number := user<<32 + uint64(500*(i/2)+j)
			if user == 0 && i > 0 && i < 32 && j%10 == 0 {
				number -= 499
			}
			request[j] = logs.Event{User: user, Article: strategies.Number(number), Time: 1_600_000_000 + int64(i)}
		}
		requests = append(requests, request)
	}
	tally := partOf(t, Config{}, subjects, requests, 1)
	for i, s := range subjects {
		got := tally.Strategies[i]
		compare(t, s.Name, got, naive(s, requests, Config{}))
		if last := got.FreshByHeld[len(got.FreshByHeld)-1]; last == 0 {
			t.Errorf("%s: no unseen article was asked of a history of 16,383 or more", s.Name)
		}
	}
}

// All that is counted is what an exact model says, for random logs, rules of forgetting, one
// worker or two, and strategies that keep what they promise, or do not. Counts are exact: no error is allowed for.
func TestReplayAgainstAModel(t *testing.T) {
	subjects := small(t)
	honest := len(subjects)
	q := strategytest.Value(queue.New(queue.Config{Window: 4}))
	subjects = append(subjects,
		measure.Subject{Name: "promising", Strategy: q, Theory: promising{q}},
		measure.Subject{Name: "odd", Strategy: odd{q}, Theory: q},
		measure.Subject{Name: "dated", Strategy: dated{q}, Theory: q})
	var causes [4]int64
	tries := uint64(40)
	if testing.Short() || sysinfo.RaceDetector {
		tries = 8
	}
	for seed := range tries {
		r := rand.New(rand.NewPCG(seed, 17))
		requests := randomLog(r)
		c := Config{Idle: []store.Timestamp{0, 1, 60, 3600, 86400}[r.IntN(5)]}
		tally := partOf(t, c, subjects, requests, 1+int(seed%2))
		for i, s := range subjects {
			got := tally.Strategies[i]
			compare(t, fmt.Sprintf("log %d, %+v, %s", seed, c, s.Name), got, naive(s, requests, c))
			if i < honest && got.WindowMisses != 0 {
				t.Errorf("log %d, %s: %d repeats inside the window are shown", seed, s.Name, got.WindowMisses)
			}
			for i, n := range []int64{got.Forgotten, got.Outside, got.WindowMisses, got.Fresh.Hits} {
				causes[i] += n
			}
		}
		if t.Failed() {
			return
		}
	}
	strategytest.AtLeast(t, slices.Min(causes[:]), int64(tries),
		"forgotten, outside, inside and false positives are %d: the logs show nothing", causes)
}
