package logs_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dejavu/experiments/golden"
	"dejavu/strategies"
	"dejavu/workload/logs"
)

// What is written of all kinds, odd in every manner, by format.
func TestWrittenGolden(t *testing.T) {
	var b strings.Builder
	for _, format := range logs.Formats() {
		var events []logs.Event
		for i := range 44 {
			request := i * 2 / 3 // of one event or two
			events = append(events, logs.Event{
				User: uint64(request / 2), Article: strategies.ID(1000 + i), Time: int64(request * 7200), Request: uint64(request), Kind: logs.Kind(i % 4),
			})
		}
		for _, o := range []logs.WriterOptions{{Columns: columns, Clock: logs.Millis}, {Columns: columns, Odd: true, Malformed: 9}} {
			var text bytes.Buffer
			write(t, &text, format, o, events)
			fmt.Fprintf(&b, "%s, odd %t\n", format, o.Odd)
			for line := range strings.SplitAfterSeq(text.String(), "\n") {
				fmt.Fprintf(&b, "\t%q\n", line)
			}
		}
	}
	golden.File(t, "written.golden", b.String())
}

// A line of OTTO has at most 500 events of a session, and is the last of it.
func TestLongSession(t *testing.T) {
	for n, want := range map[int]int{1: 1, 499: 1, 500: 1, 501: 2, 1000: 2, 1001: 3} {
		events := make([]logs.Event, n)
		for i := range events {
			events[i] = logs.Event{User: 7, Request: uint64(i), Kind: logs.Clicked}
		}
		var text bytes.Buffer
		write(t, &text, logs.OTTO, logs.WriterOptions{}, events)
		if got := strings.Count(text.String(), "\n"); got != want {
			t.Errorf("%d events are written in %d lines, want %d", n, got, want)
		}
		if first, _, _ := strings.Cut(text.String(), "\n"); strings.Count(first, "aid") != min(n, 500) {
			t.Errorf("of %d events the first line has %d", n, strings.Count(first, "aid"))
		}
	}
}

