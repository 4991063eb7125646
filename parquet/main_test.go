package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// written is a file of these rows.
func written[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
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

// lines is what comes out for the arguments, and what is said.
func lines(args ...string) (out, said string, err error) {
	var stdout, stderr bytes.Buffer
	err = run(&stdout, &stderr, args)
	return stdout.String(), stderr.String(), err
}

var noon = time.Date(2023, 5, 21, 12, 0, 0, 123456000, time.UTC)

// Flat rows, with what exports have: numbers with and without a sign, text, dictionaries,
// times as they are, and missing values, which stay for the reader of the log to judge.
func TestFlat(t *testing.T) {
	type event struct {
		Reader uint64  `parquet:"reader"`
		Item   *string `parquet:"item,dict,zstd"`
		At     int64   `parquet:"at,timestamp(microsecond),snappy"`
		Date   int32   `parquet:"date,date"`
		Plain  int64   `parquet:"plain"`
		Opened bool    `parquet:"opened"`
		Score  float64 `parquet:"score"`
		Inner  struct {
			Key string `parquet:"key"`
		} `parquet:"inner"`
	}
	item := "a,\"b\"\n"
	rows := []event{
		{
			Reader: 1<<64 - 1, Item: &item, At: noon.UnixMicro(), Date: 19498, Plain: noon.UnixMilli(),
			Opened: true, Score: 9778745,
		},
		{Reader: 7, At: -1, Plain: -5, Score: 1.5},
	}
	rows[0].Inner.Key = "k"
	name := saved(t, written(t, rows))
	for _, c := range []struct{ columns, want, said string }{
		{
			"user=reader,article=item,time=at",
			"user,article,time\n18446744073709551615,\"a,\"\"b\"\"\n\",2023-05-21T12:00:00.123456Z\n" +
				"7,,1969-12-31T23:59:59.999999Z\n", "2 rows, 2 lines\n",
		},
		{
			"user=inner.key,article=plain,time=date",
			"user,article,time\nk,1684670400123,2023-05-21T00:00:00Z\n,-5,1970-01-01T00:00:00Z\n", "2 rows, 2 lines\n",
		},
		{
			"user=reader,article=score,time=plain,clicked=opened,request=plain",
			"user,article,time,clicked,request\n18446744073709551615,9778745,1684670400123,1,1684670400123\n7,1.5,-5,0,-5\n",
			"2 rows, 2 lines; read them with --columns clicked=clicked,request=request\n",
		},
	} {
		out, said, err := lines("--columns", c.columns, name)
		if err != nil || out != c.want || said != "parquet: "+c.said {
			t.Errorf("%s: %q, %q, %v; want %q", c.columns, out, said, err, c.want)
		}
	}
}

// A row that lists articles is a request, and one that lists times beside them is as many;
// those clicked are listed, or told one by one.
func TestLists(t *testing.T) {
	type event struct {
		User    int32   `parquet:"user"`
		Article []int32 `parquet:"article,list"`
		Time    int64   `parquet:"time,timestamp(millisecond)"`
		Times   []int64 `parquet:"times,list"`
		Clicked []int32 `parquet:"clicked,list"`
		Items   []struct {
			ID     string `parquet:"id"`
			Opened bool   `parquet:"opened"`
		} `parquet:"items"`
		Nested [][]int32 `parquet:"nested,list"`
	}
	row := event{
		User: 1, Article: []int32{10, 11, 10}, Time: noon.UnixMilli(), Times: []int64{5, 6, 7},
		Clicked: []int32{11, 12},
	}
	for i, id := range []string{"x", "y", "z"} {
		row.Items = append(row.Items, struct {
			ID     string `parquet:"id"`
			Opened bool   `parquet:"opened"`
		}{id, i == 1})
	}
	name := saved(
		t,
		written(t, []event{row, {User: 2, Time: noon.UnixMilli()}, {User: 3, Article: []int32{5}, Times: []int64{9}}}),
	)
	for _, c := range []struct{ columns, want string }{
		{"request=user", "user,article,time,request\n1,10,AT,1\n1,11,AT,1\n1,10,AT,1\n3,5,1970-01-01T00:00:00Z,3\n"},
		{
			"clicked=clicked",
			"user,article,time,clicked,request\n1,10,AT,0,0\n1,11,AT,1,0\n1,10,AT,0,0\n3,5,1970-01-01T00:00:00Z,0,2\n",
		},
		{"time=times", "user,article,time\n1,10,5\n1,11,6\n1,10,7\n3,5,9\n"},
		{"article=items.id,clicked=items.opened", "user,article,time,clicked,request\n1,x,AT,0,0\n1,y,AT,1,0\n1,z,AT,0,0\n"},
	} {
		out, _, err := lines("--columns", c.columns, name)
		out = strings.ReplaceAll(out, "2023-05-21T12:00:00.123Z", "AT")
		if err != nil || out != c.want {
			t.Errorf("%s: %q, %v; want %q", c.columns, out, err, c.want)
		}
	}
	for columns, want := range map[string]string{
		"article=nested": "column nested (list of INT(32,true)) cannot be the article: it holds lists " +
			"of lists",
		"user=article": "cannot be the user: it holds lists",
		"article=user,time=times": "column times (list of INT(64,true)) is a list, and column user " +
			"(INT(32,true)) is not",
		"time=clicked": `row 0: 2 values of "clicked", and 3 of "article"`,
		"article=when": `no column "when" (article): the file has user (INT(32,true)), article (list ` +
			`of INT(32,true)), time (TIMESTAMP`,
		"user=who,article=what,time=at": "try --columns user=user,article=article,time=time",
		"article=items.opened": "column items.opened (list of BOOLEAN) cannot be the article: its type is " +
			"neither a number nor text",
		"what=user": "want WHAT=COLUMN, of user, article, time, clicked and request",
	} {
		if _, _, err := lines("--columns", columns, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", columns, err, want)
		}
	}
}

// Rows of any number of values, in pages and groups of any size and packed in any way,
// come out as they went in.
func TestRoundTrip(t *testing.T) {
	type event struct {
		User    string   `parquet:"user,dict"`
		Article []string `parquet:"article,list"`
		Time    int64    `parquet:"time"`
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, options := range [][]parquet.WriterOption{
		{parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(64)},
		{parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(700)},
		{parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1)},
		{parquet.Compression(&parquet.Lz4Raw), parquet.PageBufferSize(1 << 10), parquet.MaxRowsPerRowGroup(999)},
		{parquet.Compression(&parquet.Brotli)},
		{parquet.Compression(&parquet.Lz4Raw)},
		{parquet.Compression(&parquet.Lz4Raw), parquet.DataPageVersion(1)},
	} {
		var rows []event
		want := []string{"user,article,time,request"}
		for i := range 2000 {
			e := event{User: fmt.Sprint("u", r.IntN(50)), Time: int64(i)}
			n := r.IntN(4)
			if r.IntN(200) == 0 {
				n = 2000 // more than a page
			}
			for range n {
				e.Article = append(e.Article, fmt.Sprint(r.IntN(1000)))
				want = append(want, fmt.Sprintf("%s,%s,%d,%d", e.User, e.Article[len(e.Article)-1], i, i))
			}
			rows = append(rows, e)
		}
		out, _, err := lines(saved(t, written(t, rows, options...)))
		if got := strings.Split(strings.TrimSpace(out), "\n"); err != nil ||
			strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%d lines, want %d, %v", len(got), len(want), err)
		}
	}
}

