package popularity

import (
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

const caption = "Of Zipf's law over 5000 articles, 500 of them shown to each of 2000 users: how many of the users who have not seen it an article loses to false positives, by how many articles lose as much. " +
	"Without a salt an article has the same positions in every user's filter, and some lose many times the mean; with a salt of each user's own all lose the same but for chance."

// Figures are the false positive rates of articles, sorted, a panel for each strategy: of
// the paper's strategies, and of the structures beyond the paper.
var Figures = []plots.Figure{
	{
		Name: "popularity", Title: "Without a salt, some articles lose many times their share of unseen users; with one, all lose alike", Caption: caption,
		Experiment: results.Popularity, Query: sorted(unsalted), Build: figure,
	},
	{
		Name: "beyond-popularity", Title: "A salt evens out the loss in structures beyond the paper as well", Caption: caption,
		Experiment: results.Popularity, Query: sorted(unsalted), Strategies: plots.Beyond, Build: figure,
	},
}

// sorted are the rates of articles by the share of them that have as much or more.
func sorted(salt results.Condition) results.Query {
	return results.Query{Quantity: results.QFPRByArticle, Where: headline.in()}.With(salt, by.Share.Open())
}

// The two ways in which users' filters see an article, alike in all panels.
var (
	plainLook  = plots.Look{Name: "Without a salt", Color: plots.Vermillion, Mark: plots.Square}
	saltedLook = plots.Look{Name: "With a salt of each user's own", Color: plots.Blue, Mark: plots.Circle.Hollow()}
)

func figure(d plots.Data) plots.Sheet {
	var panels []*plots.Panel
	without, with := d.Find(sorted(unsalted)), d.Find(sorted(salted))
	for _, name := range d.NamesIn(without, with) {
		p := &plots.Panel{
			Title: d.Look(name).Name,
			X:     plots.Axis{Label: "articles that lose as much", Scale: plots.Log, Min: 1e-4, Max: 1, Format: plots.Percent, Labels: 3},
			Y:     plots.Axis{Label: "unseen users lost", Scale: plots.Log, Min: 1e-4, Max: 1, Format: plots.Percent},
		}
		above := false
		for _, of := range []struct {
			plots.Look
			plots.Group
		}{
			{plainLook, without.Of(name)},
			{saltedLook, with.Of(name)},
		} {
			s := plots.Series{Look: of.Look, Line: of.Theory(), Points: plots.Thin(of.Points(), 21)}
			s.Join = len(s.Line) == 0
			for _, point := range s.Points {
				above = above || point.Y > 0
			}
			p.Add(s)
		}
		if above { // what has no false positives has no curve
			panels = append(panels, p)
		}
	}
	return plots.Sheet{
		Grid:   plots.Shared(plots.Grid(3, panels...)),
		Height: 130,
		Note: "Unseen users lost: of those who were not shown an article, the share for whom it is a false positive. Marks: measured, for each article that at least half of the users were not shown. " +
			"Lines: theory, with the scatter that so many users leave, or where there is none through the marks. At ≈ 0: no user lost.",
	}
}
