package logs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

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
	const kuairand = "user_id,video_id,time_ms\n1,2,3000\n"
	names := put(t, "\n\n", "", "user,article,time\n1,2,3\n", " \n", kuairand)
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
