package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	daylanes "dejavu/beyond/daily"
	"dejavu/experiments/catalogue"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
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

// opened is a log of that text.
func opened(t *testing.T, text string, o logs.Options) *logs.Log {
	t.Helper()
	l := strategytest.Value(logs.New(strings.NewReader(text), "log", o))
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// logStart is when the log of these tests begins, in seconds since 1970.
const logStart = 1573776000

// requestsOf are all requests of a log, and their span.
func requestsOf(t *testing.T, log string, o logs.Options) (all [][]logs.Event, span deal.Span) {
	t.Helper()
	l := opened(t, log, o)
	for r := range l.Requests() {
		all = append(all, slices.Clone(r))
	}
	if l.Err() != nil {
		t.Fatal(l.Err())
	}
	return all, spanOf(all)
}

func spanOf(requests [][]logs.Event) deal.Span {
	span := deal.Span{First: requests[0][0].Time, Last: requests[0][0].Time}
	for _, q := range requests {
		span.Take(q)
	}
	return span
}

// partOf replays requests of a log.
func partOf(t *testing.T, r Config, s []measure.Subject, requests [][]logs.Event, span deal.Span, workers int) Tally {
	t.Helper()
	tally, err := r.Part(t.Context(), s, &some{requests: requests}, span, measure.Options{Workers: workers})
	strategytest.Must(t, err)
	return tally
}

// inParts replays a log in so many parts, and adds them up in any order, by way of their bytes.
func inParts(
	t *testing.T, all [][]logs.Event, span deal.Span, r Config, parts int, subjects []measure.Subject,
) (sum Tally) {
	t.Helper()
	for _, part := range rand.New(rand.NewPCG(5, 5)).Perm(parts) {
		var own [][]logs.Event
		for _, q := range all {
			if int(q[0].User)%parts == part {
				own = append(own, q)
			}
		}
		tally := partOf(t, r, subjects, own, span, 1+part%2)
		data := strategytest.Value(tally.MarshalBinary())
		var back Tally
		strategytest.Must(t, back.UnmarshalBinary(data))
		if !reflect.DeepEqual(back, tally) {
			t.Fatal("a tally comes back as another")
		}
		strategytest.Must(t, sum.Add(back))
	}
	return sum
}

// oddLog is a log with all that a part cannot know by itself: a clock that goes back and
// forth over days; events far away, at the border too.
func oddLog(events int) string {
	r := rand.New(rand.NewPCG(11, 11))
	var requests [][]logs.Event
	const last = (logStart/86400-1<<32/86400/2)*86400 + 1<<32 - 1
	event := func(user, article uint64, at int64) {
		e := logs.Event{User: user, Article: strategies.ID(article), Time: at}
		requests = append(requests, []logs.Event{e})
	}
	event(1000, 1, logStart)
	for range events {
		event(uint64(r.IntN(40)), uint64(r.IntN(300)), logStart+int64(r.IntN(5*86400)))
	}
	event(3, 7, logStart-10)
	event(4, 8, last-4*86400)
	event(5, 9, last+1)
	event(1002, 9, last+1)
	return string(logtest.Text(logs.CSV, logs.Columns{}, requests...))
}

// Parts of the users add up to the whole, count by count, whatever the parts and workers.
func TestPartsAddUp(t *testing.T) {
	month := strategytest.Value(daylanes.New(daylanes.Month))
	subjects := catalogue.Subjects("queue", "single", "dual-blanked")
	subjects = append(subjects, measure.Subject{Name: "daily", Strategy: month, Theory: month})
	events, shares := 10_000, []int{1, 17}
	if testing.Short() || sysinfo.RaceDetector {
		events, shares = 2_000, []int{3}
	}
	log, options := oddLog(events), logs.Options{Numbered: true}
	requests, span := requestsOf(t, log, options)
	for _, r := range []Config{{}, {Idle: 3600, Passed: true}, {Idle: store.Day, Passed: true, Most: 2}} {
		want := strategytest.Value(r.Run(t.Context(), subjects, opened(t, log, options), measure.Options{Workers: 2}))
		if m := want.Machine; want.Log.Last != span.Last || m.Truth == 0 || m.Resident == 0 || m.Slabs[3] == 0 {
			t.Errorf("the span ends at %d, the log at %d; of the machine %+v", span.Last, want.Log.Last, m)
		}
		want.Log.Read = logs.Counts{}
		for _, parts := range shares {
			got := inParts(t, requests, span, r, parts, subjects)
			if !reflect.DeepEqual(got.Strategies, want.Strategies) || got.Log != want.Log {
				t.Errorf("%+v: %d parts are %+v, the whole is %+v", r, parts, got.Log, want.Log)
			}
		}
	}
}

// What is no exposure is left out, and counted: an article twice in its request, and what is years away.
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
	says(one+"2,1,1\n", Config{MaxUsers: 1}, s, "more than 1 users")
	says(one, Config{Most: 1}, s, "Most is 1, want 0 or, with Passed")
	says("user,article,time\n1,1,x\n", Config{}, s, "time \"x\" is in no known notation")
	says(one, Config{}, bad, "panic: on purpose")
}

