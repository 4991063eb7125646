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

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

// eventsOf returns the events of a log's remaining requests.
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
	l := strategytest.Value(logs.New(strings.NewReader(text), "log", o))
	defer l.Close()
	events = slices.Collect(eventsOf(l))
	if c := l.Counts(); c.Events != int64(len(events)) {
		t.Errorf("%d events, counted %d", len(events), c.Events)
	}
	return events, l.Counts(), l.Err()
}

// say writes events as text, a request a line.
func say(events []logs.Event) string {
	var b strings.Builder
	for i, e := range events {
		if i == 0 || events[i-1].Request != e.Request {
			fmt.Fprintf(&b, "%d %d@%d", e.Request, e.User, e.Time)
		}
		fmt.Fprintf(&b, " %d", e.Article)
		if i+1 == len(events) || events[i+1].Request != e.Request {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// What was read is counted: lines, those that tell of no article, blank ones, and faults, in their places.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		text   string
		o      logs.Options
		want   string
		counts logs.Counts
	}{
		{
			"\xef\xbb\xbf1\tU1\t11/15/2019 8:55:22 AM\tN3 N2\tN1-0 N2-1\r\n\r\n" +
				"2\tU2\t11/15/2019 12:00:00 AM\t\tN1-0 N1-0\r\n" + // no history, and a repeat in one request
				"torn\n3\tU1\t11/15/2019 8:55:22 AM\tN3\t\n" +
				"4\tU1\t11/14/2019 12:59:59 PM\tN3 N2\tN1-1", // the clock goes back; no newline
			logs.Options{MaxShare: 1},
			"0 1@1573808122 1 2\n1 2@1573776000 1 1\n2 1@1573736399 1\n" +
				"log:4: 1 field between tabs, want 5: impression, user, time, history, impressions\n",
			logs.Counts{Lines: 6, Faults: 1, Passed: 1, Blank: 1, Events: 5, Requests: 3, OutOfOrder: 3},
		},
		{
			"\nuser,article,time,request\n1,1,1573776000.5,a\n1,2,9,a\n1,\"2\n1,3,1573776001,b\n",
			logs.Options{MaxShare: 1, Columns: logs.Columns{Request: "request"}},
			"0 1@1573776000 1 2\n1 1@1573776001 3\n" +
				"log:5: a quoted field does not end (--quote none takes quotes as they are; a DuckDB " +
				"query of docs/logs.md joins several lines)\n",
			logs.Counts{Lines: 5, Faults: 1, Blank: 1, Events: 3, Requests: 2},
		},
		{
			strings.Repeat("x", 3<<20) + "\n",
			logs.Options{Format: logs.JSON, MaxShare: 1},
			"log:1: longer than 1048576 bytes\n",
			logs.Counts{Lines: 1, Faults: 1},
		},
		{"", logs.Options{}, "", logs.Counts{}},
		{"\n \r\n\n", logs.Options{}, "", logs.Counts{Lines: 3, Blank: 3}},
	} {
		var faults strings.Builder
		c.o.Numbered, c.o.OnFault = true, func(f logs.Fault) { fmt.Fprintln(&faults, f) }
		events, counts, err := read(t, c.text, c.o)
		if got := say(events) + faults.String(); got != c.want || counts != c.counts || err != nil {
			t.Errorf("%.40q: %v, %+v, want %+v; got\n%swant\n%s", c.text, err, counts, c.counts, got, c.want)
		}
	}
}

// some makes requests that the format can express: users interleaved, the clock now and then going back, articles that
// repeat.
func some(format logs.Format, requests int) (all [][]logs.Event) {
	r := rand.New(rand.NewPCG(1, uint64(requests)))
	at := int64(1573808122)
	for n := range requests {
		at += r.Int64N(20) - 3
		size := 1 + r.IntN(12)
		if format == logs.Access {
			size = 1
		}
		e := logs.Event{User: r.Uint64N(1000), Time: at, Request: uint64(n)}
		var request []logs.Event
		for range size {
			e.Article = strategies.ID(r.Uint64() >> r.IntN(60))
			request = append(request, e)
		}
		all = append(all, request)
	}
	return all
}

// pack packs as a file's name asks: with gzip for .gz, with zstd for .zst, or not at all.
func pack(suffix string, text []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch suffix {
	case ".gz":
		w = gzip.NewWriter(&b)
	case ".zst":
		w, _ = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1)) // no option can be wrong
	default:
		return text
	}
	_, _ = w.Write(text) // a buffer has no error
	_ = w.Close()
	return b.Bytes()
}

