package strategytest

import (
	"errors"
	"fmt"
	"testing"

	"dejavu/strategies"
)

// A Case is a moment of a user's life, worked by hand: the article that fills a link, and the one after.
type Case struct {
	Read   int // articles shown, all distinct
	Bytes  int // length of the history
	Window int // of the newest articles, certainly recognised
}

// RunCases holds a strategy and its theory to cases: a user is shown the first Read of ids, in one request
// and, another, one by one; then history and theory have the length, theory says the window, and in it no
// article is forgotten. Of the older ones at most kept(c) may still be recognised, by chance; where kept is
// nil, nothing but the window is recognised, nor anything that is yet to come.
func RunCases(t testing.TB, s interface {
	strategies.Strategy
	strategies.Theory
}, ids []strategies.ID, cases []Case, kept func(c Case) int,
) {
	t.Helper()
	subject := Subject{Strategy: s, Theory: s}
	for _, c := range cases {
		if err := c.holds(subject, ids, kept); err != nil {
			t.Errorf("after %d articles: %v", c.Read, err)
		}
	}
}

// holds returns what is not as the case has it.
func (c Case) holds(s Subject, ids []strategies.ID, kept func(c Case) int) (err error) {
	defer recovered(&err)
	if c.Read < 0 || c.Read > len(ids) || c.Window < 0 || c.Window > c.Read {
		return fmt.Errorf("a window of %d is not a case: want Read in 0 to %d, and Window in 0 to Read", c.Window, len(ids))
	}
	if bytes, window := s.Theory.Bytes(c.Read), s.Theory.Window(c.Read); bytes != c.Bytes || window != c.Window {
		err = fmt.Errorf("theory says %d bytes and a window of %d, want %d and %d", bytes, window, c.Bytes, c.Window)
	}
	var oneByOne []byte
	for i := range c.Read {
		oneByOne = s.Strategy.Record(oneByOne, ids[i:i+1])
	}
	return errors.Join(err,
		c.found("in one request", s.Strategy, s.Strategy.Record(nil, ids[:c.Read]), ids, kept),
		c.found("one by one", s.Strategy, oneByOne, ids, kept))
}

// found returns what is not as the case has it in a history that was made so.
func (c Case) found(
	made string, s strategies.Strategy, history []byte, ids []strategies.ID, kept func(c Case) int,
) error {
	var errs []error
	wrong := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", made, fmt.Sprintf(format, args...)))
	}
	if len(history) != c.Bytes {
		wrong("%d bytes, want %d", len(history), c.Bytes)
	}
	seen := Ask(s, history, ids)
	older, newest, others := seen[:c.Read-c.Window], seen[c.Read-c.Window:c.Read], seen[c.Read:]
	if n := len(newest) - Count(newest); n > 0 {
		wrong("%d of the newest %d are forgotten", n, c.Window)
	}
	most := 0
	if kept != nil {
		most = kept(c)
	} else if n := Count(others); n > 0 {
		wrong("%d of %d that are yet to come are recognised", n, len(others))
	}
	if n := Count(older); n > most {
		wrong("%d of the oldest %d are still recognised, want %d at most", n, len(older), most)
	}
	return errors.Join(errs...)
}
