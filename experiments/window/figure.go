package window

import (
	"dejavu/plots"
	"dejavu/results"
)

// Figures are the articles recognised by age: of the paper's strategies in one
// figure, of the other structures in one panel each.
var Figures = []plots.Figure{
	{
		Name:       "window",
		Title:      "What is recognised, by age",
		Caption:    "The chance that an article is recognised, by how many articles ago it was shown: certain inside the guaranteed window, and far outside no more likely than a false positive.",
		Experiment: results.Window, Quantity: results.QRetention, Build: window,
	},
	{
		Name:       "beyond-window",
		Title:      "What structures beyond the paper recognise, by age",
		Caption:    "The chance that an article is recognised, by how many articles ago it was shown.",
		Experiment: results.Window, Quantity: results.QRetention, Strategies: plots.Beyond, Build: beyond,
	},
}

// byAge is a panel without its curves.
func byAge() plots.Panel {
	return plots.Panel{
		X: plots.Axis{Label: "age: articles shown since"},
		Y: plots.Axis{Label: "probability of being recognised", Min: 0, Max: 1.02, Format: plots.Percent},
	}
}

func window(d plots.Data) plots.Sheet {
	p := byAge()
	p.Add(d.Curves(results.QRetention, "")...)
	return plots.Sheet{
		Grid:   plots.Grid(1, &p),
		Height: 250,
		Note:   "Marks: measured, with 95 % intervals. Lines: theory. Far outside its window a filter recognises an article only as a false positive.",
	}
}

func beyond(d plots.Data) plots.Sheet {
	like := byAge()
	like.X.Labels = 4
	return plots.Sheet{
		Grid:   d.Each(results.QRetention, "", like),
		Height: 130,
		Note:   "Marks: measured, with 95 % intervals. Lines: theory, where there is one.",
	}
}
