package measure

import (
	"context"
	"reflect"
	"testing"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

func daily(t *testing.T, s Subject, users int, o Options) DailyCounts {
	t.Helper()
	population, err := workload.NewDaily(7, users)
	if err != nil {
		t.Fatal(err)
	}
	counts, _, err := Daily(context.Background(), s, population, Range{0, users}, o)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func TestDailyDoesNotDependOnWorkersOrParts(t *testing.T) {
	for _, s := range subjects(t) {
		want := daily(t, s, 1500, Options{Workers: 1})
		if got := daily(t, s, 1500, Options{Workers: 3, Parts: 4}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: counts with 3 workers and 4 parts differ from those with one", s.Name)
		}
	}
}

func TestDailyKeepsThePromise(t *testing.T) {
	for _, s := range subjects(t) {
		c := daily(t, s, 4000, Options{})
		for name, r := range map[string]Regime{"24 h rule": c.Rule, "no rule": c.NoRule} {
			if r.WindowMisses != 0 {
				t.Errorf("%s, %s: %d of %d repeats inside the window let through", s.Name, name, r.WindowMisses, r.WindowChecks)
			}
			if s.Name != "chain-literal" && r.WindowChecks == 0 {
				t.Errorf("%s, %s: no repeat inside the window was ever recalled", s.Name, name)
			}
		}
		if c.Rule.Alive >= c.NoRule.Alive || c.Rule.Payload >= c.NoRule.Payload {
			t.Errorf("%s: the rule leaves %d histories of %d bytes, without it there are %d of %d",
				s.Name, c.Rule.Alive, c.Rule.Payload, c.NoRule.Alive, c.NoRule.Payload)
		}
	}
}

// sets are alive, requests, shown and repeats of a plain simulation of these users with
// sets that 24 hours without an article empty.
func sets(population workload.Daily, users Range) (counts [4]int64) {
	for user := users.From; user < users.To; user++ {
		v := population.Visitor(user)
		memory := map[strategies.ID]bool{}
		var log []int32
		ever := map[int32]bool{}
		last := uint32(0)
		var articles [workload.Recalled]int32
		var ages [workload.Recalled]int
		var ids [workload.Recalled]strategies.ID
		for {
			at, ok := v.Next()
			if !ok {
				break
			}
			if len(memory) > 0 && store.Timestamp(at-last) >= store.Day {
				clear(memory)
			}
			v.Recall(log, articles[:], ages[:], ids[:])
			counts[1]++
			n := 0
			for i, id := range ids {
				if memory[id] || n == workload.PerRefresh {
					continue
				}
				n++
				counts[2]++
				if ever[articles[i]] {
					counts[3]++
				}
				ever[articles[i]] = true
				memory[id] = true
				log = append(log, articles[i])
				last = at
			}
		}
		if len(memory) > 0 && workload.Horizon-store.Timestamp(last) < store.Day {
			counts[0]++
		}
	}
	return counts
}

// Under an exact memory of everything the daily counts are those of a plain
// simulation with sets. The users who come alone are two who come back after 24 hours
// to the second.
func TestDailyAgainstSets(t *testing.T) {
	long, err := newLongQueue() // nobody of these reads 1000 articles in two days
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		seed  uint64
		all   int
		users Range
	}{{7, 400, Range{0, 400}}, {2016, 10_000_000, Range{1_981_079, 1_981_080}}, {2016, 10_000_000, Range{2_592_895, 2_592_896}}} {
		population, err := workload.NewDaily(x.seed, x.all)
		if err != nil {
			t.Fatal(err)
		}
		c, _, err := Daily(context.Background(), Subject{"queue", long, long}, population, x.users, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := [4]int64{c.Rule.Alive, c.Rule.Requests, c.Rule.Shown, c.Rule.Repeats}
		if want := sets(population, x.users); got != want {
			t.Errorf("%v: alive, requests, shown, repeats are %d, plain sets say %d", x.users, got, want)
		}
		if c.Rule.Fresh.Hits != 0 {
			t.Errorf("%v: an exact memory takes %d fresh articles for seen", x.users, c.Rule.Fresh.Hits)
		}
		day := 0 // after which a user of one comes back
		v, last := population.Visitor(x.users.From), uint32(0)
		for at, ok := v.Next(); ok; at, ok = v.Next() {
			if at-last == uint32(store.Day) {
				day++
			}
			last = at
		}
		if x.users.Len() == 1 && day == 0 {
			t.Errorf("%v: the user never comes back after just 24 hours", x.users)
		}
	}
}

// A sparing strategy lets its user have one article at a request, two in all.
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

// A request that shows nothing is none for the rule: 24 hours after the last article a
// user is a newcomer, however often they came meanwhile.
func TestDailyCountsFromTheLastArticle(t *testing.T) {
	const users = 300
	population, err := workload.NewDaily(7, users)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := Daily(context.Background(), Subject{"sparing", sparing{}, subjects(t)[5].Theory}, population, Range{0, users}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var alive, shown, free int64 // free of the rule, articles shown
	var articles [workload.Recalled]int32
	var ages [workload.Recalled]int
	var ids [workload.Recalled]strategies.ID
	for user := range users {
		held, last, log := 0, uint32(0), []int32(nil)
		v := population.Visitor(user)
		for at, ok := v.Next(); ok; at, ok = v.Next() {
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
		if held > 0 && workload.Horizon-store.Timestamp(last) < store.Day {
			alive++
		}
	}
	if c.Rule.Alive != alive || c.Rule.Shown != shown || c.NoRule.Shown != free {
		t.Errorf("%d alive and %d articles shown, %d without the rule; want %d, %d and %d",
			c.Rule.Alive, c.Rule.Shown, c.NoRule.Shown, alive, shown, free)
	}
}
