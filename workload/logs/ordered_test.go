package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"
)

// files are sources of these texts; opened counts how often each is opened.
func files(texts []string, opened []int) (sources []source) {
	for i, text := range texts {
		sources = append(sources, source{name: fmt.Sprint("file ", i), open: func() (io.ReadCloser, error) {
			opened[i]++
			return io.NopCloser(strings.NewReader(text)), nil
		}})
	}
	return sources
}

// all returns the requests of a log, and how often it began anew.
func all(t interface{ Fatal(...any) }, l *Log) (requests [][]Event, anew int) {
	for {
		for r := l.NextRequest(); len(r) > 0; r = l.NextRequest() {
			requests = append(requests, slices.Clone(r))
		}
		if !errors.Is(l.Err(), ErrUnsorted) {
			break
		}
		requests, anew = nil, anew+1
	}
	if l.Err() != nil {
		t.Fatal(l.Err())
	}
	return requests, anew
}

// Files of any order, overlapping or not, with ties and faults, come in the order of a stable sort of all their
// requests. Counts and faults are as in the files' own order, and each fault is reported once. Sorted files are read
// once.
func TestOrderedModel(t *testing.T) {
	restarts := 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		sorted := rapid.Bool().Draw(t, "sorted")
		texts := make([]string, rapid.IntRange(1, 40).Draw(t, "files"))
		from := 0
		for i := range texts {
			at := make([]int, r.IntN(30))
			for j := range at {
				at[j] = from + r.IntN(40)
			}
			if sorted {
				slices.Sort(at)
			}
			var b strings.Builder
			b.WriteString("user,article,time,request\n")
			for j, at := range at {
				if r.IntN(20) == 0 {
					b.WriteString("torn\n")
				}
				user := r.IntN(5)
				for range 1 + r.IntN(3) { // the times of a request's later lines do not count
					fmt.Fprintf(&b, "%d,%d,%d.%03d,%d\n", user, r.IntN(9), at/3, at%3, j)
				}
			}
			texts[i] = b.String()
			if r.IntN(3) == 0 {
				from += r.IntN(60)
			}
		}
		o := Options{Numbered: true, Columns: Columns{Request: "request"}, MaxShare: 1}
		reported := [2]map[Fault]int{{}, {}}
		opened := make([]int, len(texts))
		o.OnFault = func(f Fault) { reported[0][f]++ }
		plain := strategytest.Value(newLog(t.Context(), o, files(texts, opened), 0))
		want, _ := all(t, plain)
		number := func(requests [][]Event) {
			for i, r := range requests {
				for j := range r {
					r[j].Request = uint64(i)
				}
			}
		}
		slices.SortStableFunc(want, func(a, b []Event) int {
			return cmp.Or(cmp.Compare(a[0].Time, b[0].Time), cmp.Compare(a[0].Nanos, b[0].Nanos))
		})
		number(want)

		clear(opened)
		o.OnFault = func(f Fault) { reported[1][f]++ }
		o.ByTime = true
		l := strategytest.Value(newLog(t.Context(), o, files(texts, opened), 0))
		l.run = 1 + r.IntN(100)
		got, anew := all(t, l)
		restarts += anew
		strategytest.Must(t, l.Close())
		number(got)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d requests are not in the order of their times, or not all of %d", len(got), len(want))
		}
		if l.Counts() != plain.Counts() || !reflect.DeepEqual(reported[0], reported[1]) ||
			l.Decided().Format != plain.Decided().Format {
			t.Fatalf("%+v, want %+v; faults reported %v, want %v", l.Counts(), plain.Counts(), reported[1], reported[0])
		}
		if (l.Counts().OutOfOrder > 0) && anew == 0 {
			t.Fatalf("%d events out of order, and nothing was sorted", l.Counts().OutOfOrder)
		}
		if sorted && l.Counts().OutOfOrder > 0 {
			t.Fatalf("sorted files: %d out of order", l.Counts().OutOfOrder)
		}
		for i, n := range opened {
			if anew == 0 && n != 1 {
				t.Fatalf("file %d was opened %d times", i, n)
			}
		}
	})
	if restarts == 0 {
		t.Error("nothing was sorted")
	}
}