// columns has a column of everything.
var columns = logs.Columns{Request: "request"}

// oddly returns a log as real files are written, with details that should change nothing: a byte order mark, CRLF,
// blank lines, no newline at the end, quoted fields, commas at the end, and unused members. Every malformed-th line
// cannot be read, if that is above 0.
func oddly(format logs.Format, text string, malformed int) string {
	var b strings.Builder
	b.WriteString("\xef\xbb\xbf\r\n")
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		first, rest, _ := strings.Cut(line, ",")
		switch {
		case i == 0: // which may be a header
		case i%4 == 1 && line[0] == '{':
			line = `{"more":{"a":["]}",{}]} , ` + line[1:]
		case i%4 == 2 && format == logs.CSV:
			line = `"` + first + `",` + rest + ","
		}
		if i > 0 {
			b.WriteString("\r\n")
		}
		if i%16 == 5 {
			b.WriteString("\r\n")
		}
		if malformed > 0 && i%malformed == 1 {
			b.WriteString("this line cannot be read\r\n")
		}
		b.WriteString(line)
	}
	return b.String()
}

// What is written comes back, odd or not, packed or not, in two files.
func TestRoundTrip(t *testing.T) {
	for _, format := range logs.Formats() {
		for i, suffix := range []string{"", ".gz", ".zst"} {
			odd := i != 1
			t.Run(fmt.Sprintf("%s%s odd %v", format, suffix, odd), func(t *testing.T) {
				dir := t.TempDir()
				want := some(format, 4000)
				for i, part := range [][][]logs.Event{want[:3500], want[3500:]} {
					text := string(logtest.Text(format, part...))
					if odd {
						text = oddly(format, text, 1000)
					}
					// The name does not tell that it is packed.
					path := filepath.Join(dir, fmt.Sprintf("part%d", i))
					strategytest.Must(t, os.WriteFile(path, pack(suffix, []byte(text)), 0o600))
				}
				o := logs.Options{Format: format, Numbered: true, Columns: columns}
				sameEvents(t, o, filepath.Join(dir, "part*"), slices.Concat(want...))
			})
		}
	}
}

func sameEvents(t *testing.T, o logs.Options, pattern string, want []logs.Event) {
	t.Helper()
	l := strategytest.Value(open(t, o, pattern))
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
	if !slices.Equal(got, want) {
		t.Errorf("%d events, want %d, or others than these", len(got), len(want))
	}
	if p := l.Position(); p.Read != p.Total || p.Total == 0 {
		t.Errorf("ended at %+v, want all read", p)
	}
}

// Reading from memory, in MB/s of the unpacked log, and the time of an event.
func BenchmarkRead(b *testing.B) {
	for _, format := range logs.Formats() {
		for _, suffix := range []string{"", ".gz", ".zst"} {
			if suffix != "" && format != logs.CSV {
				continue
			}
			b.Run(string(format)+suffix, func(b *testing.B) {
				plain := logtest.Text(format, some(format, 50000)...)
				packed := pack(suffix, plain)
				b.SetBytes(int64(len(plain)))
				b.ReportAllocs()
				events := int64(0)
				for b.Loop() {
					l, err := logs.New(bytes.NewReader(packed), "log", logs.Options{Format: format, Columns: columns})
					strategytest.Must(b, err)
					for range l.Requests() {
					}
					strategytest.Must(b, l.Close())
					events += l.Counts().Events
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			})
		}
	}
}
