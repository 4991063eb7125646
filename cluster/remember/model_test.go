package remember_test

import (
	"fmt"
	"math"
	"slices"
	"time"

	"dejavu/cluster/remember"
	"dejavu/strategies"
)

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

// The counts of a model.
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

// A life is what the model knows of a user.
type life struct {
	shown  []strategies.ID // since the user is known
	newest time.Duration   // the time of the newest exposure, also of who is forgotten
	came   bool            // there was a request
	gone   bool            // the timer has fired since the last
	bytes  int
}

// live goes through the turns of a user.
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

// turn compares what became of one request.
func (m *model) turn(l *life, e arrival, a remember.Answer, before, after int) error {
	m.requests++
	if e.at < e.arrives {
		m.late++
	}
	if want := m.theory.Bytes(len(l.shown)); m.lengths && before != want {
		return fmt.Errorf("before it there is a history of %d bytes, want %d", before, want)
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

// mostHeld is how many fresh candidates may be held back: five standard deviations,
// of queries in clusters of twenty, more than expected. One run in a million fails
// by chance. Repeats leave a filter emptier than theory takes it for.
func (m *model) mostHeld() float64 { return m.expected + 5*math.Sqrt(20*m.expected) + 3 }
