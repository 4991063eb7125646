package logs_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"dejavu/workload/logs"
)

// Every way in which a line can be wrong, and what is said of it. The lines
// beside it are read.
func TestFaults(t *testing.T) {
	mind := "1\tU1\t11/15/2019 8:55:22 AM\t\tN1-0\n"
	kuairand := "user_id,video_id,time_ms\n1,2,3000\n"
	otto := `{"session":1,"events":[{"aid":1,"ts":1,"type":"clicks"}]}` + "\n"
	adressa := `{"userId":"a","time":1,"id":"b"}` + "\n"
	for _, c := range []struct {
		format     logs.Format
		good, line string
		want       string
	}{
		{logs.MIND, mind, "1\tU1\t11/15/2019 8:55:22 AM\tN1", "fewer than 5 fields"},
		{logs.MIND, mind, mind[:len(mind)-1] + "\tmore", `more than 5 fields, the sixth with "more"`},
		{logs.MIND, mind, "1\t\t11/15/2019 8:55:22 AM\t\tN1-0", "no user"},
		{logs.MIND, mind, "1\tU1\t2/29/2019 8:55:22 AM\t\tN1-0", `time "2/29/2019 8:55:22 AM" is not like`},
		{logs.MIND, mind, "1\tU1\t11/15/2019 13:55:22 PM\t\tN1-0", "is not like 11/15/2019"},
		{logs.MIND, mind, "1\tU1\t11/15/2019 8:55:22 AM\t\tN1-0 N2-2", `impression "N2-2" ends in neither -0 nor -1`},
		{logs.MIND, mind, "1\tU1\t11/15/2019 8:55:22 AM\t\tN1-0 -1", "an impression without an article"},
		{logs.KuaiRand, kuairand, "1,2", "2 fields, where the first line has 3"},
		{logs.KuaiRand, kuairand, "1,2,3,4", "4 fields, where"},
		{logs.KuaiRand, kuairand, ",2,3", "no user"},
		{logs.KuaiRand, kuairand, "1,,3", "no article"},
		{logs.KuaiRand, kuairand, "1,2,", "no time"},
		{logs.KuaiRand, kuairand, "1,2,soon", `time "soon" is not milliseconds since 1970`},
		{logs.KuaiRand, kuairand, "1,2,NaN", "is not milliseconds"},
		{logs.KuaiRand, kuairand, "1,2,-1", "is not within the years 1970 to 9999"},
		{logs.KuaiRand, kuairand, `1,"2"2,3`, "follows a closing quote"},
		{logs.KuaiRand, kuairand, `1,2,"3"4`, "follows a closing quote"}, // the record's last
		{logs.KuaiRand, kuairand, `1,2"2,3`, "a quote within field"},
		{logs.CSV, "user,article,time\n1,2,3\n", "1,2,1649408076860", "in seconds since 1970: --clock ms would read it"},
		{logs.OTTO, otto, `{"session":1}`, `no "events"`},
		{logs.OTTO, otto, `{"session":1,"events":{}}`, "where a list of events should be"},
		{logs.OTTO, otto, `{"events":[]}`, "no session"},
		{logs.OTTO, otto, `{"session":1,"events":[{"aid":1,"ts":1,"type":"clicks"},{"ts":1}]}`, "event 2: no aid"},
		{logs.OTTO, otto, `{"session":1,"events":[{"aid":1,"type":"clicks"}]}`, "event 1: no time"},
		{logs.OTTO, otto, `{"session":1,"events":[{"aid":1,"ts":1,"type":"looks"}]}`, `type "looks" is not one of`},
		{logs.OTTO, otto, otto[:40], "a string does not end"},
		{logs.OTTO, otto, otto[:len(otto)-1] + "x", `JSON: "x" where the line's end should be`},
		{logs.Adressa, adressa, `{"time":1,"id":"b"}`, "no userId"},
		{logs.Adressa, adressa, `{"userId":"a","id":"b"}`, "no time"},
		{logs.Adressa, adressa, `{"x":zZ` + "`" + `,"userId":"a","time":1,"id":"b"}`, "JSON: \"`,"},
		{logs.Adressa, adressa, `{"x":@,"userId":"a","time":1,"id":"b"}`, "where a value should be"},
		{logs.Adressa, adressa, `{"userId":["a"],"time":1,"id":"b"}`, "where userId, a string or a number, should be"},
		{logs.Adressa, adressa, `{"userId":"a","time":1 "id":"b"}`, "where a comma or } should be"},
		{logs.Adressa, adressa, `{"userId":"a","time":1,"id":"b`, "a string does not end"},
		{logs.Adressa, adressa, `{"userId":"\x","time":1,"id":"b"}`, "is no string"},
		{logs.Adressa, adressa, `{"x":{"y":[1,{"z":2}]`, "the line ends within a value"},
		{logs.Adressa, adressa, `[]`, "where an object should be"},
		{logs.Adressa, adressa, strings.Repeat("x", 2000), "longer than 1024 bytes"},
		{logs.Adressa, adressa, strings.Repeat("x", 1<<20), "longer than 1024 bytes"}, // of several blocks
	} {
		var got []logs.Fault
		o := logs.Options{Format: c.format, MaxLine: 1024, MaxShare: 1, OnFault: func(f logs.Fault) { got = append(got, f) }}
		if c.format == logs.CSV {
			o.Clock = logs.Seconds
		}
		lines := c.good + c.line + "\n" + c.good[strings.LastIndex(c.good[:len(c.good)-1], "\n")+1:]
		events, counts, err := read(t, lines, o)
		if err != nil || len(events) != 2 || counts.Faults != 1 || counts.Lines != 3 {
			t.Errorf("%s %.80q: %d events, %+v, error %v; want 2 events and a fault", c.format, c.line, len(events), counts, err)
		}
		line := int64(strings.Count(c.good, "\n") + 1)
		if len(got) != 1 || !strings.Contains(got[0].Reason, c.want) || got[0].Line != line || !strings.HasPrefix(got[0].Error(), fmt.Sprintf("log:%d: ", line)) {
			t.Errorf("%s %.80q: %v, want line %d: %s", c.format, c.line, got, line, c.want)
		}
	}
}

