package strategytest

import (
	"fmt"
	"slices"
	"testing"
)

// The exact set keeps its newest 40, a filter all: by hand.
func TestRunCases(t *testing.T) {
	RunCases(t, newList(40), IDs(1, 120), []Case{{0, 0, 0}, {1, 8, 1}, {40, 320, 40}, {41, 320, 40}, {120, 320, 40}}, nil)
	// Of 120 that are yet to come some are recognised, which is not asked here.
	RunCases(t, newFilter(independent), IDs(1, 300), []Case{{1, 102, 1}, {180, 102, 180}}, func(Case) int { return 0 })
}

// What a case finds: in the strategy, in its theory, and in itself.
func TestCasesFindFaults(t *testing.T) {
	const window = 40
	none := func(Case) int { return 0 }
	some := func(Case) int { return 3 }
	lenient := func(c Case) int { return c.Read }
	short := faulty{list: newList(window - 1), bytes: func(*list, int) int { return 8 * window }}
	right := Case{Read: 60, Bytes: 8 * window, Window: window}
	for _, tt := range []struct {
		fault string
		c     Case
		kept  func(Case) int
		toy   faulty
		want  string // in the error; none where empty
	}{
		{"none", right, nil, faulty{}, ""},
		{"none, with room for some", right, some, faulty{}, ""},
		{"a history of another length", right, none, short, "in one request: 312 bytes, want 320"},
		{"theory of another length", right, none, faulty{bytes: func(*list, int) int { return 8 }}, "theory says 8 bytes"},
		{"another window", right, none, faulty{window: func(*list, int) int { return window - 1 }}, "theory says 320 bytes"},
		{"one article is forgotten", right, none, faulty{seen: func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			s[20] = false // the oldest of the window
		}}, "in one request: 1 of the newest 40 are forgotten"},
		{"single articles are not recorded", right, none, faulty{record: func(l *list, h []byte, shown []id) []byte {
			if len(shown) == 1 {
				shown = nil
			}
			return l.Record(h, shown)
		}}, "one by one: 0 bytes, want 320\none by one: 40 of the newest 40 are forgotten"},
		{"one article is kept", right, none, faulty{seen: func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			s[19] = true // the one before
		}}, "1 of the oldest 20 are still recognised, want 0 at most"},
		{"more are kept than by chance", right, some, faulty{seen: func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			for i := range 4 {
				s[i] = true
			}
		}}, "4 of the oldest 20 are still recognised, want 3 at most"},
		{"as many as by chance", right, some, faulty{seen: func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			for i := range 3 {
				s[i] = true
			}
		}}, ""},
		{"one that is yet to come is recognised", right, nil, faulty{seen: func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			s[60] = true
		}}, "1 of 40 that are yet to come are recognised"},
		{"nothing is forgotten", right, nil, faulty{seen: func(_ *list, _ []byte, _ []id, s []bool) {
			for i := range s {
				s[i] = true
			}
		}}, "20 of the oldest 20"},
		{"a panic", right, nil, faulty{record: func(*list, []byte, []id) []byte { panic("out of paper") }}, "panic: out of"},
		{"a case beyond the articles", Case{Read: 101, Bytes: 320, Window: 40}, lenient, faulty{}, "not a case"},
		{"a window of more than was read", Case{Read: 3, Bytes: 24, Window: 4}, lenient, faulty{}, "a window of 4 is"},
	} {
		if tt.toy.list == nil {
			tt.toy.list = newList(window)
		}
		ErrorSays(t, tt.fault, tt.c.holds(Subject{Strategy: tt.toy, Theory: tt.toy}, IDs(5, 100), tt.kept), tt.want)
	}
}

// All that is wrong with a case is said, and with every case.
func TestRunCasesReports(t *testing.T) {
	toy := faulty{list: newList(10), bytes: func(*list, int) int { return 7 }, window: func(*list, int) int { return 9 }}
	said := &recorder{TB: t}
	RunCases(said, toy, IDs(5, 100), []Case{{5, 40, 5}, {20, 48, 6}}, nil)
	if want := []string{
		"after 5 articles: theory says 7 bytes and a window of 9, want 40 and 5",
		"after 20 articles: theory says 7 bytes and a window of 9, want 48 and 6\nin one request: 80 bytes, want 48\n" +
			"in one request: 4 of the oldest 14 are still recognised, want 0 at most\n" +
			"one by one: 80 bytes, want 48\none by one: 4 of the oldest 14 are still recognised, want 0 at most",
	}; !slices.Equal(said.errors, want) {
		t.Errorf("said %q, want %q", said.errors, want)
	}
}

// A recorder is a test that keeps what is said of it.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
