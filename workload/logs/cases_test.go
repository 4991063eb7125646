package logs_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// verdict says how files are read: the reason why they are refused, or counts and warnings.
func verdict(t *testing.T, o logs.Options, names ...string) string {
	t.Helper()
	l, err := open(t, o, names...)
	if err != nil {
		return "refused: " + err.Error()
	}
	users, shown, repeats, n := map[uint64]bool{}, map[string]bool{}, 0, 0
	for request := range l.Requests() {
		now := map[string]bool{}
		for _, e := range request {
			pair := fmt.Sprint(e.User, e.Article)
			if users[e.User] = true; now[pair] {
				continue
			}
			if now[pair] = true; shown[pair] {
				repeats++
			}
			n++
		}
		for pair := range now {
			shown[pair] = true
		}
	}
	if err := cmp.Or(l.Close(), l.Doubt()); err != nil {
		return "refused: " + err.Error()
	}
	return fmt.Sprintf("%d exposures, %d users, %d repeats %s", n, len(users), repeats, l.Warnings())
}

// table makes a table of user, item and time of these lines, half an hour and some seconds apart.
func tableOf(lines ...string) string {
	var b strings.Builder
	b.WriteString("user,item,time\n")
	for i, line := range lines {
		fmt.Fprintf(&b, "%s,%d\n", line, 1573808122+i*1877)
	}
	return b.String()
}

// access makes an access log of these beginnings of lines.
func accessOf(begins ...string) string {
	var b strings.Builder
	for i, begin := range begins {
		fmt.Fprintf(&b, "%s [15/Nov/2019:%02d:55:22 +0000] \"GET /a HTTP/1.1\" 200 1\n", begin, i)
	}
	return b.String()
}

// times makes a table of one user with these times.
func timesOf(times ...string) string {
	return "user,item,time\nu,a," + strings.Join(times, "\nu,a,") + "\n"
}

// none leaves all open.
var none logs.Options

// line is a line of an access log.
var line = strings.TrimSpace(accessOf("10.0.0.1 - -"))

