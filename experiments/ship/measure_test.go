package ship

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"dejavu/experiments/catalogue/cataloguetest"
	"dejavu/experiments/ship/wire"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/workload"
)

const shippedArticles = 600

// routed is a route to a service of the strategy there, in a goroutine.
func routed(t *testing.T, here, there measure.Subject, seed uint64) *Route {
	t.Helper()
	service, err := Exposures(there.Strategy, shippedArticles, seed)
	if err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close() })
	go func() {
		defer far.Close()
		_ = service.Serve(far)
	}()
	r, err := NewRoute(wire.NewClient(near), here, shippedArticles, 400, 2016)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Both ways give the answers of the histories here, in the bytes of the closed forms,
// whichever ranges of users they are counted in.
func TestShipCounts(t *testing.T) {
	for _, s := range cataloguetest.Paper(t) {
		r := routed(t, s, s, 2016)
		for _, size := range []int{1, 40, 400} {
			var sum Counts
			for _, users := range []measure.Range{{From: 0, To: 5}, {From: 5, To: 5}, {From: 5, To: Users}} {
				c, err := r.Count(context.Background(), users, size)
				if err != nil {
					t.Fatalf("%s: %v", s.Name, err)
				}
				measure.Sum(&sum, c)
			}
			want := Counts{
				Candidates: size, Requests: Users, Checked: int64(Users * size),
				Shipped: int64(Users * wire.ShippedBytes(s.Theory.Bytes(shippedArticles))),
				Asked:   int64(Users * wire.AskedBytes(size)),
			}
			if sum != want {
				t.Errorf("%s, %d candidates: %+v, want %+v", s.Name, size, sum, want)
			}
		}
		// One in ten was shown, and is among the newest: all remember it. Chance adds
		// others; of the paper's structures at most a tenth.
		seen := 0
		for user := range Users {
			r.local.Histories.Seen(user, 0, r.asked[user], r.seen[0])
			seen += measure.Count(r.seen[0], true)
		}
		if least := Users * 400 / repeatEvery; s.Name != "chain-literal" && (seen < least || seen > 2*least) {
			t.Errorf("%s: %d of %d candidates were seen, want %d and a few more", s.Name, seen, Users*400, least)
		}
	}
}

// Of a request's candidates the first was the last to be shown, and each tenth after it
// was shown just before.
func TestRouteAsksForTheNewest(t *testing.T) {
	r := routed(t, cataloguetest.Paper(t)[0], cataloguetest.Paper(t)[0], 2016)
	population, err := workload.NewFull(2016, Users)
	if err != nil {
		t.Fatal(err)
	}
	for user, asked := range r.asked {
		reader := population.Reader(user)
		for i, id := range asked {
			if back := i / repeatEvery; (id == reader.ID(shippedArticles-1-back)) != (i%repeatEvery == 0) {
				t.Fatalf("user %d: candidate %d is %v, and %d articles before the last was %v", user, i, id, back, reader.ID(shippedArticles-1-back))
			}
		}
	}
}

// Planted faults: other histories there are found out, and histories that are none.
func TestShipSeesFaults(t *testing.T) {
	all := cataloguetest.Paper(t)
	c, err := routed(t, all[0], all[0], 2017).Count(context.Background(), measure.Range{To: Users}, 400)
	// A tenth of the candidates were shown here, and not there.
	if want := int64(Users * 400 / repeatEvery); err != nil || c.Apart != want {
		t.Errorf("another seed there: %d answers differ, %v, want %d", c.Apart, err, want)
	}
	queue, single := all[0], all[1]
	if queue.Name != "queue" || single.Name != "single" {
		t.Fatalf("subjects are %s and %s", queue.Name, single.Name)
	}
	_, err = routed(t, single, queue, 2016).Count(context.Background(), measure.Range{To: 1}, 40)
	if err == nil || !strings.Contains(err.Error(), "single: the reply is not a valid history") {
		t.Errorf("another strategy there: %v", err)
	}
}

// Times come for every route and size; a wire that goes down is their error, and so
// is an interruption.
func TestTimeShip(t *testing.T) {
	all := cataloguetest.Paper(t)[:2]
	var routes []*Route
	for _, s := range all {
		routes = append(routes, routed(t, s, s, 2016))
	}
	sizes := []int{40, 400}
	by, trip, err := Time(context.Background(), routes, sizes, 1)
	if err != nil || len(by) != len(all) {
		t.Fatalf("%d routes have times, %v", len(by), err)
	}
	for i, times := range by {
		for j, l := range times {
			for _, way := range []stopwatch.Latency{l.Shipped, l.Asked, l.InProcess, trip} {
				if _, _, ok := way.Between(); !ok || way.P50 <= 0 {
					t.Errorf("route %d: %+v", i, way)
				}
			}
			if l.Shipped.Candidates != sizes[j] || l.Asked.Candidates != sizes[j] || l.InProcess.Candidates != sizes[j] {
				t.Errorf("route %d: times of %d candidates are %+v", i, sizes[j], l)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Time(ctx, routes, sizes, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := routes[0].Count(ctx, measure.Range{To: 1}, 40); !errors.Is(err, context.Canceled) {
		t.Errorf("counting, interrupted: %v", err)
	}
	near, _ := net.Pipe()
	near.Close()
	routes[1].client = wire.NewClient(near)
	if _, _, err := Time(context.Background(), routes, sizes, 1); err == nil || !strings.Contains(err.Error(), "closed pipe") {
		t.Errorf("a wire that is down: %v", err)
	}
}
