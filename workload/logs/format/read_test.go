package format

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dejavu/internal/golden"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/table"
)

// read reads a log's lines as the format that they are found to have.
func read(
	t interface{ Fatal(...any) }, text string, o decision.Options,
) (events []event.Event, faults []string, d decision.Options) {
	d = strategytest.Value(Options(o))
	if err := Decide(&d, []byte(text)); err != nil {
		return nil, []string{err.Error()}, d
	}
	cut := Cutter(&d)
	first := []byte(text[:cut.End([]byte(text), 0, true)])
	parse, header, err := Begin(&d, table.TrimEnd(first))
	if err != nil {
		return nil, []string{err.Error()}, d
	}
	if header {
		text = text[len(first):]
	}
	var p Parser
	p.Use(&d, Batch{Keys: event.NewTally()})
	for line := range strings.Lines(text) {
		if reason := p.Record(parse, table.TrimEnd([]byte(line))); reason != "" {
			faults = append(faults, reason)
		}
	}
	return p.Events, faults, d
}

// said is what a log says: its requests, or why it cannot be read.
func said(t interface{ Fatal(...any) }, text string, o decision.Options) string {
	events, parts, _ := read(t, text, o)
	for i, e := range events {
		if i == 0 || events[i-1].Request != e.Request {
			parts = append(parts, fmt.Sprintf("%d@%d", e.User, e.Time))
		}
		parts[len(parts)-1] += fmt.Sprintf(" %d:%v", e.Article, e.Kind)
	}
	return strings.Join(parts, "; ")
}

// opened has columns of everything.
var opened = decision.Columns{Clicked: "opened", Request: "request"}

// What values say, or why they cannot be read, at the edges of each format. The values are those of
// testdata/edges.golden, where another is added without what it says.
func TestEdgesGolden(t *testing.T) {
	sections := map[string]struct {
		before, after string // the value
		o             decision.Options
	}{
		"an access log's lines": {"7 - - [15/Nov/2019:08:55:22 +0000] ", "", decision.Options{Format: Access}},
		"MIND's times":          {"1\tU1\t", "\t\tN1", decision.Options{Format: MIND}},
		"MIND's impressions":    {"1\tU1\t1/1/1970 12:00:09 AM\tN9\t", "", decision.Options{Format: MIND}},
		"a CSV's clicks": {
			"user,article,time,opened,request\n1,2,1970-01-01T00:00:09Z,", ",",
			decision.Options{Columns: opened, Clock: clock.RFC3339},
		},
		"a CSV's times": {
			"user,article,time,opened,request\n1,2,", ",,", decision.Options{Columns: opened, Clock: clock.RFC3339},
		},
		"a CSV's fields": {"user,article,time\n", "", decision.Options{}},
		"a CSV with milliseconds": {
			"user;article;time\nN1;N2;", "", decision.Options{Comma: ";", Format: decision.CSV, Clock: clock.Millis},
		},
	}
	text := strategytest.Value(os.ReadFile("testdata/edges.golden"))
	var b strings.Builder
	c := sections[""]
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			if c, ok = sections[strings.TrimSpace(name)]; !ok {
				t.Fatalf("no section %s", name)
			}
			b.WriteString(line)
			continue
		}
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		value, _ := strconv.Unquote(quoted)
		c.o.Numbered = true
		fmt.Fprintf(&b, "%s %s\n", quoted, cmp.Or(said(t, c.before+value+c.after, c.o), "nothing"))
	}
	golden.File(t, "edges.golden", b.String())
}

