package logs_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// Lines are counted through blocks, blank lines, lines that are too long and quotes that do not end.
func TestPlaces(t *testing.T) {
	var text strings.Builder
	line, events := 0, 0
	add := func(s string) (at int64) {
		text.WriteString(s)
		line++
		return int64(line)
	}
	var want []int64
	add("\n")
	add("user,article,\"time\"\n")
	want = append(want, add("1,2\n"))
	for range 3 {
		for i := range 20000 {
			if add(fmt.Sprintf("1,\"a%d\",3\r\n", i)); i%100 == 0 {
				add("\r\n")
			}
			events++
		}
		want = append(want, add("1,2\n"), add(strings.Repeat("long", 300_000)+"\n"), add("1,2,soon\n"), add("1,\"2,3\n"))
		if line < 30_000 { // longer than a block, and not too long
			add("1," + strings.Repeat("2", 1<<20-4) + ",3\n")
			events++
		}
	}
	add("1,2,3")
	events++
	var got []int64
	l := strategytest.Value(logs.New(strings.NewReader(text.String()), "log", logs.Options{
		Format: logs.CSV, OnFault: func(f logs.Fault) { got = append(got, f.Line) },
	}))
	n := 0
	for range eventsOf(l) {
		n++
	}
	if err := l.Close(); err != nil || n != events || !slices.Equal(got, want) {
		t.Errorf("%d events, faults in lines %v, error %v; want %d, %v", n, got, err, events, want)
	}
	if p := l.Position(); p.Line != int64(line) || p.File != "log" {
		t.Errorf("ended at %+v, want line %d", p, line)
	}
}

// If reading fails, whole lines before are read, and half a line is not.
func TestHalfALine(t *testing.T) {
	broken := errors.New("cable cut")
	in := io.MultiReader(strings.NewReader("user,article,time\n1,2,3\n1,2,34"), iotest.ErrReader(broken))
	l := strategytest.Value(logs.New(in, "log", none))
	events := slices.Collect(eventsOf(l))
	if err := l.Close(); len(events) != 1 || !errors.Is(err, broken) ||
		!strings.HasPrefix(err.Error(), "logs: log:3: ") {
		t.Errorf("%d events, error %v; want 1 and %v", len(events), err, broken)
	}
}

// Files after the first have headers of their own, in an order of their own, and
// faults name the file. Positions never go back.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"1.csv": "user,article,time\n7,1,1\n",
		"2.csv": "",
		"3.csv": "time,more,user,article\r\n2,,7,2\r\nx,,7,2\r\n",
	} {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	var faults []logs.Fault
	o := logs.Options{Numbered: true, MaxShare: 0.5, OnFault: func(f logs.Fault) { faults = append(faults, f) }}
	l := strategytest.Value(open(t, o, filepath.Join(dir, "1.csv"), filepath.Join(dir, "[23].csv")))
	strategytest.Equal(t, l.Decided().Format, "", "format before the first line")
	var events []logs.Event
	before := l.Position()
	for e := range eventsOf(l) {
		events = append(events, e)
		if at := l.Position(); at.Read < before.Read || at.Total != 64 {
			t.Errorf("at %+v after %+v, want no less read, of 64", at, before)
		}
		before = l.Position()
	}
	if err := l.Close(); err != nil || l.Decided().Format != logs.CSV {
		t.Errorf("format %q, error %v", l.Decided().Format, err)
	}
	if got, want := say(events), "0 7@1 1\n1 7@2 2\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(faults) != 1 || faults[0].File != filepath.Join(dir, "3.csv") || faults[0].Line != 3 {
		t.Errorf("%v, want one in line 3 of 3.csv", faults)
	}
}

// "-" is the standard input, which is copied.
func TestStandardInput(t *testing.T) {
	name := put(t, "user,article,time\nu,a,1\n", "user,article,time\nu,b,2\nu,b\n")
	in := strategytest.Value(os.Open(name[1]))
	defer in.Close()
	before := os.Stdin
	defer func() { os.Stdin = before }()
	os.Stdin = in
	for _, order := range [][]string{{name[0], "-"}, {"-", name[0]}} {
		strategytest.Must(t, strategytest.ErrorOf(in.Seek(0, io.SeekStart)))
		var faults []logs.Fault
		o := logs.Options{MaxShare: 1, OnFault: func(f logs.Fault) { faults = append(faults, f) }}
		events, l, err := all(open(t, o, order...))
		if err != nil || len(events) != 2 || len(faults) != 1 || faults[0].File != "standard input" || faults[0].Line != 3 {
			t.Errorf("%d events, %v, %v", len(events), faults, err)
		}
		if p := l.Position(); p.Total != 24+28 || p.Read != 24+28 {
			t.Errorf("ended at %+v", p)
		}
	}
	if _, err := open(t, none, "-", "-"); err == nil || !strings.Contains(err.Error(), "- and - are the same file") {
		t.Error(err)
	}
}

// A file that is gone when its turn comes ends the log, after the other files.
func TestGone(t *testing.T) {
	lines := 300_000
	names := put(t, "user,article,time\n"+strings.Repeat("1,2,3\n", lines), "user,article,time\n1,2,3\n")
	l := strategytest.Value(open(t, logs.Options{}, names...))
	if err := os.Remove(names[1]); err != nil { // more blocks come before it than are read ahead
		t.Fatal(err)
	}
	n := 0
	for range eventsOf(l) {
		n++
	}
	if err := l.Close(); n != lines || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), ": open ") {
		t.Errorf("%d events, %v", n, err)
	}
	if p := l.Position(); p.File != names[1] {
		t.Errorf("ended at %+v", p)
	}
}

// A request longer than memory should be comes in pieces of 65536 events.
func TestPieces(t *testing.T) {
	const most = 1 << 16
	for _, n := range []int{most - 1, most, most + 1, 2*most + 9} {
		var want []int
		for left := n; left > 0; left -= most {
			want = append(want, min(left, most))
		}
		var text strings.Builder
		text.WriteString("user,article,time,request\n")
		for i := range n {
			fmt.Fprintf(&text, "2,%d,1573776001,b\n", i)
		}
		text.WriteString("2,0,1573776002,c\n")
		o := logs.Options{Columns: logs.Columns{Request: "request"}}
		l := strategytest.Value(logs.New(strings.NewReader(text.String()), "log", o))
		var got []int
		for request := range l.Requests() {
			got = append(got, len(request))
		}
		if want := append(slices.Clone(want), 1); l.Close() != nil || !slices.Equal(got, want) {
			t.Errorf("%d events: %d pieces, from %v on, want %v, %v", n, len(got), got[:min(len(got), 5)], want, l.Err())
		}
	}
}