// A quoted field that does not end takes no other line with it.
func TestOpenQuote(t *testing.T) {
	for name, rest := range map[string]string{
		"at the end":  strings.Repeat("1,2,3\n", 10),
		"far from it": strings.Repeat("1,2,3\n", 100000),
	} {
		var faults []logs.Fault
		o := logs.Options{MaxLine: 4096, OnFault: func(f logs.Fault) { faults = append(faults, f) }}
		events, _, err := read(t, "user,article,time\n1,2,3\n1,\"2,3\n"+rest, o)
		if want := 1 + strings.Count(rest, "\n"); err != nil || len(events) != want {
			t.Errorf("%s: %d events, error %v; want %d", name, len(events), err, want)
		}
		if len(faults) != 1 || faults[0].Line != 3 || !strings.Contains(faults[0].Reason, "a quoted field does not end") {
			t.Errorf("%s: %v, want one of line 3", name, faults)
		}
	}
}

// Too many faults end the log: at once, or, where they are a great share, at its
// end.
func TestLimits(t *testing.T) {
	good, bad := "1,2,3\n", "1,2\n"
	for _, c := range []struct {
		name, lines string
		o           logs.Options
		want        string
	}{
		{"few", strings.Repeat(good, 100) + strings.Repeat(bad, 10), logs.Options{}, ""},
		{"as many as may", strings.Repeat(good, 100) + bad + bad, logs.Options{MaxFaults: 2}, ""},
		{"none may", good + bad, logs.Options{MaxFaults: -1}, "more than 0 lines cannot be read (--faults); the first: log:3: 2 fields"},
		{"more than may", strings.Repeat(good, 100) + bad + bad + bad, logs.Options{MaxFaults: 2}, "more than 2 lines cannot be read (--faults); the first: log:102: "},
		{"as great a share as may", strings.Repeat(good, 90) + strings.Repeat(bad, 10), logs.Options{}, ""},
		{"a share", strings.Repeat(good, 80) + strings.Repeat(bad, 10), logs.Options{}, "10 of 90 lines cannot be read, more than 0.1 of them (--share): is this csv?"},
		{"of a long log", strings.Repeat(bad, 200000), logs.Options{}, "more than 1000 lines cannot be read (--faults); the first: log:2: "},
	} {
		_, counts, err := read(t, "user,article,time\n"+c.lines, c.o)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if c.name == "of a long log" && counts.Lines > 100000 {
			t.Errorf("%d lines were read before the limit of 1000 was noticed", counts.Lines)
		}
		var f logs.Fault
		if err != nil && !errors.As(err, &f) {
			t.Errorf("%s: the first fault is not in the error's chain", c.name)
		}
	}
}

