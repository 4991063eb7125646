package plural

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// counted matches a number before a noun that is always in the plural.
var counted = regexp.MustCompile(`%(?:\[\d\])?(?:d|v|\.0f) (?:more )?(?:lines|events|users|repeats|exposures|` +
	`requests|articles|fields|columns|strategies|files|shards|runs|rows|processors|histories|values|faults)\b`)

// No message of the program writes "1 lines": where a noun follows a number, Of chooses its form.
func TestCounts(t *testing.T) {
	seen := 0
	for _, dir := range []string{"experiments", "workload", "measure", "results"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.Contains(path, "test") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					if seen++; counted.MatchString(text.Value) {
						t.Errorf("%s: %s: plural.Of writes a number and its noun", set.Position(text.Pos()), text.Value)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 1000 {
		t.Errorf("%d texts", seen)
	}
	for n, want := range map[int]string{0: "0 lines", 1: "1 line", 2: "2 lines", -1: "-1 lines"} {
		if got := Of(n, "line", "lines"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