type panics struct{ strategies.Strategy }

func (panics) Seen([]byte, []strategies.ID, []bool) { panic("on purpose") }

// A part has its limits and errors, and may be empty.
func TestPartErrors(t *testing.T) {
	s := catalogue.Subjects("queue")
	requests, span := requestsOf(t, "user,article,time\n1,1,1\n2,1,1\n", logs.Options{})
	says := func(config Config, part some, want string) {
		t.Helper()
		if _, err := config.Part(t.Context(), s, &part, span, measure.Options{}); err == nil ||
			err.Error() != want && !strings.Contains(err.Error(), "replay: "+want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	says(Config{MaxUsers: 1}, some{requests: requests}, "more than 1 users")
	says(Config{}, some{err: errors.New("torn")}, "torn")
	says(Config{Most: 1}, some{}, "Most is 1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Config{}.Part(ctx, s, &some{requests: requests}, span, measure.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	empty := partOf(t, Config{}, s, nil, span, 1)
	if !errors.Is(Config{}.Check(empty), deal.ErrNoExposure) {
		t.Errorf("nothing: %v", Config{}.Check(empty))
	}
	many := empty
	many.Log.Exposures, many.Log.Users = 1, 3
	if err := (Config{MaxUsers: 2}).Check(many); err == nil || err.Error() != "more than 2 users" {
		t.Errorf("three users where two may be: %v", err)
	}
	strategytest.Must(t, (Config{MaxUsers: 3}).Check(many))
	sum := empty
	strategytest.ErrorSays(t, "tallies of one strategy and of two add up",
		sum.Add(Tally{Strategies: make([]Counts, 2)}), "a tally of 2 strategies, want 1")
}

// Bytes that are not a tally are refused: cut, changed, or of other counts.
func TestTallyBytes(t *testing.T) {
	requests, span := requestsOf(t, "user,article,time\n1,1,1\n2,1,1\n", logs.Options{})
	tally := partOf(t, Config{}, catalogue.Subjects("queue", "single"), requests, span, 1)
	data := strategytest.Value(tally.MarshalBinary())
	strategytest.AtMost(t, len(data), 2*2048, "bytes for two strategies")
	long := newTally(1)
	r := rand.New(rand.NewPCG(6, 6))
	for i := range long.Strategies[0].Articles.Queries { // of a log of a hundred million exposures
		long.Strategies[0].Articles.Queries[i] = int64(r.IntN(50_000))
		long.Strategies[0].Articles.Hits[i] = int64(r.IntN(1000))
	}
	if data, err := long.MarshalBinary(); err != nil || len(data) < 18<<10 || len(data) > 22<<10 {
		t.Errorf("%d bytes for a strategy and many articles, want 18 to 22 kB; %v", len(data), err)
	}
	var to Tally
	for n := range data {
		if err := to.UnmarshalBinary(data[:n]); err == nil {
			t.Fatalf("%d bytes of %d are a tally", n, len(data))
		}
	}
	for i := len(tallyVersion) + 10; i < len(data); i++ { // before, gzip keeps what nobody reads
		changed := bytes.Clone(data)
		changed[i] ^= 1 << (i % 8)
		var other Tally
		if err := other.UnmarshalBinary(changed); err == nil && !reflect.DeepEqual(other, tally) { // a bit may be padding
			t.Errorf("with byte %d changed it is another tally", i)
		}
	}
	for name, change := range map[string]func(u *Tally){
		"no repeats":   func(u *Tally) { u.Strategies[1].Repeated = nil },
		"fewer ages":   func(u *Tally) { u.Strategies[1].Recognised = u.Strategies[1].Recognised[:9] },
		"fewer groups": func(u *Tally) { u.Strategies[0].Articles.Hits = u.Strategies[0].Articles.Hits[1:] },
		"no queries":   func(u *Tally) { u.Strategies[0].Articles.Queries = nil },
		"fewer stores": func(u *Tally) { u.Machine.Slabs = nil },
	} {
		other := newTally(2)
		change(&other)
		data := strategytest.Value(other.MarshalBinary())
		strategytest.ErrorSays(t, name, to.UnmarshalBinary(data), "bytes are not a tally")
	}
	strategytest.DeepEqual(t, to, Tally{}, "what was refused left something")
}

// Bytes from anywhere are refused or are a tally.
func FuzzTally(f *testing.F) {
	data := strategytest.Value(newTally(1).MarshalBinary())
	f.Add(data)
	f.Add([]byte(tallyVersion))
	f.Fuzz(func(t *testing.T, data []byte) {
		var tally, sum Tally
		if tally.UnmarshalBinary(data) == nil {
			strategytest.Must(t, sum.Add(tally))
		}
	})
}
