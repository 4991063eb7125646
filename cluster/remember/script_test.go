package remember_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"dejavu/cluster/remember"
	"dejavu/strategies"
)

// A script is simulated users' requests, which follow from it alone. In it users take turns for five days.
// Each request shows ten articles, three of which the user knows, and asks for articles that are new, shown
// just now, and shown any time before; the last one asks for all that was ever shown. Requests come late, by
// up to maxLate, behind the watermark; some are delivered twice; one user in fifty is shown more than any
// window holds; one in ten is away for three or four days in the middle, and all of them are gone in the end.
type script struct {
	Users int // 1 and more; a user is shown a hundred articles on average
	Seed  uint64
}

// Limits of every script.
const (
	shownAtOnce = 10             // articles shown by a request
	unseen      = 20             // candidates never shown before, the first of each request
	maxLate     = 6 * time.Hour  // how late a request comes at most
	away        = 72 * time.Hour // how long a user is away at least, if away
	maxPause    = 12 * time.Hour // the longest time between requests of a user who is there

	firstDays = 96 * time.Hour // in which users come first
	repeated  = 3              // articles of shownAtOnce that the user has been shown before
	askedOld  = 20             // candidates shown at any time before
	recent    = 600            // articles among which half of them lie: the edges of windows
)

type event struct {
	at      time.Duration // its own time, since the beginning
	user    string
	request remember.Request // its ID is the event's alone
}

// An arrival is an event and when it comes: at its time, or later by up to maxLate.
type arrival struct {
	event
	arrives time.Duration
}

func sleeps(user int) bool { return user%10 == 3 }

// forgets reports whether a user asks to be forgotten, once, in the middle.
func forgets(user int) bool { return user%20 == 7 }

// sleepers returns how many users are away once, and come back.
func (c script) sleepers() int { return (c.Users + 10 - 4) / 10 }

func userName(user int) string { return fmt.Sprintf("user-%d", user) }

// moment returns a time of a script, which begins on some day of 2026.
func moment(at time.Duration) time.Time {
	return time.Date(2026, 3, 14, 6, 0, 0, 0, time.UTC).Add(at)
}

func (c script) events() []arrival {
	var events []arrival
	for user := range c.Users {
		events = append(events, c.life(user)...)
	}
	slices.SortStableFunc(events, func(a, b arrival) int { return cmp.Compare(a.arrives, b.arrives) })
	return events
}

func (c script) life(user int) (events []arrival) {
	random := rand.New(rand.NewPCG(c.Seed, uint64(user)))
	articles := func(n int) []strategies.ID {
		ids := make([]strategies.ID, n)
		for i := range ids {
			ids[i] = strategies.ID(random.Uint64()) // two are the same once in 10^13 scripts
		}
		return ids
	}
	requests, pause := 2+random.IntN(14), maxPause
	if user%50 == 0 {
		requests, pause = 110, maxPause/6
	}
	var shown []strategies.ID
	now := time.Duration(random.Int64N(int64(firstDays)))
	for i := range requests {
		r := remember.Request{ID: fmt.Sprintf("%d/%d", user, i), Candidates: articles(unseen)}
		for range repeated {
			if len(shown) > 0 {
				r.Shown = append(r.Shown, shown[random.IntN(len(shown))])
			}
		}
		r.Shown = append(r.Shown, articles(shownAtOnce-len(r.Shown))...)
		shown = append(shown, r.Shown...)
		r.Candidates = append(r.Candidates, r.Shown...)
		if i == requests-1 {
			r.Candidates = append(r.Candidates, shown...)
		} else {
			newest := shown[max(0, len(shown)-recent):]
			for range askedOld / 2 {
				r.Candidates = append(r.Candidates, shown[random.IntN(len(shown))], newest[random.IntN(len(newest))])
			}
		}
		r.Forget = forgets(user) && i == requests/2
		e := arrival{event{now, userName(user), r}, now}
		if random.IntN(20) == 0 {
			e.at -= time.Duration(random.Int64N(int64(maxLate)))
		}
		events = append(events, e)
		if random.IntN(50) == 0 { // delivered again
			e.arrives += time.Duration(random.Int64N(int64(time.Hour)))
			e.request.ID += " again"
			shown = append(shown, r.Shown...)
			events = append(events, e)
		}
		now += 1 + time.Duration(random.Int64N(int64(pause)))
		if sleeps(user) && i == requests/2-1 {
			now += away + time.Duration(random.Int64N(int64(away/2)))
		}
	}
	return events
}

