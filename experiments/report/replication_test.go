package report

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

func replicationReference(t *testing.T) *results.Run {
	t.Helper()
	run, ok := results.Reference(results.DefaultUsers, results.DefaultSeed)
	if !ok {
		t.Fatalf("no committed reference of %d users and seed %d", results.DefaultUsers, results.DefaultSeed)
	}
	return run
}

// whole is the report on the committed run, made once.
var whole = sync.OnceValues(func() ([]document.Block, error) {
	run, _ := results.Reference(results.DefaultUsers, results.DefaultSeed)
	return ReplicationOf(run, "../plots/reference")
})

func report(t *testing.T) []document.Block {
	t.Helper()
	replicationReference(t)
	return strategytest.Value(whole())
}

// docs/replication.md is the report on the committed run.
func TestREADME(t *testing.T) {
	r := report(t)
	golden.Document(t, "docs/replication.md", "report", document.Markdown(r...))
}

// Whatever rows are missing that it quotes, there is no report, and no number is made
// up: without any of the experiments named, and in one without rows.
func TestReplicationMissing(t *testing.T) {
	all := replicationReference(t)
	for _, experiment := range []string{
		results.Table1, results.Latency, results.Popularity, results.Arithmetic,
	} {
		run := &results.Run{Manifest: all.Manifest}
		for _, r := range all.All() {
			if r.Experiment != experiment {
				run.Rows = append(run.Rows, r)
			}
		}
		if _, err := ReplicationOf(run, "."); !errors.Is(err, ErrRows) {
			t.Errorf("without %s: %v", experiment, err)
		}
	}
	if _, err := ReplicationOf(&results.Run{}, "."); !errors.Is(err, ErrRows) {
		t.Errorf("of nothing: %v", err)
	}
}

// What moves in the rows moves in the text.
func TestQuotes(t *testing.T) {
	run := replicationReference(t)
	for i, r := range run.Rows {
		if r.Experiment == results.Table1 && r.Strategy == "dual" && r.Quantity == results.QFPR &&
			r.Where == "statistic=mean" {
			run.Rows[i].Value = results.Num(0.0777)
		}
	}
	r := strategytest.Value(ReplicationOf(run, "."))
	strategytest.AtLeast(t, strings.Count(document.Markdown(r...), "7.77 %"), 3,
		"the dual filter's mean rate stands in")
}

// A refutation without a cause is an error, since the abstract counts them by cause; so is a span of one row.
func TestCauses(t *testing.T) {
	run := replicationReference(t)
	kept := causes["union"]
	defer func() { causes["union"] = kept }()
	causes["union"] = kept[:1]
	want := "claim " + kept[1] + " is refuted, and the text has no cause for it"
	if _, err := ReplicationOf(run, "."); !errors.Is(err, ErrRows) || !strings.Contains(err.Error(), want) {
		t.Errorf("without a cause: %v, want %s", err, want)
	}
	q := quoter{cells: results.NewCells(run.All())}
	const query = "daily: repeats per article shown of queue at rule=24h"
	if got, err := q.span("%g", 100, "share", query+", share=*"); got != "5 to 40" || err != nil {
		t.Errorf("%q, %v, want 5 to 40", got, err)
	}
	strategytest.ErrorSays(t, "of one row", strategytest.ErrorOf(q.span("%g", 100, "share", query)), "1 rows of "+query)
}

// What the text says of the confirmation is what docs/verdicts.md has of the committed one.
func TestReplicationConfirmation(t *testing.T) {
	numbers := func(text string, parts ...string) []string {
		pattern := strings.Join(parts, ".*")
		found := regexp.MustCompile(pattern).FindStringSubmatch(strings.Join(strings.Fields(text), " "))
		if found == nil {
			t.Fatalf("no %q", pattern)
		}
		return found[1:]
	}
	const alike = `(\d+) verdicts are the same with every seed, (\d+) are not, and`
	verdicts := strategytest.Value(os.ReadFile("../../docs/verdicts.md"))
	want := numbers(string(verdicts), `runs with (\d+) seeds had ([\d,]+) users each, `, alike, `few users, (\d+) are und`)
	got := numbers(document.Markdown(report(t)...),
		`: (\d+) seeds that no rule was made with, of ([\d,]+) users each `, alike, `; (\d+) are undecided `)
	strategytest.EqualSlices(t, got, want, "the text has of docs/verdicts.md")
}
