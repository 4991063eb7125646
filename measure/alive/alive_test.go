package alive

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"dejavu/chain"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// chainOf returns the paper's chain.
func chainOf(t *testing.T) strategies.Strategy {
	t.Helper()
	return strategytest.Value(chain.New(chain.Paper))
}

// part returns a store of newcomers.
func part(t *testing.T, s strategies.Strategy, users int) measure.Alive {
	t.Helper()
	population := strategytest.Value(workload.NewFull(1, users))
	var p measure.Alive
	subject := measure.Subject{Name: "chain", Strategy: s, Theory: chainOf(t).(strategies.Theory)}
	if _, _, err := measure.Full(t.Context(), subject, population, measure.Range{To: users}, measure.Options{Parts: 1},
		func(all measure.Alive) error { p = all; return nil }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Store.Clear) // which Full has done, too: its users are newcomers again
	return p
}

// Histories are not heap objects: more users do not add objects, except for some in each shard.
func TestHistoriesAreNoObjects(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("takes long, and starts no goroutine")
	}
	const users, aShard = 100_000, 50
	objects := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapObjects)
	}
	before := objects()
	p := part(t, chainOf(t), users)
	ids := stopwatch.Candidates(1)
	for user := range users {
		p.Store.Record(user, 0, ids[user:user+10])
	}
	// 16 shards; each user's history as an object would be 100,000.
	strategytest.AtMost(t, objects()-before, 16*aShard, "objects of the histories of %d users", users)
	strategytest.Equal(t, p.Store.Stats().Users, users, "users have a history")
}

func TestColdReports(t *testing.T) {
	if testing.Short() {
		t.Skip("times a strategy for half a second")
	}
	cold := strategytest.Value(TimeCold(context.Background(), part(t, chainOf(t), 100), 1))
	// How long it takes beside a request depends on the machine.
	if cold.Touch.P50 <= 0 {
		t.Errorf("touching takes %v ns", cold.Touch.P50)
	}
	for i, longer := range cold.Longer().Rounds {
		if touch, warm := cold.Touch.Rounds[i], cold.Warm.Rounds[i]; warm <= 0 || longer != max(touch, warm) {
			t.Errorf("turn %d: %v is the longer of touching %v and a warm request %v", i, longer, touch, warm)
		}
	}
	// Batches a turn, of 8 requests one after the other or 64 at once.
	for i, want := range [][2]int64{{227, 28}, {90, 11}, {50, 6}, {50, 6}, {50, 6}} {
		if each, together := cold.Each[i], cold.Together[i]; each.Batches != want[0]*stopwatch.Rounds ||
			together.Batches != want[1]*stopwatch.Rounds ||
			each.Requests != 8*each.Batches || together.Requests != 64*together.Batches {
			t.Errorf("requests of %d candidates: %d batches one after the other and %d at once, want %d a turn",
				stopwatch.Sizes[i], each.Batches, together.Batches, want)
		}
	}
	if cold.Users != 100 || cold.Touch.Requests != cold.Together[0].Requests ||
		cold.Warm.Requests != cold.Together[0].Requests {
		t.Errorf("%d users, touched by %d requests, %d of them warm", cold.Users, cold.Touch.Requests, cold.Warm.Requests)
	}
	if cold.Warm.Candidates != stopwatch.Sizes[0] || len(cold.Longer().Rounds) != stopwatch.Rounds {
		t.Errorf("warm requests of %d candidates, %d turns of the longer", cold.Warm.Candidates, len(cold.Longer().Rounds))
	}
	for _, latencies := range [][]stopwatch.Latency{cold.Each, cold.Together} {
		for i, l := range latencies {
			low, high, ok := l.Between()
			if !ok || l.Candidates != stopwatch.Sizes[i] || !(0 < l.P50 && l.P50 <= l.P99 && l.P99 <= l.P999) || low > high ||
				low <= 0 || len(l.Rounds) != stopwatch.Rounds {
				t.Errorf("latency of %d candidates: %+v", stopwatch.Sizes[i], l)
			}
		}
	}
}

// Requests of a batch ask about consecutive candidates, and begin anew if too few are left, of random users or, if
// warm, of one; each has its own place for answers.
func TestColdRequests(t *testing.T) {
	ids := stopwatch.Candidates(1)[:100]
	c := coldTimer{
		part: measure.Alive{Users: 50}, ids: stopwatch.Ring{IDs: ids}, random: rand.New(rand.NewPCG(1, 1)),
		seen: make([]bool, 3*30),
	}
	users := map[int]bool{}
	for i, from := range []int{0, 30, 60, 0, 30, 60} {
		r := c.requests(30, 1, false)[0]
		if r.Candidates[0] != ids[from] || len(r.Candidates) != 30 || cap(r.Seen) != 30 {
			t.Errorf("request %d does not begin at %d", i, from)
		}
	}
	c.ids.Next(100)
	c.ids.Next(70) // and 30 are left: just enough
	requests := c.requests(30, 3, false)
	for i, r := range requests {
		r.Seen[:1][0] = true
		users[r.User] = true
		if want := []int{70, 0, 30}[i]; r.Candidates[0] != ids[want] || r.User >= 50 {
			t.Errorf("request %d is of user %d, and not from %d on", i, r.User, want)
		}
	}
	if measure.Count(c.seen, true) != 3 || len(users) < 2 {
		t.Errorf("%d places for answers, %d users", measure.Count(c.seen, true), len(users))
	}
	for i, r := range c.requests(30, 3, true) {
		strategytest.Equal(t, r.User, 0, "warm request %d is of user", i)
	}
}
