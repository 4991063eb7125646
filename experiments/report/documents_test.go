package report

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// digits matches a number in digits.
var digits = regexp.MustCompile(`\d+`)

// notProse matches the parts of a document that are no sentences of ours: generated parts, code, links, references, and
// the sections that state what the paper says and when decisions were made.
var notProse = regexp.MustCompile("(?s)<!-- [\\w ]+ -->\n.*?<!-- end [\\w ]+ -->|```.*?```|\n    [^\n]*|" +
	"`[^`]*`|\\]\\([^)]*\\)|" +
	`\[\d\]|\(\d{4}\)|\b[PRL]\d+[a-z]?\b|table1|MD5|SIGMOD \d+|INFOCOM \d+|## What the paper states\n.*?\n## |` +
	`### What was decided when\n.*?\n## |## References\n.*`)

// given matches numbers in documents that no row has: an experiment's parameters, and the paper's statements.
var given = regexp.MustCompile(`Go 1\.26|\b24 h\b|\b(50|100|101|150|400|500|1000) articles|[*]?window[*]? of 400|` +
	`last 400|812 bits|512 bytes|(400|40|4000) candidates|candidates of 40|500 to 1000|` +
	`[Dd]ay 31|60 seconds|(1\.56|2|5|60|95) %|Table 1|` +
	`0\.05 to 0\.0001|1/2\)\^k|5\.63 up to 6|1/64`)

// quote returns what a query finds in the committed runs, for documents: a row's value, or the quotient of two queries'
// values for "a / b"; times are a range over three machines at least, but for peers. "statements: VERDICT" counts the
// paper's statements with that verdict, "statements: all" all of them, "run: structures" Table 1 without variants.
// "run: machine" is the reference's processor, "run: machines" all processors with times, and "claims: robust" the
// factor by which a time may be wrong.
func quote(t *testing.T) func(query string) (string, error) {
	t.Helper()
	run := reference(t, results.DefaultUsers)
	peers := strategytest.Value(results.Committed(results.PeersDir))
	machines := []results.Cells{results.NewCells(append(run.All(), peers.All()...))}
	times := results.NewCells(slices.DeleteFunc(slices.Clone(run.Timing), func(r results.Row) bool {
		return r.Unit != results.Nanoseconds && r.Quantity != results.QTimeRatio
	}))
	processors := []string{processor(run)}
	for _, other := range strategytest.Value(results.Machines()) {
		machines = append(machines, results.NewCells(other.All()))
		processors = append(processors, processor(other))
	}
	paper := LedgerOf(run).Only(func(f claims.Finding) bool { return f.Source == claims.Paper })
	return func(query string) (string, error) {
		what, about, _ := strings.Cut(query, ": ")
		switch {
		case what == "statements":
			some := paper.Only(func(f claims.Finding) bool { return about == "all" || f.Verdict.String() == about })
			return fmt.Sprint(len(some.Findings)), nil
		case query == "run: structures":
			return fmt.Sprint(structures(run)), nil
		case query == "run: minutes":
			return fmt.Sprintf("%.0f", run.Manifest.Seconds/60), nil
		case query == "run: machine":
			return processors[0], nil
		case query == "run: machines":
			return strings.Join(processors, "; "), nil
		case query == "claims: robust":
			return fmt.Sprint(claims.Robust), nil
		}
		var said []string
		for i, cells := range machines {
			value, err := valueOf(cells, query)
			switch {
			case err != nil && i == 0:
				return "", err
			case err == nil:
				said = append(said, value)
			}
		}
		if _, err := valueOf(times, query); err == nil && len(said) < 3 {
			return "", fmt.Errorf("a time of %d machines, want 3 at least", len(said))
		}
		return span(said), nil
	}
}

// processor names a run's processor and the vector instructions that it used.
func processor(run *results.Run) string {
	e := run.Manifest.Environment
	return e.CPU + ", " + e.Vectors
}

// valueOf returns the value that a query finds, or the quotient of two.
func valueOf(cells results.Cells, query string) (string, error) {
	q := quotes{cells: cells}
	if query, over, ok := strings.Cut(query, " / "); ok {
		said := q.times("%.2g", query, over)
		return said, q.err
	}
	row, _ := q.find(query)
	return quoted(row), q.err
}

