package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// documents calls visit with every Markdown file of the checkout: its path from the root, and its text.
func documents(t *testing.T, visit func(path, text string)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "out"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".md"):
			seen++
			visit(path, string(strategytest.Value(os.ReadFile(path))))
		}
		return nil
	})
	strategytest.Must(t, err)
	strategytest.AtLeast(t, seen, 20, "documents")
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)[^)\s]*\)`)

// dead lists the relative links of a document that lead to no file.
func dead(path, text string) (all []string) {
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], ":") { // an address
			continue
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
			all = append(all, m[1])
		}
	}
	return all
}

func TestLinks(t *testing.T) {
	documents(t, func(path, text string) {
		strategytest.EqualSlices(t, dead(path, text), nil, "%s: links that lead nowhere", path)
	})
	const text = "[a](house.md) [b](../go.mod#x) [c](https://example.org/x) [d](#e) [f](nowhere/g.md#h)"
	strategytest.EqualSlices(t, dead("docs/x.md", text), []string{"house.md", "nowhere/g.md"}, "dead links")
}

// The examples in documents are the code that go test runs: a block that begins with "// NAME example" is the part of a
// source file between that line and "// end of the NAME example".
func TestExamples(t *testing.T) {
	sources := map[string]string{
		"strategy example": "strategy_example_test.go", "strategy test example": "strategy_kit_test.go",
		"catalogue example":       "experiments/catalogue/toy_test.go",
		"experiment example":      "experiments/experiment/toy_test.go",
		"experiment test example": "experiments/experiment/toy_golden_test.go",
		"log format example":      "workload/logs/format/toy_test.go",
	}
	block := regexp.MustCompile("(?s)\n```go\n// ([a-z ]+ example)\n(.*?)\n```")
	documents(t, func(path, text string) {
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			source := string(strategytest.Value(os.ReadFile(sources[m[1]])))
			_, after, _ := strings.Cut(source, "// "+m[1]+"\n")
			want, _, _ := strings.Cut(after, "// end of the "+m[1])
			strategytest.Equal(t, strings.TrimSpace(m[2]), strings.TrimSpace(want), "%s: the %s of %s", path, m[1], sources[m[1]])
			delete(sources, m[1])
		}
	})
	strategytest.Equal(t, len(sources), 0, "examples that no document shows: %v: they are", sources)
}
