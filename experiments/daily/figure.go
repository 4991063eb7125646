package daily

import (
	"strings"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// What the curves are of, by the axis.
var (
	rateByActivity  = of(results.QFPR, ruled, by.Activity.Open())
	bytesByActivity = of(results.QBytesPerUser, ruled, by.Activity.Open())
	bytesByDay      = of(results.QBytesPerUser, ruled, by.Day.Open())
	repeatsShown    = of(results.QRepeatRate, ruled)
)

// Figures are thirty days of reading by a population whose activity has a heavy tail:
// by activity, and what it saves and costs to forget idle users.
var Figures = []plots.Figure{
	{
		Name:  "daily",
		Title: "Most users read little, and cost little; the rate and the bytes are those of the few who read much",
		Caption: "How many users read how much, and the false positive rate and the bytes of each strategy " +
			"by that activity.",
		Experiment: results.Daily, Query: rateByActivity, Build: daily,
	},
	{
		Name:  "daily-idle",
		Title: "Forgetting idle users saves memory and shows repeats",
		Caption: "Day by day, what forgetting users after 24 idle hours saves and what it costs in repeats, " +
			"also where users have other habits.",
		Experiment: results.Daily, Query: bytesByDay, Build: idle,
	},
}

func daily(d plots.Data) plots.Sheet {
	readers := d.Find(of(results.QUsers, by.Activity.Open()))
	activity := plots.ActivityAxis("articles recorded over the run",
		readers, d.Find(rateByActivity), d.Find(bytesByActivity))
	users := &plots.Panel{
		Title: "(a) Few users read much",
		X:     activity, Y: plots.Axis{Label: "users", Scale: plots.Log, Format: plots.Power},
	}
	if len(readers) > 0 {
		// Every strategy meets the same population; the first row set shows it.
		points := plots.ByBin(readers[0].Points())
		users.Add(plots.Series{Look: plots.Look{Color: plots.Grey}, Points: points, Join: true, Unnamed: true})
	}
	rate := plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Percent}
	bytes := plots.Axis{Label: "bytes per user", Format: plots.Bytes}
	return plots.Sheet{
		Grid: plots.Grid(3, users,
			d.Joined("(b) They get the false positives", activity, rate, rateByActivity, plots.ByBin),
			d.Joined("(c) They take the memory", activity, bytes, bytesByActivity, plots.ByBin)),
		Height: 190,
		Note: "Activity is binned in powers of two; a label is the lower edge of its bin. Whiskers: 95 % intervals. " +
			"At ≈ 0: no false positive was measured. Users idle for 24 hours are forgotten.",
	}
}

// idle shows what forgetting users after 24 idle hours saves and costs.
func idle(d plots.Data) plots.Sheet {
	days := plots.Axis{Label: "days", Min: 0, Max: 31, Labels: 4}
	bytes := plots.Axis{Label: "bytes per user", Scale: plots.Log, Min: 30, Max: 4000, Format: plots.Bytes}
	perUser := &plots.Panel{Title: "(a) Forgetting caps memory", X: days, Y: bytes, Key: []plots.Look{
		{Name: "idle users forgotten", Color: plots.Grey}, {Name: "nobody forgotten", Color: plots.Grey, Mark: plots.Ring},
	}}
	free := d.Find(bytesByDay.With(unruled))
	for _, g := range d.Find(bytesByDay) {
		look := d.Look(g.Strategy)
		perUser.Add(
			plots.Series{Look: look, Points: fewDays(g.Points()), Join: true},
			plots.Series{Look: look.Hollow(), Points: fewDays(free.Of(g.Strategy).Points()), Join: true, Unnamed: true})
	}
	kept := plots.Axis{Label: "share of what all users take", Max: 1.03, Format: plots.Percent}
	repeats := plots.Axis{Label: "repeats per 1000 shown"}
	share := plots.Axis{Label: "candidates shown before", Max: 0.42, Format: plots.Percent, Labels: 3}
	pause := plots.Axis{
		Label: "mean seconds between refreshes", Scale: plots.Log, Min: 40, Max: 3000, Format: plots.Number, Labels: 3,
	}
	return plots.Sheet{
		Grid: plots.Grid(3, perUser,
			d.Joined("(b) A fraction is kept", days, kept, of(results.QPayloadKept, by.Day.Open()), fewDays),
			d.Joined("(c) Repeats are the price", days, repeats, repeatsShown.With(by.Day.Open()), fewDays, inThousandths),
			d.Joined("(d) They grow with what returns", share, repeats, repeatsShown.With(by.Share.Open()), inThousandths),
			d.Joined("(e) and not with the pause", pause, repeats, repeatsShown.With(by.Pause.Open()), inThousandths)),
		Height: 165,
		Note: "Users idle for 24 hours are forgotten. Bytes are of a user of the population, with a history or without. " +
			"(d) and (e): the last seven days" + tried(d) + ". A mark may hide another that has the same value. " +
			"Whiskers: 95 % intervals.",
	}
}

// tried names the strategies that were tried with other habits.
func tried(d plots.Data) string {
	var names []string
	for _, s := range d.NamesIn(d.Find(repeatsShown.With(by.Share.Open())), d.Find(repeatsShown.With(by.Pause.Open()))) {
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