// Files that cannot be read at all.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	packed := func(suffix string) []byte {
		var b bytes.Buffer
		w, err := logs.Pack(&b, suffix)
		if err != nil {
			t.Fatal(err)
		}
		write(t, w, logs.CSV, logs.WriterOptions{}, some(logs.CSV, 5000))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	gz, zst := packed(".gz"), packed(".zst")
	broken := bytes.Clone(zst)
	broken[len(broken)/2] ^= 0xff
	good := put("good.csv", []byte("user,article,time\n1,2,3\n"))
	for _, c := range []struct {
		o        logs.Options
		patterns []string
		want     string
	}{
		{logs.Options{}, nil, "no file named"},
		{logs.Options{}, []string{dir}, "is a directory"},
		{logs.Options{}, []string{filepath.Join(dir, "absent")}, "no such file"},
		{logs.Options{}, []string{filepath.Join(dir, "x*")}, "no file matches"},
		{logs.Options{}, []string{filepath.Join(dir, "[")}, "syntax error in pattern"},
		{logs.Options{}, []string{good, filepath.Join(dir, "*.csv")}, "good.csv is named twice"},
		{logs.Options{}, []string{put("short.gz", gz[:len(gz)/2])}, "the file is cut short: unexpected EOF"},
		{logs.Options{}, []string{put("head.gz", gz[:5])}, "gzip: unexpected EOF"},
		{logs.Options{}, []string{put("block.gz", append(bytes.Clone(gz[:10]), 0xff, 0xff, 0xff))}, "block.gz: flate: corrupt input"},
		{logs.Options{}, []string{put("short.zst", zst[:len(zst)/2])}, "the file is cut short: unexpected EOF"},
		{logs.Options{}, []string{put("broken.zst", broken)}, "broken.zst"},
		{logs.Options{}, []string{put("a.zip", []byte("PK\x03\x04zip"))}, "is a zip archive: unpack it"},
		{logs.Options{}, []string{put("wide", []byte("\xff\xfeu\x00"))}, "is UTF-16"},
		{logs.Options{}, []string{put("prose", []byte("\nOnce upon a time\n"))}, `prose:2: the first line, "Once upon a time", does not tell the format: name one of [mind`},
		{logs.Options{Format: logs.CSV, Columns: logs.Columns{User: "reader"}}, []string{good}, `good.csv:1: no column "reader" (user) among ["user" "article" "time"]`},
		{logs.Options{}, []string{put("two", []byte("user,article,time,user\n"))}, `two columns "user"`},
		{logs.Options{Format: logs.CSV}, []string{filepath.Join(dir, "two")}, `two columns "user"`},
		{logs.Options{Format: "tsv"}, []string{good}, `format "tsv" is not one of [mind kuairand otto adressa json csv]`},
		{logs.Options{Format: logs.JSON}, []string{put("number", []byte("5\n{\"a\"\n"))}, `not JSON objects: JSON: "5" where an object should be`},
		{logs.Options{Format: logs.JSON}, []string{put("half", []byte("{\"a\"\n5\n"))}, "not JSON objects: the line ends where a colon should be"},
		{logs.Options{Comma: `"`}, []string{good}, `Comma "\"", want no quote`},
		{logs.Options{Comma: ":\n"}, []string{good}, `Comma ":\n", want`},
		{logs.Options{Comma: "\r"}, []string{good}, `Comma "\r", want`},
		{logs.Options{MaxLine: 10}, []string{good}, "MaxLine 10, want 1024 to"},
		{logs.Options{MaxLine: 1023}, []string{good}, "MaxLine 1023, want 1024 to 1073741824 bytes"},
		{logs.Options{MaxLine: 1<<30 + 1}, []string{good}, "MaxLine 1073741825, want 1024 to 1073741824 bytes"},
		{logs.Options{MaxShare: 2}, []string{good}, "MaxShare 2, want"},
		{logs.Options{MaxShare: 1.001}, []string{good}, "MaxShare 1.001, want above 0 and up to 1"},
		{logs.Options{MaxShare: -0.001}, []string{good}, "MaxShare -0.001, want above 0 and up to 1"},
		{logs.Options{Workers: -1}, []string{good}, "Workers -1, want"},
		{logs.Options{Workers: 1025}, []string{good}, "Workers 1025, want 1 to 1024"},
		{logs.Options{Clock: "hours"}, []string{good}, `Clock "hours", want`},
	} {
		l, err := logs.Open(c.o, c.patterns...)
		if err == nil {
			for range l.Requests() {
			}
			err = l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "logs: ") {
			t.Errorf("%v: %v, want %q", c.patterns, err, c.want)
		}
	}
}

