package table_test

import (
	"bytes"
	"encoding/csv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"

	"dejavu/workload/logs/table"
)

// end is what End promises, of one record and without a memory of others: the model.
func end(text []byte, comma string, eof bool, limit int) int {
	first := table.Line(text, eof)
	if first == 0 {
		return 0
	}
	for n := 0; ; {
		more := table.Line(text[n:], eof)
		if more == 0 {
			break
		}
		if n += more; n > limit {
			return first
		}
		switch closed, sound := closes(strings.TrimRight(string(text[:n]), "\n"), comma); {
		case !sound && n > first:
			return first
		case !sound || closed:
			return n
		}
	}
	if eof || len(text) > limit {
		return first
	}
	return 0
}

// closes is whether a record has all its quoted fields closed, and whether each closes where it may.
func closes(record, comma string) (closed, sound bool) {
	for {
		if strings.HasPrefix(record, `"`) {
			rest := strings.ReplaceAll(record[1:], `""`, "xx")
			i := strings.IndexByte(rest, '"')
			if i < 0 {
				return false, true
			}
			if record = record[1+i+1:]; record != "" && !strings.HasPrefix(record, comma) && record[0] != '\r' &&
				record[0] != '\n' {
				return false, false
			}
		}
		_, rest, more := strings.Cut(record, comma)
		if !more {
			return true, true
		}
		record = rest
	}
}

// Records end where the model says, whatever came before them.
func TestEndIsTheModels(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 7))
	long := 0
	for range 60000 {
		comma := []string{",", "::"}[random.IntN(2)]
		var text []byte
		for range random.IntN(30) {
			text = append(text, []string{`"`, `"`, comma, comma, "\n", "\n", "x", ":", `""`, "\r\n"}[random.IntN(10)]...)
		}
		eof, limit := random.IntN(2) == 0, []int{4, 9, 100}[random.IntN(3)]
		c := table.Cutter{Dialect: table.Dialect{Comma: comma, Quoted: true}, Limit: limit}
		for at := 0; at < len(text); {
			n, want := c.End(text, at, eof), end(text[at:], comma, eof, limit)
			if n != want {
				t.Fatalf("%q at %d, limit %d, eof %t: %d, want %d", text, at, limit, eof, n, want)
			}
			if n == 0 {
				break
			}
			if bytes.Count(text[at:at+n], []byte("\n")) > 1 {
				long++
			}
			at += n
		}
	}
	if long < 1000 {
		t.Errorf("%d records of several lines, want more for a test", long)
	}
}

// Without quoted fields a record is a line.
func TestNoQuotes(t *testing.T) {
	c := table.Cutter{Dialect: table.Dialect{Comma: "\t"}, Limit: 100}
	strategytest.Equal(t, c.End([]byte("\"a\n\"b\n"), 0, true), 3, "a record of bytes")
	s := table.Splitter{Dialect: c.Dialect, Most: 3}
	for text, want := range map[string]string{"\"a\tb\"\t": `"a|b"|`, "": "", "a": "a", "a\tb\tc\td": "more than 3 " +
		"fields"} {
		fields, reason := s.Split([]byte(text))
		strategytest.Equal(t, string(bytes.Join(fields, []byte("|")))+reason, want, "%q", text)
	}
}

// Where encoding/csv reads a record, Split reads the same.
func TestSplit(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 8))
	read := 0
	for range 60000 {
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString([]string{`"`, `"`, ",", ",", "x", "y\n", `""`, "\r\n", "é"}[random.IntN(9)])
		}
		record := strings.TrimRight(text.String(), "\r\n")
		if record == "" || record[0] == '\n' || record[0] == '\r' {
			continue
		}
		r := csv.NewReader(strings.NewReader(record))
		want, err := r.Read()
		if err != nil || r.InputOffset() != int64(len(record)) {
			continue
		}
		read++
		s := table.Splitter{Dialect: table.Dialect{Comma: ",", Quoted: true}, Most: 100}
		fields, reason := s.Split([]byte(record))
		var got []string
		for _, f := range fields {
			got = append(got, string(f))
		}
		if reason != "" || !slices.Equal(got, want) {
			t.Fatalf("%q: %q %s, want %q", record, got, reason, want)
		}
	}
	if read < 5000 {
		t.Errorf("%d records were read, want more for a test", read)
	}
}

// What is no record is refused in words that name the place, and what helps.
func TestSplitRefuses(t *testing.T) {
	s := table.Splitter{Dialect: table.Dialect{Comma: "::", Quoted: true}, Most: 3}
	const help = " (--quote none takes quotes as they are)"
	for _, c := range []struct{ record, want string }{
		{`a::b::c::d`, "more than 3 fields"},
		{`a::b"c`, `a quote within field "b\"c", which does not begin with one` + help},
		{`a"::"b"`, `a quote within field "a\"", which does not begin with one` + help},
		{`"a`, "a quoted field does not end, or not well" + help},
		{`"a""`, "a quoted field does not end, or not well" + help},
		{`"a"b::c`, `"b::c" follows a closing quote, where "::" should` + help},
		{`"a":b`, `":b" follows a closing quote, where "::" should` + help},
	} {
		if fields, reason := s.Split([]byte(c.record)); reason != c.want || fields != nil {
			t.Errorf("%s is %q, %q; want %q", c.record, fields, reason, c.want)
		}
	}
	for record, want := range map[string][]string{
		"a::b::c":       {"a", "b", "c"},
		`"a""b"::"::"`:  {`a"b`, "::"},
		"\"a\r\nb\"::":  {"a\nb", ""},
		"\"a\rb\"":      {"a\rb"},
		`"a""b""c"::""`: {`a"b"c`, ""},
	} {
		fields, reason := s.Split([]byte(record))
		if !slices.EqualFunc(fields, want, func(f []byte, w string) bool { return string(f) == w }) || reason != "" {
			t.Errorf("%s is %q, %q; want %q", record, fields, reason, want)
		}
	}
}
