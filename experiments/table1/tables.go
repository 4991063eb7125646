package table1

import (
	_ "embed"
	"fmt"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/results"
)

//go:embed figures.toml
var declared string

// Table 1, the paper's values in round brackets and theory in square ones; the same for what the
// paper did not try; and of the first what most want to know.
var shown = experiment.Show(declared, experiment.Code{
	Tables: map[string]func(*text.Table){"paper": ofPaper, "beyond": ofBeyond, "headline": ofPaper},
	Shows:  text.Shows{"name": name, "worst": worstRate},
})

// Headline is what most want to know of the paper's strategies.
var Headline = shown.Tables[2]

func isBeyond(r results.Row) bool { return strings.HasPrefix(r.Strategy, results.Beyond) }

func ofBeyond(t *text.Table) { t.Keep = isBeyond }

// ofPaper keeps the paper's strategies, and says of how many users they are.
func ofPaper(t *text.Table) {
	t.Keep = func(r results.Row) bool { return !isBeyond(r) }
	title := t.Title
	t.Heading = func(c results.Cells) string {
		if r, ok := c.One(t.Lines.Of("queue")); ok {
			users := fmt.Sprintf("measured over %s users", text.Thousands(int(r.Count)))
			return strings.Replace(title, "measured", users, 1)
		}
		return title
	}
}

// name is a strategy's, with the share of the users that it runs on.
func name(r ...results.Row) string {
	if e, err := catalogue.Find(r[0].Strategy); err == nil && e.Sampled() {
		return fmt.Sprintf("%s (users/%d)", e.Name, e.Share)
	}
	return r[0].Strategy
}

// worstRate is the rate at the worst moment of a cycle. What never forgets has no cycle, and has
// its rate by lifetime there.
func worstRate(r ...results.Row) string {
	var lives []string
	for i, life := range r[1:] {
		if life.Value.IsSet() {
			lives = append(lives, fmt.Sprintf("%s at %d", text.Of(life), lifetimes[i]))
		}
	}
	if lives == nil {
		return text.WithTheory(r[0])
	}
	return strings.Join(lives, ", ")
}
