package replayer

import (
	"testing"

	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload/logs"
)

// A replay by hand: ages, the 24 hours, what is twice in a request, and a memory
// of two articles.
func TestReplayByHand(t *testing.T) {
	const csv = "user,article,time,request\n" +
		"1,10,1000,a\n1,11,1000,a\n1,10,1000,a\n" + // the third is twice in its request
		"2,10,1001,b\n" +
		"1,10,2000,c\n" + // 2 ago: inside the window of two
		"1,12,3000,d\n1,13,3000,d\n1,11,3000,d\n" + // 11 is 2 ago
		"1,13,99000,e\n" + // more than a day later: forgotten, though 2 ago
		"1,13,99001,f\n" // 1 ago
	s := measure.Subject{Name: "two", Strategy: lastTwo{}, Theory: lastTwo{}}
	got, facts := replayed(t, []byte(csv), Config{Idle: store.Day}, 2, s)
	want := deal.Facts{Users: 2, Requests: 6, Exposures: 9, Twice: 1, First: 1000, Last: 99001}
	want.Read = logs.Counts{Lines: 10, Events: 10, Requests: 6}
	if facts != want {
		t.Errorf("the log is %+v, want %+v", facts, want)
	}
	g := got[0]
	if g.Requests != 6 || g.Shown != 9 || g.Fresh.Queries != 5 || g.Fresh.Hits != 0 {
		t.Errorf("%d requests, %d shown, %+v", g.Requests, g.Shown, g.Fresh)
	}
	// 10 2 ago, 11 2 ago, 13 2 ago, 13 1 ago; only the third is not recognised.
	if g.Repeated[1] != 1 || g.Repeated[2] != 3 || g.Recognised[1] != 1 || g.Recognised[2] != 2 || g.Repeats != 1 {
		t.Errorf("repeats %v, recognised %v, repeats shown %d", g.Repeated[:4], g.Recognised[:4], g.Repeats)
	}
	if g.WindowChecks != 3 || g.WindowMisses != 0 {
		t.Errorf("%d checks and %d misses, want 3 and none", g.WindowChecks, g.WindowMisses)
	}
	if g.Users[0] != 1 || g.Users[3] != 1 {
		t.Errorf("users by activity %v, want one of 1 and one of 8", g.Users)
	}
	free, _ := replayed(t, []byte(csv), Config{}, 1, s)
	if f := free[0]; f.Recognised[2] != 3 || f.WindowChecks != 4 || f.Alive != 2 {
		t.Errorf("without the rule %v recognised, %d checks, %d alive", f.Recognised[:4], f.WindowChecks, f.Alive)
	}
	// Only what passes is recorded: of the second 10 nothing is, and 11 is 1 ago
	// in d, where one article may be shown, which is 12.
	passed, _ := replayed(t, []byte(csv), Config{Passed: true, Most: 1}, 1, s)
	if p := passed[0]; p.Shown != 4 || p.Fresh.Queries != 7 || p.Repeated[1] != 2 || p.Recognised[1] != 2 {
		t.Errorf("of what passed: %d shown, %+v, repeats %v", p.Shown, p.Fresh, p.Repeated[:4])
	}
	// A promise that is not kept is found out.
	broken := measure.Subject{Name: "broken", Strategy: lastTwo{}, Theory: promising{}}
	b, _ := replayed(t, []byte(csv), Config{Idle: store.Day}, 1, broken)
	if b[0].WindowMisses != 0 || b[0].WindowChecks != 3 {
		t.Errorf("%d of %d", b[0].WindowMisses, b[0].WindowChecks)
	}
	const older = "user,article,time,request\n1,1,1,a\n1,2,2,b\n1,3,3,c\n1,1,4,d\n"
	if b, _ := replayed(t, []byte(older), Config{}, 1, broken); b[0].WindowMisses != 1 || b[0].WindowChecks != 1 {
		t.Errorf("%d misses in %d checks, want the one", b[0].WindowMisses, b[0].WindowChecks)
	}
	// And what was not promised is not looked for.
	if g, _ := replayed(t, []byte(older), Config{}, 1, s); g[0].Repeated[3] != 1 || g[0].WindowChecks != 0 {
		t.Errorf("%d checks of an article beyond the window", g[0].WindowChecks)
	}
	// The rule of 24 hours holds from the very second on.
	for _, c := range []struct {
		csv  string
		want int64
	}{
		{"user,article,time,request\n1,1,1000,a\n1,1,87399,b\n", 1},
		{"user,article,time,request\n1,1,1000,a\n1,1,87400,b\n", 0},
		{"user,article,time,request\n1,1,87400,a\n1,1,1000,b\n", 1}, // a clock that runs back
	} {
		g, _ := replayed(t, []byte(c.csv), Config{Idle: store.Day}, 1, s)
		if g[0].Recognised[1] != c.want || g[0].WindowChecks != c.want {
			t.Errorf("%q: %d recognised of %d checks, want %d", c.csv, g[0].Recognised[1], g[0].WindowChecks, c.want)
		}
	}
}

