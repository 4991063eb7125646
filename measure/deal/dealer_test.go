package deal

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// A script is a log with fixed requests.
type script struct {
	requests [][]logs.Event
	at       int
	err      error
	file     string
}

func (s *script) NextRequest() []logs.Event {
	if s.at == len(s.requests) {
		return nil
	}
	s.at++
	return s.requests[s.at-1]
}

func (s *script) Err() error              { return s.err }
func (s *script) Position() logs.Position { return logs.Position{File: s.file, Line: int64(s.at)} }

// request returns a user's exposures of these articles.
func request(user uint64, at int64, articles ...strategies.ID) (events []logs.Event) {
	for _, id := range articles {
		events = append(events, logs.Event{User: user, Article: id, Time: at})
	}
	return events
}

// many returns n articles.
func many(n int) (articles []strategies.ID) {
	for i := range n {
		articles = append(articles, strategies.ID(i))
	}
	return articles
}

// A hearer is a worker that records the requests dealt to it.
type hearer struct{ heard []string }

// heard returns a request as text.
func heard(user uint32, at store.Timestamp, ids ...strategies.ID) string {
	return fmt.Sprintf("%d at %d: %d", user, at, ids)
}

func (w *hearer) hear(h *Hand) {
	ids := h.IDs
	for _, q := range h.Requests {
		w.heard = append(w.heard, heard(q.User, q.At, ids[:q.N]...))
		ids = ids[q.N:]
	}
}

const noon = 1573819200

// Users are numbered as they come and dealt in turns, each request in order. Articles named twice in a request and
// requests of another century are left out and counted.
func TestDeal(t *testing.T) {
	log := &script{requests: [][]logs.Event{
		request(50, noon, 1, 2),
		request(60, noon-5, 3),
		request(70, noon+4, 4, 4, 8),
		request(50, noon+9, 5),
		request(60, noon+70*366*86400, 6, 7),
	}}
	d := Dealer[*hearer]{Workers: []*hearer{{}, {}}, Deal: (*hearer).hear}
	strategytest.Must(t, d.Run(t.Context(), log))
	clock := func(at int64) store.Timestamp {
		c, _ := d.span.Clock(at)
		return c
	}
	for i, want := range [][]string{
		{heard(0, clock(noon), 1, 2), heard(1, clock(noon+4), 4, 8), heard(0, clock(noon+9), 5)},
		{heard(0, clock(noon-5), 3)},
	} {
		strategytest.EqualSlices(t, d.Workers[i].heard, want, "worker %d heard", i)
	}
	want := Facts{Users: 3, Requests: 4, Exposures: 6, Twice: 1, Strayed: 2, First: noon - 5, Last: noon + 9}
	if d.Facts() != want {
		t.Errorf("%+v, want %+v", d.Facts(), want)
	}
	strategytest.Equal(t, d.Latest(), clock(noon+9), "the end is")
}

// A hand is full when it has handful exposures, and no sooner; progress is told more often.
func TestHands(t *testing.T) {
	const handful = handsful // of one worker
	articles := many(handful / 2)
	log := &script{}
	for i := range 9 {
		log.requests = append(log.requests, request(1, noon+int64(i), articles...))
	}
	var sizes []int
	told := 0
	d := Dealer[*hearer]{
		Workers: []*hearer{{}}, Deal: func(_ *hearer, h *Hand) { sizes = append(sizes, len(h.IDs)) },
		Progress: func(logs.Position) { told++ },
	}
	strategytest.Must(t, d.Run(t.Context(), log))
	if !slices.Equal(sizes, []int{handful, handful, handful, handful, handful / 2}) || told != len(log.requests) {
		t.Errorf("hands of %v, told %d times", sizes, told)
	}
}

// The second worker's first full hand, before any was given back, is followed by another.
func TestHandsOfTheSecond(t *testing.T) {
	const handful = handsful / 2
	articles := many(handful)
	log := &script{requests: [][]logs.Event{
		request(2, noon, 1), request(1, noon, articles...), request(1, noon+1, articles...), request(1, noon+2, 7), request(2,
			noon+3, 8),
	}}
	sizes := map[int][]int{}
	var mu sync.Mutex
	d := Dealer[int]{Workers: []int{0, 1}, Deal: func(w int, h *Hand) {
		mu.Lock()
		defer mu.Unlock()
		sizes[w] = append(sizes[w], len(h.IDs))
	}}
	strategytest.Must(t, d.Run(t.Context(), log))
	if !slices.Equal(sizes[0], []int{2}) || !slices.Equal(sizes[1], []int{handful, handful, 1}) {
		t.Errorf("hands of %v", sizes)
	}
}

