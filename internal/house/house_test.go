// Package house tests rules of the whole checkout: which package may import which, that links in documents lead to
// files, and that code in documents is code that runs.
package house

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// The tests look at the whole checkout, from its root.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

//go:embed packages.txt
var packagesText string

// A rule lists what a package, or all below a folder ("beyond/..."), may import.
type rule struct {
	of  string
	may []string
}

func rules() (all []rule) {
	for line := range strings.Lines(strings.ReplaceAll(packagesText, "\n ", " ")) {
		if of, may, found := strings.Cut(line, ":"); found && line[0] != '#' {
			all = append(all, rule{of, strings.Fields(may)})
		}
	}
	return all
}

// within reports whether a package is the one that a pattern names, or below its folder.
func within(pkg, pattern string) bool {
	folder, all := strings.CutSuffix(pattern, "...")
	return pkg == pattern || all && (strings.HasPrefix(pkg, folder) || pkg+"/" == folder)
}

// refused lists the imports of a package that no rule allows. A package may import the packages below it.
func refused(pkg string, imports []string) (all []string) {
	i := slices.IndexFunc(rules(), func(r rule) bool { return within(pkg, r.of) })
	for _, to := range imports {
		may := func(pattern string) bool { return within(to, pattern) }
		if i < 0 || to == "experiments" || !strings.HasPrefix(to, pkg+"/") && !slices.ContainsFunc(rules()[i].may, may) {
			all = append(all, to)
		}
	}
	return all
}

// Imports follow packages.txt, so that a strategy stays a pure function over bytes, and a figure can be drawn without
// one.
func TestImports(t *testing.T) {
	module := strings.TrimSpace(string(strategytest.Value(exec.Command("go", "list", "-m").Output())))
	listed := strategytest.Value(exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}",
		"./...").Output())
	seen := 0
	for line := range strings.Lines(string(listed)) {
		var ours []string
		for word := range strings.FieldsSeq(line) {
			if word == module {
				ours = append(ours, ".")
			} else if pkg, ok := strings.CutPrefix(word, module+"/"); ok {
				ours = append(ours, pkg)
			}
		}
		seen++
		strategytest.EqualSlices(t, refused(ours[0], ours[1:]), nil,
			"%s imports what packages.txt does not allow it", ours[0])
	}
	strategytest.AtLeast(t, seen, 50, "packages")
}

func TestRefused(t *testing.T) {
	for pkg, refusedOne := range map[string]string{
		"plots": "strategies", "beyond/ring": "store", "beyondness": "strategies", "attic": "plots", "claims": "experiments",
	} {
		strategytest.EqualSlices(t, refused(pkg, []string{refusedOne}), []string{refusedOne}, "%s: refused", pkg)
	}
	strategytest.EqualSlices(t, refused("beyond/ring", []string{"strategies", "bloom", "beyond/ring/inner"}), nil,
		"refused")
}

// link matches the target of a relative link in Markdown, and block the code of an example, behind its name.
var (
	link  = regexp.MustCompile(`\]\(([^)#\s:]+)[)#]`)
	block = regexp.MustCompile("(?s)\n```go\n// ([a-z ]+ example)\n(.*?)\n```")
)

// Links in documents lead to files. An example in a document is the code between "// NAME example" and "// end of the
// NAME example" in the file that go test runs.
func TestDocuments(t *testing.T) {
	sources := map[string]string{
		"strategy example": "strategy_example_test.go", "strategy test example": "strategy_kit_test.go",
		"catalogue example": "experiments/catalogue/toy_test.go",
	}
	var paths []string
	for _, pattern := range []string{"*.md", "*/*.md", "*/*/*.md"} {
		paths = append(paths, strategytest.Value(filepath.Glob(pattern))...)
	}
	strategytest.AtLeast(t, len(paths), 20, "documents")
	for _, path := range paths {
		text := string(strategytest.Value(os.ReadFile(path)))
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s: a link to %s, which is no file", path, m[1])
			}
		}
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			_, after, _ := strings.Cut(string(strategytest.Value(os.ReadFile(sources[m[1]]))), "// "+m[1]+"\n")
			want, _, _ := strings.Cut(after, "// end of the "+m[1])
			strategytest.Equal(t, strings.TrimSpace(m[2]), strings.TrimSpace(want),
				"%s: the %s of %s", path, m[1], sources[m[1]])
			delete(sources, m[1])
		}
	}
	strategytest.Equal(t, len(sources), 0, "examples that no document shows: %v: they are", sources)
}
