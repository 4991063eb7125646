package decision

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/event"
)

// decided is how a log is read that begins with this text, or why that is not known.
func decided(t *testing.T, text string, o Options) string {
	t.Helper()
	o, err := o.WithDefaults()
	strategytest.Must(t, err)
	if text[0] == '{' {
		err = Objects(&o, []byte(text))
		o.Format = JSON
	} else if err = Table(&o, []byte(text)); err == nil {
		o.Format = CSV
	}
	if err != nil {
		return err.Error()
	}
	open := ""
	if !o.IsDecided() {
		open = " (open)"
	}
	return o.Layout() + open
}

func columns(user, article, time string) Options {
	return Options{Columns: Columns{User: user, Article: article, Time: time}}
}

// What beginnings tell, and what may be two things, which is asked for.
func TestDecided(t *testing.T) {
	const comma = `csv with "," between fields; user, article and time in columns `
	const tab = `csv with "\t" between fields that have no quotes`
	const json = `json; user, article and time in members `
	numbers := columns("1", "2", "3")
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{"user,article,time\n1,2,3\n", Options{}, comma + `"user", "article" and "time"; times in s`},
		{"user,article,time\n", Options{}, comma + `"user", "article" and "time" (open)`},
		{"USER,Article:token,Time:float\n1,2,3\n", Options{}, comma + `"USER", "Article:token" and "Time:float"; times in s`},
		{"Reader,ITEM,When\n1,2,3\n", columns("reader", "item", "when"), comma + `"Reader", "ITEM" and "When"; times in s`},
		{"a,user_ID,Item-Id,createdAt\n1,2,3,2019-11-15\n", Options{}, comma + `"user_ID", "Item-Id" and "createdAt"; ` +
			`times in rfc3339`},
		{
			"user,article,time,on\n1,2,3,0\n",
			Options{Columns: Columns{Clicked: "ON", Request: "user"}},
			comma + `"user", "article" and "time", clicked in "on", request in "user"; times in s`,
		},
		{"user\tarticle\ttime\n\"1\t\"2\t3\n1\t2\t3\n", Options{}, tab + `; user, article and time in columns "user", ` +
			`"article" and "time"; times in s`},
		{
			"user\tarticle\ttime\n1\t2\t3\n",
			Options{Quote: Double},
			`csv with "\t" between fields; user, article and time in columns "user", "article" and "time"; times in s`,
		},
		{
			"user;items;time\n1;[2 3];3\n1;;3\n", columns("", "items", ""),
			`csv with ";" between fields; user, article and time in columns "user", "items" and "time"; lists of ` +
				`articles in brackets; times in s`,
		},
		{
			"user;items;time\n1;[2 3];3\n1;4;3\n", columns("", "items", ""),
			`csv with ";" between fields; user, article and time in columns "user", "items" and "time"; times in s`,
		},
		{
			"user\titems:token_seq\ttime\n1\t2 3\t4\n", columns("", "items", ""),
			tab + `; user, article and time in columns "user", "items:token_seq" and "time"; lists of articles with " " ` +
				`between them; times in s`,
		},

		{"a,b,c\n1,2,1573776000\n", numbers, comma + `"a", "b" and "c"; times in s`},
		{"7,8,9\n1,2,3\n", numbers, `csv with "," between fields, without a header; user, article and time in columns ` +
			`"1", "2" and "3"; times in s`},
		{"7,8,9\n1,2,3\n", Options{NoHeader: true}, `csv with "," between fields, without a header; user, article and ` +
			`time in columns "1", "2" and "3"; times in s`},
		{"7,8,9\n1,2,3\n", columns("1", "2", "4"), `no column "1" (user) among ["7" "8" "9"]: name them, perhaps so: ` +
			`--columns user=8,article=9,time=7`},
		{"7,8,9\n1,2,3\n", Options{NoHeader: true, Columns: Columns{User: "4"}}, `no column "4" (user) among ["1" "2" ` +
			`"3"]: name them, perhaps so: --columns user=1,article=2,time=3`},
		{"1::2::3::1573776000\n", Options{}, `the first line, of fields ["1" "2" "3" "1573776000"], names no columns: ` +
			`name them, perhaps so: --columns user=1,article=2,time=4`},
		{"1;2;1573776000,5,1573776000\n", numbers, `fields may be separated by "," or by ";": --comma names it`},
		{"1,2,3\n1,2\n1,2\n", Options{Format: CSV, Columns: numbers.Columns}, `no column "1" (user) among ["1,2,3"]: ` +
			"name them, perhaps so: --columns user=1,2,3,article=ARTICLE,time=TIME"},
		{"7,8,9\n1,2\n1,2\n", Options{Comma: ",", Columns: numbers.Columns}, `csv with "," between fields, without a ` +
			`header; ` +
			`user, article and time in columns "1", "2" and "3"; times in s`},
		{"once upon a time\n", Options{}, "no table"},
		{"#Software: IIS 10\n2024-05-01 10:00:00 u1\n", Options{}, "no table"},
		{"once,upon\n", Options{}, "no table"},
		{"once,upon,a\n", Options{}, `no column is known to be the user or the article or the time among ["once" ` +
			`"upon" "a"]: ` +
			"name them, perhaps so: --columns user=once,article=upon,time=TIME"},
		{"once\n", Options{Format: CSV}, `no column is known to be the user or the article or the time among ["once"]: ` +
			"name them, perhaps so: --columns user=once,article=ARTICLE,time=TIME"},
		{"user,item_id,movie_id,time\n1,2,3,4\n", Options{}, `columns "item_id" and "movie_id" may be the article among ` +
			`["user" "item_id" "movie_id" "time"]: name them, perhaps so: --columns user=user,article=item_id,time=time`},
		{"user,article,time\n1,2,3\n", columns("", "item", ""), `no column "item" (article) among ["user" "article" ` +
			`"time"]: ` +
			"name them, perhaps so: --columns user=user,article=article,time=time"},
		{"a b,it's,c\n1,2,2019-11-15\n", Options{}, `no column is known to be the user or the article or the time ` +
			`among ["a b" "it's" "c"]: ` +
			`name them, perhaps so: --columns user='a b',article='it'\''s',time=c`},
		{"user,article,time,user\n", Options{}, `two columns "user" (user)`},
		{"user,article,time,User\n", columns("USER", "", ""), `two columns "USER" (user)`},
		{"user,article,time\n", Options{Columns: Columns{Request: "r"}}, `no column "r" (request) among ["user" "article" ` +
			`"time"]: name them, perhaps so: --columns user=user,article=article,time=time`},
		{"user,\"article,time\n", Options{Comma: ",", Format: CSV}, "header: a quoted field does not end, or not well " +
			"(--quote none takes quotes as they are)"},
		{"user,article,time\n1,2,1573776000\n1,2,1573776000000\n", Options{}, `column "time": time "1573776000" may ` +
			`be seconds since 1970 ` +
			`(--clock s), and time "1573776000000" milliseconds since 1970 (--clock ms): name the clock`},

		{"user,article,time,date\n1,2,8:55,15/11/2019\n", Options{}, `column "time": "date" has another part of the times: ` +
			"--columns user=user,article=article,time=date+time joins them, and --clock takes this part alone"},
		{"user,article,time,zone\n1,2,2019-11-15 08:55,+0100\n", Options{}, `column "time": "zone" has another part of the ` +
			"times: --columns user=user,article=article,time=time+zone joins them, and --clock takes this part alone"},
		{"user,article,time,day\n1,2,15-Nov-2019,Fri\n", Options{}, comma + `"user", "article" and "time"; times in english`},
		{"user,article,day,hour\n1,2,2019-11-15,08:55\n", columns("", "", "DAY+hour"), comma + `"user", "article" and ` +
			`"DAY+hour"; times in rfc3339`},
		{`{"user":1,"article":2,"date":"2019-11-15","at":"08:55"}`, Options{}, `member "date": "at" has another part of ` +
			`the times: jq -c '.at = .date + " " + .at' FILE joins them, and --clock takes this part alone`},
		{`{"user":1,"article":[2],"time":"2019-11-15"}`, Options{}, json + `"user", "article" and "time"; lists of ` +
			`articles in brackets; times in rfc3339`},
		{`{"u":{"id":1},"item":2,"ts":3}`, columns("u.id", "", ""), json + `"u.id", "item" and "ts"; times in s`},
		{`{"user":1,"item":2,"ts":3}`, Options{Columns: Columns{Clicked: "on", Request: "r"}}, json +
			`"user", "item" and "ts", clicked in "on", request in "r"; times in s`},
		{`{"a":1,"b":{"c":2},"d":"2019-11-15"}`, Options{}, `no column is known to be the user or the article or the ` +
			`time among ["a" "b.c" "d"]: ` +
			"name them, perhaps so: --columns user=a,article=b.c,time=d"},
		{"{\"user\":1,\"item\":2}\n\n{\"ts\":\"x\"}\n", Options{}, `member "ts": time "x" is in no known notation ` +
			`(--clock): s is seconds since 1970; ` +
			"ms is milliseconds since 1970; us is microseconds since 1970; ns is nanoseconds since 1970; " +
			"rfc3339 is like 2019-11-15T08:55:22Z (RFC 3339) or 2019-11-15 08:55; date is like 20191115 or 20191115085522; " +
			"mdy is like 11/15/2019 8:55:22 AM; dmy is like 15/11/2019 08:55:22; english is like Fri Nov 15 08:55:22 " +
			"+0000 2019"},
		{"{user,article,time\n1,2,3\n", Options{}, `the first lines are not JSON objects: JSON: cannot find opening '"" ` +
			`for object key before "user,article,time"`},
	} {
		if got := decided(t, c.text, c.o); got != c.want {
			t.Errorf("%q: %s\nwant %s", c.text, got, c.want)
		}
	}
}

