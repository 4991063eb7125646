package users

import (
	"fmt"
	"slices"

	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// of finds rows of all strategies in the headline's market, and ofAny in all markets.
func of(quantity string, where ...results.Condition) results.Query {
	q := results.Query{Experiment: results.Popularity, Strategy: results.Any, Quantity: quantity, Where: headline.in()}
	return q.With(where...)
}

func ofAny(quantity string, where ...results.Condition) results.Query {
	return of(quantity, by.Catalogue.Open(), by.Exponent.Open()).With(where...)
}

var popularityFigures = []plots.Figure{{
	Name: "popularity", Experiment: results.Popularity, Strategies: plots.All, Build: hidden,
	Query: of(results.QFPRByArticle, unsalted, by.Share.Open()),
	Title: "Users whom false positives hide an article from, without a salt and with one",
	Caption: "Of Zipf's law over 5000 articles, 500 of them shown to each of 2000 users: how many of the users who " +
		"have not seen it the unluckiest article in a hundred loses to false positives, and in a single filter the " +
		"share of articles losing at least this much. Without a salt an article has the same positions in every " +
		"user's filter; with one, in each user's filter positions of its own.",
}}

// hidden has a panel of the unluckiest articles by strategy, and one of all articles in a single filter.
func hidden(d plots.Data) plots.Sheet {
	share := plots.Axis{Label: "users it is hidden from", Format: plots.Percent}
	places := d.Ranked(of(results.QFPRByArticle, unsalted, p99),
		"queue", "single", "dual", "chain", "matrix", "quotient", "ring")
	unluckiest := (&plots.Panel{Title: "(a) The unluckiest article in a hundred", X: share}).Named(places, d.Look)
	unluckiest.X.Labels = 4
	all := &plots.Panel{
		Title: "(b) A single filter: all articles", Y: share,
		X: plots.Axis{
			Label: "articles, the unluckiest first", Scale: plots.Log, Min: 1e-4, Max: 1, Format: plots.Percent, Labels: 3,
		},
	}
	salts := []struct {
		results.Condition
		plots.Look
		marks int // in (b)
	}{
		{salted, plots.Look{Name: "With a salt of each user's own", Color: plots.Slate, Mark: plots.Ring.Large()}, 11},
		{unsalted, plots.Look{Name: "Without a salt", Color: plots.Slate, Mark: plots.Square}, 21},
	}
	for i, g := range places {
		for _, salt := range salts {
			for _, p := range d.Find(of(results.QFPRByArticle, salt.Condition, p99)).Of(g.Strategy).Points() {
				p.X = unluckiest.Place(i)
				unluckiest.Dots(salt.Look, p)
			}
		}
	}
	for _, salt := range salts {
		curve := of(results.QFPRByArticle, salt.Condition, by.Share.Open()).Of("single")
		for _, s := range d.Series(curve, curve) {
			s.Look, s.Points = salt.Look, plots.Thin(s.Points, salt.marks)
			all.Add(s)
		}
	}
	return plots.Sheet{
		Columns: 2, Height: 60 + 18*float64(len(places)), Panels: []*plots.Panel{unluckiest, all},
		Note: "Users it is hidden from: of those who were not shown an article, the share for whom it is a false " +
			"positive. Of articles that at least half of the users were not shown. The dual filter has just taken " +
			"its other array, which holds 200 articles of 500. Marks: measured. Lines: theory. The tables have the " +
			"other structures.",
	}
}

var popularityTables = []text.Table{
	{
		Heading: func(c results.Cells) string {
			users, _ := c.One(of(results.QUsers).Of(""))
			articles, _ := c.One(of(results.QArticles).Of(""))
			return fmt.Sprintf("False positive rate of candidates drawn by popularity, and by article: the share "+
				"of its unseen audience that an article loses (Zipf 1 over 5000 articles, 500 shown to each of "+
				"%.0f users; of the %.0f articles that half of them or more were not "+
				"shown)", users.Value.Or(0), articles.Value.Or(0))
		},
		Lines: of(results.QFPR, unsalted),
		Columns: slices.Concat(
			[]text.Column{text.Strategy("strategy")},
			rates("candidates", unsalted),
			[]text.Column{text.Cell("lose a tenth", of("articles losing a tenth", unsalted), text.Share)},
			rates("salted: candidates", salted),
		),
	},
	{
		Title: "False positive rate by article, by how articles differ [theory]",
		Lines: ofAny("correlation", unsalted),
		Columns: []text.Column{
			text.Strategy("strategy"),
			{Header: "articles", Write: func(r ...results.Row) string {
				return text.Thousands(int(r[0].Coordinate(by.Catalogue).Or(0)))
			}},
			text.Condition("exponent", by.Exponent),
			text.Cell("measured", ofAny(results.QArticles).Of(""), text.Of),
			{
				Header:  "users of each",
				Queries: []results.Query{ofAny(results.QUnshownUsers, mean).Of(""), ofAny(results.QUnshownUsers, least).Of("")},
				Write: func(r ...results.Row) string {
					return fmt.Sprintf("%.0f, at least %.0f", r[0].Value.Or(0), r[1].Value.Or(0))
				},
			},
			byArticle("99th percentile", unsalted, p99),
			byArticle("worst", unsalted, worst),
			text.Cell("correlation with theory", ofAny("correlation", unsalted), text.Format("%.3f")),
			byArticle("salted: 99th percentile", salted, p99),
			byArticle("worst", salted, worst),
			byArticle("spread beyond chance", salted, scatter),
		},
	},
	{
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
		// The kindest catalogue, the mean and the unkindest, and not a single one.
		Keep: func(r results.Row) bool { return !r.Coordinate(by.Draw).IsSet() },
		Columns: []text.Column{
			text.Strategy("strategy"),
			{Header: "of the catalogues", Write: func(r ...results.Row) string { return "the " + r[0].Where.Of(by.Draw) }},
			text.Cell("99th percentile", of(results.QFPRByArticle, unsalted, p99, by.Draw.Open()), text.WithTheory),
			text.Cell("worst", of(results.QFPRByArticle, unsalted, worst, by.Draw.Open()), text.WithTheory),
		},
	},
}

// rates returns the columns of rates in the headline's market, of candidates and by article, with a salt or without.
func rates(candidates string, salt results.Condition) []text.Column {
	overall := of(results.QFPR, salt)
	columns := []text.Column{text.Cell(candidates, overall, text.Share), text.Cell("95 %", overall, text.Interval)}
	for _, c := range []struct {
		header string
		results.Condition
	}{{"90th percentile", p90}, {"99th percentile", p99}, {"worst", worst}, {"spread beyond chance", scatter}} {
		columns = append(columns, text.Cell(c.header, of(results.QFPRByArticle, salt, c.Condition), text.Share))
	}
	return columns
}

// byArticle returns the column of a statistic of the rates by article in a line's market.
func byArticle(header string, salt, statistic results.Condition) text.Column {
	return text.Cell(header, ofAny(results.QFPRByArticle, salt, statistic), text.WithTheory)
}
