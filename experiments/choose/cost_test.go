package choose

import (
	"regexp"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/queue"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Times are the reference's, and hold for similar rates and lengths.
func TestTimes(t *testing.T) {
	best := TimeOf("beyond/chain-best")
	if best.Query < 40 || best.Request < best.Query+20 || TimeOf("nobody's").Near(0.02, 0) {
		t.Errorf("the best chain: %+v", best)
	}
	where := regexp.MustCompile(`^.+, [0-9]+ processors, go1[0-9.]+, linux/(amd|arm)64$`)
	if !where.MatchString(reference().machine) {
		t.Errorf("times of %s, want %s", reference().machine, where)
	}
	for _, c := range []struct {
		fpr   float64
		bytes int
		near  bool
	}{
		{0.01, 717, true},
		{0.04, 717, true},
		{0.0099, 717, false},
		{0.041, 717, false},
		{0.02, 1003, true},
		{0.02, 1004, false},
		{0.02, 513, true},
		{0.02, 512, false},
	} {
		strategytest.Equal(t, best.Near(c.fpr, c.bytes), c.near, "%v: near", c)
	}
}

// A user costs, beside the history, what package store reports for a million users.
func TestStoreBytes(t *testing.T) {
	const users = 1_000_000
	c := store.Config{Strategy: catalogue.Must(queue.New(queue.Config{Window: 1}))}
	keyed := strategytest.Value(store.New[uint64](c))
	defer keyed.Close()
	c.Users = users
	numbered := strategytest.Value(store.New[int](c))
	defer numbered.Close()
	one := []strategies.ID{1}
	for user := range users {
		keyed.Record(uint64(user), 0, one)
		numbered.Record(user, 0, one)
	}
	for _, n := range []struct{ most, kept int64 }{
		{keyedBytes, keyed.Stats().Bookkeeping}, {numberedBytes, numbered.Stats().Bookkeeping},
	} {
		if per := float64(n.kept) / users; per > float64(n.most) || per < float64(n.most)-3 {
			t.Errorf("a user takes %.1f bytes beside the history, want at most %d, and nearly that", per, n.most)
		}
	}
}

// The smallest is taken, unless a slightly larger one is much faster. The runner-up is the smallest of the others that
// is not both larger and slower. What was not timed is neither fast nor slow.
func TestPick(t *testing.T) {
	of := func(name string, user int, nanos float64) Summary {
		return Summary{Name: name, User: user, Time: Time{Request: nanos}, Near: nanos > 1}
	}
	small := of("small", 400, 800)
	quick := func(user int, nanos float64) Summary { return of("quick", user, nanos) }
	for _, c := range []struct {
		what     string
		all      []Summary
		take, by string
	}{
		{"none", nil, "", ""},
		{"alone", []Summary{small}, "small", ""},
		{"faster", []Summary{small, quick(500, 400)}, "quick", "small"},
		{"in another order", []Summary{quick(500, 400), small}, "quick", "small"},
		{"not twice as fast", []Summary{small, quick(500, 401)}, "small", "quick"},
		{"more than a quarter larger", []Summary{small, quick(501, 100)}, "small", "quick"},
		{"larger and slower", []Summary{small, quick(401, 800)}, "small", ""},
		{"a faster one behind a slower one", []Summary{small, of("slow", 410, 900), quick(900, 700)}, "small", "quick"},
		{"the fastest", []Summary{small, of("a", 450, 300), quick(460, 200), of("c", 470, 250)}, "quick", "small"},
		{"as fast, and smaller", []Summary{small, quick(460, 300), of("a", 450, 300)}, "a", "small"},
		{"not timed", []Summary{small, quick(450, 0)}, "small", "quick"},
		{"the smallest not timed", []Summary{of("small", 400, 0), quick(450, 9)}, "small", "quick"},
		{"timed at another size", []Summary{small, quick(450, 1)}, "small", "quick"},
	} {
		name := func(i int) string {
			if i < 0 {
				return ""
			}
			return c.all[i].Name
		}
		take, by := Pick(c.all)
		strategytest.Equal(t, name(take)+", "+name(by), c.take+", "+c.by, "%s: take, runner-up", c.what)
	}
}

// Only an offer that fits is recommended, and a fixed capacity only if nothing else fits.
func TestRecommended(t *testing.T) {
	a := Offer{Strategy: "a", User: 500, Fits: true}
	tight, fixed := a, a
	tight.Strategy, tight.User, tight.Fits = "tight", 1, false
	fixed.Strategy, fixed.User, fixed.kind.endless = "fixed", 3, true
	for want, all := range map[string][]Offer{
		"a, ": {tight, fixed, a}, "fixed, ": {fixed, tight}, ", ": {tight},
	} {
		take, runnerUp := Recommended(all)
		strategytest.Equal(t, take.Strategy+", "+runnerUp.Strategy, want, "take, runner-up")
	}
}

// The nearest offer names the least change of each constraint, or says that none helps.
func TestNearest(t *testing.T) {
	made := catalogue.Must(queue.New(queue.Paper))
	n := Need{Users: 10, Window: 400, FPR: 0.02, Memory: 1000}
	all := []Offer{
		{Strategy: "beyond/a", Total: 5000, made: made, PossibleFPR: 0.5, PossibleWindow: 20},
		{Strategy: "b", Total: 4000, made: made, PossibleFPR: 0.6, PossibleWindow: 30},
		{Strategy: "c", PossibleFPR: 0.3},
		{Strategy: "d", Total: 100, made: made, PossibleFPR: 0.1, PossibleWindow: 300, kind: kind{endless: true}},
	}
	const want = "**No strategy fits.** Give 4 kB, which b takes, or accept an FPR of 30 % (c), " +
		"or remember the last 30 articles (b)."
	if got := advice(n, all, nil); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	const none = "Relaxing one constraint alone does not help."
	if got := advice(n, []Offer{{Strategy: "e"}}, nil); !strings.HasSuffix(got, none) {
		t.Errorf("%q", got)
	}
}

// The advice names what to take, the runner-up, their costs, and the meaning of a fixed capacity.
func TestAdvice(t *testing.T) {
	small := Offer{
		Strategy: "beyond/a", Fits: true, User: 400, Request: 800, time: Time{Request: 800}, Payload: 350, Header: 10,
		Average: 355,
	}
	quick := Offer{
		Strategy: "b", Fits: true, User: 450, Request: 200, time: Time{Request: 200}, Payload: 430, Header: 4, Average: 434,
		Total: 4500, Window: 401, FPR: 0.02,
	}
	fixed := quick
	fixed.kind.endless, fixed.Request, fixed.Until = true, 0, 500
	far := quick
	far.Request, far.User = 0, 999
	for _, c := range []struct {
		all   []Offer
		wants []string
	}{
		{[]Offer{small, far}, []string{"The runner-up is b: 434 B a user, and faster at 400 articles and 2 %."}},
		{[]Offer{small, quick}, []string{
			"Take b: 434 B a user and 200 ns a request. The runner-up is a: 360 B (355 on average) a user and 800 ns a request. ",
			" 1,000 users take ",
			"always recognises the last 401 articles, with an FPR of at most 2 %",
		}},
		{[]Offer{fixed}, []string{
			"Take b: 434 B a user. No other", "Nothing that fits keeps its window for ever", "first 500 articles",
		}},
	} {
		got := strings.ReplaceAll(advice(Need{Users: 1000, FPR: 0.05}, c.all, nil), "\u00a0", " ")
		for _, want := range c.wants {
			strategytest.Contains(t, got, want, "the advice")
		}
	}
}
