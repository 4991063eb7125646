package logs_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dejavu/strategies"
	_ "dejavu/strategies/strategytest/seeded"
	"dejavu/workload/logs"
)

// Whatever its fields hold, what encoding/csv writes is read as it was meant.
func TestCSVModel(t *testing.T) {
	field := rapid.StringOfN(rapid.RuneFrom([]rune{'a', 'b', ' ', '"', ',', '\n', '\r', 'é'}), 1, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		w := csv.NewWriter(&text)
		w.UseCRLF = rapid.Bool().Draw(t, "crlf")
		if err := w.Write([]string{"user", "article", "time"}); err != nil {
			t.Fatal(err)
		}
		for i := range rapid.IntRange(0, 20).Draw(t, "rows") {
			// The writer drops a lone \r, and a field must not become empty.
			if err := w.Write([]string{field.Draw(t, "user") + "u", field.Draw(t, "article") + "a", fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		records, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		l, err := logs.New(strings.NewReader(text.String()), "log", logs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		i := 0
		for e := range eventsOf(l) {
			i++
			if i >= len(records) || e.User != uint64(strategies.XXHashString(records[i][0])) || e.Article != strategies.XXHashString(records[i][1]) {
				t.Fatalf("event %d of %q is not %q", i, text.String(), records[min(i, len(records)-1)])
			}
		}
		if i != len(records)-1 || l.Err() != nil {
			t.Fatalf("%d events of %q, want %d; error %v", i, text.String(), len(records)-1, l.Err())
		}
	})
}

// Lines of JSON with anything in them are read as encoding/json reads them.
func TestJSONModel(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune{'a', '"', '\\', '{', '}', '[', ']', ',', ':', 'é', '\n', '1'}), 1, 6, -1)
	var value *rapid.Generator[any]
	value = rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
		case 3:
			return rapid.SliceOfN(value, 0, 2).Draw(t, "array")
		case 4:
			return rapid.MapOfN(text, value, 0, 2).Draw(t, "object")
		}
		return text.Draw(t, "string")
	})
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.MapOfN(text, value, 0, 4).Draw(t, "members")
		user, id := text.Draw(t, "userId"), text.Draw(t, "id")
		members["userId"], members["id"], members["time"] = user, id, rapid.Int64Range(0, 200000000000).Draw(t, "time")
		line, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "wide") { // white space outside strings
			var wide bytes.Buffer
			if err := json.Indent(&wide, line, " ", "\t"); err != nil {
				t.Fatal(err)
			}
			line = bytes.ReplaceAll(wide.Bytes(), []byte("\n"), []byte(" "))
		}
		l, err := logs.New(bytes.NewReader(line), "log", logs.Options{Format: logs.Adressa, MaxShare: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		request := l.NextRequest()
		if len(request) != 1 {
			t.Fatalf("%d events in %s: %v", len(request), line, l.Close())
		}
		want := logs.Event{User: uint64(strategies.XXHashString(user)), Article: strategies.XXHashString(id), Time: members["time"].(int64), Kind: logs.Clicked}
		if request[0] != want {
			t.Fatalf("%s: %+v, want %+v", line, request[0], want)
		}
	})
}

// MIND's times are those of package time, and what that refuses is a fault.
func TestMINDTime(t *testing.T) {
	for _, text := range []string{
		"11/15/2019 8:55:22 AM", "11/5/2019 08:05:02 PM", "1/1/1970 12:00:00 AM", "12/31/9999 11:59:59 PM",
		"2/29/2020 12:00:00 PM", "2/29/2021 12:00:00 PM", "0/1/2020 1:00:00 AM", "1/0/2020 1:00:00 AM", "13/1/2020 1:00:00 AM",
		"1/32/2020 1:00:00 AM", "4/31/2020 1:00:00 AM", "1/1/2020 0:00:00 AM", "1/1/2020 1:60:00 AM", "1/1/2020 1:00:60 AM",
		"1/1/2020 1:00:00 XM", "1/1/2020 1:00:00", "1/1/2020", "", "1/1/12020 1:00:00 AM", "1/1/2020 1:00:00 AM ", "//  ::",
	} {
		want, wrong := time.Parse("1/2/2006 3:04:05 PM", text)
		events, _, err := read(t, "1\tU\t"+text+"\t\tN\n", logs.Options{Format: logs.MIND, MaxShare: 1})
		switch {
		case err != nil:
			t.Error(err)
		case (wrong == nil) != (len(events) == 1):
			t.Errorf("%q: %d events, where package time says %v", text, len(events), wrong)
		case wrong == nil && events[0].Time != want.Unix():
			t.Errorf("%q: %d, want %d", text, events[0].Time, want.Unix())
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Int64Range(0, 253402300799).Draw(t, "time")
		layout := rapid.SampledFrom([]string{"1/2/2006 3:04:05 PM", "01/02/2006 03:04:05 pm"}).Draw(t, "layout")
		line := "1\tU\t" + time.Unix(at, 0).UTC().Format(layout) + "\t\tN\n"
		l, err := logs.New(strings.NewReader(line), "log", logs.Options{Format: logs.MIND})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if request := l.NextRequest(); len(request) != 1 || request[0].Time != at {
			t.Fatalf("%q: %+v, want one at %d", line, request, at)
		}
	})
}

// Users number as a Go map would, through every growth, small keys and large.
func TestUsers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 300).Draw(t, "limit")
		u, err := logs.NewUsers(limit)
		if err != nil {
			t.Fatal(err)
		}
		model := map[uint64]uint32{}
		spread := rapid.Uint64().Draw(t, "spread")
		for range rapid.IntRange(0, 1000).Draw(t, "steps") {
			key := rapid.Uint64Range(0, 400).Draw(t, "key") * spread
			want, known := model[key]
			if !known && len(model) < limit {
				want, known = uint32(len(model)), true
				model[key] = want
			}
			if got, ok := u.Number(key); ok != known || got != want {
				t.Fatalf("Number(%d) = %d, %v; want %d, %v", key, got, ok, want, known)
			}
			if u.Len() != len(model) || known && u.Key(want) != key {
				t.Fatalf("Len %d, want %d; Key(%d) is not %d", u.Len(), len(model), want, key)
			}
		}
	})
	for _, limit := range []int{0, -1} {
		if _, err := logs.NewUsers(limit); err == nil || !strings.Contains(err.Error(), fmt.Sprint(limit)) {
			t.Errorf("NewUsers(%d): %v, want an error", limit, err)
		}
	}
}

// What the comment of Users says of its memory.
func TestUsersBytes(t *testing.T) {
	u, err := logs.NewUsers(logs.MaxUsers)
	if err != nil {
		t.Fatal(err)
	}
	const beside = 8 << 16 // the chunk that is not full
	for n := range int64(200000) {
		u.Number(uint64(strategies.XXHashString(fmt.Sprint(n))))
		if bytes := u.Bytes(); n > 1000 && (bytes < 13*n || bytes > 19*n+beside) {
			t.Fatalf("%d users take %d bytes, want 13 to 19 each and at most %d beside", n+1, bytes, beside)
		}
	}
}