// Reading takes as many workers as there are processors, and leaves them as they were.
func TestProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	if events, _, err := read(t, "user,article,time\n1,2,3\n", logs.Options{}); err != nil || len(events) != 1 || runtime.GOMAXPROCS(0) != 3 {
		t.Errorf("%d events, %v, and then %d processors", len(events), err, runtime.GOMAXPROCS(0))
	}
}

// What options may be at the most, or at the least, they may be.
func TestOptionsAtTheirEdges(t *testing.T) {
	for _, o := range []logs.Options{
		{Comma: "\x01"}, {Comma: "é"}, {Comma: "::"}, {MaxLine: 1024}, {MaxLine: 1 << 30}, {MaxShare: 1e-9}, {MaxShare: 1}, {Workers: 1}, {Workers: 1024},
	} {
		events, _, err := read(t, strings.ReplaceAll("user,article,time\n1,2,3\n", ",", cmp.Or(o.Comma, ",")), o)
		if err != nil || len(events) != 1 {
			t.Errorf("%+v: %d events, error %v", o, len(events), err)
		}
	}
}

// Close ends the goroutines wherever the reading is.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, events := range []int{0, 1, 50000} {
		l, err := logs.New(io.MultiReader(strings.NewReader("user,article,time\n"), &endless{text: "1,2,3\n"}), "endless", logs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range events {
			if len(l.NextRequest()) == 0 {
				t.Fatal(l.Err())
			}
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if len(l.NextRequest()) > 0 {
			t.Error("an event after Close")
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// An endless says the same for ever.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := copy(p[n:], e.text[e.at:])
		n += c
		e.at = (e.at + c) % len(e.text)
	}
	return n, nil
}

// A reader that neither reads nor fails is no endless wait.
func TestNoProgress(t *testing.T) {
	l, err := logs.New(idle{}, "idle", logs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.NextRequest()) > 0 || !errors.Is(l.Close(), io.ErrNoProgress) {
		t.Errorf("%v, want %v", l.Err(), io.ErrNoProgress)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// Memory depends neither on the log's length, nor on a line that never ends, nor
// on a key that joins all lines to one request.
func TestMemory(t *testing.T) {
	for name, line := range map[string]string{"lines": "1,2,3,4\n", "one line": "1111,", "one field": `"`} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		in := io.MultiReader(strings.NewReader("user,article,time,request\n"), io.LimitReader(&endless{text: line}, 12<<20))
		l, err := logs.New(in, "long", logs.Options{Workers: 2, MaxShare: 1, Columns: logs.Columns{Request: "request"}})
		if err != nil {
			t.Fatal(err)
		}
		for range l.Requests() {
		}
		runtime.ReadMemStats(&after)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 32 { // allocated in all, also what was given back
			t.Errorf("%s: %d MB allocated for a log of 12", name, mb)
		}
	}
}