// What a line says, or why it cannot be read, at the edges of each format.
func TestReadGolden(t *testing.T) {
	const mind, otto, adressa = "1\tU1\t%s\t\tN1", `{"session":1,"events":[%s]}`, `{"userId":"a",%s}`
	lines := func(pattern string, values ...string) (all []string) {
		for _, v := range values {
			all = append(all, fmt.Sprintf(pattern, v))
		}
		return all
	}
	var b strings.Builder
	for _, c := range []struct {
		name, header string
		o            logs.Options
		lines        []string
	}{
		{"MIND's times", "", logs.Options{Format: logs.MIND, Numbered: true}, lines(
			mind, "1/1/1970 12:00:00 AM", "12/31/9999 11:59:59 PM", "12/31/2019 12:59:59 pm", "1/31/1970 1:01:01 aM", "2/29/2020 0:00:00 AM", "2/29/2019 0:00:00 AM",
			"2/30/2020 0:00:00 AM", "13/1/2019 1:00:00 AM", "0/1/2019 1:00:00 AM", "1/0/2019 1:00:00 AM", "1/32/2019 1:00:00 AM", "1/1/1969 1:00:00 AM",
			"1/1/2019 13:00:00 AM", "1/1/2019 1:60:00 AM", "1/1/2019 1:00:60 AM", "1/1/2019 1:00:00 BM", "1/1/2019 1:00:00 An", "1/1/2019 1:00:00 A",
			"1/1/2019 1:00:00 AMM", "1/1/20190 1:00:00 AM", "1/1/2019 1:00:00", "1/1/2019 1:00:", "//2019 1:00:00 AM", "1/1-2019 1:00:00 AM", "1/a/2019 1:00:00 AM", "", "1",
		)},
		{"MIND's impressions", "", logs.Options{Format: logs.MIND, Numbered: true}, lines(
			"1\tU1\t1/1/1970 12:00:09 AM\tN9\t%s", "N1 N2-0 N3-1", "  N1   N2 ", "", " ", "N1-", "N1-00", "-0", "N1-2", "N1-1 -", "N1-1\t", "N1-1\t ", "N1-1\tx", "N1-1\tx\ty", "N-0", "NN1", "1-0",
			"N18446744073709551615", "N18446744073709551616", "N28446744073709551615", "z1", "Z1", "[1", "`1", "{1", "1a", "1/", "1:",
		)},
		{"OTTO", "", logs.Options{Format: logs.OTTO, Numbered: true}, append(lines(
			otto, ``, `{"aid":1,"ts":1999,"type":"clicks"}`, `{"aid":1,"ts":1,"type":"carts"},{"aid":"2","ts":"1000","type":"orders"}`, `{}`, `{"aid":1}`, `{"aid":1,"ts":1}`,
			`{"aid":1,"ts":1,"type":null}`, `{"aid":1,"ts":1,"type":"clicks"},`, `,`, `{"aid":1,"ts":1,"type":"clicks"} {"aid":2}`, `1`, `{"aid":true}`, `{"aid":[1]}`, `{"aid":1x}`, `{"aid":-}`, `{"aid":nul}`,
			`{"aid":x,"ts":1,"type":"clicks"}`, `{"aid":1,"ts":-1,"type":"clicks"}`, `{"aid":1,"ts":-1e3,"type":"clicks"}`, `{"aid":1,"ts":2.5E+3,"type":"clicks"}`, `{"aid":1,"ts":1e2e,"type":"clicks"}`,
		),
			`{"session":1}`, `{"events":[]}`, `{"session":1,"events":{}}`, `{"session":1,"events":[`, `{"events":[{"aid":1,"ts":1,"type":"clicks"}],"events":[{"aid":2,"ts":1,"type":"clicks"}],"session":3}`,
			`{"session":2,"session":3,"events":[{"aid":1,"ts":1,"type":"clicks"}]}`, `[]`, `{`, `{"session"`, `{"session":`, `{"session":1`, `{"session":1,`, `{"session":1}{`, `{"session":1} ,`,
		)},
		{"Adressa", "", logs.Options{Format: logs.Adressa}, append(lines(
			adressa, `"time":1,"id":"N1"`, `"time":1`, `"time":1,"id":""`, `"time":1,"id":null`, `"id":"N1"`, `"time":"","id":"N1"`, `"time":253402300799,"id":"N1"`, `"time":253402300800,"id":"N1"`, `"time":253402300800`,
			`"time":253402300799999,"id":"N1"`, `"time":253402300800000,"id":"N1"`, `"time":1e300,"id":"N1"`, `"time":999999999999999999,"id":"N1"`, `"time":1000000000000000000,"id":"N1"`,
			`"time":000000000000000000007,"id":"N1"`, `"time":1.9,"id":"N1"`, `"time":-0.5,"id":"N1"`, `"time":-1,"id":"N1"`, `"time":"NaN","id":"N1"`, `"time":"Inf","id":"N1"`, `"time":" 5 ","id":"N1"`,
			`"time":1,"id":"\u004e1"`, `"time":1,"id":"N\1"`, `"time":1,"id":"N1\"`, `"time":1,"id":"N1\\"`, `"time":1,"\u0069d":"N1"`, `"time":1,"\x":2`, `time:1`, `"time" 1`, `"time"`, `"time":`, `"time":,`, `"time":1,`, `"time":1,,`,
			`"x":{"y":[{"z":"}]\""},"\\"]},"time":1,"id":"N1"`, `"x":{"y":"`, `"x":{"y":[1,2`, `"x":"`, `"x":"\\`, `"x":-1.5E+7,"time":1,"id":"N1"`, `"x":true,"time":1,"id":"N1"`, `"x":?,"time":1`, `"x":}`, `"x":[],"time":1,"id":"N1"`,
			`"x":{},"time":1,"id":"N1"`, `"x":/,"time":1`, `"x"::,"time":1`, "\"x\":`", `"x":{`, `"x":@`, "\t\"time\" :\t1\r,\r\"id\" : \"N1\" ",
		), ` `, `{}`, `{"userId":1,"time":2,"id":3}x`, ` {"userId":1,"time":2,"id":3} `, `"userId"`, `null`)},
		{"a CSV's clicks and times", "user,article,time,opened,request", logs.Options{Columns: columns, Clock: logs.RFC3339}, append(lines(
			"1,2,1970-01-01T00:00:09Z,%s,", "1", "1.0", "true", "True", "TRUE", " 0 ", "0.0", "false", "False", "FALSE", "", " ", "tRUE", "2", "01",
		), lines("1,2,%s,,", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-01:00", "1970-01-01 00:00:09Z", "9", "", " 1970-01-01T01:00:09+01:00 ")...)},
		{"a CSV's fields", "user,article,time", logs.Options{Numbered: true}, []string{
			"1,2,3", "1,2,3,", "1,2,3,,,", "1,2,3,,4", "1,2", "1,,3", ",2,3", "1,2, ", "1,2,3.9", `"1","2","3"`, `"1","2",""`, `"1","2,3`, `"1"x,2,3`, `1,"2"" ",3`, `1,""2,3`, `1,x"2,3`, `1,"2"`, `"1",2,3,`, `1,2,"3",`,
			"1,2,253402300799", "1,2,253402300800", "u1,a2,3", "1,2,-1", "a,b,3", "1\r,2,3", "1,2,3\r", strings.Repeat("9", 41) + ",2,3", strings.Repeat("x", 40) + ",2,3",
		}},
		{"a CSV with milliseconds", "user;article;time", logs.Options{Comma: ";", Format: logs.CSV, Clock: logs.Millis}, lines("N1;N2;%s", "0", "999", "1000", "-1", "-0.5", "0.5", "1999.5", "253402300799999", "253402300800000", "x")},
		{"headers", "", logs.Options{Format: logs.CSV}, []string{`user,article,time`, `user,"article,time`, `a,b`, `user,article,time,user`, `user,article,time,time2`, "user,article,\x00", strings.Repeat("x", 300)}},
	} {
		fmt.Fprintf(&b, "%s\n", c.name)
		for _, line := range c.lines {
			var faults []logs.Fault
			c.o.MaxShare, c.o.OnFault = 1, func(f logs.Fault) { faults = append(faults, f) }
			events, counts, err := read(t, c.header+"\n"+line+"\n", c.o)
			fmt.Fprintf(&b, "\t%q: %d passed, %d blank %v %v\n", line, counts.Passed, counts.Blank, faults, err)
			for said := range strings.Lines(say(events, "N1", "N2", "a", "1", "2", "3")) {
				b.WriteString("\t\t" + said)
			}
		}
	}
	golden.File(t, "read.golden", b.String())
}

// The kinds are named, those that are none too.
func TestKinds(t *testing.T) {
	for kind, want := range map[logs.Kind]string{logs.Shown: "shown", logs.Ignored: "ignored", logs.Clicked: "clicked", logs.Acted: "acted", logs.Acted + 1: "kind 4"} {
		if kind.String() != want || kind.IsExposure() != (kind != logs.Acted) {
			t.Errorf("%v, an exposure %t, want %s", kind, kind.IsExposure(), want)
		}
	}
}