// unsorted returns a log of n requests whose times run backwards.
func unsorted(n int) string {
	var b strings.Builder
	b.WriteString("user,article,time\n")
	for i := range n {
		fmt.Fprintf(&b, "1,2,%d\n", 1_600_000_000-i)
	}
	return b.String()
}

// What ends a log in disorder: faults beyond the limits, a file that cannot be read, an interrupt, too many events.
func TestOrderedEnds(t *testing.T) {
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	log := unsorted(1000)
	torn := "user,article,time\n1,1,5\n" + strings.Repeat("torn\n", 5)
	for _, c := range []struct {
		ctx   context.Context
		texts []string
		o     Options
		want  string
	}{
		{t.Context(), []string{log[:len(log)-13]}, Options{}, ""},
		{t.Context(), []string{log}, Options{}, "logs: file 0:1001: the log is not in the order of its times, and has more " +
			"than 999 events or a time after the year 2261: sort it"},
		{t.Context(), []string{fmt.Sprintf("user,article,time\n1,1,%d.999999\n1,1,5\n", lastSorted)}, Options{}, ""},
		{t.Context(), []string{fmt.Sprintf("user,article,time\n1,1,%d\n1,1,5\n", lastSorted+1)}, Options{}, "logs: file " +
			"0:2: the log is not in the order of its times"},
		{t.Context(), []string{torn, "user,article,time\n1,1,1\ntorn\n"}, Options{MaxFaults: 3}, "logs: more " +
			"than 3 lines cannot be read (--faults). The first: file 0:3: 1 field,"},
		{t.Context(), []string{torn, "user,article,time\n1,1,9\n"}, Options{}, "logs: 5 of 7 lines cannot be " +
			"read, more than 0.1 of them (--share). The first: file 0:3: 1 field,"},
		{t.Context(), []string{unsorted(900) + torn[len("user,article,time\n"):]}, Options{MaxFaults: 3}, "logs: more than " +
			"3 lines cannot be read (--faults). The first: file 0:903: 1 field,"},
		{t.Context(), []string{"user,article,time\n1,1,9\n", "PK\x03\x04", log}, Options{}, "logs: file 1: is a zip archive"},
		{t.Context(), []string{"user,article,time\n1,1,9\n", "other\n"}, Options{}, "logs: file 1:1: no column"},
		{cancelled, []string{log}, Options{}, "interrupted"},
	} {
		c.o.ByTime = true
		l := strategytest.Value(newLog(c.ctx, c.o, files(c.texts, make([]int, len(c.texts))), 0))
		l.most = 999
		for range 2 {
			for l.NextRequest() != nil {
			}
		}
		err := l.Err()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%.30q: %v, want %q", c.texts[0], err, c.want)
		}
		if c.ctx == cancelled {
			strategytest.Must(t, l.Doubt()) // of times, of which it has read none
		}
		l.Close()
		if r := l.NextRequest(); r != nil {
			t.Errorf("after Close there is %v", r)
		}
	}
}

// Progress never runs backwards while the log is sorted, and ends with the log, as an interrupt ends sorting.
func TestOrderedProgress(t *testing.T) {
	text := unsorted(20_000)
	l := strategytest.Value(newLog(t.Context(), Options{ByTime: true}, files([]string{text}, make([]int, 1)),
		int64(len(text))))
	var reported []int64
	l.OnSort = func(p Position) { reported = append(reported, p.Read) }
	_, _ = all(t, l)
	reported = append(reported, l.Position().Read)
	last := len(reported) - 1
	if !slices.IsSorted(reported) || last < 4 || reported[0] != 0 || reported[last] != l.Position().Total {
		t.Errorf("of %d bytes %v were reported", len(text), reported)
	}

	ctx, cancel := context.WithCancel(t.Context())
	l = strategytest.Value(newLog(ctx, Options{ByTime: true}, files([]string{text}, make([]int, 1)), 0))
	l.OnSort = func(Position) { cancel() }
	for range 2 { // in the order of lines, then sorted
		for l.NextRequest() != nil {
		}
	}
	if !errors.Is(l.Err(), context.Canceled) {
		t.Errorf("sorting after an interrupt: %v, want %v", l.Err(), context.Canceled)
	}
}
