package report

import (
	"cmp"
	"errors"
	"fmt"

	"dejavu/experiments/text"
	"dejavu/results"
)

// FindingsOf returns the findings of a run, the most important first. It leaves out those that the rows deny or lack.
func FindingsOf(c results.Cells) (all []text.Finding) {
	for _, find := range []func(*quotes) text.Finding{ofFilter, ofChain, ofSolved, ofPopular, ofIdle} {
		q := quotes{cells: c}
		if f := find(&q); q.err == nil {
			all = append(all, f)
		}
	}
	return all
}

func ofFilter(q *quotes) text.Finding {
	const full = "fpr: fpr of single at articles=500"
	r, v := q.find(full)
	q.bears(r.Paper.IsSet() && r.Low.Or(v) > r.Paper.Or(0))
	return text.Finding{
		Title: fmt.Sprintf("A full filter of the paper has more false positives than the %s that it states.",
			text.Percent(r.Paper.Or(0))),
		Text: fmt.Sprintf("A filter of 4064 bits with 6 hashes and 500 articles reports %s of unseen articles as seen. "+
			"A full filter does not break; its rate grows: %s at 1000 articles, %s at 2000.",
			q.of(full), q.of("fpr: fpr of single at articles=1000"), q.of("fpr: fpr of single at articles=2000")),
		Figure: results.FPR,
	}
}

func ofChain(q *quotes) text.Finding {
	const mean, sized = "table1: fpr of chain at statistic=mean", "table1: fpr of chain-sized at statistic=mean"
	q.bears(q.less("fpr: fpr of chain at articles=100", mean) && q.less(sized, mean))
	return text.Finding{
		Title: "The false positives of a chain's links add up; a chain sized for their union has fewer.",
		Text: fmt.Sprintf("The paper's five links of 2 %% each make %s on average and %s at worst. A chain sized for 2 %% at "+
			"worst takes %s, has an FPR of %s on average, and guarantees %s articles. The dual filter guarantees %s, "+
			"with a payload of %s.",
			q.of(mean), q.of("table1: fpr of chain at statistic=worst"),
			q.of("tradeoff: longest history of chain-sized at sized=2 %"), q.of(sized),
			q.of("table1: guaranteed window of chain-sized at statistic=least"),
			q.of("table1: guaranteed window of dual at statistic=least"), q.of("table1: payload per user of dual")),
		Figure: results.Table1,
	}
}

func ofSolved(q *quotes) text.Finding {
	bytes := func(of string) string { return "tradeoff: longest history of " + of + " at sized=2 %" }
	const solved, best, list = "beyond/matrix", "beyond/chain-best", "beyond/ring"
	for _, other := range []string{list, best, "dual", "queue"} {
		q.bears(q.less(bytes(solved), bytes(other)))
	}
	return text.Finding{
		Title: "A chain whose full links are solved takes fewer bytes for a guaranteed window.",
		Text: fmt.Sprintf("A solved link stores the solution of a linear system in place of a filter. To recognise the last "+
			"400 articles for ever, with an FPR of at most 2 %%, such a chain takes %s. A list of fingerprints takes %s, "+
			"the best chain of filters %s, the dual filter %s and a queue of IDs %s.",
			q.of(bytes(solved)), q.of(bytes(list)), q.of(bytes(best)), q.of(bytes("dual")), q.of(bytes("queue"))),
		Figure: results.Tradeoff,
	}
}

func ofPopular(q *quotes) text.Finding {
	fpr := func(where string) string { return "popularity: fpr by article of single at " + where }
	const zipf = "catalogue=5000, exponent=1, "
	salted, plain := fpr(zipf+"salt=user, statistic=spread"), fpr(zipf+"salt=none, statistic=spread")
	worst := func(where string) string { return q.share(fpr(where + ", salt=none, statistic=worst")) }
	q.bears(q.less(salted, plain))
	spread, _ := q.find(salted)
	return text.Finding{
		Title: "Popular articles hide others, unless every user has a salt.",
		Text: fmt.Sprintf("Among 5000 articles that Zipf's law makes popular, a single filter's mean rate is the promised "+
			"%s. But the worst article is hidden from %s of the users who have not seen it, and one in a hundred from %s "+
			"or more. If the exponent is 0.6 instead of 1, the worst is hidden from %s; if it is 1.2, from %s; among a "+
			"million articles, from %s. With a salt for every user, articles' rates differ, beyond chance, by a standard "+
			"deviation of %s (at most %.2g %%), without salts by %s. No source mentions this.",
			q.of("popularity: fpr of single at "+zipf+"salt=none"), q.of(fpr(zipf+"salt=none, statistic=worst")),
			q.of(fpr(zipf+"salt=none, statistic=p99")), worst("catalogue=5000, exponent=0.6"),
			worst("catalogue=5000, exponent=1.2"), worst("catalogue=1000000, exponent=1"),
			q.percent(salted), 100*spread.High.Or(0), q.percent(plain)),
		Figure: results.Popularity,
	}
}

func ofIdle(q *quotes) text.Finding {
	const kept, repeats = "daily: payload kept of queue", "daily: repeats per article shown of queue at rule="
	r, v := q.find(kept)
	q.bears(r.High.Or(v) < 0.5 && q.less(repeats+"none", repeats+"24h"))
	return text.Finding{
		Title: "Forgetting idle users after a day saves most of the memory, and costs repeats.",
		Text: fmt.Sprintf("After thirty days a queue takes %s of the bytes that it takes without this rule. If users come "+
			"half as often, %s; five times as often, %s. But %s of 1000 articles shown are repeats, instead of %s, where one "+
			"candidate in five was shown before.",
			q.share(kept), q.share(kept+" at sessions=0.2"), q.share(kept+" at sessions=2"),
			q.permille(repeats+"24h"), q.permille(repeats+"none")),
		Figure: "daily-idle",
	}
}

// quotes reads rows for one text, each by a query as results.ParseQuery reads it. A method returns a number of a row in
// the form that its name says; without a value it is theory's. The first row that is missing leaves an error.
type quotes struct {
	cells results.Cells
	err   error
}

func (q *quotes) find(query string) (results.Row, float64) {
	parsed, err := results.ParseQuery(query)
	r, ok := q.cells.One(parsed)
	if err == nil && (!ok || !r.Value.IsSet() && !r.Theory.IsSet()) {
		err = fmt.Errorf("no row %s", parsed)
	}
	q.err = cmp.Or(q.err, err)
	return r, r.Value.Or(r.Theory.Or(0))
}

// bears leaves an error if the rows do not bear a statement out.
func (q *quotes) bears(out bool) {
	if !out {
		q.err = cmp.Or(q.err, errors.New("the rows do not bear it out"))
	}
}

// less reports whether one value is less than another, beyond their intervals.
func (q *quotes) less(query, than string) bool {
	a, v := q.find(query)
	b, w := q.find(than)
	return a.High.Or(v) < b.Low.Or(w)
}

func (q *quotes) number(format string, scale float64, query string) string {
	_, v := q.find(query)
	return fmt.Sprintf(format, scale*v)
}

func (q *quotes) share(query string) string    { return q.number("%.0f %%", 100, query) }
func (q *quotes) percent(query string) string  { return q.number("%.2g %%", 100, query) }
func (q *quotes) permille(query string) string { return q.number("%.0f", 1000, query) }

func (q *quotes) of(query string) string {
	r, _ := q.find(query)
	return text.Of(r)
}

// times formats the ratio of two rows' values.
func (q *quotes) times(format, query, over string) string {
	_, a := q.find(query)
	_, b := q.find(over)
	return fmt.Sprintf(format, a/b)
}
