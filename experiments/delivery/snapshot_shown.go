package delivery

import (
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
)

var snapshotFigures = []plots.Figure{{
	Name: "snapshot", Experiment: results.Snapshot, Query: results.Find(results.QForgotten),
	Strategies: plots.All, Build: restarts,
	Title: "Articles recognised after a restart from a backup",
	Caption: "Histories in use saved to the disk, ten more articles shown, the process ended and started again, " +
		"without a log and with one.",
}}

// restarts draws three shares of articles, with a bar for each strategy.
func restarts(d plots.Data) plots.Sheet {
	p := &plots.Panel{
		Title: "Articles recognised after a restart",
		X:     plots.Axis{Label: "share of articles", Max: 1.12, Format: plots.Percent, Labels: 4, Told: true},
		Y:     plots.Axis{Names: []string{"before the backup", "since the backup", "since, with the log replayed"}},
		Key: []plots.Look{
			{Name: "Single filter", Color: plots.Vermillion, Mark: plots.Square},
			{Name: "Chain of five", Color: plots.Green, Mark: plots.Square},
		},
	}
	for k, quantity := range []string{results.QInside, results.QForgotten, results.QDiffering} {
		for i, g := range d.Find(results.Find(quantity)) {
			forgotten, ok := g.Total()
			if quantity != results.QForgotten { // which is a share already
				forgotten.Y /= float64(g.Rows[0].Count)
			}
			if ok {
				p.Bar(d.Look(g.Strategy), p.Place(k)+0.18-0.36*float64(i), 1-forgotten.Y)
			}
		}
	}
	return plots.Sheet{
		Columns: 1, Height: 175, Panels: []*plots.Panel{p},
		Note: "Before: of articles inside the window. Since: of ten more, shown after the backup. The table has " +
			"the times of saving and loading.",
	}
}

var snapshotTables = []text.Table{
	{
		Title: "A restart from a backup, 10 articles after it was made [theory]",
		Lines: results.Q("snapshot: forgotten"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Value("histories", "histories", text.Of),
			text.Value("lost", "histories lost", text.Of),
			text.Value("repeats shown", "repeats shown inside the window", text.Of),
			text.Value("forgotten of the articles since", "forgotten", text.WithTheory),
			text.Value("differing with the log replayed", "differing", text.Of),
			text.Value("on the disk", "snapshot bytes", text.Of),
			text.Values("saved in", timeAndSpeed,
				"snapshot time at step=save",
				"bytes per second at step=save"),
			text.Values("loaded in", timeAndSpeed,
				"snapshot time at step=load, check=all",
				"bytes per second at step=load, check=all"),
			text.Values("checksums alone", timeAndSpeed,
				"snapshot time at step=load, check=checksums",
				"bytes per second at step=load, check=checksums"),
		},
	},
}

func timeAndSpeed(r ...results.Row) string { return text.Of(r[0]) + ", " + text.Of(r[1]) + "/s" }
