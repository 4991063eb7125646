package logs_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies"
	"dejavu/workload"
	"dejavu/workload/logs"
)

// One small log in each format, odd and not, as text.
func TestWritten(t *testing.T) {
	events := []logs.Event{
		{User: 7, Article: 1, Time: 1573808122, Request: 0, Kind: logs.Clicked},
		{User: 7, Article: 2, Time: 1573808122, Request: 0, Kind: logs.Clicked},
		{User: 8, Article: 1, Time: 1573808121, Request: 1, Kind: logs.Clicked},
	}
	for _, c := range []struct {
		format logs.Format
		o      logs.WriterOptions
		want   string
	}{
		{logs.MIND, logs.WriterOptions{}, "1\tU7\t11/15/2019 8:55:22 AM\t\tN1-1 N2-1\n2\tU8\t11/15/2019 8:55:21 AM\t\tN1-1\n"},
		{"Mind", logs.WriterOptions{}, "1\tU7\t11/15/2019 8:55:22 AM\t\tN1-1 N2-1\n2\tU8\t11/15/2019 8:55:21 AM\t\tN1-1\n"},
		{logs.KuaiRand, logs.WriterOptions{}, "user_id,video_id,date,hourmin,time_ms,is_click\n7,1,20191115,1655,1573808122000,1\n7,2,20191115,1655,1573808122000,1\n8,1,20191115,1655,1573808121000,1\n"},
		{logs.OTTO, logs.WriterOptions{}, `{"session":7,"events":[{"aid":1,"ts":1573808122000,"type":"clicks"},{"aid":2,"ts":1573808122000,"type":"clicks"}]}` + "\n" + `{"session":8,"events":[{"aid":1,"ts":1573808121000,"type":"clicks"}]}` + "\n"},
		{logs.CSV, logs.WriterOptions{Clock: logs.RFC3339, Comma: ";", Columns: columns}, "user;article;time;opened;request\n7;1;2019-11-15T08:55:22Z;1;1\n7;2;2019-11-15T08:55:22Z;1;1\n8;1;2019-11-15T08:55:21Z;1;2\n"},
		{logs.CSV, logs.WriterOptions{Odd: true, Malformed: 2}, "\xef\xbb\xbf\r\nuser,article,time\r\nthis line cannot be read\r\n7,1,1573808122\r\n7,2,1573808122\r\nthis line cannot be read\r\n\"8\",1,1573808121"},
	} {
		var b bytes.Buffer
		write(t, &b, c.format, c.o, events)
		if b.String() != c.want {
			t.Errorf("%s: %q, want %q", c.format, b.String(), c.want)
		}
	}
	var b bytes.Buffer
	write(t, &b, logs.CSV, logs.WriterOptions{}, nil)
	if b.String() != "user,article,time\n" {
		t.Errorf("an empty CSV is %q", b.String())
	}
}