// A thousand records tell, and of many columns forty are named.
func TestSampleIsBounded(t *testing.T) {
	header := "user,article,time\n"
	for n, want := range map[int]string{999: "name the clock", 1000: "times in s"} {
		text := header + strings.Repeat("1,2,5\n", n-1) + strings.Repeat("1,2,2019-11-15\n", 5000)
		if n == 999 {
			text = header + strings.Repeat("1,2,5\n", 800) + strings.Repeat("1,2,2019-11-15\n", 199)
		}
		if got := decided(t, text, Options{Comma: ","}); !strings.Contains(got, want) {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int]string{40: `"c40"]: `, 43: `"c40"] and 3 more: `} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("c%d", i+1))
		}
		if got := decided(t, strings.Join(names, ",")+"\n", columns("u", "c1", "c2")); !strings.Contains(got, want) {
			t.Errorf("of %d columns: %s, want %s", n, got, want)
		}
	}
}

// Articles are listed as it was decided.
func TestArticles(t *testing.T) {
	for _, c := range []struct{ list, field, want string }{
		{Brackets, "[1, 2]", "1|2"},
		{Brackets, " ['a' \"b\"] ", "a|b"},
		{Brackets, "[]", ""},
		{Brackets, "[1", `article "[1" is not a list in brackets (--list none takes it for one article)`},
		{Brackets, "1]", `article "1]" is not a list in brackets (--list none takes it for one article)`},
		{";", "1; 'b' ;;", "1|'b'"},
	} {
		articles, reason := (&Options{List: c.list}).Articles(nil, []byte(c.field))
		var got []string
		for _, a := range articles {
			got = append(got, string(a))
		}
		if reason != "" {
			got = append(got, reason)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q in %q: %q, want %s", c.list, c.field, got, c.want)
		}
	}
}

