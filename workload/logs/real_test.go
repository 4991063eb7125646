package logs_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// layouts are logs of five exposures, made here in the layouts of well-known data sets and of
// programs that export tables: users 1 to 3 in turn, every ten minutes. What needs columns to
// be named is refused without them, with the line that names them.
var layouts = []struct {
	file, columns string
	layout        string
	refused       string
}{
	{file: "ratings.dat", columns: "1 2 4", layout: `csv with "::" between fields that have no quotes, without a ` +
		`header; "1", "2" and "4"; times in s`, refused: "--columns user=USER,article=ARTICLE,time=4"},
	{file: "u.data", columns: "1 2 4", layout: `csv with "\t" between fields that have no quotes, without a ` +
		`header; "1", "2" and "4"; times in s`, refused: "--columns user=USER,article=ARTICLE,time=4"},
	{file: "lastfm.tsv", columns: "1 5 2", layout: `csv with "\t" between fields that have no quotes, without a ` +
		`header; "1", "5" and "2"; times in rfc3339`, refused: "--columns user=USER,article=ARTICLE,time=2"},
	{file: "ratings.csv", layout: `csv with "," between fields; "userId", "movieId" and "timestamp"; times in s`},
	{file: "ml.inter", layout: `csv with "\t" between fields that have no quotes; "user_id:token", "item_id:token" ` +
		`and "timestamp:float"; times in s`},
	{file: "behaviors.tsv", layout: "mind"},
	{file: "behaviors-header.tsv", layout: "mind"},
	{file: "reviews_Musical.json", layout: `json; "reviewerID", "asin" and "unixReviewTime"; times in s`},
	{file: "yelp_review.json", layout: `json; "user_id", "business_id" and "date"; times in rfc3339`},
	{
		file: "lists.jsonl", columns: "user.id shown at", layout: `json; "user.id", "shown" and "at"; times in rfc3339`,
		refused: "--columns user=user.id,article=ARTICLE,time=at",
	},
	{file: "events.csv", layout: `csv with "," between fields; "visitorid", "itemid" and "timestamp"; times in ms`},
	{
		file:   "postgres.csv",
		layout: `csv with "," between fields; "User_ID", "item_id" and "created_at"; times in rfc3339`,
	},
	{file: "bigquery.csv", layout: `csv with "," between fields; "user_pseudo_id", "item_id" and "event_time"; ` +
		`times in rfc3339`},
	{file: "psql.txt", layout: `csv with "|" between fields; "user_id", "item_id" and "ts"; times in us`},
	{file: "impressions.csv", layout: `csv with "," between fields; "user_id", "article_ids" and ` +
		`"impression_time"; lists of articles as JSON arrays; times in rfc3339`},
}

func TestLayouts(t *testing.T) {
	for _, c := range layouts {
		t.Run(c.file, func(t *testing.T) {
			path := filepath.Join("testdata", "real", c.file)
			var o logs.Options
			if c.refused != "" {
				_, _, err := readOrdered(t, o, path)
				if err == nil || !strings.HasSuffix(err.Error(), c.refused) {
					t.Errorf("without columns: %v, want %s", err, c.refused)
				}
				names := strings.Fields(c.columns)
				o.Columns = logs.Columns{User: names[0], Article: names[1], Time: names[2]}
			}
			o.Numbered = true
			said, decided, err := readOrdered(t, o, path)
			strategytest.Must(t, err)
			layout := decided.Layout()
			for _, words := range []string{"; user, article and time in columns ", "; user, article and time in members "} {
				layout = strings.Replace(layout, words, "; ", 1)
			}
			if layout != c.layout {
				t.Errorf("read as %s\nwant    %s", layout, c.layout)
			}
			var want strings.Builder
			for i := range 5 {
				at := 1573776000 + i*600
				article := fmt.Sprintf(" %d", 100+i*i%7)
				if strings.Contains(c.layout, "lists") || c.file == "lists.jsonl" {
					article += article
				}
				fmt.Fprintf(&want, "%d@%d%s\n", 1+i%3, at, article)
			}
			if said != want.String() {
				t.Errorf("it says\n%swant\n%s", said, &want)
			}
			// With what was decided, a file is read without a look at its beginning.
			if again, _, err := readOrdered(t, decided, path); again != said || err != nil || !decided.IsDecided() {
				t.Errorf("decided, it says\n%s%v", again, err)
			}
		})
	}
}

// readOrdered returns a log's requests, one a line, and how it was read.
func readOrdered(t *testing.T, o logs.Options, files ...string) (said string, decided logs.Options, err error) {
	t.Helper()
	o.ByTime = true
	l := strategytest.Value(open(t, o, files...))
	defer l.Close()
	var b strings.Builder
	for range 2 { // an unsorted log begins anew
		b.Reset()
		for r := l.NextRequest(); len(r) > 0; r = l.NextRequest() {
			fmt.Fprintf(&b, "%d@%d", r[0].User, r[0].Time)
			for _, e := range r {
				fmt.Fprintf(&b, " %d", e.Article)
			}
			b.WriteString("\n")
		}
		if !errors.Is(l.Err(), logs.ErrUnsorted) {
			break
		}
	}
	return b.String(), l.Decided(), l.Err()
}

// What was decided holds: what comes later and does not fit is a fault.
func TestDecidedOnce(t *testing.T) {
	for line, want := range map[string]string{
		"1,2,1573776000000": `time "1573776000000" is not within the years 1970 to 9999, by the clock s: ` +
			`--clock ms would read it`,
		"1,2,2019-11-15": `time "2019-11-15" is not of the clock s: --clock rfc3339 would read it`,
		"1;2;1573776000": "1 field, where the first line has 3",
	} {
		var faults []string
		o := logs.Options{OnFault: func(f logs.Fault) { faults = append(faults, f.Error()) }}
		_, _, err := read(t, "user,article,time\n"+strings.Repeat("1,2,1573776000\n", 2000)+line, o) // more than the sample
		if err != nil || len(faults) != 1 || faults[0] != "log:2002: "+want {
			t.Errorf("%s: %v, %q, want %s", line, err, faults, want)
		}
	}
}

// Files after the first are read as the first was, and the first that has times tells the clock.
func TestDecidedForAllFiles(t *testing.T) {
	names := put(
		t, "user;article;time\n", "\n", "Time;User;Article\n1573776000000;1;2\n",
		"user;article;time\n1;3;1573776001000\n1;4;5\n",
	)
	var faults []logs.Fault
	o := logs.Options{Numbered: true, OnFault: func(f logs.Fault) { faults = append(faults, f) }}
	events, l, err := all(open(t, o, names...))
	if err != nil || len(events) != 3 || events[2].Time != 0 || len(faults) > 0 {
		t.Errorf("%v, %v, %v", events, faults, err)
	}
	if d := l.Decided(); !d.IsDecided() || d.Clock != "ms" || d.Comma != ";" {
		t.Errorf("decided %s", d.Layout())
	}
	said, _, err := readOrdered(t, o, names...)
	if want := "1@0 4\n1@1573776000 2\n1@1573776001 3\n"; said != want || err != nil {
		t.Errorf("in order: %s%v, want %s", said, err, want)
	}
}
