package findings

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"dejavu/experiments/golden"
	"dejavu/experiments/text"
	"dejavu/results"
)

// functions are what the templates of testdata quote rows with: a number of a row, which
// must be there, in the form that its name says.
func functions(cells results.Cells) template.FuncMap {
	find := func(experiment, strategy, x, quantity string) (results.Row, float64, error) {
		r, ok := cells.Find(experiment, strategy, x, quantity)
		if !ok || !r.Value.IsSet() && !r.Theory.IsSet() {
			return r, 0, fmt.Errorf("no row %s, %s, %q, %s", experiment, strategy, x, quantity)
		}
		return r, r.Value.Or(r.Theory.Or(0)), nil
	}
	number := func(format string, scale float64) any {
		return func(experiment, strategy, x, quantity string) (string, error) {
			_, v, err := find(experiment, strategy, x, quantity)
			return fmt.Sprintf(format, scale*v), err
		}
	}
	return template.FuncMap{
		"n": number("%.0f", 1), "thousands": func(experiment, strategy, x, quantity string) (string, error) {
			_, v, err := find(experiment, strategy, x, quantity)
			return text.Thousands(int(v)), err
		},
		"two": number("%.2f", 1), "share": number("%.0f %%", 100), "one": number("%.1f %%", 100), "permille": number("%.0f", 1000),
		"gigabytes": func(experiment, strategy, x, quantity string) (string, error) { // of ten million
			r, v, err := find(experiment, strategy, x, quantity)
			return text.Bytes(v / float64(r.Count) * results.DefaultUsers), err
		},
		"of": func(experiment, strategy, x, quantity string) (string, error) {
			r, v, err := find(experiment, strategy, x, quantity)
			r.Value = results.Num(v)
			return text.Of(r), err
		},
		"stated": func(experiment, strategy, x, quantity string) (string, error) {
			r, _, err := find(experiment, strategy, x, quantity)
			return text.Percent(r.Paper.Or(0)), err
		},
		"count": func(experiment, strategy, x, quantity string) (string, error) {
			r, _, err := find(experiment, strategy, x, quantity)
			return text.Thousands(int(r.Count)), err
		},
		"interval": func(experiment, strategy, x, quantity string) (string, error) {
			r, _, err := find(experiment, strategy, x, quantity)
			return fmt.Sprintf("95 %% interval %.2f to %.2f", r.Low.Or(0), r.High.Or(0)), err
		},
		"times": func(experiment, strategy, over, x, quantity string) (string, error) {
			_, a, err := find(experiment, strategy, x, quantity)
			if err != nil {
				return "", err
			}
			_, b, err := find(experiment, over, x, quantity)
			return fmt.Sprintf("%.2g", a/b), err
		},
	}
}

// quoted are the rows that documents quote: the committed run's, and the peers'.
func quoted(t *testing.T) []results.Row {
	t.Helper()
	peers, err := results.PeersReference()
	if err != nil {
		t.Fatal(err)
	}
	return append(reference(t), peers.All()...)
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
		said, err := filled(c.name, cells)
		if err != nil {
			t.Fatal(err)
		}
		golden.Document(t, c.document, c.name, said)
	}
}

func source(name string) (string, error) {
	data, err := os.ReadFile("testdata/" + name + ".tmpl")
	return string(data), err
}

// filled is a template with its numbers, in lines as documents have them.
func filled(name string, cells results.Cells) (string, error) {
	from, err := source(name)
	if err != nil {
		return "", err
	}
	t, err := template.New(name).Funcs(functions(cells)).Parse(from)
	if err != nil {
		return "", err
	}
	var b, said strings.Builder
	if err := t.Execute(&b, nil); err != nil {
		return "", err
	}
	for line := range strings.Lines(b.String()) {
		const joined = "\x00%" // a number and its sign stay on one line
		line = strings.ReplaceAll(strings.TrimSpace(line), " %", joined)
		said.WriteString(strings.ReplaceAll(text.Wrap(line, 124, "  "), joined, " %") + "\n")
	}
	return said.String(), nil
}

