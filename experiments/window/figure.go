package window

import (
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are the articles recognised by age: of the paper's strategies, and of the
// other structures, a panel each.
var Figures = []plots.Figure{
	{
		Name:       "window",
		Title:      "Every strategy recognises what is inside its guaranteed window; beyond it, each forgets in its own way",
		Caption:    "The chance that an article is recognised, by how many articles ago it was shown: certain inside the guaranteed window, and far outside no more likely than a false positive.",
		Experiment: results.Window, Query: byAge, Build: window,
	},
	{
		Name:       "beyond-window",
		Title:      "Structures that forget do so beyond their guaranteed window",
		Caption:    "The chance that an article is recognised, by how many articles ago it was shown.",
		Experiment: results.Window, Query: byAge, Strategies: plots.Beyond, Build: window,
	},
}

var byAge = results.Find(results.QRetention, by.Age.Open())

// window has a panel for each structure.
func window(d plots.Data) plots.Sheet {
	return plots.Sheet{
		Grid: plots.Each(d.Lines(byAge, results.Query{}), plots.Panel{
			X: plots.Axis{Label: "age: articles shown since", Labels: 4},
			Y: plots.Axis{Label: "recognised", Min: 0, Max: 1.02, Format: plots.Percent},
		}),
		Height: 120,
		Note: "The chance that an article is recognised, by how many articles were shown since. Marks: measured, with 95 % intervals. Lines: theory, where there is one. " +
			"Far outside its window a structure recognises an article only as a false positive.",
	}
}
