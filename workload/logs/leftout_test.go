package logs_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// What the options leave out is gone, as if the log did not have it, and counted.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct {
		text, want string
		leftOut    int64
	}{
		{"user,article,time\n1,2,3\n9,2,3\n1,8,4\n,2,5\n1,,6\n2,3,7\n", "0 1@3 2:shown\n1 2@7 3:shown\n", 4},
		{"user,article,time,request\n1,8,3,a\n1,2,3,a\n1,8,3,a\n1,4,3,a\n", "0 1@3 2:shown 4:shown\n", 2},
		{`{"user":1,"article":[8,2,null,3],"time":4}` + "\n" + `{"user":9,"article":[2],"time":4}` + "\n" +
			`{"user":1,"article":[8],"time":4}`, "0 1@4 2:shown 3:shown\n", 2},
		{"1\tU1\t11/15/2019 8:55:22 AM\t\tN8-1 N2-0\n1\tU9\t11/15/2019 8:55:22 AM\t\tN2-1\n" +
			"1\tU1\t11/15/2019 8:55:22 AM\t\tN8\n", "0 1@1573808122 2:ignored\n", 2},
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

// Where all bad lines lie behind one place, it is named, however the log ends; where they lie anywhere, nothing is.
func TestOutage(t *testing.T) {
	var good, bad strings.Builder
	for i := range 500 {
		fmt.Fprintf(&good, "1,2,%d\n", 1573776000+i)
		bad.WriteString("1;2;3\n")
	}
	header := "user,article,time\n"
	since := "from line 502 of log on, after 2019-11-15T00:08:19Z, 100 % of the lines cannot be read (500 of 500)"
	for name, c := range map[string]struct {
		text, want string
		o          logs.Options
	}{
		"a new format":      {good.String() + bad.String(), since, logs.Options{}},
		"and it is allowed": {good.String() + bad.String(), since, logs.Options{MaxShare: 1}},
		"too many at once":  {good.String() + bad.String(), since, logs.Options{MaxFaults: 20}},
		"after a lonely one": {
			"1\n" + good.String() + bad.String(), strings.Replace(since, "502", "503", 1), logs.Options{},
		},
		"with a good one": {
			good.String() + bad.String() + "1,2,1573776999\n", "99.8 % of the lines cannot be read (500 of 501)", logs.Options{},
		},
		"only for a while": {good.String() + bad.String() + strings.Repeat(good.String(), 10), "", logs.Options{}},
		"very many": {
			good.String() + strings.Repeat(bad.String(), 20), "(10000 of 10000)", logs.Options{MaxFaults: 20000, MaxShare: 1},
		},
		"from the first line": {bad.String(), "", logs.Options{Format: logs.CSV, Comma: ","}},
		"two lines in three":  {good.String() + strings.Repeat("1\n1\n1,2,1573776999\n", 200), "", logs.Options{}},
	} {
		for _, workers := range []int{1, 3} {
			c.o.Workers = workers
			l := strategytest.Value(logs.New(strings.NewReader(header+c.text), "log", c.o))
			for range l.Requests() {
			}
			err := l.Close()
			said := fmt.Sprint(err, l.Warnings())
			if !strings.Contains(said, c.want) || strings.Contains(said, "from line") != (c.want != "") ||
				(err == nil) != (c.o.MaxShare == 1 || name == "only for a while") {
				t.Errorf("%s: %s, want %s", name, said, c.want)
			}
		}
	}
}

// A key that many lines have is warned of, quoted for a shell, and the same for any number of workers.
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
	for _, workers := range []int{1, 4} {
		o := logs.Options{Workers: workers, WithoutUsers: []string{"u7", "Eve"}, WithoutArticles: []string{"a 1", "a1"}}
		l := strategytest.Value(logs.New(strings.NewReader(b.String()), "log", o))
		for range l.Requests() {
		}
		strategytest.Must(t, l.Close())
		want := []string{
			`about 33 % of what was read is of the user "\\N": if that is none, --without-user='\N' leaves it out`,
			`--without-article='a 1' leaves nothing out: no line that was read has that article; the most frequent are ` +
				`["a625" "a0" "a2500"]`,
			`--without-user=Eve leaves nothing out: no line that was read has that user; the most frequent are ` +
				`["\\N" "u1001" "u1007"]`,
		}
		if got := l.Warnings(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The same events are read from a table, from columns that are aligned, from lines of JSON and from an array of them,
// on one line or on many, and from an archive.
func TestSameInEachForm(t *testing.T) {
	want := some(logs.Access, 3000)
	lines := strings.Split(strings.TrimSuffix(string(text(logs.JSON, want)), "\n"), "\n")
	for i, line := range lines {
		lines[i] = `{"more":"a,[\"{\\",` + line[1:]
	}
	one := "[" + strings.Join(lines, ",") + "]"
	var wide bytes.Buffer
	strategytest.Must(t, json.Indent(&wide, []byte(one), "", "  "))
	table := string(text(logs.CSV, want))
	_, bare, _ := strings.Cut(table, "\n")
	for name, content := range map[string]string{
		"table": table, "lines": strings.Join(lines, "\n"), "array": one, "indented": "\xef\xbb\xbf" + wide.String(),
		"listed": "[\r\n" + strings.Join(lines, "\r\n, ") + "\n]\n", "access": string(text(logs.Access, want)),
		"aligned": strings.ReplaceAll("  "+strings.ReplaceAll(table, "\n", "\n   "), ",", "    "),
		"bare":    strings.ReplaceAll(bare, ",", "  "),
	} {
		var packed bytes.Buffer
		w := zip.NewWriter(&packed)
		member := strategytest.Value(w.Create("log"))
		strategytest.Value(member.Write([]byte(content)))
		strategytest.Must(t, w.Close())
		for i, data := range [][]byte{[]byte(content), packed.Bytes()} {
			path := filepath.Join(t.TempDir(), name)
			strategytest.Must(t, os.WriteFile(path, data, 0o600))
			o := logs.Options{Numbered: true, MaxFaults: -1}
			if name == "bare" {
				o.Columns = logs.Columns{User: "1", Article: "2", Time: "3"}
			}
			got, l, err := all(logs.Open(t.Context(), o, path))
			for i := range got {
				got[i].Kind = logs.Clicked
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %d: %d events, want %d: %v", name, i, len(got), len(want), err)
			} else if p := l.Position(); p.Read < p.Total-200 || p.Read > p.Total {
				t.Errorf("%s, %d: %d of %d bytes were read", name, i, p.Read, p.Total)
			}
		}
	}
}

// An array that is cut short is an error, and so is an archive that holds several files, or comes through a pipe.
func TestPacked(t *testing.T) {
	const bz2 = "QlpoOTFBWSZTWTjQpdYAAAvZgAAQAAQ4AComHgAgACKDagfqagpgADShELNeBLo1t+OnxdyRThQkDjQpdYA="
	const xz = "/Td6WFoAAAFpIt42AgAhARYAAAB0L+WjAQAXdXNlcixhcnRpY2xlLHRpbWUKMSwyLDMKACt9+q4AASwY00bbCpBCmQ0BAAAAAAFZWg=="
	const wide = "/Td6WFoAAAD/EtlBAgAhASUAAAA7eHtBAQAXdXNlcixhcnRpY2xlLHRpbWUKMSwyLDMKAAABKBjXg7duBnKeegEAAAAAAFla"
	unpacked := strategytest.Value(base64.StdEncoding.DecodeString(bz2))
	fromXZ := string(strategytest.Value(base64.StdEncoding.DecodeString(xz)))
	fromWide := string(strategytest.Value(base64.StdEncoding.DecodeString(wide)))
	archive := func(names ...string) string {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, name := range names {
			strategytest.Value(w.Create(name))
		}
		strategytest.Must(t, w.Close())
		return b.String()
	}
	two := archive("a.csv", "b.csv", "dir/", "__MACOSX/a.csv")
	for _, c := range []struct{ data, want string }{
		{archive("xl/workbook.xml", "xl/styles.xml"), "an Excel workbook: save the sheet of the log as CSV"},
		{string(unpacked), ""},
		{string(unpacked[:len(unpacked)-9]), "unexpected EOF"},
		{`[{"user":1,"article":2,"time":3}]`, ""},
		{`[{"user":1,"article":2,"time":3},`, "the file is cut short: unexpected EOF"},
		{two, "an archive of 2 files: 'unzip FILE' unpacks them; name those of the log"},
		{two[:40], "zip: not a valid zip file"},
		{fromXZ, ""},
		{fromXZ[:50], "a:2: after 50 bytes: the file is cut short: unexpected EOF"},
		{archive(), "an archive of 0 files"},
		{fromWide, "a: xz asks for 1536 MB of memory, want up to 128: 'xz -dc FILE' unpacks it"},
		{fromXZ + fromWide, "xz asks for 1536 MB of memory"},
	} {
		name := put(t, c.data)[0]
		events, _, err := all(logs.Open(t.Context(), logs.Options{}, name))
		read := err == nil && len(events) == 1
		if read != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %d events, %v, want %s", c.data, len(events), err, c.want)
		}
	}
	_, _, err := read(t, two, logs.Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "cannot be read from a pipe: funzip before it unpacks one") {
		t.Error(err)
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

// all reads a log to its end.
func all(l *logs.Log, err error) ([]logs.Event, *logs.Log, error) {
	if err != nil {
		return nil, nil, err
	}
	events := slices.Collect(eventsOf(l))
	return events, l, l.Close()
}

// The files of a log that are read apart are the log: its events, counts and faults, in their order.
func TestFilesApart(t *testing.T) {
	for _, format := range logs.Formats() {
		events := some(format, 2000)
		var contents []string
		for from, to := 0, 0; from < len(events); from = to {
			for to = min(from+1500, len(events)); to < len(events) && events[to].Request == events[to-1].Request; to++ {
			}
			contents = append(contents, oddly(format, string(text(format, events[from:to])), 400), "\n \r\n", "")
		}
		names := put(t, contents...)
		o := logs.Options{Format: format, Columns: columns, Numbered: true, MaxShare: 1}
		var faults []logs.Fault
		o.OnFault = func(f logs.Fault) { faults = append(faults, f) }
		want, whole, err := all(logs.Open(t.Context(), o, names...))
		if err != nil || !slices.Equal(want, events) {
			t.Fatalf("%s: %d events, %v, want %d", format, len(want), err, len(events))
		}
		wantFaults := slices.Clone(faults)
		faults = faults[:0]
		var got []logs.Event
		var counts logs.Counts
		for _, name := range names {
			part, l, err := all(logs.Open(t.Context(), o, name))
			strategytest.Must(t, err)
			for i := range part {
				part[i].Request += uint64(counts.Requests)
			}
			got = append(got, part...)
			counts.Add(l.Counts())
		}
		if !slices.Equal(got, want) || counts != whole.Counts() || !slices.Equal(faults, wantFaults) || len(faults) == 0 {
			t.Errorf("%s: apart %d events, %+v, %d faults; together %d, %+v, %d",
				format, len(got), counts, len(faults), len(want), whole.Counts(), len(wantFaults))
		}
	}
}

// A request ends with its file, though the next one begins with the same key.
func TestRequestEndsWithItsFile(t *testing.T) {
	const header = "user,article,time,request\n"
	o := logs.Options{Columns: columns, Format: logs.CSV}
	o.Columns.Clicked = ""
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
		events, l, err := all(logs.Open(t.Context(), o, put(t, c.contents...)...))
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

// The format is that of the first file that says something, and stays it.
func TestFormatIsTheLogs(t *testing.T) {
	names := put(t, "\n\n", "", "user,article,time\n1,2,3\n", " \n", "user_id,video_id,time_ms\n1,2,3000\n")
	_, l, err := all(logs.Open(t.Context(), logs.Options{}, names...))
	if err == nil || !strings.Contains(err.Error(), `e:1: no column "user" (user)`) || l.Decided().Format != logs.CSV {
		t.Errorf("after a file of blank lines a CSV is %s: %v", l.Decided().Format, err)
	}
}

// The first block of a later file is cut by the log's format, too: here a column's
// name looks like JSON, and its fields have more lines than a block.
func TestFormatCutsLaterFiles(t *testing.T) {
	first := "user,article,time\n1,2,3\n"
	second := "{note},user,article,time\n\"" + strings.Repeat("\n", 200<<10) + "\",1,3,4\n"
	events, l, err := all(logs.Open(t.Context(), logs.Options{}, put(t, first, second)...))
	if err != nil || len(events) != 2 || l.Counts().Lines != 2 {
		t.Errorf("%d events, %+v, %v; want 2 events of 2 records", len(events), l.Counts(), err)
	}
}
