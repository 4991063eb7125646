package popularity

import (
	"fmt"

	"dejavu/experiments/text"
	"dejavu/results"
	"dejavu/results/by"
)

// of is a quantity of every strategy with the headline's catalogue.
func of(quantity string, where ...results.Condition) results.Query {
	q := results.Query{Experiment: results.Popularity, Strategy: results.Any, Quantity: quantity, Where: headline.in()}
	return q.With(where...)
}

// ofAny is a quantity of every strategy with every catalogue.
func ofAny(quantity string, where ...results.Condition) results.Query {
	return of(quantity, by.Catalogue.Open(), by.Exponent.Open()).With(where...)
}

func rate(r results.Row) string { return text.Percent(r.Value.Or(0)) }

func interval(r results.Row) string {
	return text.Percent(r.Low.Or(0)) + " to " + text.Percent(r.High.Or(0))
}

// overall is what candidates and articles lose, with the headline's catalogue.
var overall = text.Table{
	Heading: func(c results.Cells) string {
		users, _ := c.One(of(results.QUsers).Of(""))
		articles, _ := c.One(of(results.QArticles).Of(""))
		return fmt.Sprintf("False positive rate of candidates drawn by popularity, and by article: "+
			"the share of its unseen audience that an article loses (Zipf %v over %d articles, "+
			"%d shown to each of %.0f users; of the %.0f articles that half of them or more were not shown)",
			headline.Exponent, headline.Articles, Shown, users.Value.Or(0), articles.Value.Or(0))
	},
	Lines: of(results.QFPR, unsalted),
	Columns: []text.Column{
		text.Strategy(),
		text.Cell("candidates", of(results.QFPR, unsalted), rate),
		text.Cell("95 %", of(results.QFPR, unsalted), interval),
		text.Cell("90th percentile", of(results.QFPRByArticle, unsalted, p90), rate),
		text.Cell("99th percentile", of(results.QFPRByArticle, unsalted, p99), rate),
		text.Cell("worst", of(results.QFPRByArticle, unsalted, worst), rate),
		text.Cell("lose a tenth", of(results.QArticlesLosing, unsalted), rate),
		text.Cell("salted: candidates", of(results.QFPR, salted), rate),
		text.Cell("95 %", of(results.QFPR, salted), interval),
		text.Cell("90th percentile", of(results.QFPRByArticle, salted, p90), rate),
		text.Cell("99th percentile", of(results.QFPRByArticle, salted, p99), rate),
		text.Cell("worst", of(results.QFPRByArticle, salted, worst), rate),
	},
}

// differing is what articles lose with other catalogues.
var differing = text.Table{
	Title: "False positive rate by article, by how articles differ [theory]",
	Lines: ofAny(results.QCorrelation, unsalted),
	Columns: []text.Column{
		text.Strategy(),
		{Header: "articles", Show: func(r ...results.Row) string {
			return text.Thousands(int(r[0].Coordinate(by.Catalogue).Or(0)))
		}},
		text.Condition("exponent", by.Exponent),
		text.Cell("measured", ofAny(results.QArticles).Of(""), text.Of),
		{
			Header: "users of each",
			Queries: []results.Query{
				ofAny(results.QUnshownUsers, mean).Of(""), ofAny(results.QUnshownUsers, least).Of(""),
			},
			Show: func(r ...results.Row) string {
				return fmt.Sprintf("%.0f, at least %.0f", r[0].Value.Or(0), r[1].Value.Or(0))
			},
		},
		text.Cell("99th percentile", ofAny(results.QFPRByArticle, unsalted, p99), text.WithTheory),
		text.Cell("worst", ofAny(results.QFPRByArticle, unsalted, worst), text.WithTheory),
		text.Cell("correlation with theory", ofAny(results.QCorrelation, unsalted), func(r results.Row) string {
			return fmt.Sprintf("%.3f", r.Value.Or(0))
		}),
		text.Cell("salted: 99th percentile", ofAny(results.QFPRByArticle, salted, p99), text.WithTheory),
		text.Cell("worst", ofAny(results.QFPRByArticle, salted, worst), text.WithTheory),
	},
}

// redrawnTable is what an article loses in other catalogues, alike but for their IDs.
var redrawnTable = text.Table{
	Heading: func(c results.Cells) string {
		var catalogues int64
		for _, r := range c.All(of(results.QFPRByArticle, unsalted, worst, by.Draw.Is("mean"))) {
			catalogues = r.Count
		}
		return fmt.Sprintf("False positive rate by article in each of %d catalogues, "+
			"alike but for the IDs of their articles (Zipf %v over %d articles) [theory]",
			catalogues, headline.Exponent, headline.Articles)
	},
	Lines: of(results.QFPRByArticle, unsalted, worst, by.Draw.Open()),
	Keep:  func(r results.Row) bool { return !r.Coordinate(by.Draw).IsSet() }, // not a single catalogue
	Columns: []text.Column{
		text.Strategy(),
		{Header: "of the catalogues", Show: func(r ...results.Row) string { return "the " + r[0].Where.Of(by.Draw) }},
		text.Cell("99th percentile", of(results.QFPRByArticle, unsalted, p99, by.Draw.Open()), text.WithTheory),
		text.Cell("worst", of(results.QFPRByArticle, unsalted, worst, by.Draw.Open()), text.WithTheory),
	},
}
