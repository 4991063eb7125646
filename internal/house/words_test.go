package house

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// words are the words that the project does not use, and those that it uses in their place.
var words = func() (all [][2]string) {
	for line := range strings.Lines(wordsText) {
		if old, say, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			all = append(all, [2]string{old, say})
		}
	}
	return all
}()

//go:embed words.txt
var wordsText string

// prose is what stands in a document, without code and addresses.
func prose(markdown string) string {
	for _, cut := range []string{"(?s)```.*?```", "`[^`]*`", `\]\([^)]*\)`, `<!--.*?-->`} {
		markdown = regexp.MustCompile(cut).ReplaceAllString(markdown, " ")
	}
	return markdown
}

// A said is a text that people read, and where it stands.
type said struct{ where, text string }

// documents are the documents that people read.
func documents(t *testing.T) (all []said) {
	t.Helper()
	paths, err := filepath.Glob("docs/*.md")
	if err != nil || len(paths) < 5 {
		t.Fatalf("%d documents in docs, %v", len(paths), err)
	}
	modules := strategytest.Value(filepath.Glob("*/README.md"))
	for _, path := range slices.Concat(paths, modules, []string{"README.md", "CONTRIBUTING.md", "ARTIFACT.md"}) {
		data := strategytest.Value(os.ReadFile(path))
		all = append(all, said{path, prose(string(data))})
	}
	return all
}

// messages are the texts of the programs, of all modules: strings of several words, and
// the help of flags.
func messages(t *testing.T) (all []said) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err == nil && len(strings.Fields(text)) > 1 {
				all = append(all, said{files.Position(literal.Pos()).String(), text})
			}
			return true
		})
		return nil
	})
	if err != nil || len(all) < 1000 {
		t.Fatalf("%d messages, %v", len(all), err)
	}
	return all
}

// unwelcome is one pattern for all words, for speed.
var unwelcome = func() *regexp.Regexp {
	var all []string
	for _, w := range words {
		all = append(all, "("+w[0]+")")
	}
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(all, "|") + `)\b`)
}()

// instead says which word of a text the project does not use, and what it says in its place.
func instead(text string) string {
	at := unwelcome.FindStringIndex(text)
	if at == nil {
		return ""
	}
	found := text[at[0]:at[1]]
	for _, w := range words {
		if regexp.MustCompile(`(?i)^(?:` + w[0] + `)$`).MatchString(found) {
			return fmt.Sprintf("%q in %q, say %s", found, text[max(0, at[0]-30):min(len(text), at[1]+30)], w[1])
		}
	}
	return fmt.Sprintf("%q", found)
}

// What people read has the project's words, and no others.
func TestWords(t *testing.T) {
	for _, s := range append(documents(t), messages(t)...) {
		strategytest.Equal(t, instead(s.text), "", "%s", s.where)
	}
}

// The test finds the words, and leaves alone what only looks like them.
func TestInstead(t *testing.T) {
	for text, say := range map[string]string{
		"Each Reader has": "user", "2 % are taken for seen": "reported as seen",
		"takes 2 of fresh articles for seen": "reported as seen", "of 2 % it errs": "FPR", "a fresh article": "unseen",
		"lets five more repeats through": "repeat", "a certain window": "guaranteed window",
		"None of them": "not one", "the lecture's rule": "Wang's",
	} {
		strategytest.Contains(t, instead(text), say, "%q", text)
	}
	for _, text := range []string{
		"io.ByteReaderAt", "an error of the caller", "certain articles", "three ones", "memory, err := chain.New",
	} {
		strategytest.Equal(t, instead(text), "", "%q", text)
	}
}

// longestSentence is how many words a sentence of a document may have.
const longestSentence = 35

// What README.md says, and docs outside of commands and of parts that are written from rows, can be read aloud.
func TestSentences(t *testing.T) {
	paths := strategytest.Value(filepath.Glob("docs/*.md"))
	paths = append(paths, strategytest.Value(filepath.Glob("*/README.md"))...)
	written := regexp.MustCompile(`(?s)<!-- [\w ]+ -->.*?<!-- end [\w ]+ -->|\n    [^\n]*`)
	for _, path := range append(paths, "README.md", "CONTRIBUTING.md", "ARTIFACT.md") {
		data := strategytest.Value(os.ReadFile(path))
		text := string(data)
		if path != "README.md" {
			text = written.ReplaceAllString(text, "")
		}
		for _, sentence := range sentences(prose(text)) {
			strategytest.AtMost(t, len(strings.Fields(sentence)), longestSentence, "%s: words of %s", path, sentence)
		}
	}
}

// sentences are those of prose: lines of a table or a list and paragraphs end one, as full stops
// do. A colon does not, nor does the point of a number.
func sentences(text string) (all []string) {
	for _, paragraph := range regexp.MustCompile(`\n\s*\n|\n(?:- |\d+\. |\||#)|\s\|\s`).Split(text, -1) {
		for _, s := range regexp.MustCompile(`[.?!](?:\*\*?|\)|")?\s`).Split(paragraph+" ", -1) {
			if s = strings.Join(strings.Fields(s), " "); s != "" {
				all = append(all, s)
			}
		}
	}
	return all
}