// What is no exposure is left out, and counted.
func TestReplayLeavesOut(t *testing.T) {
	s := measure.Subject{Name: "two", Strategy: lastTwo{}, Theory: lastTwo{}}
	for _, c := range []struct {
		log  string
		want deal.Facts
	}{
		{
			`{"session":1,"events":[{"aid":5,"ts":1000000,"type":"clicks"},` +
				`{"aid":5,"ts":1001000,"type":"carts"},{"aid":5,"ts":1002000,"type":"orders"}]}`,
			deal.Facts{Users: 1, Requests: 1, Exposures: 1, NotShown: 2, First: 1000, Last: 1000},
		},
		{
			"user,article,time,request\n1,1,1573776000,a\n1,2,9999999999,b\n2,2,1573775999,c\n",
			deal.Facts{Users: 2, Requests: 2, Exposures: 2, Strayed: 1, First: 1573775999, Last: 1573776000},
		},
	} {
		tally, err := Config{}.Run(t.Context(), []measure.Subject{s}, opened(t, c.log, inRequests), measure.Options{})
		got := tally.Log
		got.Read = logs.Counts{}
		if err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.log, got, err, c.want)
		}
	}
}

// lastTwo remembers exactly two articles.
type lastTwo struct{}

func (lastTwo) Sizes() []int          { return []int{16} }
func (lastTwo) Validate([]byte) error { return nil }
func (lastTwo) Bytes(int) int         { return 16 }
func (lastTwo) FPR(int) float64       { return 0 }
func (lastTwo) Window(read int) int   { return min(read, 2) }

func (lastTwo) Seen(h []byte, candidates []strategies.ID, seen []bool) {
	for i, id := range candidates {
		seen[i] = len(h) > 0 && (h[0] == byte(id) || h[8] == byte(id))
	}
}

func (lastTwo) Record(h []byte, shown []strategies.ID) []byte {
	if len(h) == 0 {
		h = append(h, make([]byte, 16)...)
	}
	for _, id := range shown {
		h[8], h[0] = h[0], byte(id)
	}
	return h
}

// promising promises one article more than lastTwo keeps.
type promising struct{ lastTwo }

func (promising) Window(read int) int { return min(read, 3) }

// dated forgets by the calendar, whatever its window.
type dated struct{ lastTwo }

func (dated) On(int) strategies.Strategy { return lastTwo{} }

// half remembers every second article that it was shown.
type half struct{ lastTwo }

func (half) Window(read int) int          { return min(read, 1) }
func (half) Remembers(read, age int) bool { return age%2 == 1 }

// What a memory promises: its window, or what it says it remembers, and never more than
// it holds; by the calendar nothing. Windows are asked for once, up to 65535 articles.
func TestRemembers(t *testing.T) {
	// What theory says of a length is asked once.
	c := counted{asked: map[int]int{}}
	asking := newMemory(measure.Subject{Strategy: c, Theory: c}, 0, nil)
	clear(c.asked)
	for range 3 {
		for _, held := range []int{1, 2, 1500, 40_000} {
			asking.remembers(held, 1)
		}
	}
	for held, n := range c.asked {
		if n > 1 {
			t.Errorf("the window of %d articles is asked for %d times", held, n)
		}
	}
	held := map[int]int{0: 0, 1: 1, 2: 2, 1023: 2, 1024: 2, 2048: 2, 65535: 2, 65536: 2, 1 << 20: 2}
	for range 2 {
		m := newMemory(measure.Subject{Strategy: lastTwo{}, Theory: lastTwo{}}, 0, nil)
		for n, window := range held {
			for age := 1; age <= 4; age++ {
				if got := m.remembers(n, age); got != (age <= window) {
					t.Errorf("of %d articles the one of age %d is remembered: %v", n, age, got)
				}
			}
		}
		if len(m.windows) > 1<<17 {
			t.Errorf("a table of %d windows", len(m.windows))
		}
	}
	m := newMemory(measure.Subject{Strategy: half{}, Theory: half{}}, 0, nil)
	for age, want := range map[int]bool{1: true, 2: false, 3: true, 5: true, 7: false} {
		if m.remembers(6, age) != want {
			t.Errorf("every second of 6 articles: age %d is remembered: %v", age, !want)
		}
	}
	if newMemory(measure.Subject{Strategy: dated{}, Theory: lastTwo{}}, 0, nil).remembers(5, 1) {
		t.Error("a memory that goes by the calendar promises articles")
	}
}

// counted counts how often its window is asked for.
type counted struct {
	lastTwo
	asked map[int]int
}

func (c counted) Window(read int) int {
	c.asked[read]++
	return c.lastTwo.Window(read)
}
