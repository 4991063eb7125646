package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// A listener is a test that continues and keeps its reports.
type listener struct {
	testing.TB
	printed string
}

func (l *listener) Helper() {}

func (l *listener) Errorf(format string, args ...any) { l.printed += fmt.Sprintf(format, args...) }

func (l *listener) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func (l *listener) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// listen returns what f prints and why it ends, with or without -update.
func listen(t *testing.T, updating bool, f func(t testing.TB)) (printed string) {
	l := &listener{TB: t}
	defer func(was bool) {
		*update = was
		if p := recover(); p != nil {
			printed = fmt.Sprint(p)
		}
	}(*update)
	*update = updating
	f(l)
	return l.printed
}

func written(t *testing.T, path string) string {
	t.Helper()
	text := strategytest.Value(os.ReadFile(path))
	return string(text)
}

func TestFile(t *testing.T) {
	t.Chdir(t.TempDir())
	path := filepath.Join("testdata", "a.golden")
	tells := func(updating bool, text, says, want string) {
		t.Helper()
		printed := listen(t, updating, func(t testing.TB) { File(t, "a.golden", text) })
		if now, _ := os.ReadFile(path); string(now) != want || says == "" && printed != "" ||
			!strings.Contains(printed, says) {
			t.Errorf("%q, updating %v: %q, written %q", text, updating, printed, now)
		}
	}
	tells(false, "one\n", "no such file", "")
	tells(true, "one\ntwo\n", "", "one\ntwo\n")
	tells(false, "one\ntwo\n", "", "one\ntwo\n")
	tells(false, "one\n2\n", path+" is not what is printed", "one\ntwo\n")
	tells(false, "one\n2\n", "2, want two", "one\ntwo\n")
}

func TestDocument(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "1", "2", "3", "4", "5")
	strategytest.Must(t, os.MkdirAll(deep, 0o755))
	page := filepath.Join(root, "README.md")
	const text = "Lead\n<!-- part -->\nold\n<!-- end part -->\nFoot\n<!-- open -->\n"
	write(t, page, text)
	write(t, filepath.Join(root, "go.mod"), "module x\n")
	readme := func(name, want string) func(testing.TB) {
		return func(t testing.TB) { Document(t, "README.md", name, want) }
	}
	for _, dir := range []string{root, deep} {
		t.Chdir(dir)
		for _, c := range []struct{ name, want, says string }{
			{"part", "old\n", ""},
			{"part", "new\n", "README.md shows\nold"},
			{"part", "", "nothing to say"},
			{"open", "old\n", "has no part"},
			{"none", "old\n", "has no part"},
		} {
			printed := listen(t, false, readme(c.name, c.want))
			if c.says == "" && printed != "" || !strings.Contains(printed, c.says) {
				t.Errorf("in %s, %q of %s: %q", dir, c.want, c.name, printed)
			}
		}
	}
	printed := listen(t, true, readme("part", ""))
	if !strings.Contains(printed, "nothing to say") || written(t, page) != text {
		t.Errorf("nothing written: %q", printed)
	}
	if printed := listen(t, true, readme("part", "new\n")); printed != "" ||
		written(t, page) != strings.Replace(text, "old", "new", 1) {
		t.Errorf("written: %q, %s", printed, written(t, page))
	}
}

// A number that its query does not find is named, or updated; a comment may not begin a line.
func TestQuotes(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module x\n")
	find := func(query string) (string, error) {
		if query == "none of it" {
			return "", fmt.Errorf("no row")
		}
		return "2 %", nil
	}
	for _, c := range []struct{ text, says, written, rest string }{
		{"a <!-- x of y -->2 %<!-- end --> b", "", "a <!-- x of y -->2 %<!-- end --> b", "a  b"},
		{"a <!-- x\nof y -->2\n%<!-- end -->", "", "a <!-- x\nof y -->2 %<!-- end -->", "a "},
		{
			"a <!-- x of y -->3 %<!-- end -->", `shows "3 %" for "x of y", want "2 %"`,
			"a <!-- x of y -->2 %<!-- end -->", "a ",
		},
		{"a <!-- none of it -->1<!-- end -->", "<!-- none of it -->: no row", "a <!-- none of it -->1<!-- end -->", "a "},
		{"- <!-- x -->2 %<!-- end -->", "a line begins with", "- <!-- x -->2 %<!-- end -->", "- "},
		{
			"<!-- part -->\n3 %\n<!-- end part -->\n", "",
			"<!-- part -->\n3 %\n<!-- end part -->\n",
			"<!-- part -->\n3 %\n<!-- end part -->\n",
		},
	} {
		write(t, "a.md", c.text)
		rest := ""
		printed := listen(t, false, func(t testing.TB) { rest = Quotes(t, "a.md", find) })
		if rest != c.rest || c.says == "" && printed != "" || !strings.Contains(printed, c.says) {
			t.Errorf("%q: %q, without numbers %q", c.text, printed, rest)
		}
		listen(t, true, func(t testing.TB) { Quotes(t, "a.md", find) })
		strategytest.Equal(t, written(t, "a.md"), c.written, "%q is written as", c.text)
	}
}

func TestDifference(t *testing.T) {
	for _, c := range [][3]string{
		{"a\nb\nc", "a\nx\ny", "b, want x"},
		{"b", "x\na", "b, want x"},
		{"a", "a\nb", "one is longer"},
		{"a\nc", "a\nd", "c, want d"},
	} {
		strategytest.Equal(t, Difference(c[0], c[1]), c[2], "of %q and %q", c[0], c[1])
	}
}
