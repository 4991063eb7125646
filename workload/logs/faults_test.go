package logs_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

// Too many faults end the log: at once or, if their share is large, at its end.
func TestLimits(t *testing.T) {
	good, bad := "1,2,3\n", "1,2\n"
	for lines, want := range map[string]string{
		strings.Repeat(good, 90) + strings.Repeat(bad, 10): "",
		strings.Repeat(good+good+good+bad, 20):             "20 of 80 lines cannot be read",
		strings.Repeat(bad, 200000): "more than 1000 lines cannot be read (--faults). The " +
			"first: log:2: ",
	} {
		_, counts, err := read(t, "user,article,time\n"+lines, logs.Options{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
		if counts.Lines > 100000 {
			t.Errorf("%d lines were read before the limit of 1000 was noticed", counts.Lines)
		}
	}
}

// Files that cannot be read at all.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		strategytest.Must(t, os.WriteFile(path, data, 0o600))
		return path
	}
	plain := logtest.Text(logs.CSV, some(logs.CSV, 5000)...)
	gz, zst := pack(".gz", plain), pack(".zst", plain)
	bz2 := strategytest.Value(base64.StdEncoding.DecodeString(
		"QlpoOTFBWSZTWTjQpdYAAAvZgAAQAAQ4AComHgAgACKDagfqagpgADShELNeBLo1t+OnxdyRThQkDjQpdYA="))
	if events, _, err := all(open(t, logs.Options{}, put("a.bz2", bz2))); len(events) != 1 || err != nil {
		t.Errorf("%d events of bzip2, %v", len(events), err)
	}
	broken := bytes.Clone(zst)
	broken[len(broken)/2] ^= 0xff
	good := put("good.csv", []byte("user,article,time\n1,2,3\n"))
	for _, c := range []struct {
		o        logs.Options
		patterns []string
		want     string
	}{
		{logs.Options{}, []string{dir}, "is a directory"},
		{logs.Options{}, []string{filepath.Join(dir, "absent")}, "no such file"},
		{logs.Options{}, []string{filepath.Join(dir, "x*")}, "no file matches"},
		{logs.Options{}, []string{filepath.Join(dir, "[")}, "syntax error in pattern"},
		{logs.Options{}, []string{good, filepath.Join(dir, "*.csv")}, "good.csv are the same file"},
		{logs.Options{}, []string{put("short.gz", gz[:len(gz)/2])}, "the file is cut short: cannot be unpacked"},
		{logs.Options{}, []string{put("head.gz", gz[:5])}, "head.gz: cannot be unpacked: unexpected EOF"},
		{logs.Options{}, []string{put("block.gz", append(bytes.Clone(gz[:10]), 0xff, 0xff, 0xff))}, "block.gz: cannot " +
			"be unpacked: flate: corrupt input"},
		{logs.Options{}, []string{put("short.zst", zst[:len(zst)/2])}, "the file is cut short: cannot be unpacked"},
		{logs.Options{}, []string{put("broken.zst", broken)}, "broken.zst"},
		{logs.Options{}, []string{put("a.zip", []byte("PK\x03\x04zip"))}, "is a zip archive: 'unzip -p FILE NAME"},
		{logs.Options{}, []string{put("short.bz2", []byte(bz2[:len(bz2)-9]))}, "unexpected EOF"},
		{logs.Options{}, []string{put("a.xlsx", []byte("PK\x03\x04\x14\x00[Content_Types].xml"))}, "is an Excel workbook"},
		{logs.Options{}, []string{put("a.parquet", []byte("PAR1"))}, "is Parquet: duckdb -csv -c"},
		{logs.Options{}, []string{put("wide", []byte("\xff\xfeu\x00"))}, "writes UTF-16 as UTF-8"},
		{logs.Options{}, []string{put("bare", []byte("u\x00s\x00e\x00\n\x00"))}, "iconv -f UTF-16"},
		{logs.Options{}, []string{put("lz4", []byte("\x04\x22M\x18d@"))}, "is packed, perhaps twice: 'gzip -dc'"},
		{logs.Options{}, []string{put("mac", []byte("user,article,time\r1,2,3\r"))}, `mac: has lines that end in CR alone`},
		{logs.Options{}, []string{put("twice.gz", pack(".gz", gz))}, "is packed, perhaps twice"},
		{logs.Options{}, []string{put("a.tgz", pack(".gz", append(make([]byte, 257), "ustar"...)))}, "a.tgz: is a " +
			"tar archive: 'tar -xf FILE' unpacks it"},
		{logs.Options{}, []string{put("prose", []byte("\nOnce upon a time\n"))}, `prose:2: the first line, "Once upon ` +
			`a time", does not tell the format: name one of [mind`},
		{logs.Options{}, []string{put("a line of the sample's length", bytes.Repeat([]byte("x"), 1<<17))}, "does not tell"},
		{logs.Options{Format: logs.CSV, Columns: logs.Columns{User: "reader"}}, []string{good}, `good.csv:1: no ` +
			`column "reader" (user) among ["user" "article" "time"]`},
		{logs.Options{}, []string{put("two", []byte("user,article,time,user\n"))}, `two columns "user"`},
		{logs.Options{Format: "tsv"}, []string{good}, `format "tsv" is not one of [mind access json csv]`},
		{logs.Options{Format: logs.JSON}, []string{put("number", []byte("5\n{\"a\"\n"))}, `not JSON objects: JSON: ` +
			`"5" is no object`},
		{logs.Options{Format: logs.JSON}, []string{put("half", []byte("{\"a\"\n5\n"))}, "not JSON objects: JSON: " +
			"cannot parse JSON: cannot parse object: missing ':' after object key"},
	} {
		l, err := open(t, c.o, c.patterns...)
		if err == nil {
			for range l.Requests() {
			}
			err = l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "logs: ") {
			t.Errorf("%v: %v, want %q", c.patterns, err, c.want)
		}
	}
}

// A reader that neither reads nor fails does not cause an endless wait.
func TestNoProgress(t *testing.T) {
	l := strategytest.Value(logs.New(idle{}, "idle", logs.Options{}))
	if len(l.NextRequest()) > 0 || !errors.Is(l.Close(), io.ErrNoProgress) {
		t.Errorf("%v, want %v", l.Err(), io.ErrNoProgress)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// Memory depends neither on the log's length, nor on a line that never ends, nor
// on a key that joins all lines to one request.
func TestMemory(t *testing.T) {
	for name, line := range map[string]string{"lines": "1,2,3,4\n", "one line": "1111,", "one field": `"`} {
		text := "user,article,time,request\n" + strings.Repeat(line, 12<<20/len(line))
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		l := strategytest.Value(logs.New(strings.NewReader(text), "long", logs.Options{MaxShare: 1, Columns: columns}))
		for range l.Requests() {
		}
		runtime.ReadMemStats(&after)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 32 { // allocated in all, also what was given back
			t.Errorf("%s: %d MB allocated for a log of 12", name, mb)
		}
	}
}