// What options may be at the most, or at the least, they may be, and no more.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Comma: `"`}, `Comma "\"", want no quote`},
		{Options{Comma: ":\n"}, `Comma ":\n", want`},
		{Options{Comma: "\r"}, `Comma "\r", want`},
		{Options{MaxLine: 1023}, "MaxLine 1023, want 1024 to 1073741824 bytes"},
		{Options{MaxLine: 1<<30 + 1}, "MaxLine 1073741825, want"},
		{Options{MaxShare: 1.001}, "MaxShare 1.001, want above 0 and up to 1"},
		{Options{MaxShare: -0.001}, "MaxShare -0.001, want"},
		{Options{Workers: -1}, "Workers -1, want"},
		{Options{Workers: 1025}, "Workers 1025, want 1 to 1024"},
		{Options{Clock: "hours"}, `Clock "hours", want one of`},
		{Options{Quote: "single"}, `Quote "single", want "double" or "none"`},
		{Options{Comma: "é"}, ""},
		{Options{MaxLine: 1024}, ""},
		{Options{MaxLine: 1 << 30}, ""},
		{Options{MaxShare: 1e-9}, ""},
		{Options{MaxShare: 1, Quote: NoQuotes}, ""},
		{Options{Workers: 1, Clock: clock.Date}, ""},
		{Options{Workers: 1024, Quote: Double}, ""},
	} {
		_, err := c.o.WithDefaults()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
	o, err := Options{}.WithDefaults()
	if err != nil || o.MaxLine != 1<<20 || o.MaxFaults != 1000 || o.MaxShare != 0.1 || o.Workers < 1 || o.Workers > 8 {
		t.Errorf("%+v, %v", o, err)
	}
	for _, c := range []struct {
		o    Options
		want bool
	}{
		{Options{}, false},
		{Options{Format: "mind"}, true},
		{Options{Format: CSV, Comma: ",", Clock: clock.Seconds}, false},
		{Options{Format: CSV, Comma: ",", List: NoList}, false},
		{Options{Format: CSV, Clock: clock.Seconds, List: NoList}, false},
		{Options{Format: CSV, Comma: ",", Clock: clock.Seconds, List: NoList}, true},
		{Options{Format: JSON, Clock: clock.Seconds}, false},
		{Options{Format: JSON, List: NoList}, false},
		{Options{Format: JSON, Clock: clock.Seconds, List: NoList}, true},
	} {
		if c.o.IsDecided() != c.want {
			t.Errorf("%+v is decided: %t", c.o, !c.want)
		}
	}
	if got := (Options{Format: "mind", Clock: clock.DMY}).Layout(); got != "mind, times in dmy" {
		t.Error(got)
	}
}

