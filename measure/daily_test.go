package measure

import (
	"context"
	"testing"

	"dejavu/queue"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

const thirty = 30 // days

// A lived holds what a plain simulation of users found, and each of their days.
type lived struct {
	requests, shown, repeats int64
	held                     int64            // articles in all histories at the end
	days                     [thirty][4]int64 // users with a history, articles shown, repeats among them, fresh candidates
}

// sets simulates these users with sets. With the rule, 24 hours without an article empty a set.
func sets(population workload.Daily, users Range, rule bool) (l lived) {
	for user := users.From; user < users.To; user++ {
		v := population.Visitor(user)
		memory := map[strategies.ID]bool{}
		var log []int32
		ever := map[int32]bool{}
		last, next, recorded := uint32(0), 0, int64(0)
		var articles [workload.Recalled]int32
		var ages [workload.Recalled]int
		var ids [workload.Recalled]strategies.ID
		for {
			at, _ := v.Next()
			for ; next < thirty && at >= uint32(next+1)*86400; next++ { // a day ends
				if len(memory) > 0 && (!rule || uint32(next+1)*86400-last < 86400) {
					l.days[next][0]++
					if next == thirty-1 {
						l.held += recorded
					}
				}
			}
			if next == thirty {
				break
			}
			if rule && len(memory) > 0 && at-last >= 86400 {
				clear(memory)
				recorded = 0
			}
			v.Recall(log, articles[:], ages[:], ids[:])
			l.requests++
			n, day := 0, &l.days[at/86400]
			for i, id := range ids {
				if ages[i] == 0 {
					day[3]++
				}
				if memory[id] || n == workload.PerRefresh {
					continue
				}
				n++
				recorded++
				l.shown++
				day[1]++
				if ever[articles[i]] {
					l.repeats++
					day[2]++
				}
				ever[articles[i]] = true
				memory[id] = true
				log = append(log, articles[i])
				last = at
			}
		}
	}
	return l
}

// With an exact memory of everything, the daily counts equal a plain simulation with sets. The users who come alone
// have 24 hours to the second in their days: before a day's end, and between two refreshes, no pause being longer.
func TestDailyAgainstSets(t *testing.T) {
	long, err := queue.New(queue.Config{Window: 40_000}) // nobody of these reads as much
	strategytest.Must(t, err)
	for _, users := range []Range{{0, 300}, {30_906, 30_907}, {1_223_209, 1_223_210}, {2_886_626, 2_886_627}} {
		population := strategytest.Value(workload.NewDaily(2016, 10_000_000))
		c, _, err := Daily(context.Background(), Subject{"queue", long, long}, population, users, thirty, Options{})
		strategytest.Must(t, err)
		for _, rule := range []bool{true, false} {
			r, alive := c.NoRule, func(d Day) (int64, Served) {
				return d.AliveNoRule, Served{Repeats: d.RepeatsNoRule, Fresh: d.FreshNoRule}
			}
			if rule {
				r, alive = c.Rule, func(d Day) (int64, Served) { return d.Alive, d.Served }
			}
			got := lived{requests: r.Requests, shown: r.Shown, repeats: r.Repeats}
			for n, users := range r.Held {
				got.held += int64(n) * users
			}
			for i, d := range c.Days {
				with, served := alive(d)
				got.days[i] = [4]int64{with, served.Repeats.Queries, served.Repeats.Hits, served.Fresh.Queries}
			}
			strategytest.Equal(t, got, sets(population, users, rule), "%v, rule %v: counts", users, rule)
			strategytest.Equal(t, r.Fresh.Hits, 0, "%v: an exact memory reports fresh articles as seen", users)
			last := c.Days[thirty-1]
			if alive, _ := alive(last); alive != r.Alive {
				t.Errorf("%v, rule %v: %d users with a history at the end, by the day %d", users, rule, r.Alive, alive)
			}
			strategytest.Equal(t, map[bool]int64{true: last.Kept.Hits, false: last.Kept.Queries}[rule], r.Payload,
				"%v, rule %v: %d bytes at the end, by the day", users, rule, r.Payload)
		}
		var week [2]int64
		for _, d := range c.Days[thirty-7:] {
			week[0] += d.Repeats.Hits
			week[1] += d.FreshNoRule.Queries
		}
		strategytest.Equal(t, [2]int64{c.Week.Repeats.Hits, c.Week.FreshNoRule.Queries}, week,
			"%v: the last week", users)
	}
}

// A sparing strategy lets its user see one article a request, two in all.
type sparing struct{ strategies.Theory }

func (sparing) Sizes() []int          { return []int{1, 2} }
func (sparing) Validate([]byte) error { return nil }

func (sparing) Record(h []byte, shown []strategies.ID) []byte {
	return append(h, make([]byte, len(shown))...)
}

func (sparing) Seen(h []byte, candidates []strategies.ID, seen []bool) {
	for i := range candidates {
		seen[i] = i > 0 || len(h) == 2
	}
}

// The rule ignores a request that shows nothing: 24 hours after the last article a user is a newcomer, however often
// they came meanwhile.
func TestDailyCountsFromTheLastArticle(t *testing.T) {
	const users, end = 300, uint32(thirty * store.Day)
	population := strategytest.Value(workload.NewDaily(7, users))
	c, _, err := Daily(context.Background(), Subject{"sparing", sparing{}, subjects()[5].Theory}, population,
		Range{0, users}, thirty, Options{})
	strategytest.Must(t, err)
	var alive, shown, free int64 // free of the rule, articles shown
	var articles [workload.Recalled]int32
	var ages [workload.Recalled]int
	var ids [workload.Recalled]strategies.ID
	for user := range users {
		held, last, log := 0, uint32(0), []int32(nil)
		v := population.Visitor(user)
		for at, _ := v.Next(); at < end; at, _ = v.Next() {
			if held > 0 && store.Timestamp(at-last) >= store.Day {
				held = 0
			}
			v.Recall(log, articles[:], ages[:], ids[:])
			if held < 2 {
				held, last, log = held+1, at, append(log, articles[0])
			}
		}
		shown += int64(len(log))
		free += int64(min(len(log), 2))
		if held > 0 && store.Timestamp(end-last) < store.Day {
			alive++
		}
	}
	if c.Rule.Alive != alive || c.Rule.Shown != shown || c.NoRule.Shown != free {
		t.Errorf("%d alive and %d articles shown, %d without the rule; want %d, %d and %d",
			c.Rule.Alive, c.Rule.Shown, c.NoRule.Shown, alive, shown, free)
	}
}

// Only users who were served something under either rule are counted.
func TestServedCountsWhoWasServed(t *testing.T) {
	counts := func(ruled, free Life, users int64) {
		t.Helper()
		var s Served
		s.count(ruled, free)
		for i, r := range []Rate{s.Repeats, s.RepeatsNoRule, s.Fresh, s.FreshNoRule} {
			strategytest.Equal(t, r.Users, users, "%+v and %+v: rate %d is of users", ruled, free, i)
		}
	}
	counts(Life{}, Life{}, 0)
	counts(Life{Bytes: 9}, Life{Bytes: 9, expired: true}, 0)
	counts(Life{Shown: 1}, Life{}, 1)
	counts(Life{}, Life{Shown: 1}, 1)
	counts(Life{Fresh: 1}, Life{}, 1)
	counts(Life{}, Life{Fresh: 1}, 1)
}
