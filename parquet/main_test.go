package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
)

// written is a file of these rows.
func written[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, options...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// saved is the path of a file with that content.
func saved(t testing.TB, file []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "events.parquet")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// lines is what comes out for the arguments, behind the header, and what is said.
func lines(args ...string) (out, said string, err error) {
	var stdout, stderr bytes.Buffer
	err = run(&stdout, &stderr, args)
	return strings.TrimPrefix(stdout.String(), "user,article,time,clicked,request\n"), stderr.String(), err
}

// refused fails the test where arguments are not refused with this text.
func refused(t *testing.T, want string, args ...string) {
	t.Helper()
	strategytest.ErrorSays(t, fmt.Sprintf("%q", args), strategytest.ErrorOf(lines(args...)), want)
}

var noon = time.Date(2023, 5, 21, 12, 0, 0, 123456000, time.UTC)

// Flat rows, with what exports have: numbers with and without a sign, text, dictionaries, UUIDs, times of all kinds,
// and missing values. Rows without a user or an article are left out; a missing time is for the reader of the log.
func TestFlat(t *testing.T) {
	type event struct {
		Reader uint64           `parquet:"reader"`
		Small  uint32           `parquet:"small"`
		Key    uuid.UUID        `parquet:"key"`
		Item   *string          `parquet:"item,dict,zstd"`
		Nanos  int64            `parquet:"nanos,timestamp(nanosecond)"`
		Micros *int64           `parquet:"micros,timestamp(microsecond),snappy"`
		Millis int64            `parquet:"millis,timestamp(millisecond)"`
		Old    deprecated.Int96 `parquet:"old"`
		Date   int32            `parquet:"date,date"`
		Plain  int64            `parquet:"plain"`
		Opened bool             `parquet:"opened"`
		Score  float64          `parquet:"score"`
		Single float32          `parquet:"single"`
		Price  int64            `parquet:"price,decimal(2:9)"`
		Inner  struct {
			Key string `parquet:"key"`
		} `parquet:"inner"`
	}
	rows := []event{
		{
			Reader: 1<<64 - 1, Small: 1<<32 - 1, Key: uuid.UUID{1, 15: 0xff}, Item: new("a,\"b\"\n"), Date: 19498,
			Nanos: noon.UnixNano(), Micros: new(noon.UnixMicro()), Millis: 253402300799999, Plain: noon.UnixMilli(),
			Old: deprecated.Int96{5, 1, 2440589}, Opened: true, Score: 9778745, Single: 1.1,
		},
		{Reader: 7, Nanos: -1, Millis: -1, Date: -1, Plain: -5, Score: math.NaN()},
	}
	rows[0].Inner.Key = "k"
	name := saved(t, written(t, rows))
	for columns, want := range map[string]string{
		"user=reader,article=item,time=nanos": "18446744073709551615,\"a,\"\"b\"\"\n\",2023-05-21T12:00:00.123456Z,,0\n",
		"user=small,article=key,time=micros": "4294967295,01000000-0000-0000-0000-0000000000ff," +
			"2023-05-21T12:00:00.123456Z,,0\n0,00000000-0000-0000-0000-000000000000,,,1\n",
		"user=inner.key,article=plain,time=date": "k,1684670400123,2023-05-21T00:00:00Z,,0\n",
		"user=Reader,article=single,time=millis": "18446744073709551615,1.1,9999-12-31T23:59:59.999Z,,0\n" +
			"7,0,1969-12-31T23:59:59.999Z,,1\n",
		"user=score,article=small,time=old": "9778745,4294967295,1970-01-02T00:00:04.294967301Z,,0\n",
		"user=small,article=small,time=nanos": "4294967295,4294967295,2023-05-21T12:00:00.123456Z,,0\n" +
			"0,0,1969-12-31T23:59:59.999999999Z,,1\n",
		"user=reader,article=small,time=plain,clicked=opened,request=plain": "18446744073709551615,4294967295," +
			"1684670400123,true,1684670400123\n7,0,-5,false,-5\n",
	} {
		if out, _, err := lines("--columns", columns, name); err != nil || out != want {
			t.Errorf("%s: %q, %v; want %q", columns, out, err, want)
		}
	}
	_, said, _ := lines("--columns", "user=inner.key,article=item,time=date", name, name)
	for _, want := range []string{
		"events.parquet: {User:inner.key Article:item Time:date", "4 rows, 2 lines",
		"2 rows without a user and 0 null articles", "(--columns", "--columns clicked=clicked,request=request",
	} {
		strategytest.Contains(t, said, want, "said is")
	}
	refused(t, "price (DECIMAL(9,2)) cannot be the article: want numbers, text or times", "--columns",
		"user=reader,article=price,time=date", name)
}

// A row that lists articles is a request, and one that lists times beside them is as many; those clicked are listed, or
// told one by one.
func TestLists(t *testing.T) {
	type item struct {
		ID     string `parquet:"id"`
		Opened bool   `parquet:"opened"`
	}
	type event struct {
		User    int32     `parquet:"user"`
		Article []*int32  `parquet:"article,list"`
		Time    int64     `parquet:"time"`
		Times   []int64   `parquet:"times,list"`
		Clicked []int32   `parquet:"clicked,list"`
		Items   []item    `parquet:"items"`
		Nested  [][]int32 `parquet:"nested,list"`
	}
	name := saved(t, written(t, []event{
		{
			User: 1, Article: []*int32{new(int32(10)), new(int32(11)), nil, new(int32(10))}, Time: 5, Times: []int64{5, 6, 7, 8},
			Clicked: []int32{11, 12}, Items: []item{{"x", false}, {"y", true}},
		},
		{User: 2, Time: 6},
		{User: 3, Article: []*int32{new(int32(10))}, Time: 7, Times: []int64{9}},
	}))
	for columns, want := range map[string]string{
		"request=user":                          "1,10,5,,1\n1,11,5,,1\n1,10,5,,1\n3,10,7,,3\n",
		"clicked=clicked":                       "1,10,5,false,0\n1,11,5,true,0\n1,10,5,false,0\n3,10,7,false,3\n",
		"time=times":                            "1,10,5,,0\n1,11,6,,1\n1,10,8,,2\n3,10,9,,3\n",
		"article=items.id,clicked=items.opened": "1,x,5,false,0\n1,y,5,true,0\n",
	} {
		out, said, err := lines("--columns", columns, name)
		if err != nil || out != want || !strings.Contains(said, "0 rows without a user and 2 null articles") {
			t.Errorf("%s: %q, %v, %q; want %q", columns, out, err, said, want)
		}
	}
	for columns, want := range map[string]string{
		"article=nested":          "column nested (INT(32,true)) cannot be the article: want numbers, text or times",
		"user=article":            "cannot be the user",
		"article=user,time=times": "row 1: it has 1 articles, 4 times and 1 answers",
		"clicked=items.opened":    "row 1: it has 4 articles, 1 times and 2 answers",
		"article=what": `no column "what" (article) among ["user" "article" "time" "times" "clicked" "items.id" ` +
			`"items.opened" "nested"]: name them, perhaps so: --columns user=user,article=article,time=time`,
	} {
		refused(t, want, "--columns", columns, name)
	}
	for _, text := range []string{"what=user", "user=", "user"} {
		strategytest.ErrorSays(t, fmt.Sprintf("%q", text), parse(new(decision.Columns), text), "want WHAT=COLUMN")
	}
}

// Rows of any number of values, in pages and groups of any size and packed in any way, come out as they went in.
func TestRoundTrip(t *testing.T) {
	type event struct {
		User    string   `parquet:"user,dict"`
		Article []string `parquet:"article,list"`
		Time    *int64   `parquet:"time"`
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i, options := range [][]parquet.WriterOption{
		{parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(64)},
		{parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(700)},
		{parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1)},
		{parquet.Compression(&parquet.Lz4Raw), parquet.PageBufferSize(1 << 10), parquet.MaxRowsPerRowGroup(999)},
		{parquet.Compression(&parquet.Brotli)},
		{parquet.Compression(&parquet.Lz4Raw)},
		{parquet.Compression(&parquet.Lz4Raw), parquet.DataPageVersion(1)},
	} {
		var rows []event
		var want []string
		for range 2000 {
			e := event{User: fmt.Sprint("u", r.IntN(50))}
			n, first := r.IntN(4), len(want)
			if r.IntN(200) == 0 {
				n = 2000 // more than a page
			}
			for range n {
				e.Article = append(e.Article, fmt.Sprint(r.Uint64()>>r.IntN(64)))
				want = append(want, fmt.Sprintf("%s,%s,,,%d", e.User, e.Article[len(e.Article)-1], first))
			}
			rows = append(rows, e)
		}
		out, _, err := lines(saved(t, written(t, rows, options...)))
		if err != nil || strings.TrimSpace(out) != strings.Join(want, "\n") {
			t.Errorf("%d: %d bytes, want %d lines, %v", i, len(out), len(want), err)
		}
	}
}

// Files of other implementations (pyarrow 26.0.1 and fastparquet 2026.9.0, as testdata/make.py has it) come out as they
// went in there.
func TestOthers(t *testing.T) {
	const ebnerd = "user=user_id,article=article_ids_inview,time=impression_time,clicked=article_ids_clicked"
	for name, columns := range map[string]string{
		"ebnerd": ebnerd, "ebnerd-int96": ebnerd, "bigquery": "user=event.user,article=event.article",
		"yambda-sequential": "user=uid", "clickhouse": "user=user", "fastparquet": "user=user",
	} {
		out, _, err := lines("--columns", columns, "testdata/"+name+".parquet")
		want := content(t, "testdata/"+strings.TrimSuffix(name, "-int96")+".csv")
		if err != nil || "user,article,time,clicked,request\n"+out != want {
			t.Errorf("%s: %v, got\n%swant\n%s", name, err, out, want)
		}
	}
	out, _, err := lines("--columns", "user=number", "testdata/fastparquet.parquet")
	if err != nil || strings.Count(out, "\n") != 15 || !strings.HasPrefix(out, "10000001,1,") {
		t.Errorf("users that are NaN: %q, %v", out, err)
	}
}

// The command that an error names for a log of Parquet files does what it says: for one with null users and INT96 or no
// times, for several, for many, and for those that are packed.
func TestNamedCommand(t *testing.T) {
	file, want := content(t, "testdata/fastparquet.parquet"), content(t, "testdata/fastparquet.csv")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	strategytest.Value(io.WriteString(w, file))
	strategytest.Must(t, w.Close())
	contents := map[string]string{".parquet": file, ".csv": want, ".gz": packed.String()}
	for _, c := range []struct {
		names    []string
		out, has string
	}{
		{[]string{"it's $1.parquet"}, "it's $1.parquet.csv", "this writes its lines to 'it'\\''s $1.parquet.csv'"},
		{[]string{"b.parquet", "a.csv", "a.parquet"}, "b.parquet-and-1-more.csv", "b.parquet /"},
		{[]string{"a b.pq.gz"}, "a b.pq.gz.csv", "/a b.pq.gz' >'a b.pq.gz.csv'"},
		{[]string{"a.parquet", "b.parquet", "c.parquet", "d.parquet"}, "a.parquet-and-3-more.csv", "/*.parquet >"},
		{[]string{"d.parquet", "c.parquet", "b.parquet", "a.parquet"}, "d.parquet-and-3-more.csv", "/b.parquet /"},
	} {
		t.Chdir(t.TempDir())
		for _, name := range c.names {
			strategytest.Must(t, os.WriteFile(name, []byte(contents[filepath.Ext(name)]), 0o600))
		}
		files := slices.DeleteFunc(slices.Clone(c.names), func(name string) bool { return name == "a.csv" })
		o := logs.Options{Columns: logs.Columns{User: "USER"}}
		l := strategytest.Value(logs.OpenOrdered(t.Context(), o, c.names...))
		l.NextRequest()
		text := l.Close().Error()
		_, command, _ := strings.Cut(text, "request=request: ")
		said, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput()
		all, _, _ := lines(append([]string{"--columns", "user=USER"}, files...)...)
		out, _ := os.ReadFile(c.out)
		o = logs.Options{Columns: logs.Columns{Clicked: "clicked", Request: "request"}, MaxShare: 1}
		l = strategytest.Value(logs.Open(t.Context(), o, c.out))
		for range l.Requests() { // two lines of each have no time
		}
		n, read := int64(len(files)), l.Counts()
		if l.Close() != nil || read.Events != 13*n || read.Faults != 2*n || !strings.HasPrefix(string(out), want) ||
			string(out) != "user,article,time,clicked,request\n"+all || !strings.Contains(text, c.has) {
			t.Errorf("%q: %s\n%v, %s, writes\n%swant\n%s", c.names, text, err, said, out, all)
		}
	}
}

// A time that no log has, for which nanoseconds of 64 bits have no room, comes out as it is, and the reader of the log
// names it.
func TestFarTimes(t *testing.T) {
	name := saved(t, written(t, []struct {
		User, Article string
		Micros        int64            `parquet:"micros,timestamp(microsecond)"`
		Old           deprecated.Int96 `parquet:"old"`
	}{{"u", "a", math.MaxInt64, deprecated.Int96{0, 0, 108000000}}, {"u", "a", math.MinInt64, deprecated.Int96{}}}))
	for column, want := range map[string]string{"micros": "294247-01-10T04:00:54.775807Z", "old": "290981-11-08T00:"} {
		out, _, _ := lines("--columns", "user=user,article=article,time="+column, name)
		o := logs.Options{Format: logs.CSV, Comma: ",", Clock: clock.RFC3339, List: decision.NoList}
		l := strategytest.Value(logs.New(strings.NewReader("user,article,time,clicked,request\n"+out), "log", o))
		l.NextRequest()
		if err := fmt.Sprint(l.Close()); l.Counts().Faults != 2 || !strings.Contains(err, `time "`+want) {
			t.Errorf("%s: %s, want %q", out, err, want)
		}
	}
}

// content is what a file holds.
func content(t *testing.T, name string) string {
	t.Helper()
	return string(strategytest.Value(os.ReadFile(name)))
}

// Several files are one log, whatever their columns.
func TestFiles(t *testing.T) {
	flat := saved(t, written(t, []struct {
		User, Article string
		Time          int64
	}{{"u", "a", 5}}))
	lists := saved(t, written(t, []struct {
		UserID   string   `parquet:"user_id"`
		Articles []string `parquet:"article_ids"`
		TS       int64    `parquet:"ts"`
	}{{"u", []string{"a", "b"}, 6}}))
	if out, _, err := lines(flat, lists, flat); err != nil || out != "u,a,5,,0\nu,a,6,,1\nu,b,6,,1\nu,a,5,,3\n" {
		t.Errorf("%q, %v", out, err)
	}
	refused(t, "no file named")
	refused(t, "is a directory", t.TempDir())
	refused(t, "no such file or directory", filepath.Join(t.TempDir(), "none.parquet"))
	refused(t, `main_test.go: is not a whole Parquet file: invalid magic header`, "main_test.go")
}

// sample is a file of some rows.
func sample(t testing.TB) []byte {
	type event struct {
		User    string  `parquet:"user,dict,lz4"`
		Article []int64 `parquet:"article,list,gzip"`
		Time    int64   `parquet:"time,timestamp(microsecond),zstd"`
	}
	var rows []event
	for i := range 40 {
		rows = append(rows, event{string(rune('a' + i%5)), []int64{int64(i), 7}, int64(i) * 1e6})
	}
	return written(t, rows, parquet.MaxRowsPerRowGroup(25))
}

// read is what is said of a file that lies in memory.
func read(file []byte) error {
	w := &writer{csv: csv.NewWriter(io.Discard)}
	return w.read(bytes.NewReader(file), int64(len(file)), new(decision.Columns))
}

// A file that was cut anywhere is an error; one that has any byte changed gives an error or lines, in little memory.
func TestDamaged(t *testing.T) {
	file, swapped := sample(t), strings.NewReplacer("\x16\x32", "\x16\x1e", "\x16\x1e", "\x16\x32") // 25 and 15
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for n := range file {
		if err := read(file[:n]); err == nil || !strings.Contains(err.Error(), "is not a whole Parquet file") {
			t.Fatalf("%d of %d bytes: %v", n, len(file), err)
		}
		for _, bit := range []byte{0x01, 0x80, 0xff} {
			changed := bytes.Clone(file)
			changed[n] ^= bit
			_ = read(changed)
		}
	}
	runtime.ReadMemStats(&after)
	strategytest.AtMost(t, (after.TotalAlloc-before.TotalAlloc)/uint64(4*len(file)), 1<<20,
		"bytes for each file of %d", len(file))
	for want, changed := range map[string]string{
		"a list of 2147483647 elements, in 9 bytes":  "PAR1\x15\x02\x19\xfc\xff\xff\xff\xff\x07\x09\x00\x00\x00PAR1",
		"group 0 of rows has 25, where it claims 15": swapped.Replace(string(file)),
	} {
		strategytest.ErrorSays(t, "the error", read([]byte(changed)), want)
	}
}
