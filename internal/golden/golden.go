// Package golden compares text with a file of testdata, or a part of README.md or docs; -update writes that anew.
package golden

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files, and the parts of documents, anew")

// File compares a text with the file of that name in testdata.
func File(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		write(t, path, got)
	} else if want := read(t, path); got != want {
		t.Errorf("%s is not what is printed, 'go test -run Golden -update' here writes it anew: %s",
			path, Difference(got, want))
	}
}

// Document compares a non-empty text with the part of README.md or one of docs between the comments name and end name.
func Document(t testing.TB, document, name, want string) {
	t.Helper()
	path := filepath.Join(root(), document)
	begin, end := "<!-- "+name+" -->\n", "<!-- end "+name+" -->"
	before, after, found := strings.Cut(read(t, path), begin)
	shown, rest, closed := strings.Cut(after, end)
	switch {
	case !found || !closed:
		t.Fatalf("%s has no part between %q and %q", document, begin, end)
	case want == "":
		t.Errorf("there is nothing to say between %q and %q", begin, end)
	case *update:
		write(t, path, before+begin+want+end+rest)
	case shown != want:
		t.Errorf("between %q %s shows\n%s\nthe committed run says\n%s\n"+
			"'go test -run README -update' here mends it", begin, document, shown, want)
	}
}

// inline is a number that a document quotes: <!-- query -->text<!-- end -->.
var inline = regexp.MustCompile(`<!-- ([^<>]+?) -->([^<>]*)<!-- end -->`)

// Quotes compares each <!-- query -->number<!-- end --> of a document with what quote returns. It returns the rest.
func Quotes(t testing.TB, document string, quote func(query string) (string, error)) (rest string) {
	t.Helper()
	path := filepath.Join(root(), document)
	text := read(t, path)
	wrote := inline.ReplaceAllStringFunc(text, func(all string) string {
		m := inline.FindStringSubmatch(all)
		query := strings.Join(strings.Fields(m[1]), " ")
		want, err := quote(query)
		switch {
		case err != nil:
			t.Errorf("%s: <!-- %s -->: %v", document, query, err)
			return all
		case !*update && strings.Join(strings.Fields(m[2]), " ") != want:
			t.Errorf("%s shows %q for %q, want %q; 'go test -run README -update' here mends it", document, m[2], query, want)
		}
		return "<!-- " + m[1] + " -->" + want + "<!-- end -->"
	})
	if at := atLine.FindString(text); at != "" {
		t.Errorf("%s: a line begins with the comment of a number, which Markdown takes for HTML: %s", document, at)
	}
	if *update {
		write(t, path, wrote)
	}
	return inline.ReplaceAllString(wrote, "")
}

// atLine is a comment at the beginning of a line, or of an item, with text behind it.
var atLine = regexp.MustCompile(`(?m)^ *([-*] |\d+\. )?<!-- [^<>]* -->[^\n]`)

// root returns the module's folder.
func root() string {
	at := "."
	for range 5 {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			break
		}
		at = filepath.Join("..", at)
	}
	return at
}

// Difference returns the first line in which two texts differ.
func Difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return g[i] + ", want " + w[i]
		}
	}
	return "one is longer"
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}
