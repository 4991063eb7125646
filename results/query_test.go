package results_test

import (
	"math/rand/v2"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// A drawn query is what its text is read as, and a text that names no rows is refused, with what is wrong with it.
func TestParseQuery(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	for range 500 {
		q := results.Find(one("q", "bytes per user", "a at b"))
		if r.IntN(2) == 0 {
			q = q.Of(one("chain", "map of slices", results.Any))
		}
		for range r.IntN(4) {
			q = q.With(results.Dimension{Name: one("x", "ab", "day")}.Is(one("1", "0.5", "a word", "*")))
		}
		text := q.In(one("fpr", "table1")).String()
		got, err := results.ParseQuery(text)
		if err != nil || got.String() != text || got.Where != q.Where || got.In("").String() != q.String() {
			t.Errorf("%q is read as %+v, %v, want %+v", text, got, err, q)
		}
		strategytest.Equal(t, results.Q(q.String()[len(": "):]), q, "without experiment")
		strategytest.Equal(t, results.Q(text), got, "with one")
		words, numbers := q.Where.Divided()
		strategytest.Equal(t, words.With(numbers.List()...), q.Where, "words and numbers together")
		for _, c := range numbers.List() {
			strategytest.Equal(t, c.Value == "1" || c.Value == "0.5", true, "%s is a number", c.Value)
		}
		for _, c := range words.List() {
			strategytest.Equal(t, c.Value == "1" || c.Value == "0.5", false, "%s is a number", c.Value)
		}
	}
	for text, want := range map[string]string{
		"":                   `want "experiment: quantity`,
		"fpr of chain":       `want "experiment: quantity`,
		": q":                "want an experiment and a quantity",
		"fpr:  of chain":     "want an experiment and a quantity",
		"fpr: q at x=":       `"x=": want dimension=value`,
		"fpr: q at x=1, y":   `"y": want dimension=value`,
		"fpr: q at =1":       `"=1": want dimension=value`,
		"fpr: q at x=1, x=2": "x has two values",
	} {
		strategytest.ErrorSays(t, text, strategytest.ErrorOf(results.ParseQuery(text)), want)
	}
}