var cases = map[string][]struct {
	name, text, want string
	o                logs.Options
}{
	"columns": {
		{"user beside user_id", "user,user_id,item,time\na,b,c,1573808122\n", "user=user or --columns user=user_id", none},
		{"two times", "user,item,time,timestamp\na,b,1573808122,1573808122\n", "article=item,time=timestamp", none},
		{"time beside ts in JSON", `{"user":"a","item":"b","time":1573808122,"ts":1}`, `"ts" may be the time`, none},
		{"user.id and user_id", `{"user":{"id":1},"user_id":2,"item":"b","time":1573808122}`, "may be the user", none},
		{"item and item_id in JSON", `{"user":"a","item":"b","item_id":"c","time":1573808122}`, "may be the article", none},
		{
			"and one is named", "user,user_id,item,time\na,b,c,1573808122\n", "1 exposures",
			logs.Options{Columns: logs.Columns{User: "user_id"}},
		},
		{"date beside hour", "user,item,date,hour\nu,a,2019-11-15,8\n", `"hour" holds another part`, none},
		{"day beside a time of day", "user,item,date,at\nu,a,2019-11-15,08:55\n", `"at" holds another part`, none},
		{"a time without its date", "user,item,day,time\nu,a,2019-11-15,08:55:22\n", "lacks its date", none},
		{"a time beside its zone", "user,item,time,utc_offset\nu,a,2019-11-15 08:55:22,1\n", "another part", none},
		{"other names", "reader,page,when\nu,a,1573808122\n", "the user or the article or the time", none},
		{"a name in other words", "userName,item,time\nu,a,1573808122\n", "no column is known to be the user", none},
		{"quotes as they are", tableOf(`u,"a`, `u,"a`), "1 users, 1 repeats", logs.Options{Quote: logs.NoQuotes}},
		{
			"quotes between tabs", "user\titem\ttime\nu\ta\t1573808122\n\"u\"\tb\t1573808123\n", "2 exposures, 1 users",
			logs.Options{Quote: logs.Double},
		},
		{"no header", "u,a,1573808122\nu,b,1573808123\n", "names no columns among", none},
		{
			"numbers", "u,a,1573808122\nu,b,1573808123\n", "2 exposures",
			logs.Options{Columns: logs.Columns{User: "1", Article: "2", Time: "3"}},
		},
		{
			"a number too large", "user,item,time\nu,a,1573808122\n", `no column "7" (article) among ["1" "2" "3"]`,
			logs.Options{Columns: logs.Columns{User: "1", Article: "7", Time: "3"}},
		},
		{"a tab before JSON", "\t" + `{"user":"u","item":"a","time":1573808122}`, "1 exposures", none},
		{"id is no article", `{"id":"e1","userId":"u","itemId":"a","time":1573808122}`, "1 exposures", none},
		{"row names of R", "\"user\",\"item\",\"time\"\n\"1\",\"u\",\"a\",1573808122\n", "as R writes row names", none},
	},
	"clocks": {
		{"a mixture of units", timesOf("1573808122", "1573811722456"), "--clock names one of them", none},
		{"rounded seconds", timesOf("1.57381e+09", "1.57382e+09", "1.57381e+09"), "multiples of 2h46m40s", none},
		{"days", timesOf("2019-11-15", "2019-11-16"), "multiples of 24h0m0s", none},
		{"days that are meant", timesOf("2019-11-15", "2019-11-16"), "2 exposures", logs.Options{Clock: "rfc3339"}},
		{"digits of a date", timesOf("20191115", "20191116"), "before 1995: --clock s takes them so, --clock with s", none},
		{"Excel's", timesOf("12/1/10 8:26", "12/1/10 8:28"), "'%m/%d/%y %H:%M' or --clock '%d/%m/%y %H:%M'", none},
		{"basic ISO 8601", timesOf("20191115T085522Z", "20191115T085523Z"), "--clock '%Y%m%dT%H%M%SZ'", none},
		{
			"a layout", timesOf("15.11.19 08:55", "15.11.19 08:57", "15.11.19 09:02"), "3 exposures",
			logs.Options{Clock: "%d.%m.%y %H:%M"},
		},
		{"hours of 12", timesOf("1/1/20 8:26", "1/1/20 8:28"), "neither AM nor PM", logs.Options{Clock: "%m/%d/%y %I:%M"}},
		{"before 1995", timesOf("5", "17", "3601"), "before 1995", none},
		{"after tomorrow", timesOf("1573808122", "99999999999"), "after tomorrow", none},
		{"a zone in some lines", timesOf("2019-11-15T08:55:22Z", "2019-11-15T08:55:29"), "1 name their zone", none},
		{"a zone in all", timesOf("2019-11-15T08:55:22+01:00", "2019-11-15 08:55:29.5Z"), "2 exposures", none},
		{"zones by name", timesOf("2019-11-15 08:55 EST"), "reads zones by name", logs.Options{Clock: "%Y-%m-%d %H:%M %Z"}},
		{"MIND before 1995", "1\tU\t11/15/1990 8:55:22 AM\t\tN1\n", "before 1995", logs.Options{Format: logs.MIND}},
		{"MIND label", "1\tU\t11/15/2019 8:55:22 AM\t\tN1-2\n", "ends in neither -0 nor -1", logs.Options{Format: logs.MIND}},
		{"MIND without ID", "1\tU\t11/15/2019 8:55:22 AM\t\t-1\n", "article", logs.Options{Format: logs.MIND}},
		{"a word", timesOf("noon", "night"), "is in no known notation", none},
	},
	"keys": {
		{"decimals beside whole numbers", tableOf("7,a", "8,a", "7.0,a", "8.0,a"), "CAST(... AS BIGINT)", none},
		{"capitals beside small letters", tableOf("U1,a", "u1,a"), `users like "u1", which other lines write`, none},
		{"leading zeros", tableOf("007,a", "7,a"), "other capitals, zeros", none},
		{"commas in numbers", tableOf(`u,"1,007"`, "u,1007"), `articles like "1007"`, logs.Options{List: logs.NoList}},
		{"an accent of its own", tableOf("e\u0301,a", "\u00e9,a"), "nfc_normalize()", none},
		{
			"a power of ten in JSON", `{"user":1e3,"item":"a","time":1573808122}` + "\n" +
				`{"user":1000,"item":"a","time":1573808999}`, `like "1000"`, none,
		},
		{"digits that doubles lack", tableOf("9007199254740993,a", "9007199254740992,a"), "2 users, 0 repeats []", none},
		{"decimals alone", tableOf("7.0,a", "8.0,a"), "2 exposures, 2 users, 0 repeats []", none},
		{"rounded users", tableOf("1.2E+15,a", "1.2e15,b"), "a spreadsheet left the last digits out", none},
		{"rounded articles", tableOf("u,1.25E+15", "u,1.3E+15"), "--without-article=1.25E+15", none},
		{"digits of a spreadsheet", tableOf("123456789012345000,a"), "left the last digits out", none},
		{"NA", tableOf("NA,a", "u,a", "v,a"), "--without-user=NA", none},
		{"no user", tableOf("-1,a", "u,a"), "--without-user=-1", none},
		{"user 0", tableOf("0,a", "1,a"), "2 users, 0 repeats []", none},
		{"<NA>", tableOf("<NA>,a", "u,a"), "--without-user='<NA>'", none},
		{"null in JSON", `{"user":"null","item":"a","time":1573808122}`, "--without-user=null", none},
		{"a dash", tableOf("u,-", "u,a"), "--without-article=-", none},
		{"empty", tableOf("u,a", ",a", "v,a", "w,b"), "--skip-empty leaves such lines out", none},
		{"a byte order mark", tableOf("\ufeffu,a", "u,a"), "control character", none},
		{"a terminal's command", tableOf("u'\x1b[1m,a", "u,a"), `--without-user=$'u\'\x1b[1m'`, none},
		{"no UTF-8", tableOf("u\xe9,a", "u,a"), `--without-user=$'u\xe9'`, none},
		{"NUL", tableOf("u\x00,a", "u,a"), "control character", none},
		{"CR", tableOf("u\r,a", "u,a"), "control character", none},
		{
			"a stray quote",
			"user,item,time\nu,\"a1,1573808122\nu,a2,1573808123\nu,a2\",1573808190\nu,a3,1573808200\n", "--quote none",
			none,
		},
		{"a blank", tableOf("u ,a", "u,a"), "has a blank at an end", none},
		{"real keys", tableOf("u,a", "v,1.5", "w,R2D2", "x,1E5E"), "4 exposures, 4 users, 0 repeats []", none},
	},
	"access logs": {
		{"common", accessOf("203.0.113.7 - -", "203.0.113.7 - -"), "2 exposures, 1 users, 1 repeats", none},
		{"ports", accessOf("203.0.113.7:4001 - -", "203.0.113.7:4002 - -"), "2 exposures, 1 users, 1 repeats", none},
		{"ports of IPv6", accessOf("[2001:db8::1]:4001 - -", "2001:db8::1 - -"), "2 exposures, 1 users, 1 repeats", none},
		{"proxies", accessOf("203.0.113.7, 10.0.0.1 - -"), "several addresses", none},
		{"proxies at the end", line + ` "-" "M" "203.0.113.7, 10.0.0.2"`, "puts it first", none},
		{"no proxy at the end", line + ` "-" "M/5.0" "-"`, "1 exposures", none},
		{"IPv4 in IPv6", accessOf("::ffff:203.0.113.7 - -", "203.0.113.7 - -"), "1 users, 1 repeats", none},
		{"three proxies", accessOf("203.0.113.7, 10.0.0.1, 10.0.0.2 - -"), "several addresses", none},
		{"two addresses", accessOf("10.0.0.1 203.0.113.7 - -"), "may both be the user's address", none},
		{"an unknown address", accessOf("- 203.0.113.7 - -"), "may both be the user's address", none},
		{
			"a virtual host",
			accessOf("v.example:80 203.0.113.7 - -", "w.example 203.0.113.7 - -"), "2 exposures, 1 users, 0 repeats",
			none,
		},
		{"a proxy later", accessOf("203.0.113.7 - -", "203.0.113.7, 10.0.0.1 - -"), "1 of 2 lines cannot be read", none},
		{"POST", strings.ReplaceAll(accessOf("203.0.113.7 - -"), "GET", "POST"), "0 exposures", none},
	},
	"lists": {
		{
			"JSON in a table",
			tableOf(`u,"[""Dune, Part Two"", ""Up""]"`, `u,"[""Up"", ""I, Tonya""]"`), "4 exposures, 1 users, 1 repeats",
			none,
		},
		{"one list", tableOf(`u,"[1, 2]"`), "2 exposures, 1 users", none},
		{"one line with R's row name", "user,item,time\n1,u,a,1573808122\n", "as R writes row names", none},
		{"numbers in JSON", tableOf(`u,"[1, 2]"`, `u,[2]`), "3 exposures, 1 users, 1 repeats", none},
		{"Python's", tableOf(`u,"['a', 'b']"`), "may be a list", none},
		{"numpy's, shortened", tableOf("u,[1 2 ... 3 4]"), "may be a list", none},
		{"bars", tableOf("u,a|b"), "may be a list", none},
		{"semicolons", tableOf("u,a;b"), "may be a list", logs.Options{Comma: ","}},
		{"commas", tableOf(`u,"a,b"`), "--list none takes it for one article", none},
		{"braces", tableOf(`u,"{1,2}"`), "may be a list", none},
		{"words with digits", tableOf("u,a1 b2"), "may be a list", none},
		{"addresses in a list", tableOf("u,/a|/b"), "may be a list", none},
		{"URLs in a list", tableOf(`u,"http://h/a,http://h/b"`), "may be a list", none},
		{
			"a list after the sample", tableOf(strings.Fields(strings.Repeat("u,a ", 1000) + strings.Repeat("u,a|b ", 20))...),
			`articles like "a|b", which may be a list`, none,
		},
		{"a list in text in JSON", `{"user":"u","item":"a|b","time":1573808122}`, "may be a list", none},
		{"bars in a key", tableOf("u,a|b", "u,a|b"), "2 exposures, 1 users, 1 repeats", logs.Options{List: logs.NoList}},
		{"titles that are meant", tableOf(`u,"Dune, Part Two"`), "1 exposures", logs.Options{List: logs.NoList}},
		{"addresses", tableOf(`u,"/a?x=1,2;3"`), "1 exposures", none},
		{"titles of words", tableOf("u,Up in the Air"), "1 exposures", none},
	},
	"requests and objects": {
		{"a user who is true", `{"user":true,"item":"b","time":1573808122}`, "want a string or a number", none},
		{"two values of a key", `{"user":"a","item":"b","time":1573808122,"user":"c"}`, `two values of "user"`, none},
		{
			"two values of an inner key", `{"u":{"id":1,"id":2},"item":"b","time":1573808122}`, "two values",
			logs.Options{Columns: logs.Columns{User: "u.id"}},
		},
		{
			"requests that interleave",
			"user,request,item,time\nu1,r1,a,1573808122\nu2,r2,b,1573808122\nu1,r1,a,1573808122\nu2,r2,c,1573808200\n",
			"sort the log by user and request",
			logs.Options{Columns: logs.Columns{Request: "request"}},
		},
		{
			"requests in order", "user,request,item,time\nu1,r1,a,1573808122\nu1,r1,a,1573808122\nu2,r1,c,1573808200\n",
			"2 exposures, 2 users, 0 repeats",
			logs.Options{Columns: logs.Columns{Request: "request"}},
		},
		{"nested events", `{"session":1,"events":[{"aid":5,"ts":1661724000,"type":"clicks"}]}`, "nested events", none},
		{"an array", `[{"user":"a","item":"b","time":1573808122}]`, "jq -c .[] FILE", none},
		{"an indented object", "{\n\"user\":1}", "jq -c .", none},
		{"prose", "Once upon a time\n", "does not tell the format", none},
		{"Parquet", "PAR1", "duckdb -csv -c", none},
		{"IIS", "#Software: IIS\n#Fields: date time c-ip\n", "DuckDB query", none},
	},
}

