package logs_test

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies"
	"dejavu/workload/logs"
)

// eventsOf is the events of the requests that a log has left.
func eventsOf(l *logs.Log) iter.Seq[logs.Event] {
	return func(yield func(logs.Event) bool) {
		for request := range l.Requests() {
			for _, e := range request {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// read reads a whole log.
func read(t testing.TB, text string, o logs.Options) (events []logs.Event, counts logs.Counts, err error) {
	t.Helper()
	l, err := logs.New(strings.NewReader(text), "log", o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	events = slices.Collect(eventsOf(l))
	if c := l.Counts(); c.Events != int64(len(events)) {
		t.Errorf("%d events, counted %d", len(events), c.Events)
	}
	return events, l.Counts(), l.Err()
}

// say writes events as text, a request a line.
func say(events []logs.Event, names ...string) string {
	known := map[uint64]string{}
	for _, name := range names {
		known[uint64(strategies.XXHashString(name))] = name
	}
	name := func(digest uint64) string {
		if n, ok := known[digest]; ok {
			return n
		}
		return fmt.Sprint(digest)
	}
	var b strings.Builder
	for i, e := range events {
		if i == 0 || events[i-1].Request != e.Request {
			fmt.Fprintf(&b, "%d %s@%d", e.Request, name(e.User), e.Time)
		}
		fmt.Fprintf(&b, " %s:%v", name(uint64(e.Article)), e.Kind)
		if i+1 == len(events) || events[i+1].Request != e.Request {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// Lines as the real files have them, and what they say by hand. Times are those
// of date -u -d.
func TestFormats(t *testing.T) {
	names := strings.Fields("U1 U2 N1 N2 N3 3 5 1071 1072 42 0 1 2 cx:a cx:b 99f 98e u a b c")
	for _, c := range []struct {
		name, text string
		o          logs.Options
		want       string
		counts     logs.Counts
	}{
		{
			"MIND", "\xef\xbb\xbf" +
				"1\tU1\t11/15/2019 8:55:22 AM\tN3 N2\tN1-0 N2-1\r\n" +
				"\r\n" +
				"2\tU2\t11/15/2019 12:00:00 AM\t\tN1-0 N1-0\r\n" + // no history, and a repeat in one request
				"3\tU1\t11/14/2019 12:59:59 PM\tN3 N2\tN1-1", // the clock goes back; no newline
			logs.Options{},
			"0 U1@1573808122 N1:ignored N2:clicked\n1 U2@1573776000 N1:ignored N1:ignored\n2 U1@1573736399 N1:clicked\n",
			logs.Counts{Lines: 4, Blank: 1, Events: 5, Requests: 3, OutOfOrder: 3},
		},
		{
			"MIND's test set", "1\tU1\t11/22/2019 1:02:03 PM\tN3\tN1 N2\n2\tU1\t11/22/2019 1:02:03 PM\tN3\t\n",
			logs.Options{Format: logs.MIND},
			"0 U1@1574427723 N1:shown N2:shown\n",
			logs.Counts{Lines: 2, Passed: 1, Events: 2, Requests: 1},
		},
		{
			"KuaiRand",
			"user_id,video_id,date,hourmin,time_ms,is_click,is_like,tab\n" +
				"3,1071,20220408,1600,1649408076860,1,0,1\n" +
				"5,1072,20220408,1600,1649408076999.0,0,0,1,\n",
			logs.Options{},
			"0 3@1649408076 1071:clicked\n1 5@1649408076 1072:ignored\n",
			logs.Counts{Lines: 2, Events: 2, Requests: 2},
		},
		{
			"KuaiRand in another order",
			"\"time_ms\", video_id,user_id\n1.649408076e12,1071,3\n",
			logs.Options{},
			"0 3@1649408076 1071:shown\n",
			logs.Counts{Lines: 1, Events: 1, Requests: 1},
		},
		{
			"OTTO",
			`{"session":42,"events":[{"aid":0,"ts":1661200010999,"type":"clicks"},{"aid":1,"ts":1661200020000,"type":"carts"}]}` + "\n" +
				`{"more":{"a":["]}",{}]}, "events" : [ { "type":"orders" , "ts":1661200010000,"aid":"2","x":null } ] , "session":"42" } ` + "\n" +
				`{"session":1,"events":[]}`,
			logs.Options{},
			"0 42@1661200010 0:clicked\n1 42@1661200020 1:acted\n2 42@1661200010 2:acted\n",
			logs.Counts{Lines: 3, Passed: 1, Events: 3, Requests: 3, OutOfOrder: 1},
		},
		{
			"Adressa",
			`{"eventId":1,"userId":"cx:a","time":1483225200,"id":"99f","profile":[{"item":"\"}","groups":[{"w":0.5}]}]}` + "\n" +
				`{"eventId":2,"userId":"cx:b","time":1483225201,"url":"http:\/\/adressa.no"}` + "\n" +
				`{"id":"\u00398e","time":1483225199,"userId":"cx:\u0062"}` + "\n",
			logs.Options{},
			"0 cx:a@1483225200 99f:clicked\n1 cx:b@1483225199 98e:clicked\n",
			logs.Counts{Lines: 3, Passed: 1, Events: 2, Requests: 2, OutOfOrder: 1},
		},
		{
			"CSV", "\n req,article , time,user,opened\n7,\"a\",2019-11-15T08:55:22Z,u,TRUE\n7,b,2019-11-15T10:55:22.9+02:00,u,0\n8,\"c\",2019-11-15T08:55:22Z,u,\n",
			logs.Options{Clock: logs.RFC3339, Columns: logs.Columns{Clicked: "opened", Request: "req"}},
			"0 u@1573808122 a:clicked b:ignored\n1 u@1573808122 c:shown\n",
			logs.Counts{Lines: 4, Blank: 1, Events: 3, Requests: 2},
		},
		{
			"CSV without a header", "5;a;1071\n6;b;1072\n",
			logs.Options{Format: logs.CSV, NoHeader: true, Comma: ";", Columns: logs.Columns{User: "2", Article: "3", Time: "1"}},
			"0 a@5 1071:shown\n1 b@6 1072:shown\n",
			logs.Counts{Lines: 2, Events: 2, Requests: 2},
		},
		{
			"numbers", "1\tU17\t1/1/1970 12:00:01 AM\t\tN18446744073709551615-0\n",
			logs.Options{Numbered: true},
			"0 17@1 18446744073709551615:ignored\n",
			logs.Counts{Lines: 1, Events: 1, Requests: 1},
		},
		{"nothing", "", logs.Options{}, "", logs.Counts{}},
		{"blanks", "\n \r\n\n", logs.Options{}, "", logs.Counts{Lines: 3, Blank: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, counts, err := read(t, c.text, c.o)
			if err != nil {
				t.Error(err)
			}
			if got := say(events, names...); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if counts != c.counts {
				t.Errorf("counts %+v, want %+v", counts, c.counts)
			}
		})
	}
}

// some makes requests that the format has words for: users interleaved, the
// clock now and then going back, articles that repeat.
func some(format logs.Format, requests int) (events []logs.Event) {
	r := rand.New(rand.NewPCG(1, uint64(requests)))
	at := int64(1573808122)
	for n := range requests {
		at += r.Int64N(20) - 3
		size := 1 + r.IntN(12)
		switch format {
		case logs.OTTO, logs.Adressa, logs.KuaiRand:
			size = 1
		}
		user := r.Uint64N(1000)
		for range size {
			e := logs.Event{User: user, Article: strategies.ID(r.Uint64() >> r.IntN(60)), Time: at, Request: uint64(n)}
			switch format {
			case logs.MIND, logs.KuaiRand, logs.CSV:
				e.Kind = logs.Ignored + logs.Kind(r.IntN(2))
			case logs.OTTO:
				e.Kind = logs.Clicked + logs.Kind(r.IntN(2))
			case logs.Adressa:
				e.Kind = logs.Clicked
			}
			events = append(events, e)
		}
	}
	return events
}

// columns has a column of everything.
var columns = logs.Columns{Clicked: "opened", Request: "request"}

// write writes them.
func write(t testing.TB, w io.Writer, format logs.Format, o logs.WriterOptions, events []logs.Event) {
	t.Helper()
	out, err := logs.NewWriter(w, format, o)
	if err != nil {
		t.Fatal(err)
	}
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].Request == events[0].Request {
			n++
		}
		if err := out.Write(events[:n]); err != nil {
			t.Fatal(err)
		}
		events = events[n:]
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// What is written comes back, odd or not, packed or not, in one file or two,
// for any number of workers, event by event or request by request. The logs are
// of several blocks, so that requests go on from one to the next.
func TestRoundTrip(t *testing.T) {
	for _, format := range logs.Formats() {
		for i, suffix := range []string{"", ".gz", ".zst"} {
			odd := i != 1
			name := fmt.Sprintf("%s%s odd %v", format, suffix, odd)
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				want := some(format, 4000)
				cut := slices.IndexFunc(want, func(e logs.Event) bool { return e.Request == 3500 })
				malformed := 0
				if odd {
					malformed = 1000
				}
				for i, part := range [][]logs.Event{want[:cut], want[cut:]} {
					var plain, packed bytes.Buffer
					write(t, &plain, format, logs.WriterOptions{Odd: odd, Malformed: malformed, Columns: columns}, part)
					w, err := logs.Pack(&packed, "log"+suffix)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := w.Write(plain.Bytes()); err != nil {
						t.Fatal(err)
					}
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
					// The name does not tell that it is packed.
					if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part%d", i)), packed.Bytes(), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				o := logs.Options{Format: format, Numbered: true, Columns: columns}
				for _, workers := range []int{1, 3} {
					o.Workers = workers
					sameEvents(t, o, filepath.Join(dir, "part*"), want)
				}
			})
		}
	}
}

func sameEvents(t *testing.T, o logs.Options, pattern string, want []logs.Event) {
	t.Helper()
	l, err := logs.Open(o, pattern)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var got []logs.Event
	for request := range l.Requests() {
		if last := len(got) - 1; last >= 0 && got[last].Request+1 != request[0].Request {
			t.Fatalf("request %d after %d", request[0].Request, got[last].Request)
		}
		if last := request[len(request)-1]; last.Request != request[0].Request { // they are numbered in order
			t.Fatalf("requests %d to %d are one", request[0].Request, last.Request)
		}
		got = append(got, request...)
	}
	if l.Err() != nil {
		t.Fatal(l.Err())
	}
	if o.Format == logs.OTTO || o.Format == logs.MIND {
		if c := l.Counts(); c.Requests != int64(want[len(want)-1].Request+1) {
			t.Errorf("%d requests, want %d", c.Requests, want[len(want)-1].Request+1)
		}
	}
	if !slices.Equal(got, want) {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Errorf("%d events, want %d; the first to differ is %d: %+v, want %+v", len(got), len(want), i, got[i:min(i+2, len(got))], want[i:min(i+2, len(want))])
	}
	if p := l.Position(); p.Read != p.Total || p.Total == 0 {
		t.Errorf("ended at %+v, want all read", p)
	}
}
