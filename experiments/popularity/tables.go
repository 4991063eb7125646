package popularity

import (
	"fmt"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/text"
	"dejavu/results"
	"dejavu/workload"
)

// tables are what an article loses with every strategy, and what becomes of that with
// other catalogues.
func tables(c results.Cells) (tables []results.Table) {
	all := results.Table{
		Title: "False positive rate of candidates drawn by popularity, and by article: the share of its unseen audience that an article loses",
		Header: []string{
			"strategy", "candidates", "95 %", "90th percentile", "99th percentile", "worst", "lose a tenth",
			"salted: candidates", "95 %", "90th percentile", "99th percentile", "worst",
		},
	}
	some := results.Table{
		Title: "False positive rate by article, by how articles differ [theory]",
		Header: []string{
			"strategy", "articles", "exponent", "measured", "users of each", "99th percentile", "worst", "correlation with theory", "salted: 99th percentile", "worst",
		},
	}
	for _, name := range catalogue.Names() {
		for _, of := range grid {
			get := func(quantity string) (results.Row, bool) {
				return c.Find(results.Popularity, name, results.Num(of.Exponent).String(), quantity+behind(of))
			}
			if _, ok := get(results.QFPR); ok && of == headline {
				all.Rows = append(all.Rows, overall(name, get))
			}
			if _, ok := get(results.QArticleFit); ok {
				some.Rows = append(some.Rows, differing(c, name, of, get))
			}
		}
	}
	x := results.Num(headline.Exponent).String()
	if articles, ok := c.Find(results.Popularity, "", x, results.QArticlesAsked); ok {
		users, _ := c.Find(results.Popularity, "", x, results.QUsers)
		all.Title += fmt.Sprintf(" (Zipf %v over %d articles, %d shown to each of %.0f users; of the %.0f articles that half of them or more were not shown)",
			headline.Exponent, headline.Articles, Shown, users.Value.Or(0), articles.Value.Or(0))
	}
	for _, t := range []results.Table{all, some, redrawnTable(c)} {
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// redrawnTable is what an article loses in other catalogues, alike but for their IDs.
func redrawnTable(c results.Cells) results.Table {
	t := results.Table{Header: []string{"strategy", "of the catalogues", "99th percentile", "worst"}}
	for _, name := range catalogue.Names() {
		for _, which := range []struct{ suffix, name string }{
			{results.Least, "the least"}, {results.Mean, "the mean"}, {results.Most, "the most"},
		} {
			line := []string{name, which.name}
			for _, quantity := range []string{results.QArticleP99, results.QArticleWorst} {
				r, ok := c.Find(results.Popularity, name, results.Num(headline.Exponent).String(), quantity+results.ByCatalogue+which.suffix)
				if !ok {
					continue
				}
				t.Title = fmt.Sprintf("False positive rate by article in each of %d catalogues, alike but for the IDs of their articles (Zipf %v over %d articles) [theory]",
					r.Count, headline.Exponent, headline.Articles)
				line = append(line, text.WithTheory(r))
			}
			if len(line) == len(t.Header) {
				t.Rows = append(t.Rows, line)
			}
		}
	}
	return t
}

// percent is a rate, or nothing.
func percent(r results.Row, ok bool) string {
	if !ok {
		return text.None
	}
	return text.Percent(r.Value.Or(0))
}

// overall is a strategy's line of the first table.
func overall(name string, get func(string) (results.Row, bool)) []string {
	line := []string{name}
	for _, salt := range []string{"", results.Salted} {
		fresh, ok := get(results.QFPR + salt)
		line = append(line, percent(fresh, ok), text.Percent(fresh.Low.Or(0))+" to "+text.Percent(fresh.High.Or(0)))
		for _, quantity := range []string{results.QArticleP90, results.QArticleP99, results.QArticleWorst} {
			line = append(line, percent(get(quantity+salt)))
		}
		if salt == "" {
			line = append(line, percent(get(results.QArticlesLose)))
		}
	}
	return line
}

// differing is a line of the second table.
func differing(c results.Cells, name string, of workload.PopularConfig, get func(string) (results.Row, bool)) []string {
	fact := func(quantity string) float64 {
		r, _ := c.Find(results.Popularity, "", results.Num(of.Exponent).String(), quantity+behind(of))
		return r.Value.Or(0)
	}
	line := []string{
		name, text.Thousands(of.Articles), fmt.Sprint(of.Exponent), fmt.Sprint(fact(results.QArticlesAsked)),
		fmt.Sprintf("%.0f, at least %.0f", fact(results.QUnseenMean), fact(results.QUnseenLeast)),
	}
	withTheory := func(quantity string) string {
		r, ok := get(quantity)
		if !ok {
			return text.None
		}
		return text.WithTheory(r)
	}
	fit, _ := get(results.QArticleFit)
	return append(line, withTheory(results.QArticleP99), withTheory(results.QArticleWorst), fmt.Sprintf("%.3f", fit.Value.Or(0)),
		withTheory(results.QArticleP99+results.Salted), withTheory(results.QArticleWorst+results.Salted))
}
