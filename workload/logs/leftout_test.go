package logs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// What the options leave out is missing, as if the log did not contain it, and counted.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct {
		text, want string
		leftOut    int64
	}{
		{"user,article,time\n1,2,3\n9,2,3\n1,8,4\n,2,5\n1,,6\n2,3,7\n", "0 1@3 2\n1 2@7 3\n", 4},
		{"user,article,time,request\n1,8,3,a\n1,2,3,a\n1,8,3,a\n1,4,3,a\n", "0 1@3 2 4\n", 2},
		{`{"user":1,"article":[8,2,null,3],"time":4}` + "\n" + `{"user":9,"article":[2],"time":4}` + "\n" +
			`{"user":1,"article":[8],"time":4}`, "0 1@4 2 3\n", 2},
		{"1\tU1\t11/15/2019 8:55:22 AM\t\tN8-1 N2-0\n1\tU9\t11/15/2019 8:55:22 AM\t\tN2-1\n" +
			"1\tU1\t11/15/2019 8:55:22 AM\t\tN8\n", "0 1@1573808122 2\n", 2},
		{`9 - - [15/Nov/2019:08:55:22 +0000] "GET 2 HTTP/1.1" 200 5` + "\n" +
			`1 - - [15/Nov/2019:08:55:22 +0000] "GET 8 HTTP/1.1" 200 5`, "", 2},
	} {
		o := logs.Options{Numbered: true, SkipEmpty: true, MaxFaults: -1, Columns: logs.Columns{}}
		o.WithoutUsers, o.WithoutArticles = []string{"9", "U9"}, []string{"7", "8", "N8"}
		if strings.Contains(c.text, "request") {
			o.Columns.Request = "request"
		}
		events, counts, err := read(t, c.text, o)
		if got := say(events); got != c.want || counts.LeftOut != c.leftOut || counts.Passed != 0 || err != nil {
			t.Errorf("%.40q: %+v, %v, want %d left out; got\n%swant\n%s", c.text, counts, err, c.leftOut, got, c.want)
		}
	}
}

// Frequent keys are warned of, quoted for a shell.
func TestWarnings(t *testing.T) {
	var b strings.Builder
	b.WriteString("user,article,time\n")
	for i := range 40_000 {
		user := fmt.Sprint("u", i%3000)
		if i%3 == 0 {
			user = `\N`
		}
		fmt.Fprintf(&b, "%s,a%d,%d\n", user, i*i%5000, 1573776000+i)
	}
	var alike []string // eight users with many articles
	for i := range 2000 {
		alike = append(alike, fmt.Sprintf("u%d,a%d", i%8, i%100))
	}
	for n, want := range map[int]string{0: " []", 300: `% of what was read is of the article "a1"`} {
		lines := slices.Concat(alike, slices.Repeat([]string{"u0,a1"}, n))
		if got := verdict(t, none, put(t, tableOf(lines...))...); !strings.Contains(got, want) {
			t.Errorf("users alike, and %d lines: %s, want %s", n, got, want)
		}
	}
	o := logs.Options{WithoutUsers: []string{"u7", "Eve"}, WithoutArticles: []string{"a 1", "a1"}}
	l := strategytest.Value(logs.New(strings.NewReader(b.String()), "log", o))
	for range l.Requests() {
	}
	strategytest.Must(t, l.Close())
	want := []string{
		`about 33.3 % of what was read is of the user "\\N": if that is none, --without-user='\N' leaves it out`,
		`--without-user=Eve leaves nothing out: no line that was read has that user; the most frequent are ` +
			`["\\N" "u1001" "u1007"]`,
		`--without-article='a 1' leaves nothing out: no line that was read has that article; the most frequent are ` +
			`["a625" "a0" "a2500"]`,
	}
	if got := l.Warnings(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// put writes files of these contents, and names them in their order.
func put(t *testing.T, contents ...string) (names []string) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range contents {
		names = append(names, filepath.Join(dir, string(rune('a'+i))))
		strategytest.Must(t, os.WriteFile(names[i], []byte(text), 0o600))
	}
	return names
}

// open opens the log of these files.
func open(t testing.TB, o logs.Options, names ...string) (*logs.Log, error) {
	files, remove, err := logs.Files(t.Context(), names...)
	t.Cleanup(remove)
	if err != nil {
		return nil, err
	}
	return logs.Open(t.Context(), o, files)
}

// all reads a log to its end.
func all(l *logs.Log, err error) ([]logs.Event, *logs.Log, error) {
	if err != nil {
		return nil, nil, err
	}
	events := slices.Collect(eventsOf(l))
	return events, l, l.Close()
}

// A request ends with its file, though the next one begins with the same key.
func TestRequestEndsWithItsFile(t *testing.T) {
	const header = "user,article,time,request\n"
	o := logs.Options{Columns: columns, Format: logs.CSV}
	for _, c := range []struct {
		contents []string
		want     []uint64 // numbers of requests
	}{
		{[]string{header + "1,1,1,a\n1,2,1,a\n1,3,1,a\n"}, []uint64{0, 0, 0}},
		{[]string{header + "1,1,1,a\n1,2,1,a\n", header + "1,3,1,a\n"}, []uint64{0, 0, 1}},
		{
			[]string{header + "1,1,1,a\n", header, header + "torn\n", "", "\n", header + "1,2,1,a\n1,3,1,a\n"},
			[]uint64{0, 1, 1},
		},
	} {
		events, l, err := all(open(t, o, put(t, c.contents...)...))
		var got []uint64
		for _, e := range events {
			got = append(got, e.Request)
		}
		// A torn line of three is a great share, and the events are there before that is judged.
		if err != nil && !strings.Contains(err.Error(), "1 of 4 lines cannot be read") || !slices.Equal(got, c.want) {
			t.Errorf("%q: requests %v, %v, want %v", c.contents, got, err, c.want)
		}
		strategytest.Equal(t, l.Counts().Requests, int64(c.want[2])+1, "%q: requests", c.contents)
	}
}

// The first file with content decides the format of all.
func TestFormatIsTheLogs(t *testing.T) {
	names := put(t, "\n\n", "", "user,article,time\n1,2,3\n", " \n", "user_id,video_id,time_ms\n1,2,3000\n")
	_, l, err := all(open(t, logs.Options{}, names...))
	if err == nil || !strings.Contains(err.Error(), `e:1: no column "user" (user)`) || l.Decided().Format != logs.CSV {
		t.Errorf("after a file of blank lines a CSV is %s: %v", l.Decided().Format, err)
	}
}