// So many faults, and so great a share of them, are too many.
func TestJudge(t *testing.T) {
	first := event.Fault{File: "log", Line: 3, Reason: "2 fields"}
	for _, c := range []struct {
		o    Options
		read event.Counts
		want string
	}{
		{Options{}, event.Counts{Lines: 100}, ""},
		{Options{}, event.Counts{Lines: 110, Faults: 10, Blank: 10}, ""},
		{
			Options{},
			event.Counts{Lines: 110, Faults: 11, Blank: 10},
			"logs: 11 of 100 lines cannot be read, more than 0.1 of them (--share): is this csv? The first: log:3: 2 fields",
		},
		{Options{}, event.Counts{Lines: 40, Faults: 20, Empty: 20}, "logs: 20 of 40 lines cannot be read, more than 0.1 of " +
			"them (--share): all of them have no user or no article, and --skip-empty leaves such lines out. The first: " +
			"log:3: 2 fields"},
		{Options{MaxFaults: 2}, event.Counts{Lines: 100, Faults: 2}, ""},
		{Options{MaxFaults: 2}, event.Counts{Lines: 100, Faults: 3}, "logs: more than 2 lines cannot be read " +
			"(--faults). The first: log:3: 2 fields"},
		{Options{MaxFaults: -1}, event.Counts{Lines: 100, Faults: 1}, "logs: more than 0 lines cannot be read " +
			"(--faults). The first: log:3: 2 fields"},
		{Options{MaxShare: 1}, event.Counts{Lines: 1001, Faults: 1001}, "logs: more than 1000 lines cannot be read " +
			"(--faults). The first: log:3: 2 fields"},
		{Options{MaxShare: 2}, event.Counts{}, "logs: MaxShare 2, want above 0 and up to 1"},
	} {
		err := c.o.Judge(c.read, first, CSV)
		if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%+v: %v, want %q", c.read, err, c.want)
		}
		if c.read.Faults > 0 && err != nil && !errors.As(err, new(event.Fault)) {
			t.Errorf("%v: the first fault is not in the chain", err)
		}
	}
}