// ask asks for each user's history after the last event.
func ask(events []arrival) []arrival {
	last := map[string]time.Duration{}
	for _, e := range events {
		last[e.user] = max(last[e.user], e.at)
	}
	end := events[len(events)-1].arrives
	for _, user := range slices.Sorted(maps.Keys(last)) {
		r := remember.Request{ID: user + "/history", Vector: true}
		events = append(events, arrival{event{last[user], user, r}, end})
	}
	return events
}

// A model is what a strategy should do with a script, exactly: it has lists of what
// was shown, and counts while it compares.
type model struct {
	strategy strategies.Strategy
	theory   strategies.Theory
	idle     time.Duration
	lengths  bool               // of histories are compared: repeats do not make them shorter
	events   map[string]arrival // by the request's ID

	counts
}

type counts struct {
	requests, late, exposures, again int     // what came, and of the articles those known
	inside                           int     // candidates that were inside the window
	fresh, held                      int     // candidates never shown before, and those held back
	expected                         float64 // of held
	comebacks, forgotten             int     // requests after a day away; the timer was there first
	cleared                          int     // users forgotten in the end
	bytes, longest                   int     // of the users' last histories
}

func newModel(name string, idle time.Duration, lengths bool, events []arrival) *model {
	s := remember.Must(name)
	m := &model{strategy: s, theory: s.(strategies.Theory), idle: idle, lengths: lengths, events: map[string]arrival{}}
	for _, e := range events {
		m.events[e.request.ID] = e
	}
	return m
}

type life struct {
	shown  []strategies.ID // since the user is known
	newest time.Duration   // the time of the newest exposure, also of who is forgotten
	came   bool            // there was a request
	gone   bool            // the timer has fired since the last
	bytes  int
}

func (m *model) live(turns []remember.Turn, answers []remember.Answer) error {
	byID := map[string]remember.Answer{}
	for _, a := range answers {
		byID[a.ID] = a
	}
	var l life
	requests := 0
	for _, turn := range turns {
		if turn.Forgotten {
			l.shown, l.gone = nil, true
			continue
		}
		requests++
		e, known := m.events[turn.Request]
		a, answered := byID[turn.Request]
		if !known || !answered {
			return fmt.Errorf("request %q has no answer, or was never made", turn.Request)
		}
		if err := m.turn(&l, e, a, turn.Before, turn.After); err != nil {
			return fmt.Errorf("request %s: %w", turn.Request, err)
		}
	}
	if len(byID) != requests || len(answers) != requests {
		return fmt.Errorf("%d answers, %d of them different, to %d requests", len(answers), len(byID), requests)
	}
	if l.gone {
		m.cleared++
	}
	m.bytes += l.bytes
	return nil
}

func (m *model) turn(l *life, e arrival, a remember.Answer, before, after int) error {
	m.requests++
	if e.at < e.arrives {
		m.late++
	}
	if want := m.theory.Bytes(len(l.shown)); m.lengths && before != want {
		return fmt.Errorf("before it there is a history of %d bytes, want %d", before, want)
	}
	if e.request.Forget {
		l.shown, l.came, l.newest = nil, false, 0
	}
	away := l.came && e.at-l.newest >= m.idle
	if l.gone && !away {
		return fmt.Errorf("forgotten %v after the newest exposure", e.at-l.newest)
	}
	if away {
		m.comebacks++
		if l.gone {
			m.forgotten++
		}
		l.shown = nil
	}
	if len(l.shown) == 0 || e.at > l.newest {
		l.newest = e.at
	}
	l.came, l.gone, l.bytes = true, false, after
	for _, id := range e.request.Shown {
		m.exposures++
		if slices.Contains(l.shown, id) {
			m.again++
		}
	}
	l.shown = append(l.shown, e.request.Shown...)
	if want := m.theory.Bytes(len(l.shown)); m.lengths && after != want {
		return fmt.Errorf("the history has %d bytes after %d exposures, theory says %d", after, len(l.shown), want)
	}
	m.longest = max(m.longest, after)

	window := l.shown[len(l.shown)-window(m.strategy, len(l.shown)):]
	passed := map[strategies.ID]bool{}
	for _, id := range a.Fresh {
		passed[id] = true
	}
	for i, id := range e.request.Candidates {
		switch {
		case i < unseen:
			m.fresh++
			if !passed[id] {
				m.held++
			}
		case slices.Contains(window, id):
			m.inside++
			if passed[id] {
				return fmt.Errorf("article %x is among the last %d shown, and is reported as unseen", id, len(window))
			}
		}
	}
	m.expected += unseen * m.theory.FPR(len(l.shown))
	return nil
}

// mostHeld returns how many fresh candidates may be held back: the expected number and five standard deviations, of
// queries in clusters of twenty. One run in a million fails by chance. Repeats leave a filter emptier than expected.
func (m *model) mostHeld() float64 { return m.expected + 5*math.Sqrt(20*m.expected) + 3 }
