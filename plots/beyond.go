package plots

import (
	"slices"
	"strings"

	"dejavu/results"
)

// together are the experiments in which all structures compete in one figure.
var together = []string{results.Tradeoff, results.Month, results.Proposals, results.Ship, results.Snapshot}

// apart splits rows: those of structures that the paper did not try have figures
// of their own, in which each has a panel, for there are too many for one. Where
// all compete, all stay together.
func apart(rows []results.Row) (paper, beyond []results.Row) {
	for _, r := range rows {
		name, isBeyond := strings.CutPrefix(r.Strategy, results.Beyond)
		r.Strategy = name
		if isBeyond && !slices.Contains(together, r.Experiment) {
			beyond = append(beyond, r)
		} else {
			paper = append(paper, r)
		}
	}
	return paper, beyond
}

// ofBeyond is a builder that sees those structures alone.
func ofBeyond(build func(data) (sheet, string)) func(data) (sheet, string) {
	return func(d data) (sheet, string) {
		if d.beyond == nil {
			return sheet{}, "no rows of structures that the paper did not try"
		}
		return build(*d.beyond)
	}
}

// columns is how many panels of single structures stand in a row.
const columns = 3

// tiled sets panels in rows of so many.
func tiled(panels []*panel) [][]*panel {
	var grid [][]*panel
	for i, p := range panels {
		if i%columns == 0 {
			grid = append(grid, make([]*panel, columns))
		}
		grid[len(grid)-1][i%columns] = p
	}
	return grid
}

// each is a panel for every structure with rows of the quantity, all with the same
// axes.
func (d data) each(experiment, quantity, dense string, x, y axis, guides []guide) []*panel {
	var panels []*panel
	for _, s := range d.curves(experiment, quantity, dense) {
		p := &panel{title: s.look.name, x: x, y: y, guides: guides}
		s.unnamed, s.look.dash = true, nil
		s.points = thin(s.points, 21)
		p.add(s)
		if len(p.series) > 0 {
			panels = append(panels, p)
		}
	}
	return panels
}

// beyondFPR shows how the rate of false positives moves for each structure.
func beyondFPR(d data) (sheet, string) {
	panels := d.each(results.FPR, results.QFPR, results.QFPRExact,
		axis{label: articlesShown, labels: 4},
		axis{label: "false-positive rate", scale: logarithm, min: 1e-5, max: 1, format: power},
		[]guide{{at: 0.02, label: "ε = 2 %"}})
	if len(panels) == 0 {
		return sheet{}, missing(results.FPR, results.QFPR)
	}
	return sheet{
		grid:   tiled(panels),
		height: 130,
		note: "Marks: measured, with 95 % intervals where they are larger than the mark. Lines: each structure's own theory. " +
			"At ≈ 0: no fresh article was ever taken for a seen one.",
	}, ""
}

// beyondWindow shows what each structure still recognises, by age.
func beyondWindow(d data) (sheet, string) {
	panels := d.each(results.Window, results.QRetention, "",
		axis{label: "age: shown so many articles ago", labels: 4},
		axis{label: "chance of being recognised", min: 0, max: 1.02, format: percent}, nil)
	if len(panels) == 0 {
		return sheet{}, missing(results.Window, results.QRetention)
	}
	return sheet{
		grid:   tiled(panels),
		height: 130,
		note:   "Marks: measured, with 95 % intervals. Lines: theory, where it knows.",
	}, ""
}
