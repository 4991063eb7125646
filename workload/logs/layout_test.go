package logs_test

import (
	"fmt"
	"strings"
	"testing"

	"dejavu/workload/logs"
)

// How a log is read is said whole: the delimiter, the columns, those that need not be, lists
// and times.
func TestLayout(t *testing.T) {
	three := logs.Columns{User: "u", Article: "a", Time: "t"}
	five := three
	five.Clicked, five.Request = "opened", "req"
	for _, c := range []struct {
		o    logs.Options
		want string
	}{
		{logs.Options{Format: logs.MIND}, "mind"},
		{logs.Options{Format: logs.MIND, Clock: "dmy"}, "mind, times in dmy"},
		{logs.Options{Format: logs.CSV, Comma: ";", Columns: three}, `csv with ";" between fields; user, article and time in columns "u", "a" and "t"`},
		{
			logs.Options{Format: logs.CSV, Comma: "\t", Quote: logs.NoQuotes, NoHeader: true, Columns: five, List: logs.NoList, Clock: logs.Millis},
			`csv with "\t" between fields that have no quotes, without a header; user, article and time in columns "u", "a" and "t", clicked in "opened", request in "req"; times in ms`,
		},
		{logs.Options{Format: logs.JSON, Columns: three, List: logs.Brackets}, `json; user, article and time in members "u", "a" and "t"; lists of articles in brackets`},
		{logs.Options{Format: logs.JSON, Columns: three, List: "|"}, `json; user, article and time in members "u", "a" and "t"; lists of articles with "|" between them`},
	} {
		if got := c.o.Layout(); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// Of many columns forty are named, and the others are counted.
func TestManyColumns(t *testing.T) {
	for n, want := range map[int]string{40: `"c40"]`, 43: `"c40"] and 3 more`} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("c%d", i+1))
		}
		_, _, err := read(t, strings.Join(names, ",")+"\n", logs.Options{Format: logs.CSV, Columns: logs.Columns{User: "u", Article: "c1", Time: "c2"}})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), " more") != (n == 43) {
			t.Errorf("of %d columns: %v, want %s", n, err, want)
		}
	}
}
