package delivery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// Times are of no concern here.
func TestMain(m *testing.M) {
	Requests = 1
	os.Exit(m.Run())
}

const shippedArticles = 600

// routeTo returns a route to a service of the strategy.
func routeTo(t *testing.T, s measure.Subject, seed uint64) *route {
	t.Helper()
	r := strategytest.Value(newRoute(s, shippedArticles, seed))
	t.Cleanup(func() { r.client.Close() })
	return r
}

// Both ways give the answers of the histories here, in the bytes of the closed forms, whichever ranges of
// users they are counted in.
func TestShipCounts(t *testing.T) {
	for _, s := range catalogue.Subjects("queue", "single", "dual", "dual-blanked", "chain", "chain-literal") {
		r := routeTo(t, s, 2016)
		for _, size := range []int{1, 40, 400} {
			var sum shipCount
			for _, users := range []measure.Range{{From: 0, To: 5}, {From: 5, To: 5}, {From: 5, To: shipUsers}} {
				c, err := r.count(context.Background(), users, size)
				if err != nil {
					t.Fatalf("%s: %v", s.Name, err)
				}
				measure.Sum(&sum, c)
			}
			want := shipCount{
				Requests: shipUsers, Checked: int64(shipUsers * size),
				Shipped: int64(shipUsers * shippedBytes(s.Theory.Bytes(shippedArticles))),
				Asked:   int64(shipUsers * askedBytes(size)),
			}
			strategytest.Equal(t, sum, want, "%s, %d candidates", s.Name, size)
		}
		// One in ten was shown, and is among the newest: all remember it. Chance adds others; of the paper's
		// structures at most a tenth.
		seen := 0
		for user := range shipUsers {
			here := make([]bool, 400)
			r.histories.Seen(user, 0, r.asked[user][:400], here[:0])
			seen += measure.Count(here, true)
		}
		if least := shipUsers * 400 / repeatEvery; s.Name != "chain-literal" && (seen < least || seen > 2*least) {
			t.Errorf("%s: %d of %d candidates were seen, want %d and a few more", s.Name, seen, shipUsers*400, least)
		}
	}
}

// A request's first candidate is the last article shown, and each tenth after it was shown just before.
func TestRouteAsksForTheNewest(t *testing.T) {
	r := routeTo(t, catalogue.Subjects("queue")[0], 2016)
	population := catalogue.Must(workload.NewFull(2016, shipUsers))
	for user, asked := range r.asked {
		reader := population.Reader(user)
		for i, id := range asked {
			if back := i / repeatEvery; (id == reader.ID(shippedArticles-1-back)) != (i%repeatEvery == 0) {
				t.Fatalf("user %d: candidate %d is %v, %d before the last %v", user, i, id, back, reader.ID(shippedArticles-1-back))
			}
		}
	}
}

// Other histories there than here are found out, and histories that are none.
func TestShipSeesFaults(t *testing.T) {
	all := catalogue.Subjects("queue", "single")
	queue, single := all[0], all[1]
	here, other := routeTo(t, queue, 2016), routeTo(t, queue, 2017)
	here.client, other.client = other.client, here.client
	c, err := here.count(context.Background(), measure.Range{To: shipUsers}, 400)
	// A tenth of the candidates were shown here, and not there.
	if want := int64(shipUsers * 400 / repeatEvery); err != nil || c.Apart != want {
		t.Errorf("another seed there: %d answers differ, %v, want %d", c.Apart, err, want)
	}
	other = routeTo(t, single, 2016)
	here.client, other.client = other.client, here.client
	_, err = other.count(context.Background(), measure.Range{To: 1}, 40)
	strategytest.ErrorSays(t, "another strategy there", err, "single: the reply is not a valid history")
}

// Times are measured for every route and size. A wire that fails is an error, and so is an interruption.
func TestTimeShip(t *testing.T) {
	all := catalogue.Subjects("queue", "single")
	var routes []*route
	for _, s := range all {
		routes = append(routes, routeTo(t, s, 2016))
	}
	sizes := []int{40, 400}
	took, err := timeShip(context.Background(), routes, sizes)
	if err != nil || len(took) != len(all) {
		t.Fatalf("%d routes have times, %v", len(took), err)
	}
	taken := map[string]bool{} // no times are another's
	for i, times := range took {
		for j, l := range times {
			for _, way := range []stopwatch.Latency{l.Shipped, l.Asked} {
				_, _, ok := way.Between()
				if !ok || way.P50 <= 0 || way.Candidates != sizes[j] || taken[fmt.Sprint(way.Rounds)] {
					t.Errorf("route %d, %d candidates: %+v", i, sizes[j], way)
				}
				taken[fmt.Sprint(way.Rounds)] = true
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := timeShip(ctx, routes, sizes); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := routes[0].count(ctx, measure.Range{To: 1}, 40); !errors.Is(err, context.Canceled) {
		t.Errorf("counting, interrupted: %v", err)
	}
	routes[1].client.Close()
	if _, err := timeShip(context.Background(), routes, sizes); !errors.Is(err, rpc.ErrShutdown) {
		t.Errorf("a connection that is closed: %v", err)
	}
}

// The messages' lengths by hand, and the least number of candidates with which a history takes fewer bytes.
func TestBytes(t *testing.T) {
	strategytest.Equal(t, shippedBytes(508), 520, "a history of 508 bytes takes")
	for candidates, want := range map[int]int{0: 12, 1: 21, 8: 77, 9: 86, 40: 337, 4000: 32512} {
		strategytest.Equal(t, askedBytes(candidates), want, "%d candidates take bytes", candidates)
	}
	for history, want := range map[int]int{0: 1, 8: 1, 9: 2, 508: 63, 512: 64, 4004: 493} {
		strategytest.Equal(t, breakEven(history), want, "a history of %d bytes breaks even at candidates", history)
	}
}

// Messages keep candidates and answers.
func TestMessages(t *testing.T) {
	ids := []strategies.ID{1, 1 << 63, 0x0102030405060708}
	body := appendIDs(nil, ids)
	if got := readIDs(body); !slices.Equal(got, ids) || body[0] != 1 || body[16] != 8 {
		t.Errorf("%v became %v, then %v", ids, body, got)
	}
	for n := range 18 {
		seen, got := make([]bool, n), make([]bool, n)
		for i := range seen {
			seen[i] = i%3 == 0
		}
		bits := packBits(seen)
		if unpackBits(bits, got); !slices.Equal(got, seen) || len(bits) != (n+7)/8 {
			t.Errorf("%v became %v, then %v", seen, bits, got)
		}
	}
}

// Counting leaves no service behind.
func TestCountsEndTheService(t *testing.T) {
	before := runtime.NumGoroutine()
	r := engine.New(t.Context(), engine.Scope{Users: shipUsers, Seed: 2016}, engine.NewProgress(io.Discard))
	strategytest.Must(t, strategytest.ErrorOf(shipCounts.Make(t.Context(), r, measure.Range{To: 1})))
	for range 200 { // connections end in goroutines of their own
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, before %d", runtime.NumGoroutine(), before)
}