// A deal ends with the log's error, too many users, a worker's panic, or the context.
func TestDealEnds(t *testing.T) {
	requests := [][]logs.Event{request(1, noon, 1), request(2, noon, 2)}
	deal := func(ctx context.Context, s *script, most int, f func(*hearer, *Hand)) string {
		d := Dealer[*hearer]{Workers: []*hearer{{}, {}}, Deal: f, MaxUsers: most}
		return fmt.Sprint(d.Run(ctx, s))
	}
	quiet := func(*hearer, *Hand) {}
	strategytest.Equal(t, deal(t.Context(), &script{requests: requests}, 2, quiet), "<nil>",
		"as many users as there may be")
	strategytest.Equal(t, deal(t.Context(), &script{requests: requests, err: errors.New("torn")}, 0, quiet), "torn",
		"the log's error")
	strategytest.Equal(t, deal(t.Context(), &script{requests: requests, file: "a.csv"}, 1, quiet),
		"a.csv: before line 2: more than 1 user", "too many users of a file")
	panics := func(*hearer, *Hand) { panic("on purpose") }
	strategytest.Equal(t, deal(t.Context(), &script{requests: requests}, 0, panics), "panic: on purpose", "a panic")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	late := func(*hearer, *Hand) { t.Error("dealt after the end") }
	strategytest.Equal(t, deal(ctx, &script{requests: requests}, 0, late), "context canceled", "cancelled")
	before := runtime.NumGoroutine()
	long := &script{}
	for i := range 50 {
		long.requests = append(long.requests, request(1, noon+int64(i), many(handsful)...))
	}
	strategytest.Equal(t, deal(t.Context(), long, 0, func(*hearer, *Hand) { panic("early") }), "panic: early",
		"a panic while others are dealt")
	// A goroutine that is done may not have ended yet.
	after := runtime.NumGoroutine()
	for end := time.Now().Add(5 * time.Second); after > before && time.Now().Before(end); after = runtime.NumGoroutine() {
		time.Sleep(time.Millisecond)
	}
	strategytest.AtMost(t, after, before, "goroutines")
}

// The clock begins 68 years before the day of the first request, and ends as long after.
func TestSpan(t *testing.T) {
	const day = int64(store.Day)
	s := Span{First: noon, Last: noon}
	origin := noon/day*day - 24855*day
	reads := func(time int64, want store.Timestamp, inside bool) {
		t.Helper()
		if at, ok := s.Clock(time); ok != inside || ok && at != want {
			t.Errorf("%d is at %d, %t; want %d, %t", time, at, ok, want, inside)
		}
	}
	reads(origin, 0, true)
	reads(origin-1, 0, false)
	reads(noon, store.Timestamp(noon-origin), true)
	reads(origin+1<<32-1, 1<<32-1, true)
	reads(origin+1<<32, 0, false)
}

// Tables lie side by side, are reused after they grew, and report the memory that they take.
func TestExactLayout(t *testing.T) {
	x := NewExact(2)
	fill := func(user, n int) {
		table := x.Open(user, n)
		for i := range n {
			table.Find(strategies.ID(i) * 0x9e3779b97f4a7c15)
		}
	}
	fill(0, 7)
	fill(0, 1) // which takes a table of twice the length
	for user := 1; user <= x.pools[0].each; user++ {
		fill(user, 1)
	}
	if n := len(x.pools[0].chunks); n != 1 || len(x.pools[0].free) != 0 || x.places[0].class != 2 {
		t.Errorf("%d chunks for as many tables as one has, %d of them free", n, len(x.pools[0].free))
	}
	fill(1_000_000, 40_000) // a table far larger than a chunk is a chunk of its own
	if last := x.pools[len(x.pools)-1]; last.each != 1 || len(last.chunks) != 1 {
		t.Errorf("40000 articles: %d tables a chunk", last.each)
	}
	sum := int64(12 * cap(x.places))
	for _, p := range x.pools {
		sum += 4 * int64(len(p.chunks)*p.each*p.words+cap(p.free))
	}
	strategytest.Equal(t, x.Bytes(), sum, "bytes")
}

// An article counts once in a request, however long that is.
func TestTwiceInALongRequest(t *testing.T) {
	d := Dealer[*hearer]{Workers: []*hearer{{}}, Deal: (*hearer).hear}
	long := append(many(200), append(many(30), many(210)[100:]...)...)
	strategytest.Must(t, d.Run(t.Context(), &script{requests: [][]logs.Event{request(1, noon, long...)}}))
	if f := d.Facts(); f.Exposures != 210 || f.Twice != 130 {
		t.Errorf("%d articles, %d of them twice, want 210 and 130", f.Exposures, f.Twice)
	}
}

// Every number of seconds is in the last range that begins at it or before.
func TestElapsedBins(t *testing.T) {
	for seconds := range 40 * day / 7 {
		seconds *= 7
		bin := ElapsedBin(seconds)
		if ElapsedFrom(bin) > seconds || bin+1 < ElapsedBins && ElapsedFrom(bin+1) <= seconds {
			t.Fatalf("%d s are of range %d", seconds, bin)
		}
	}
	for bin := range ElapsedBins {
		if ElapsedBin(ElapsedFrom(bin)) != bin || bin > 0 && ElapsedBin(ElapsedFrom(bin)-1) != bin-1 {
			t.Errorf("range %d does not begin at %d s", bin, ElapsedFrom(bin))
		}
	}
}

// No time has passed if the clock went backwards.
func TestSince(t *testing.T) {
	for _, c := range [][3]int{{5, 5, 0}, {5, 6, 1}, {6, 5, 0}, {0, 1<<32 - 1, 1<<32 - 1}} {
		strategytest.Equal(t, Since(store.Timestamp(c[0]), store.Timestamp(c[1])), c[2], "from %d to %d", c[0], c[1])
	}
}
