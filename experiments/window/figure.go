package window

import (
	"dejavu/plots"
	"dejavu/results"
)

// Figures are the articles recognised by age: of the paper's strategies, and of the
// other structures, a panel each.
var Figures = []plots.Figure{
	{
		Name:       "window",
		Title:      "Every strategy recognises what is inside its guaranteed window; beyond it, each forgets in its own way",
		Caption:    "The chance that an article is recognised, by how many articles ago it was shown: certain inside the guaranteed window, and far outside no more likely than a false positive.",
		Experiment: results.Window, Quantity: results.QRetention, Build: window,
	},
	{
		Name:       "beyond-window",
		Title:      "Structures that forget do so beyond their guaranteed window",
		Caption:    "The chance that an article is recognised, by how many articles ago it was shown.",
		Experiment: results.Window, Quantity: results.QRetention, Strategies: plots.Beyond, Build: window,
	},
}

// window has a panel for each structure.
func window(d plots.Data) plots.Sheet {
	return plots.Sheet{
		Grid: d.Each(results.QRetention, "", plots.Panel{
			X: plots.Axis{Label: "age: articles shown since", Labels: 4},
			Y: plots.Axis{Label: "recognised", Min: 0, Max: 1.02, Format: plots.Percent},
		}),
		Height: 120,
		Note: "The chance that an article is recognised, by how many articles were shown since. Marks: measured, with 95 % intervals. Lines: theory, where there is one. " +
			"Far outside its window a structure recognises an article only as a false positive.",
	}
}
