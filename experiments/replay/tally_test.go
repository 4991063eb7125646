package replay

import (
	"fmt"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// some are requests of a log.
type some struct {
	requests [][]logs.Event
	err      error
}

func (s *some) NextRequest() []logs.Event {
	if len(s.requests) == 0 {
		return nil
	}
	r := s.requests[0]
	s.requests = s.requests[1:]
	return r
}

func (s *some) Err() error            { return s.err }
func (*some) Position() logs.Position { return logs.Position{} }

// opened returns a log of that text.
func opened(t *testing.T, text string, o logs.Options) *logs.Log {
	t.Helper()
	l := strategytest.Value(logs.New(strings.NewReader(text), "log", o))
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// partOf replays requests of a log.
func partOf(t *testing.T, r Config, s []measure.Subject, requests [][]logs.Event, workers int) Tally {
	t.Helper()
	return strategytest.Value(r.replay(t.Context(), s, &some{requests: requests}, measure.Options{Workers: workers}))
}

// Non-exposures are left out, and counted: an article twice in its request, and times years away.
func TestLeavesOut(t *testing.T) {
	for _, c := range []struct {
		log  string
		want deal.Facts
	}{
		{
			"user,article,time,request\n1,1,1573776000,a\n1,1,1573776000,a\n1,2,9999999999,b\n2,2,1573775999,c\n",
			deal.Facts{Users: 2, Requests: 2, Exposures: 2, Twice: 1, Strayed: 1, First: 1573775999, Last: 1573776000},
		},
	} {
		inRequests := logs.Options{Numbered: true, Columns: logs.Columns{Request: "request"}}
		subjects := catalogue.Subjects("queue", "chain")
		tally, err := Config{}.Run(t.Context(), subjects, opened(t, c.log, inRequests), measure.Options{})
		got := tally.Log
		got.Read = logs.Counts{}
		if err != nil || got != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.log, got, err, c.want)
		}
	}
}

// The errors of a log, of the configuration, and of a strategy that panics.
func TestReplayErrors(t *testing.T) {
	s := catalogue.Subjects("queue")
	bad := []measure.Subject{{Name: "bad", Strategy: panics{s[0].Strategy}, Theory: s[0].Theory}}
	const one = "user,article,time\n1,1,1\n"
	says := func(log string, config Config, subjects []measure.Subject, reason string) {
		t.Helper()
		_, err := config.Run(t.Context(), subjects, opened(t, log, logs.Options{Format: logs.CSV}), measure.Options{})
		strategytest.ErrorSays(t, fmt.Sprintf("%q", log), err, reason)
	}
	says("user,article,time\n", Config{}, s, "no exposure in the log")
	says("user,article,time\n1,1,x\n", Config{}, s, "time \"x\" is in no known notation")
	says(one, Config{}, bad, "panic: on purpose")
}

type panics struct{ strategies.Strategy }

func (panics) Seen([]byte, []strategies.ID, []bool) { panic("on purpose") }