// Files of another implementation (pyarrow 26.0.1, as testdata/make.py has it) come out as
// they went in there.
func TestArrow(t *testing.T) {
	for name, columns := range map[string]string{
		"ebnerd":            "user=user_id,article=article_ids_inview,time=impression_time,clicked=article_ids_clicked",
		"ebnerd-int96":      "user=user_id,article=article_ids_inview,time=impression_time,clicked=article_ids_clicked",
		"yambda-sequential": "user=uid,article=item_id,time=timestamp",
		"bigquery":          "user=event.user,article=event.article",
		"clickhouse":        "",
	} {
		args := []string{filepath.Join("testdata", name+".parquet")}
		if columns != "" {
			args = append([]string{"--columns", columns}, args...)
		}
		out, _, err := lines(args...)
		want, fault := os.ReadFile(filepath.Join("testdata", strings.TrimSuffix(name, "-int96")+".csv"))
		if err != nil || fault != nil || out != string(want) {
			t.Errorf("%s: %v, %v, got\n%swant\n%s", name, err, fault, out, want)
		}
	}
}

// Several files are one log, if they are of one kind.
func TestFiles(t *testing.T) {
	type event struct {
		User, Article string
		Time          int64
	}
	flat := saved(t, written(t, []event{{"u", "a", 5}}))
	names := []string{"--columns", "user=User,article=Article,time=Time"}
	out, said, err := lines(append(names, flat, flat)...)
	if err != nil || out != "user,article,time\nu,a,5\nu,a,5\n" || said != "parquet: 2 rows, 2 lines\n" {
		t.Errorf("%q, %q, %v", out, said, err)
	}
	type request struct {
		User    string
		Article []string
		Time    int64
	}
	lists := saved(t, written(t, []request{{"u", []string{"a", "b"}, 5}}))
	if _, _, err := lines(append(names, flat, lists)...); err == nil || !strings.Contains(err.Error(), "its lines "+
		"have the columns [user article time request], those of the files before [user article time]") {
		t.Error(err)
	}
	for want, args := range map[string][]string{
		"no file named":                    nil,
		"is a directory":                   {t.TempDir()},
		"no such file or directory":        {filepath.Join(t.TempDir(), "none.parquet")},
		flag.ErrHelp.Error():               {"--help"},
		"is not a Parquet file: it begins": {"main_test.go"},
	} {
		if _, _, err := lines(args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}
