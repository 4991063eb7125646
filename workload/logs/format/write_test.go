package format

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/event"
)

// One small log in each format, as text, with articles of every kind.
func TestWritten(t *testing.T) {
	requests := [][]Event{
		{
			{User: 7, Article: 1, Time: 1573808122, Kind: event.Clicked},
			{User: 7, Article: 2, Time: 1573808122, Kind: event.Ignored},
			{User: 7, Article: 3, Time: 1573808122},
			{User: 7, Article: 4, Time: 1573808122, Kind: event.Acted},
		},
		{{User: 8, Article: 1, Time: 1573808121, Kind: event.Shown}},
	}
	for _, c := range []struct {
		format decision.Format
		o      WriterOptions
		want   string
	}{
		{"Mind", WriterOptions{}, "1\tU7\t11/15/2019 8:55:22 AM\t\tN1-1 N2-0 N3 N4-1\n2\tU8\t11/15/2019 8:55:21 AM\t\tN1\n"},
		{KuaiRand, WriterOptions{}, "user_id,video_id,date,hourmin,time_ms,is_click\n7,1,20191115,1655,1573808122000,1\n" +
			"7,2,20191115,1655,1573808122000,0\n7,3,20191115,1655,1573808122000,\n7,4,20191115,1655,1573808122000,1\n" +
			"8,1,20191115,1655,1573808121000,\n"},
		{OTTO, WriterOptions{}, `{"session":7,"events":[{"aid":1,"ts":1573808122000,"type":"clicks"},` +
			`{"aid":4,"ts":1573808122000,"type":"carts"}]}` + "\n"},
		{
			Adressa,
			WriterOptions{},
			`{"url":"http://adressa.no/nyheter/1.ece","userId":"7","time":1573808122,"id":"1"}` + "\n",
		},
		{
			decision.CSV,
			WriterOptions{Clock: clock.RFC3339, Comma: ";", Columns: opened},
			"user;article;time;opened;request\n7;1;2019-11-15T08:55:22Z;1;1\n7;2;2019-11-15T08:55:22Z;0;1\n" +
				"7;3;2019-11-15T08:55:22Z;;1\n7;4;2019-11-15T08:55:22Z;1;1\n8;1;2019-11-15T08:55:21Z;;2\n",
		},
		{
			decision.CSV,
			WriterOptions{Clock: clock.Millis, Columns: decision.Columns{User: "u", Article: "a", Time: "t"}},
			"u,a,t\n7,1,1573808122000\n7,2,1573808122000\n7,3,1573808122000\n7,4,1573808122000\n8,1,1573808121000\n",
		},
		{
			decision.JSON,
			WriterOptions{Clock: clock.RFC3339, Columns: opened},
			`{"user":7,"article":1,"time":"2019-11-15T08:55:22Z","opened":1,"request":1}` + "\n" +
				`{"user":7,"article":2,"time":"2019-11-15T08:55:22Z","opened":0,"request":1}` + "\n" +
				`{"user":7,"article":3,"time":"2019-11-15T08:55:22Z","request":1}` + "\n" +
				`{"user":7,"article":4,"time":"2019-11-15T08:55:22Z","opened":1,"request":1}` + "\n" +
				`{"user":8,"article":1,"time":"2019-11-15T08:55:21Z","request":2}` + "\n",
		},
	} {
		var b bytes.Buffer
		w, err := NewWriter(&b, c.format, c.o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range requests {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil || b.String() != c.want {
			t.Errorf("%s: %q, %v\nwant %q", c.format, b.String(), err, c.want)
		}
	}
}

// What cannot be written is refused.
func TestWriteErrors(t *testing.T) {
	if _, err := NewWriter(nil, "tsv", WriterOptions{}); err == nil ||
		!strings.Contains(err.Error(), `"tsv" is not one of`) {
		t.Error(err)
	}
	if _, err := NewWriter(nil, decision.CSV, WriterOptions{Comma: `"`}); err == nil ||
		!strings.Contains(err.Error(), `Comma "\""`) {
		t.Error(err)
	}
	if _, err := NewWriter(nil, decision.CSV, WriterOptions{Clock: clock.Date}); err == nil ||
		!strings.Contains(err.Error(), `Clock "date" cannot be written`) {
		t.Error(err)
	}
	for _, c := range []struct {
		request []Event
		want    string
	}{
		{nil, "without events"},
		{[]Event{{Time: 1}, {Time: 2}}, "has an event of user 0 at 2"},
		{[]Event{{Time: 253402300800}}, "time 253402300800, want 0 to 253402300799"},
		{[]Event{{User: 1}, {User: 2}}, "has an event of user 2"},
		{[]Event{{Time: -1}}, "time -1, want 0 to"},
		{[]Event{{Kind: event.Acted + 1}}, "kind 4 cannot be written"},
	} {
		w, err := NewWriter(&bytes.Buffer{}, OTTO, WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(c.request); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.request, err, c.want)
		}
	}
	for _, at := range []int64{0, 253402300799} {
		w, err := NewWriter(&bytes.Buffer{}, OTTO, WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write([]Event{{Time: at}}); err != nil {
			t.Errorf("time %d: %v", at, err)
		}
	}
	full := errors.New("disk full")
	w, err := NewWriter(failing{full}, MIND, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 10000 {
		if err = w.Write([]Event{{User: 1, Kind: event.Clicked}}); err != nil {
			break
		}
	}
	if !errors.Is(err, full) || !errors.Is(w.Close(), full) {
		t.Errorf("%v, want %v from Write and Close", err, full)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