// No input of the kinds that other programs misread is misread silently: it is read correctly, warned of, or refused
// with advice.
func TestCases(t *testing.T) {
	for kind, list := range cases {
		if len(list) < 10 {
			t.Errorf("%s has %d cases, want ten", kind, len(list))
		}
		for _, c := range list {
			if got := verdict(t, c.o, put(t, c.text)...); !strings.Contains(got, c.want) {
				t.Errorf("%s, %s: %s\nwant %s", kind, c.name, got, c.want)
			}
		}
	}
}

// A file named twice is refused, whatever its names, and so is a copy; files that only look alike are not.
func TestSameFile(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		strategytest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	first := put("first.csv", tableOf("w,z"))
	a, b := put("a.csv", tableOf("u,a", "u,b")), put("b.csv", tableOf("u,c", "u,d"))
	link, hard := filepath.Join(dir, "link.csv"), filepath.Join(dir, "hard.csv")
	strategytest.Must(t, os.Symlink(a, link))
	strategytest.Must(t, os.Link(a, hard))
	for _, c := range []struct {
		other, want string
	}{
		{put("empty.parquet", "PAR1PAR1"), "is Parquet: duckdb"},
		{a, "are the same file"},
		{dir + "/./a.csv", "are the same file"},
		{link, "are the same file"},
		{hard, "are the same file"},
		{put("a.csv.gz", "x"), "one file, packed or not"},
		{put("a.csv.zst", "x"), "one file, packed or not"},
		{put("a.csv.zip", "x"), "one file, packed or not"},
		{put("copy.csv", tableOf("u,a", "u,b")), "of one length and begin with the same lines"},
		{b, "5 exposures"},
		{put("empty.csv", "user,item,time\n"), "3 exposures"},
		{put("header.csv", "\"user,item,time\nu,c,1573808122\n"), "header: "},
	} {
		if got := verdict(t, logs.Options{}, first, a, c.other); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.other, got, c.want)
		}
	}
}