// Lines as the real files have them, and what they say by hand. Times are those of date -u -d.
func TestFormats(t *testing.T) {
	for _, c := range []struct {
		text string
		o    decision.Options
		want string
	}{
		{
			"1\tU1\t11/15/2019 8:55:22 AM\tN3 N2\tN1-0 N2-1\r\n2\tU2\t11/15/2019 12:00:00 AM\t\tN1-0 N1-0\r\n",
			decision.Options{},
			"1@1573808122 1:ignored 2:clicked; 2@1573776000 1:ignored 1:ignored",
		},
		{
			"req,article , time,user,opened\n7,\"1\",2019-11-15T08:55:22Z,5,TRUE\n7,2,2019-11-15T10:55:22.9+02:00,5,0\n" +
				"8,\"3\",2019-11-15T08:55:22Z,5,\n",
			decision.Options{Columns: decision.Columns{Clicked: "opened", Request: "req"}},
			"5@1573808122 1:clicked 2:ignored; 5@1573808122 3:shown",
		},
		{
			"5;1;1071\n6;2;1072\n",
			decision.Options{
				Format: decision.CSV, NoHeader: true, Comma: ";",
				Columns: decision.Columns{User: "2", Article: "3", Time: "1"},
			},
			"1@5 1071:shown; 2@6 1072:shown",
		},
		{
			`{"user":{"id":1},"item":[2,"3"],"date":"2019-11-15","on":true}` + "\n" +
				`{"user":{"id":1},"item":4,"date":"2019-11-15"}`,
			decision.Options{Columns: decision.Columns{User: "user.id", Clicked: "on"}},
			"1@1573776000 2:clicked 3:clicked; 1@1573776000 4:shown",
		},
		{
			"user,items,time\n1,[2 3],5\n1,[],6\n",
			decision.Options{Columns: decision.Columns{Article: "items"}},
			"1@5 2:shown 3:shown",
		},
		{"user,article,time\n1,2;3,5\n", decision.Options{Comma: ",", List: ";"}, "1@5 2:shown 3:shown"},
		{
			"7 - - [15/Nov/2019:09:55:22 +0100] \"GET 1 HTTP/1.1\" 200 5\n" +
				"2001:db8::1 - 8 [15/Nov/2019:08:55:22 +0000] \"GET 2 HTTP/1.0\" 304 - \"-\" \"a \\\"b\\\" c\"\n" +
				"7 - - [15/Nov/2019:08:55:23 +0000] \"POST 3 HTTP/1.1\" 200 5\n" +
				"7 - - [15/Nov/2019:08:55:24 +0000] \"GET 4 HTTP/1.1\" 404 5\n" +
				"7 - - [15/Nov/2019:08:55:25 +0000] \"-\" 408 -\n",
			decision.Options{},
			"7@1573808122 1:clicked; 8@1573808122 2:clicked",
		},
		{
			"v.example:80 10.0.0.7 - 9 [15/Nov/2019:08:55:22 +0000] \"GET /2 HTTP/1.1\" 200 5\n" +
				"v.example 10.0.0.7 - - [15/Nov/2019:08:55:22 +0000] \"GET /2 HTTP/1.1\" 200 5\n" +
				"7 - John Doe [15/Nov/2019:08:55:22 +0000] \"GET 2 HTTP/1.1\" 200 5\n",
			decision.Options{},
			`article "v.example:80/2" is not a number below 2^64; user "10.0.0.7" is not a number below 2^64; ` +
				`"7 - John Doe [15/Nov/2019:08:55:22 +0000"... is not like host ident user [time] "request" status bytes`,
		},
		{
			" 00001 19970101  1   11.77\n 00002\t19970102  2   12.00\n",
			decision.Options{Columns: decision.Columns{User: "1", Article: "3", Time: "2"}},
			"1@852076800 1:shown; 2@852163200 2:shown",
		},
		{
			"1;15/11/2019;8:55:22;PM;2;\n1;15/11/2019;12:05:00;AM;3;;\n1;15/11/2019;8;;3;\n",
			decision.Options{Comma: ";", Columns: decision.Columns{User: "1", Article: "5", Time: "2+3+4"}},
			`time "15/11/2019 8" is not like 15/11/2019 08:55:22; 1@1573851322 2:shown; 1@1573776300 3:shown`,
		},
	} {
		c.o.Numbered = true
		if got := said(t, c.text, c.o); got != c.want {
			t.Errorf("%.60q says %s\nwant %s", c.text, got, c.want)
		}
	}
}

// Keys are digests, unless they are numbers.
func TestKeys(t *testing.T) {
	events, faults, _ := read(t, "1\tU1\t11/15/2019 8:55:22 AM\t\tN1\n", decision.Options{})
	want := []event.Event{
		{User: uint64(strategies.XXHashString("U1")), Article: strategies.XXHashString("N1"), Time: 1573808122},
	}
	if !slices.Equal(events, want) || faults != nil {
		t.Errorf("%+v, %q, want %+v", events, faults, want)
	}
}

// The format is told by the first line, and of those with columns where columns are named.
func TestDetect(t *testing.T) {
	for line, want := range map[string]decision.Format{
		"1\tU1\t11/15/2019 8:55:22 AM\t\tN1-0":                      MIND,
		"Impression ID\tUser\tTime\tHistory\tImpressions":           MIND,
		`h - - [15/Nov/2019:08:55:22 +0000] "GET / HTTP/1.1" 200 5`: Access,
		`h - - [yesterday] "GET / HTTP/1.1" 200 5`:                  decision.CSV,
		"{}":                             decision.JSON,
		"user,article":                   decision.CSV,
		"1\tU1\t11/15/2019 8:55:22 AM\t": decision.CSV,
		"video_id;user_id;time_ms":       decision.CSV,
		"Impression ID\tUser\tTime\tHistory\tOther":                       decision.CSV,
		`x{"session":1,"events":[]}`:                                      decision.CSV,
		"Impression ID\tUser\tTime\tHistory\tImpressions\tand one beside": decision.CSV,
	} {
		strategytest.Equal(t, detect([]byte(line), &decision.Options{}).format, want, "%q is", line)
		o := decision.Options{Columns: decision.Columns{User: "user"}}
		if got := detect([]byte(line), &o).format; got != decision.JSON && got != decision.CSV {
			t.Errorf("%q with a column named is %s", line, got)
		}
	}
	if _, err := Options(decision.Options{Format: "tsv"}); err == nil || err.Error() !=
		`logs: format "tsv" is not one of [mind access json csv]` {
		t.Error(err)
	}
}

// MIND's times are those of package time.
func TestMINDTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Int64Range(0, 253402300799).Draw(t, "time")
		layout := rapid.SampledFrom([]string{"1/2/2006 3:04:05 PM", "01/02/2006 03:04:05 pm"}).Draw(t, "layout")
		line := "1\t1\t" + time.Unix(at, 0).UTC().Format(layout) + "\t\t2\n"
		got := said(t, line, decision.Options{Format: MIND, Numbered: true})
		if want := fmt.Sprintf("1@%d 2:shown", at); got != want {
			t.Fatalf("%q says %s, want %s", line, got, want)
		}
	})
}