func TestWriteErrors(t *testing.T) {
	if _, err := logs.NewWriter(nil, "tsv", logs.WriterOptions{}); err == nil || !strings.Contains(err.Error(), `"tsv" is not one of`) {
		t.Error(err)
	}
	if _, err := logs.NewWriter(nil, logs.CSV, logs.WriterOptions{Malformed: -1}); err == nil || !strings.Contains(err.Error(), "Malformed -1") {
		t.Error(err)
	}
	if _, err := logs.NewWriter(nil, logs.CSV, logs.WriterOptions{Comma: `"`}); err == nil || !strings.Contains(err.Error(), `Comma "\""`) {
		t.Error(err)
	}
	for _, c := range []struct {
		request []logs.Event
		want    string
	}{
		{nil, "without events"},
		{[]logs.Event{{Time: 1}, {Time: 2}}, "has an event of user 0 at 2"},
		{[]logs.Event{{Time: 253402300800}}, "time 253402300800, want 0 to 253402300799"},
		{[]logs.Event{{User: 1}, {User: 2}}, "has an event of user 2"},
		{[]logs.Event{{Time: -1}}, "time -1, want 0 to"},
		{[]logs.Event{{Kind: logs.Acted + 1}}, "kind 4 cannot be written"},
	} {
		w, err := logs.NewWriter(&bytes.Buffer{}, logs.OTTO, logs.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(c.request); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.request, err, c.want)
		}
	}
	for _, at := range []int64{0, 253402300799} {
		w, err := logs.NewWriter(&bytes.Buffer{}, logs.OTTO, logs.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write([]logs.Event{{Time: at}}); err != nil {
			t.Errorf("time %d: %v", at, err)
		}
	}
	full := errors.New("disk full")
	w, err := logs.NewWriter(failing{full}, logs.MIND, logs.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 10000 {
		if err = w.Write([]logs.Event{{User: 1, Kind: logs.Clicked}}); err != nil {
			break
		}
	}
	if !errors.Is(err, full) || !errors.Is(w.Close(), full) {
		t.Errorf("%v, want %v from Write and Close", err, full)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// The daily population as a log: every user's life is the one that the
// visitor lives alone, time never goes back, and the log reads back as written.
func TestDaily(t *testing.T) {
	const from, to, start = 100, 400, 1573776000
	population, err := workload.NewDaily(2016, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for name, lets := range map[string]logs.Lets{"perfect": nil, "forgetful": logs.Forgetful} {
		requests, err := logs.Daily(population, from, to, start, lets)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		w, err := logs.NewWriter(&text, logs.MIND, logs.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		lives := map[uint64][]logs.Event{}
		var all []logs.Event
		for r := range requests {
			if n := len(all); n > 0 && (r[0].Time < all[n-1].Time || r[0].Request != all[n-1].Request+1) {
				t.Fatalf("%s: %+v after %+v", name, r[0], all[n-1])
			}
			all = append(all, r...)
			lives[r[0].User] = append(lives[r[0].User], r...)
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		repeats := 0
		for user := from; user < to; user++ {
			want := alone(population, user, start, lets == nil)
			seen := map[strategies.ID]bool{}
			got := lives[uint64(user)]
			for i := range got {
				got[i].Request = 0
				if seen[got[i].Article] {
					repeats++
				}
				seen[got[i].Article] = true
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: reader %d was shown %d articles in the log, %d alone", name, user, len(got), len(want))
			}
		}
		// A fifth of the candidates: 0.2 of some 12000, less than 1 % away, but for
		// the first requests, which can repeat nothing.
		if share := float64(repeats) / float64(len(all)); lets == nil && repeats > 0 || lets != nil && (share < 0.15 || share > 0.21) {
			t.Errorf("%s: %d repeats among %d", name, repeats, len(all))
		}
		got, _, err := read(t, text.String(), logs.Options{Numbered: true})
		if err != nil || !slices.Equal(got, all) {
			t.Errorf("%s: %d events written, %d read, error %v", name, len(all), len(got), err)
		}
	}
	for _, c := range [][3]int{{-1, 5, 0}, {0, 1001, 0}, {5, 5, 0}, {0, 5, -1}} {
		if _, err := logs.Daily(population, c[0], c[1], int64(c[2]), nil); err == nil {
			t.Errorf("Daily of %v: no error", c)
		}
	}
	const last = 253402300799 - workload.Horizon // the last start with which all times are of the years up to 9999
	for start, want := range map[int64]bool{0: true, last: true, last + 1: false} {
		if _, err := logs.Daily(population, 0, 1000, start, nil); (err == nil) != want {
			t.Errorf("Daily from %d on: %v", start, err)
		}
	}
}

// alone is one user's two days.
func alone(population workload.Daily, user int, start int64, perfect bool) (events []logs.Event) {
	v := population.Visitor(user)
	articles, ages, ids := make([]int32, workload.Recalled), make([]int, workload.Recalled), make([]strategies.ID, workload.Recalled)
	var shown []int32
	for at, ok := v.Next(); ok; at, ok = v.Next() {
		v.Recall(shown, articles, ages, ids)
		n := 0
		for i := range ids {
			if n < workload.PerRefresh && (ages[i] == 0 || !perfect) {
				n++
				shown = append(shown, articles[i])
				events = append(events, logs.Event{User: uint64(user), Article: ids[i], Time: start + int64(at)})
			}
		}
	}
	return events
}
