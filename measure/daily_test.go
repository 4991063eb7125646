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

// Under an exact memory of everything the daily counts are those of a plain
// simulation with sets, user by user.
func TestDailyAgainstSets(t *testing.T) {
	const users = 400
	population, err := workload.NewDaily(7, users)
	if err != nil {
		t.Fatal(err)
	}
	var alive, requests, shown, repeats int64
	for user := range users {
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
			requests++
			n := 0
			for i, id := range ids {
				if memory[id] || n == workload.PerRefresh {
					continue
				}
				n++
				shown++
				if ever[articles[i]] {
					repeats++
				}
				ever[articles[i]] = true
				memory[id] = true
				log = append(log, articles[i])
				last = at
			}
		}
		if len(memory) > 0 && workload.Horizon-store.Timestamp(last) < store.Day {
			alive++
		}
	}
	long, err := newLongQueue() // nobody of these reads 1000 articles in two days
	if err != nil {
		t.Fatal(err)
	}
	c := daily(t, Subject{"queue", long, long}, users, Options{})
	got := [4]int64{c.Rule.Alive, c.Rule.Requests, c.Rule.Shown, c.Rule.Repeats}
	if want := [4]int64{alive, requests, shown, repeats}; got != want {
		t.Errorf("alive, requests, shown, repeats are %d, plain sets say %d", got, want)
	}
	if c.Rule.Fresh.Hits != 0 {
		t.Errorf("an exact memory takes %d fresh articles for seen", c.Rule.Fresh.Hits)
	}
}