// given are the numbers of a text that no row has: parameters that an experiment is made with,
// and names.
var given = regexp.MustCompile(`4064 bits with 6 hashes|500 articles|500 IDs|100 articles|1000 articles|5000 articles|400 articles|150 articles|` +
	`at 1000|at 1500|at 2000|[Oo]f 1000|From 500|512 bytes|812 bits|of 40\b|40 candidates|4000 candidates|of 4000|for 4000|500 shown|2 %|24 hours|` +
	`99th percentile|day (31|35|60)|(5|10|20) seconds|thirty days|Thirty lanes|two minutes|three minutes|ten minutes|half an hour|five more links|` +
	`one article in a hundred|one (candidate )?in (five|twenty)|two in five|twice the (size|speed)|twenty growths|Ten million histories|two processes of one machine|old file or the new one|a month|most used one`)

// number is what looks like one.
var number = regexp.MustCompile(`(?i)\d+|\b(two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|hundred|half|thirds?|quarters?|tenths?|twice|\w+tieth)\b`)

// No number stands in a template but what is given: what an experiment found is quoted.
func TestNumbersAreQuoted(t *testing.T) {
	for _, c := range templates {
		from, err := source(c.name)
		if err != nil {
			t.Fatal(err)
		}
		from = regexp.MustCompile(`{{.*?}}`).ReplaceAllString(from, "{}")
		if found := number.FindAllString(given.ReplaceAllString(from, "{}"), -1); found != nil {
			t.Errorf("%s: %q stand in it, and are no row's", c.name, found)
		}
	}
}

// Outside its three parts that are written from rows, README.md has no number but a row's,
// the manifest's, and what is given.
func TestREADMENumbers(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	run, ok := results.Reference(results.DefaultUsers, results.DefaultSeed)
	if !ok {
		t.Fatal("no committed run")
	}
	rest := string(data)
	for _, cut := range []string{"(?s)<!-- (headline|findings|advice) -->.*?<!-- end", "(?s)```.*?```", "`[^`]*`", `\]\([^)]*\)`} {
		rest = regexp.MustCompile(cut).ReplaceAllString(rest, " ")
	}
	rest = strings.Join(strings.Fields(rest), " ")
	cells := results.NewCells(run.All())
	strategies := map[string]bool{}
	for _, r := range cells.Of(results.Table1) {
		strategies[r.Strategy] = true
	}
	shown, _ := cells.Find(results.Table1, "single", "", results.QWindowMean)
	whole, _ := cells.Find(results.Table1, "chain", "", results.QFPRSteady)
	some, _ := cells.Find(results.Table1, "chain-literal", "", results.QFPRSteady)
	minutes := []string{"no", "one", "two", "three", "four", "five", "six", "seven"}[int(math.Round(run.Manifest.Seconds/60))]
	for _, said := range []string{
		fmt.Sprintf("%d structures behind one contract", len(strategies)),
		fmt.Sprintf("%.0f on average", shown.Value.Or(0)),
		fmt.Sprintf("about %s minutes on two cores", minutes),
		fmt.Sprintf("Variants run on one user in %s.", map[int64]string{40: "forty"}[whole.Count/some.Count]),
	} {
		if !strings.Contains(rest, said) {
			t.Errorf("README.md does not say %q", said)
		}
		rest = strings.ReplaceAll(rest, said, "{}")
	}
	for _, given := range []string{
		"the same article twice. For ten million users that memory", "Automation 35(1), 2016. It compares four: a queue of hashes, one Bloom filter, two used in rotation, and a chain of five.",
		"for ten million users", "last 400 articles at an FPR of at most 2 %", "at ten million users", "the second takes two minutes. Go 1.26 is",
		"Ten million users, each shown 500 articles or more", "500th article", "Five findings", "AVX-512 or AVX2", "Table 1",
		"Ten million users known by strings take 541 bytes each", // TestShowCosts of package store, in docs/library.md
	} {
		if !strings.Contains(rest, given) {
			t.Errorf("README.md does not say %q any more", given)
		}
		rest = strings.ReplaceAll(rest, given, "{}")
	}
	for _, at := range number.FindAllStringIndex(rest, -1) {
		t.Errorf("README.md: no row has the number in %q", rest[max(0, at[0]-30):min(len(rest), at[1]+30)])
	}
}

// Without a row there is no document, rather than one with another number.
func TestRowsAreNeeded(t *testing.T) {
	rows := quoted(t)
	for _, c := range templates {
		if _, err := filled(c.name, results.NewCells(rows[:1])); err == nil || !strings.Contains(err.Error(), "no row") {
			t.Errorf("%s of one row: %v", c.name, err)
		}
	}
}
