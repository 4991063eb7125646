package report

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
)

// quoted are the rows that documents quote: the committed run's, and the peers'.
func quoted(t *testing.T) []results.Row {
	t.Helper()
	peers := strategytest.Value(results.Committed(results.PeersDir))
	return append(findingsReference(t), peers.All()...)
}

// templates are the parts of documents whose numbers are rows.
var templates = []struct{ name, document string }{
	{"findings", "docs/findings.md"},
	{"path", "docs/findings.md"},
	{"beyond", "docs/beyond.md"},
}

// What docs says of the committed run, it says with the numbers of its rows.
func TestREADMEDocuments(t *testing.T) {
	cells := results.NewCells(quoted(t))
	for _, c := range templates {
		said := strategytest.Value(written(c.name, cells))
		golden.Document(t, c.document, c.name, said)
	}
}

func findingsSource(name string) (string, error) {
	data, err := os.ReadFile("testdata/" + name + ".tmpl")
	return string(data), err
}

// written is a template with its numbers.
func written(name string, cells results.Cells) (string, error) {
	from, err := findingsSource(name)
	if err != nil {
		return "", err
	}
	t, err := template.New(name).Funcs(Functions(cells)).Parse(from)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, nil); err != nil {
		return "", err
	}
	blocks, err := document.Parse(b.String(), nil)
	return document.Markdown(blocks...), err
}

// given are the numbers of a text that no row has: parameters that an experiment is made with, and names.
var given = regexp.MustCompile(`4064 bits with 6 hashes|500 IDs|(50|100|150|400|500|1000|5000) articles|` +
	`at (1000|1500|2000)|[Oo]f 1000|From 500|512 bytes|812 bits|of 40\b|40 candidates|4000 candidates|of 4000|for 4000|` +
	`500 shown|2 %|24 hours|99th percentile|day (31|35|60)|(5|10|20) seconds|thirty days|Thirty lanes|` +
	`(two|three|ten) minutes|half an hour|five more links|one article in a hundred|one (candidate )?in (five|twenty)|` +
	`two in five|twice the (size|speed)|twenty growths|Ten million histories|old file or the new one|a month|` +
	`most used one|exponent of 0.6|with 1.2|of 50,000 articles|of 1,000,000|one in a hundred|` +
	`session in five days|at two a day|in two of them|(half|twice) as likely`)

// number is what looks like one.
var number = regexp.MustCompile(`(?i)\d+|\b(two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|hundred|` +
	`half|thirds?|quarters?|tenths?|twice|\w+tieth)\b`)

// No number stands in a template but what is given: what an experiment found is quoted.
func TestNumbersAreQuoted(t *testing.T) {
	for _, c := range templates {
		from := strategytest.Value(findingsSource(c.name))
		from = regexp.MustCompile(`{{.*?}}`).ReplaceAllString(from, "{}")
		if found := number.FindAllString(given.ReplaceAllString(from, "{}"), -1); found != nil {
			t.Errorf("%s: %q stand in it, and are no row's", c.name, found)
		}
	}
}

// Outside its two parts that are written from rows, README.md has no number but a row's, the manifest's,
// and what is given.
func TestREADMENumbers(t *testing.T) {
	data := strategytest.Value(os.ReadFile("../../README.md"))
	run, ok := results.Reference(results.DefaultUsers, results.DefaultSeed)
	if !ok {
		t.Fatal("no committed run")
	}
	rest := string(data)
	strategytest.AtMost(t, len(regexp.MustCompile(`\S*\w\S*`).FindAllString(rest, -1)), 700, "words of README.md")
	generated := "(?s)<!-- (headline|advice) -->.*?<!-- end"
	for _, cut := range []string{generated, "(?s)```.*?```", "`[^`]*`", `\]\([^)]*\)`} {
		rest = regexp.MustCompile(cut).ReplaceAllString(rest, " ")
	}
	rest = strings.Join(strings.Fields(rest), " ")
	cells := results.NewCells(run.All())
	strategies := map[string]bool{}
	for _, r := range cells.Of(results.Table1) {
		strategies[strings.TrimPrefix(r.Strategy, results.Beyond)] = true
	}
	names := slices.Collect(maps.Keys(strategies))
	maps.DeleteFunc(strategies, func(name string, _ bool) bool { // variants
		variant, _ := plots.Kinship(name, names)
		return variant
	})
	stated, _ := cells.One(results.Find(results.QFPR, by.Articles.At(500)).In(results.Table1).Of("single"))
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven"}
	minutes := words[int(math.Round(run.Manifest.Seconds/60))]
	for _, said := range []string{
		fmt.Sprintf("%d structures and their variants behind one contract", len(strategies)),
		fmt.Sprintf("The paper's FPR of %s holds for none", text.Percent(stated.Paper.Or(0))),
		fmt.Sprintf("about %s minutes on two cores", minutes),
	} {
		strategytest.Contains(t, rest, said, "README.md does not say")
		rest = strings.ReplaceAll(rest, said, "{}")
	}
	for _, given := range []string{
		"each of ten million users", "a few hundred bytes a user", "at ten million users,",
		"With a *window* of 400 the last 400 articles are always",
		"It needs Go 1.26.", "(2016) compares four ways",
		"one Bloom filter, two in rotation, and a chain of five", "A chain of five links",
		"over ten million users, each shown 500 articles or more",
		"about 40 candidates, on one core", "FPR of all five together", "paper's Table 1,",
	} {
		strategytest.Contains(t, rest, given, "README.md does not say any more")
		rest = strings.ReplaceAll(rest, given, "{}")
	}
	for _, at := range number.FindAllStringIndex(rest, -1) {
		t.Errorf("README.md: no row has the number in %q", rest[max(0, at[0]-30):min(len(rest), at[1]+30)])
	}
}

// A history has one number of bytes in README.md and docs, with its header: without it only what is called payload.
func TestOneNumberOfBytes(t *testing.T) {
	run, _ := results.Reference(results.DefaultUsers, results.DefaultSeed)
	cells := results.NewCells(run.All())
	without, whole := map[string]string{}, map[string]bool{}
	for _, r := range cells.All(results.Find(results.QPayloadPerUser).In(results.Table1)) {
		header, _ := cells.One(results.Find(results.QHeaderPerUser).In(results.Table1).Of(r.Strategy))
		without[r.Strategy] = text.Of(r)
		r.Value = results.Num(r.Value.Or(0) + header.Value.Or(0))
		whole[text.Of(r)] = true
	}
	paths, _ := filepath.Glob("../../docs/*.md")
	for _, path := range append(paths, "../../README.md") {
		data := strategytest.Value(os.ReadFile(path))
		for _, paragraph := range regexp.MustCompile(`\n\n|\n- `).Split(string(data), -1) {
			for name, bytes := range without {
				if !whole[bytes] && strings.Contains(paragraph, " "+bytes) && !strings.Contains(paragraph, "payload") {
					t.Errorf("%s: %s is %s without its header:\n%s", path, bytes, name, paragraph)
				}
			}
		}
	}
}

// Without a row there is no document, rather than one with another number.
func TestRowsAreNeeded(t *testing.T) {
	rows := quoted(t)
	for _, c := range templates {
		if _, err := written(c.name, results.NewCells(rows[:1])); !errors.Is(err, ErrRow) {
			t.Errorf("%s of one row: %v", c.name, err)
		}
	}
}
