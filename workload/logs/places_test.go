package logs_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"dejavu/workload/logs"
)

// Lines are counted through blocks, blank lines, records of several lines, lines
// that are too long and quotes that do not end; records of several lines go over
// the ends of blocks.
func TestPlaces(t *testing.T) {
	var text strings.Builder
	line := 0
	add := func(s string) (at int64) {
		at = int64(line + 1)
		text.WriteString(s)
		line += strings.Count(s, "\n")
		return at
	}
	var want []int64
	events := 0
	add("\n\nuser,article,\"ti\nme\"\n")
	for range 3 {
		for i := range 20000 {
			if add(fmt.Sprintf("1,\"a\n%d\r\n\",3\n", i)); i%100 == 0 {
				add("\r\n")
			}
			events++
		}
		want = append(want, add("1,2\n"))
		want = append(want, add(strings.Repeat("long", 100000)+"\n"))
		want = append(want, add("1,2,soon\n"))
		want = append(want, add("1,\"2,3\n"))
		for range 2000 { // a field that ends, but beyond the limit
			add("1,2,3\n")
			events++
		}
	}
	add("1,2,3")
	events++
	var got []int64
	l, err := logs.New(strings.NewReader(text.String()), "log", logs.Options{
		Format: logs.CSV, Columns: logs.Columns{Time: "ti\nme"}, MaxLine: 4096,
		OnFault: func(f logs.Fault) { got = append(got, f.Line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range l.Events() {
		n++
	}
	if err := l.Close(); err != nil || n != events || !slices.Equal(got, want) {
		t.Errorf("%d events, faults in lines %v, error %v; want %d, %v", n, got, err, events, want)
	}
	if p := l.Position(); p.Line != int64(line+1) || p.File != "log" {
		t.Errorf("ended at %+v, want line %d", p, line+1)
	}
}

// Where the reading fails, whole lines before are read, and half a line is not.
func TestHalfALine(t *testing.T) {
	broken := errors.New("cable cut")
	l, err := logs.New(io.MultiReader(strings.NewReader("user,article,time\n1,2,3\n1,2,34"), iotest.ErrReader(broken)), "log", logs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	events := slices.Collect(l.Events())
	if err := l.Close(); len(events) != 1 || !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "logs: log:3: after 30 bytes: ") {
		t.Errorf("%d events, error %v; want 1 and %v", len(events), err, broken)
	}
}
