package daily

import (
	_ "embed"
	"fmt"

	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

//go:embed figures.toml
var declared string

// shown are thirty days of reading by a population whose activity has a heavy tail: by activity, and what it
// saves and costs to forget idle users.
var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"daily": byActivity, "daily-idle": idle},
	Shows: text.Shows{
		"both": func(r ...results.Row) string { return text.Of(r[0]) + " / " + text.Of(r[1]) },
		"both per thousand": func(r ...results.Row) string {
			return perThousand(r[0]) + " / " + perThousand(r[1])
		},
		"both and repeats": func(r ...results.Row) string {
			return fmt.Sprintf("%s / %s [%s]", text.Of(r[0]), text.Of(r[1]), perThousand(r[2]))
		},
		"two":              func(r ...results.Row) string { return text.Of(r[0]) + ", " + text.Of(r[1]) },
		"kept and repeats": func(r ...results.Row) string { return text.Of(r[0]) + ", " + perThousand(r[1]) },
	},
})

func perThousand(r results.Row) string { return fmt.Sprintf("%.3g", 1000*r.Value.Or(0)) }

// byActivity gives all panels the axis that shows all activity.
func byActivity(d plots.Data, s *plots.Sheet) {
	readers := d.Find(results.Find(results.QUsers, by.Activity.Open()))
	axis := plots.ActivityAxis("articles recorded over the run", readers,
		d.Find(results.Find(results.QFPR, ruled, by.Activity.Open())),
		d.Find(results.Find(results.QBytesPerUser, ruled, by.Activity.Open())))
	for _, p := range s.Panels {
		p.X = axis
	}
	if len(readers) > 0 {
		// Every strategy meets the same population; the first row set shows it.
		points := plots.ByBin(readers[0].Points())
		s.Panels[0].Add(plots.Series{Look: plots.Look{Color: plots.Grey}, Points: points, Join: true, Unnamed: true})
	}
}

// idle adds the bytes of each strategy, where idle users are forgotten and where nobody is.
func idle(d plots.Data, s *plots.Sheet) {
	byDay := results.Find(results.QBytesPerUser, by.Day.Open())
	free := d.Find(byDay.With(unruled))
	for _, g := range d.Find(byDay.With(ruled)) {
		look, all := d.Look(g.Strategy), free.Of(g.Strategy).Points()
		s.Panels[0].Add(
			plots.Series{Look: look, Points: plots.FewDays(g.Points()), Join: true},
			plots.Series{Look: look.Hollow(), Points: plots.FewDays(all), Join: true, Unnamed: true})
	}
}
