package daily

import (
	"strings"

	"dejavu/plots"
	"dejavu/results"
)

// Figures are thirty days of reading by a population whose activity has a heavy tail:
// by activity, and what it saves and costs to forget idle users.
var Figures = []plots.Figure{
	{
		Name:       "daily",
		Title:      "Most users read little, and cost little; the rate and the bytes are those of the few who read much",
		Caption:    "How many users read how much, and the false positive rate and the bytes of each strategy by that activity.",
		Experiment: results.Daily, Quantity: results.QFPRByActivity, Build: daily,
	},
	{
		Name:       "daily-idle",
		Title:      "Forgetting idle users saves memory and shows repeats",
		Caption:    "Day by day, what forgetting users after 24 idle hours saves and what it costs in repeats, also where users have other habits.",
		Experiment: results.Daily, Quantity: results.QBytesByDayRule, Build: idle,
	},
}

func daily(d plots.Data) plots.Sheet {
	activity := d.ActivityAxis("articles recorded over the run")
	users := &plots.Panel{
		Title: "(a) Few users read much",
		X:     activity,
		Y:     plots.Axis{Label: "users", Scale: plots.Log, Format: plots.Power},
	}
	rate := &plots.Panel{
		Title: "(b) They get the false positives",
		X:     activity,
		Y:     plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Percent},
	}
	bytes := &plots.Panel{
		Title: "(c) They take the memory",
		X:     activity,
		Y:     plots.Axis{Label: "bytes per user", Format: plots.Bytes},
	}
	for _, g := range d.Groups(results.QUsers) {
		// Every strategy meets the same population; the first row set shows it.
		users.Add(plots.Series{Look: plots.Look{Color: plots.Grey}, Points: plots.ByBin(g.Points()), Join: true, Unnamed: true})
		break
	}
	for _, g := range d.Groups(results.QFPRByActivity) {
		rate.Add(plots.Series{Look: d.Look(g.Strategy), Line: plots.ByBin(g.Theory()), Points: plots.ByBin(g.Points()), Join: true})
	}
	for _, g := range d.Groups(results.QBytesByActivity) {
		bytes.Add(plots.Series{Look: d.Look(g.Strategy), Points: plots.ByBin(g.Points()), Join: true})
	}
	return plots.Sheet{
		Grid:   plots.Grid(3, users, rate, bytes),
		Height: 190,
		Note: "Activity is binned in powers of two; a label is the lower edge of its bin. Whiskers: 95 % intervals. At ≈ 0: no false positive was measured. " +
			"Users idle for 24 hours are forgotten.",
	}
}

// idle shows what forgetting users after 24 idle hours saves and costs.
func idle(d plots.Data) plots.Sheet {
	days := plots.Axis{Label: "days", Min: 0, Max: 31, Labels: 4}
	perUser := &plots.Panel{
		Title: "(a) Forgetting caps memory",
		X:     days, Y: plots.Axis{Label: "bytes per user", Scale: plots.Log, Min: 30, Max: 4000, Format: plots.Bytes},
		Key: []plots.Look{{Name: "idle users forgotten", Color: plots.Grey}, {Name: "nobody forgotten", Color: plots.Grey, Mark: plots.Ring}},
	}
	for _, g := range d.Groups(results.QBytesByDayRule) {
		look := d.Look(g.Strategy)
		perUser.Add(
			plots.Series{Look: look, Points: fewDays(g.Points()), Join: true},
			plots.Series{Look: look.Hollow(), Points: fewDays(d.Groups(results.QBytesByDayNoRule).Of(g.Strategy).Points()), Join: true, Unnamed: true})
	}
	kept := &plots.Panel{
		Title: "(b) A fraction is kept",
		X:     days, Y: plots.Axis{Label: "share of what all users take", Max: 1.03, Format: plots.Percent},
	}
	repeats := plots.Axis{Label: "repeats per 1000 shown"}
	again := &plots.Panel{Title: "(c) Repeats are the price", X: days, Y: repeats}
	for _, g := range d.Groups(results.QKeptByDay) {
		kept.Add(plots.Series{Look: d.Look(g.Strategy), Points: fewDays(g.Points()), Join: true})
	}
	for _, g := range d.Groups(results.QRepeatsByDayRule) {
		again.Add(plots.Series{Look: d.Look(g.Strategy), Points: inThousandths(fewDays(g.Points())), Join: true})
	}
	share := &plots.Panel{Title: "(d) They grow with what returns", X: plots.Axis{Label: "candidates shown before", Max: 0.42, Format: plots.Percent, Labels: 3}, Y: repeats}
	pause := &plots.Panel{Title: "(e) and not with the pause", X: plots.Axis{Label: "mean seconds between refreshes", Scale: plots.Log, Min: 40, Max: 3000, Format: plots.Number, Labels: 3}, Y: repeats}
	for p, quantity := range map[*plots.Panel]string{share: results.QRepeatsByShare, pause: results.QRepeatsByPause} {
		for _, g := range d.Groups(quantity) {
			p.Add(plots.Series{Look: d.Look(g.Strategy), Points: inThousandths(g.Points()), Join: true})
		}
	}
	return plots.Sheet{
		Grid:   plots.Grid(3, perUser, kept, again, share, pause),
		Height: 165,
		Note:   "Users idle for 24 hours are forgotten. Bytes are of a user of the population, with a history or without. (d) and (e): the last seven days" + of(d) + ". A mark may hide another that has the same value. Whiskers: 95 % intervals.",
	}
}

// of names the strategies that were tried with other habits.
func of(d plots.Data) string {
	var names []string
	for _, s := range d.Names(results.QRepeatsByShare, results.QRepeatsByPause) {
		names = append(names, strings.ToLower(d.Look(s).Name))
	}
	if names == nil {
		return ""
	}
	return ", of " + strings.Join(names, " and ")
}

// fewDays leaves out most days after the first week.
func fewDays(points []plots.Point) []plots.Point {
	return plots.Where(points, func(p plots.Point) bool { return p.X <= 7 || int(p.X)%3 == 0 })
}

func inThousandths(points []plots.Point) []plots.Point {
	return plots.Map(points, func(p plots.Point) plots.Point {
		return plots.Point{X: p.X, Y: 1000 * p.Y, Low: 1000 * p.Low, High: 1000 * p.High}
	})
}
