package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// Every exported identifier says what it is.
func TestDocComments(t *testing.T) {
	for _, p := range packages(t) {
		files := token.NewFileSet()
		described := false
		for _, name := range p.GoFiles {
			f := strategytest.Value(parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.ParseComments))
			described = described || f.Doc != nil
			for _, pos := range undocumented(files, f) {
				t.Errorf("%s: exported, without a comment", pos)
			}
		}
		if !described && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// undocumented lists the exported declarations of a file that neither have a
// comment nor stand directly below a declaration of their kind that has one:
// "Bytes, FPR and Window are 0." serves three lines.
func undocumented(files *token.FileSet, f *ast.File) (found []string) {
	line := func(p token.Pos) int { return files.Position(p).Line }
	covered := 0 // the line to which the last comment reaches
	note := func(name *ast.Ident, exported bool, from, to token.Pos, comments ...*ast.CommentGroup) {
		has := slices.ContainsFunc(comments, func(c *ast.CommentGroup) bool { return c != nil })
		if has || covered > 0 && line(from) == covered+1 {
			covered = line(to)
			return
		}
		covered = 0
		if exported && name.IsExported() {
			found = append(found, files.Position(name.Pos()).String()+" "+name.Name)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			note(d.Name, receiverExported(d), d.Pos(), d.End(), d.Doc)
		case *ast.GenDecl:
			covered = 0
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					note(s.Name, true, s.Pos(), s.End(), d.Doc, s.Doc, s.Comment)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						note(name, true, s.Pos(), s.End(), d.Doc, s.Doc, s.Comment)
					}
				}
			}
			covered = 0
		}
	}
	return found
}

func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	exported := true
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			exported = id.IsExported()
			return false
		}
		return exported
	})
	return exported
}

func TestUndocumented(t *testing.T) {
	const source = `package p

// A says something.
func A() {}
func B() {} // serves with A

func C() {} // line 7: its comment stands behind it

type hidden int

func (hidden) D() {}

// E and F are constants.
const (
	E = 1
	F = 2
)

const (
	G = 1 // said here
	H = 2

	I = 3
)
`
	files := token.NewFileSet()
	f := strategytest.Value(parser.ParseFile(files, "p.go", source, parser.ParseComments))
	got := strings.Join(undocumented(files, f), "; ")
	strategytest.Equal(t, got, "p.go:7:6 C; p.go:23:2 I", "undocumented")
}

// What the documents show as an example is what go test compiles and runs.
func TestExamplesInDocuments(t *testing.T) {
	for _, c := range []struct{ document, source, name string }{
		{"docs/adding.md", "strategy_example_test.go", "strategy example"},
		{"docs/adding.md", "strategy_kit_test.go", "strategy test example"},
		{"docs/adding.md", "experiments/catalogue/toy_test.go", "catalogue example"},
		{"CONTRIBUTING.md", "experiments/experiment/toy_golden_test.go", "experiment test example"},
		{"CONTRIBUTING.md", "experiments/experiment/toy_test.go", "experiment example"},
		{"CONTRIBUTING.md", "workload/logs/format/toy_test.go", "log format example"},
	} {
		document := strategytest.Value(os.ReadFile(c.document))
		source := strategytest.Value(os.ReadFile(c.source))
		begin, end := "// "+c.name+"\n", "// end of the "+c.name
		_, after, begun := strings.Cut(string(source), begin)
		example, _, ended := strings.Cut(after, end)
		if !begun || !ended {
			t.Errorf("%s has no part between %q and %q", c.source, begin, end)
			continue
		}
		shown, ok := goBlock(string(document), begin)
		if !ok {
			t.Errorf("%s has no block of Go that starts with %q", c.document, begin)
			continue
		}
		got := strings.TrimSpace(strings.TrimPrefix(shown, begin))
		if want := strings.TrimSpace(example); got != want {
			t.Errorf("%s shows another example than %s:\n%s\nwant\n%s", c.document, c.source, got, want)
		}
	}
}

// goBlock is the first fenced block of Go that starts with mark.
func goBlock(markdown, mark string) (string, bool) {
	for {
		_, after, found := strings.Cut(markdown, "\n```go\n")
		if !found {
			return "", false
		}
		block, rest, _ := strings.Cut(after, "\n```")
		if strings.HasPrefix(block+"\n", mark) {
			return block + "\n", true
		}
		markdown = "\n" + rest
	}
}
