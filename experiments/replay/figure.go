package replay

import (
	"dejavu/plots"
	"dejavu/results"
)

const replayCaption = "False positives by articles held and by how much a user was shown; repeats recognised by how many articles ago they were shown; bytes by how much a user was shown."

// Figures are the replay of a real log: of the paper's strategies, and of the
// structures beyond the paper.
var Figures = []plots.Figure{
	{
		Name: "replay", Title: "A real log replayed", Caption: replayCaption,
		Experiment: results.Replay, Quantity: results.QFPRByActivity, Build: figure,
	},
	{
		Name: "beyond-replay", Title: "The same log, for structures beyond the paper", Caption: replayCaption,
		Experiment: results.Replay, Quantity: results.QFPRByActivity, Strategies: plots.Beyond, Build: figure,
	},
}

func figure(d plots.Data) plots.Sheet {
	activity := d.ActivityAxis("articles recorded over the log")
	held := &plots.Panel{
		Title: "(a) False positives by articles held",
		X:     plots.Axis{Label: "articles since the history was empty"},
		Y:     plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Power},
	}
	ages := &plots.Panel{
		Title: "(b) Repeats recognised, by age",
		X:     plots.Axis{Label: "age: articles shown since", Scale: plots.Log, Format: plots.Power},
		Y:     plots.Axis{Label: "share recognised", Min: 0, Max: 1.02, Format: plots.Percent},
	}
	rate := &plots.Panel{
		Title: "(c) False positives by activity",
		X:     activity,
		Y:     plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Power},
	}
	bytes := &plots.Panel{
		Title: "(d) Memory by activity",
		X:     activity,
		Y:     plots.Axis{Label: "bytes per user", Format: plots.Bytes},
	}
	for _, s := range d.Curves(results.QFPR, "") {
		s.Join = true
		held.Add(s)
	}
	for _, g := range d.Groups(results.QRetention) {
		ages.Add(plots.Series{Look: d.Look(g.Strategy), Points: g.Points(), Join: true})
	}
	for _, g := range d.Groups(results.QFPRByActivity) {
		rate.Add(plots.Series{Look: d.Look(g.Strategy), Points: plots.ByBin(g.Points()), Join: true})
	}
	for _, g := range d.Groups(results.QBytesByActivity) {
		bytes.Add(plots.Series{Look: d.Look(g.Strategy), Points: plots.ByBin(g.Points()), Join: true})
	}
	return plots.Sheet{
		Grid:   plots.Grid(2, held, ages, rate, bytes),
		Height: 185,
		Note: "Lines in (a): theory, if every article is unseen. Activity is binned in powers of two; " +
			"a label is the lower edge of its bin. At ≈ 0: no false positive was measured.",
	}
}
