package popularity

import (
	_ "embed"
	"fmt"
	"slices"

	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

//go:embed figures.toml
var declared string

// shown are the false positive rates of articles, sorted, a panel for each strategy: of the paper's
// strategies, and of the structures beyond the paper.
var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"popularity": losing, "beyond-popularity": losing},
	Tables:  map[string]func(*text.Table){"overall": overall, "differing": differing, "redrawn": kinds},
	Shows: text.Shows{
		"interval": func(r ...results.Row) string {
			return text.Percent(r[0].Low.Or(0)) + " to " + text.Percent(r[0].High.Or(0))
		},
		"articles": func(r ...results.Row) string { return text.Thousands(int(r[0].Coordinate(by.Catalogue).Or(0))) },
		"draw":     func(r ...results.Row) string { return "the " + r[0].Where.Of(by.Draw) },
	},
})

// losing leaves out the panel of what has no false positives, and joins marks that no theory goes through.
func losing(_ plots.Data, s *plots.Sheet) {
	s.Panels = slices.DeleteFunc(s.Panels, func(p *plots.Panel) bool {
		none := true
		for i, one := range p.Series {
			p.Series[i].Join = len(one.Line) == 0
			none = none && !slices.ContainsFunc(one.Points, func(point plots.Point) bool { return point.Y > 0 })
		}
		return none
	})
}

// of is a quantity with the headline's catalogue, of no strategy.
func of(quantity string, where ...results.Condition) results.Query {
	return results.Query{Experiment: results.Popularity, Quantity: quantity, Where: headline.in()}.With(where...)
}

func overall(t *text.Table) {
	t.Heading = func(c results.Cells) string {
		users, _ := c.One(of(results.QUsers))
		articles, _ := c.One(of(results.QArticles))
		return fmt.Sprintf("%s: the share of its unseen audience that an article loses (Zipf %v over %d articles, "+
			"%d shown to each of %.0f users; of the %.0f articles that half of them or more were not shown)",
			t.Title, headline.Exponent, headline.Articles, Shown, users.Value.Or(0), articles.Value.Or(0))
	}
}

// differing adds how many articles are measured, and of how many users.
func differing(t *text.Table) {
	ofAny := func(quantity string, where ...results.Condition) results.Query {
		return of(quantity, by.Catalogue.Open(), by.Exponent.Open()).With(where...)
	}
	t.Columns = slices.Insert(t.Columns, 3, text.Cell("measured", ofAny(results.QArticles), text.Of), text.Column{
		Header:  "users of each",
		Queries: []results.Query{ofAny(results.QUnshownUsers, mean), ofAny(results.QUnshownUsers, least)},
		Show: func(r ...results.Row) string {
			return fmt.Sprintf("%.0f, at least %.0f", r[0].Value.Or(0), r[1].Value.Or(0))
		},
	})
}

// kinds has the kindest catalogue, the mean and the unkindest, and not a single one.
func kinds(t *text.Table) {
	t.Keep = func(r results.Row) bool { return !r.Coordinate(by.Draw).IsSet() }
	t.Heading = func(c results.Cells) string {
		var catalogues int64
		for _, r := range c.All(of(results.QFPRByArticle, unsalted, worst, by.Draw.Is("mean")).Of(results.Any)) {
			catalogues = r.Count
		}
		return fmt.Sprintf("False positive rate by article in each of %d catalogues, "+
			"alike but for the IDs of their articles (Zipf %v over %d articles) [theory]",
			catalogues, headline.Exponent, headline.Articles)
	}
}