// span returns the range of values in the same unit: "1.08 to 1.14", or the value if all are the same.
func span(said []string) string {
	number := func(s string) float64 {
		v, _ := strconv.ParseFloat(strings.Fields(s)[0], 64)
		return v
	}
	slices.SortFunc(said, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	least, most := said[0], said[len(said)-1]
	if least == most {
		return most
	}
	return strings.Fields(least)[0] + " to " + most
}

// structures counts the strategies of Table 1 that are no variants of another.
func structures(run *results.Run) int {
	names := map[string]bool{}
	for _, r := range results.NewCells(run.All()).Of(results.Table1) {
		names[strings.TrimPrefix(r.Strategy, results.Beyond)] = true
	}
	all := slices.Collect(maps.Keys(names))
	maps.DeleteFunc(names, func(name string, _ bool) bool {
		return plots.Variant(name, all)
	})
	return len(names)
}

// quoted returns a row's value as documents show it: a share as a percentage.
func quoted(r results.Row) string {
	v := r.Value.Or(r.Theory.Or(0))
	switch {
	case r.Unit == results.Ratio && v < 1 && !strings.Contains(r.Quantity, "time"):
		return text.Percent(v)
	case r.Unit == results.Ratio && v < 10:
		return fmt.Sprintf("%.2f", v)
	case r.Unit == results.Ratio:
		return fmt.Sprintf("%.0f", v)
	}
	if r.Unit == "" {
		return fmt.Sprintf("%.3g", v)
	}
	r.Value = results.Num(v)
	return text.Of(r)
}

// Documents quote what the rows say, and every number in the prose of four is in a row named by a comment, or is given.
func TestREADMENumbers(t *testing.T) {
	find := quote(t)
	golden.Quotes(t, "docs/results.md", find)
	for _, path := range []string{"README.md", "docs/findings.md", "docs/beyond.md", "docs/replication.md"} {
		rest := golden.Quotes(t, path, find)
		rest = strings.Join(strings.Fields(notProse.ReplaceAllString(rest, "\n## ")), " ")
		rest = given.ReplaceAllString(rest, "{}")
		for _, at := range digits.FindAllStringIndex(rest, -1) {
			t.Errorf("%s: no row has the number in %q", path, rest[max(0, at[0]-40):min(len(rest), at[1]+30)])
		}
	}
}

// docs/findings.md begins with a report's findings, and docs/replication.md lists refuted claims.
func TestREADMEFindings(t *testing.T) {
	run := reference(t, results.DefaultUsers)
	golden.Document(t, "docs/findings.md", "findings", document.Markdown(listed(FindingsOf(results.NewCells(run.All())))))
	l := LedgerOf(run).Only(func(f claims.Finding) bool {
		return f.Source == claims.Paper && f.Verdict == claims.Refuted
	})
	table := l.Table("", inID, inSays, inFound, inAmended)
	golden.Document(t, "docs/replication.md", "refuted", document.Markdown(table))
	cells := results.NewCells(run.All())
	sweep := document.Table{Header: []string{"threshold", "window, at least", "payload, mean", "FPR, mean"}}
	for _, share := range []float64{0.5, 0.6, 0.7, 0.8, 0.9} {
		line := []string{fmt.Sprintf("%.0f %%", 100*share)}
		for _, q := range []string{
			"guaranteed window of dual at share=%v, statistic=least",
			"payload per user of dual at share=%v, statistic=mean", "fpr of dual at share=%v, statistic=mean",
		} {
			value, err := valueOf(cells, "arithmetic: "+fmt.Sprintf(q, share))
			strategytest.Must(t, err)
			line = append(line, value)
		}
		sweep.Rows = append(sweep.Rows, line)
	}
	golden.Document(t, "docs/replication.md", "thresholds", document.Markdown(sweep))
}

// docs/replication.md lists each refuted statement, and nothing else, under one cause.
func TestREADMECauses(t *testing.T) {
	var want []string
	for _, f := range LedgerOf(reference(t, results.DefaultUsers)).Findings {
		if f.Source == claims.Paper && f.Verdict == claims.Refuted {
			want = append(want, f.ID)
		}
	}
	data := strategytest.Value(os.ReadFile("../../docs/replication.md"))
	_, causes, _ := strings.Cut(string(data), "\nBy cause:\n\n")
	causes, _, _ = strings.Cut(causes, "\n\n")
	got := regexp.MustCompile(`\bP\d+[a-z]?\b`).FindAllString(causes, -1)
	slices.Sort(want)
	slices.Sort(got)
	strategytest.Equal(t, fmt.Sprint(got), fmt.Sprint(want), "statements under a cause")
}

// A document has at most this many words.
func TestLengths(t *testing.T) {
	for path, most := range map[string]int{
		"README.md": 700, "docs/replication.md": 3500, "docs/findings.md": 1200, "CONTRIBUTING.md": 1500,
	} {
		data := string(strategytest.Value(os.ReadFile("../../" + path)))
		words := regexp.MustCompile(`\S*\w\S*`).FindAllString(data, -1)
		strategytest.AtMost(t, len(words), most, "words of %s", path)
	}
}

// README.md and docs give a history one number of bytes, with its header; without it the number is called payload.
func TestOneNumberOfBytes(t *testing.T) {
	run := reference(t, results.DefaultUsers)
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
