// Package findings is what a run found, in a few sentences. Every number in them is a
// row of the run; a finding of which a row is missing is left out.
package findings

import (
	"fmt"
	"strings"

	"dejavu/experiments/text"
	"dejavu/results"
)

// A Finding is a statement, what it rests on, and the figure that shows it.
type Finding struct {
	Title  string // the statement, a sentence
	Text   string // a few sentences more
	Figure string // its name
}

// Of returns the findings of a run, the most important first.
func Of(c results.Cells) (all []Finding) {
	for _, find := range []func(*quoter) Finding{errorRate, chains, smallest, popular, idle} {
		q := &quoter{cells: c}
		if f := find(q); !q.missing {
			all = append(all, f)
		}
	}
	return all
}

// Advice is which structure to take for the last 400 articles at 2 % of false positives
// at worst; nothing where a row is missing.
func Advice(c results.Cells) []Finding {
	q := &quoter{cells: c}
	rate := func(strategy string) string {
		return text.Percent(q.row(results.Tradeoff, strategy, "", results.QFPRWorst+results.AtRate).Theory.Or(0))
	}
	all := []Finding{{
		Title: "The last few hundred articles, for ever:",
		Text: fmt.Sprintf("a chain sized for its union, `chain.Sized(400, 0.02)`. It takes %s a user, has an FPR of at most %s, and answers in %.1f times "+
			"a single filter's time. Where bytes count more than time, [beyond/quotient](beyond/quotient) needs %s, and takes %.0f times as long.",
			q.bytes("chain-sized"), rate("chain-sized"), q.query("chain-sized")/q.query("single"),
			q.bytes("beyond/quotient"), q.query("beyond/quotient")/q.query("single")),
		Figure: "tradeoff",
	}, {
		Title:  "At most 400 articles in all:",
		Text:   fmt.Sprintf("a single filter, %s. It never forgets, and its FPR grows with every article after them.", q.bytes("single")),
		Figure: "fpr",
	}, {
		Title:  "Practically no false positives:",
		Text:   fmt.Sprintf("a queue of 64-bit hashes, %s. A false positive then takes two articles with the same hash.", q.bytes("queue")),
		Figure: "table1",
	}}
	if q.missing {
		return nil
	}
	return all
}

// Markdown is the findings as a list, their statements strong.
func Markdown(all []Finding) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "- **%s** %s\n", f.Title, f.Text)
	}
	return b.String()
}

// A quoter quotes rows, and notes where there is none.
type quoter struct {
	cells   results.Cells
	missing bool
}

func (q *quoter) row(experiment, strategy, x, quantity string) results.Row {
	r, ok := q.cells.Find(experiment, strategy, x, quantity)
	q.missing = q.missing || !ok
	return r
}

func (q *quoter) value(experiment, strategy, x, quantity string) float64 {
	return q.row(experiment, strategy, x, quantity).Value.Or(0)
}

// table1 is a quantity of a strategy in Table 1.
func (q *quoter) table1(strategy, quantity string) string {
	return text.Of(q.row(results.Table1, strategy, "", quantity))
}

// bytes is the longest history of a structure that is made for 400 articles at 2 %.
func (q *quoter) bytes(strategy string) string {
	return text.Of(q.row(results.Tradeoff, strategy, "", results.QLongest+results.AtRate))
}

// query is its time for a candidate of 40, in nanoseconds.
func (q *quoter) query(strategy string) float64 {
	return q.value(results.Tradeoff, strategy, "40", results.QQueryNanos+results.AtRate)
}

func errorRate(q *quoter) Finding {
	at500 := q.row(results.Table1, "single", "", results.QFPRAt500)
	at := func(shown string) string { return text.Of(q.row(results.Table1, "single", shown, results.QFPRByLife)) }
	return Finding{
		Title: fmt.Sprintf("No filter in the paper achieves its false positive rate of %s.", text.Percent(at500.Paper.Or(0))),
		Text: fmt.Sprintf("A filter of 4064 bits with 6 hashes and 500 articles reports %s of unseen articles as seen. "+
			"A full filter does not break, its rate grows: %s at 1000 articles, %s at 2000.", text.Of(at500), at("1000"), at("2000")),
		Figure: "fpr",
	}
}

func chains(q *quoter) Finding {
	return Finding{
		Title: "The false positives of a chain's links add up; sized for their union, a chain keeps its rate.",
		Text: fmt.Sprintf("The paper's five links of 2 %% each make %s on average and %s at worst. Sized for 2 %% at worst a chain takes %s, "+
			"has an FPR of %s on average, and guarantees %s articles. The dual filter guarantees %s in %s.",
			q.table1("chain", results.QFPRSteady), q.table1("chain", results.QFPRWorst), q.table1("chain-sized", results.QPayloadPerUser),
			q.table1("chain-sized", results.QFPRSteady), q.table1("chain-sized", results.QWindowLeast),
			q.table1("dual", results.QWindowLeast), q.table1("dual", results.QPayloadPerUser)),
		Figure: "table1",
	}
}

func smallest(q *quoter) Finding {
	return Finding{
		Title: "A sorted list of fingerprints takes the fewest bytes for a guaranteed window.",
		Text: fmt.Sprintf("To recognise the last 400 articles for ever, with an FPR of at most 2 %%, it takes %s. "+
			"The best chain takes %s, the dual filter %s and a queue of IDs %s. A query of the list takes %.0f times the chain's time.",
			q.bytes("beyond/quotient"), q.bytes("beyond/chain-best"), q.bytes("dual"), q.bytes("queue"),
			q.query("beyond/quotient")/q.query("beyond/chain-best")),
		Figure: "tradeoff",
	}
}

func popular(q *quoter) Finding {
	at := func(quantity string) string { return text.Of(q.row(results.Popularity, "single", "1", quantity)) }
	return Finding{
		Title: "Popular articles hide others, unless every user has a salt.",
		Text: fmt.Sprintf("Among 5000 articles that Zipf's law makes popular, a single filter's mean rate is the promised %s. "+
			"But one article in a hundred is hidden from %s or more of those who have not seen it, and the worst from %s. "+
			"In other catalogues of the same law the worst loses %s to %s, %s on average. Its author loses that audience, and the mean does not show it. "+
			"A salt of each user's own spreads the loss: %s and %s. None of the sources mentions it.",
			at(results.FPR), at(results.QArticleP99), at(results.QArticleWorst),
			at(results.QArticleWorst+results.ByCatalogue+results.Least), at(results.QArticleWorst+results.ByCatalogue+results.Most),
			at(results.QArticleWorst+results.ByCatalogue+results.Mean),
			at(results.QArticleP99+results.Salted), at(results.QArticleWorst+results.Salted)),
		Figure: "popularity",
	}
}

func idle(q *quoter) Finding {
	daily := func(quantity string) float64 { return q.value(results.Daily, "queue", "", quantity) }
	return Finding{
		Title: "Forgetting idle users after a day saves most of the memory, and costs repeats.",
		Text: fmt.Sprintf("After thirty days a queue takes %.0f %% of what it takes without that rule. "+
			"But %.0f of 1000 articles shown are repeats, not %.0f. In this simulation one candidate in five was shown before.",
			100*daily(results.QKept), 1000*daily(results.QRepeatsRule), 1000*daily(results.QRepeatsNoRule)),
		Figure: "daily-idle",
	}
}
