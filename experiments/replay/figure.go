package replay

import (
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// What the curves are of, by how much a user was shown.
var (
	rateByActivity  = of(results.QFPR, by.Activity.Open())
	bytesByActivity = of(results.QBytesPerUser, by.Activity.Open())
)

const replayCaption = "False positives by articles held and by how much a user was shown; " +
	"repeats recognised by how many articles ago they were shown; bytes by how much a user was shown."

// Figures are the replay of a real log: of the paper's strategies, and of the
// structures beyond the paper.
var Figures = []plots.Figure{
	{
		Name: "replay", Title: "A real log replayed", Caption: replayCaption,
		Experiment: results.Replay, Query: rateByActivity, Build: figure,
	},
	{
		Name: "beyond-replay", Title: "The same log, for structures beyond the paper", Caption: replayCaption,
		Experiment: results.Replay, Query: rateByActivity, Strategies: plots.Beyond, Build: figure,
	},
}

func figure(d plots.Data) plots.Sheet {
	rates := plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Power}
	held := &plots.Panel{
		Title: "(a) False positives by articles held",
		X:     plots.Axis{Label: "articles since the history was empty"},
		Y:     rates,
	}
	for _, s := range d.Lines(of(results.QFPR, by.Articles.Open()), results.Query{}) {
		s.Join = true
		held.Add(s)
	}
	age := plots.Axis{Label: "age: articles shown since", Scale: plots.Log, Format: plots.Power}
	share := plots.Axis{Label: "share recognised", Min: 0, Max: 1.02, Format: plots.Percent}
	activity := plots.ActivityAxis("articles recorded over the log",
		d.Find(of(results.QUsers, by.Activity.Open())), d.Find(rateByActivity), d.Find(bytesByActivity))
	bytes := plots.Axis{Label: "bytes per user", Format: plots.Bytes}
	return plots.Sheet{
		Grid: plots.Grid(2, held,
			d.Joined("(b) Repeats recognised, by age", age, share, of(results.QRetention, by.Age.Open())),
			d.Joined("(c) False positives by activity", activity, rates, rateByActivity, plots.ByBin),
			d.Joined("(d) Memory by activity", activity, bytes, bytesByActivity, plots.ByBin)),
		Height: 185,
		Note: "Lines in (a): theory, if every article is unseen. Activity is binned in powers of two; " +
			"a label is the lower edge of its bin. At ≈ 0: no false positive was measured.",
	}
}
