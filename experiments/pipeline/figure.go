package pipeline

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

// shown are the repeats that are shown because the history is updated late.
var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"pipeline": outageAndBytes},
	Tables:  map[string]func(*text.Table){"memories": belowWhat},
	Shows: text.Shows{
		"per thousand":     func(r ...results.Row) string { return perThousand(r[0].Value.Or(0)) },
		"all per thousand": allPerThousand,
		"with late": func(r ...results.Row) string {
			all := perThousand(r[0].Value.Or(0))
			if r[0].Value == r[1].Value {
				return all
			}
			return all + " [" + perThousand(r[1].Value.Or(0)) + "]"
		},
		"bytes and theory": func(r ...results.Row) string {
			return fmt.Sprintf("%.3g B", r[0].Value.Or(0)) + inBrackets("%.3g B", r[0])
		},
		"of ten million":   func(r ...results.Row) string { return text.Bytes(results.DefaultUsers * r[0].Value.Or(0)) },
		"value and theory": func(r ...results.Row) string { return text.Of(r[0]) + inBrackets("%.3g", r[0]) },
		"of all":           func(r ...results.Row) string { return text.Of(r[0]) + " of " + text.Thousands(int(r[0].Count)) },
	},
})

// Real is the delay of the exposure service of the module live, which was measured.
var Real = shown.Tables[len(shown.Tables)-1]

func perThousand(share float64) string { return fmt.Sprintf("%.3g", 1000*share) }

// allPerThousand is the rate of all that was counted for some rates.
func allPerThousand(r ...results.Row) string {
	repeats, shown := 0., int64(0)
	for _, one := range r {
		repeats, shown = repeats+one.Value.Or(0)*float64(one.Count), shown+one.Count
	}
	return perThousand(repeats / float64(max(shown, 1)))
}

// inBrackets is what theory says of a row, where it says something.
func inBrackets(format string, r results.Row) string {
	if theory, ok := r.Theory.Get(); ok {
		return " [" + fmt.Sprintf(format, theory) + "]"
	}
	return ""
}

// belowWhat adds to the title the most that a rate of which not one was found can be.
func belowWhat(t *text.Table) {
	t.Heading = func(c results.Cells) string {
		most := 0.
		for _, r := range c.Of(results.Pipeline) {
			if r.Quantity == results.QRepeatRate && r.Where.Of(by.Delay) != "" && r.Value.Or(1) == 0 {
				most = max(most, r.High.Or(0))
			}
		}
		return t.Title + fmt.Sprintf("%.2g", 1000*most)
	}
}

// outageAndBytes draws what is measured by the minute as lines, and gives each list a place.
func outageAndBytes(d plots.Data, s *plots.Sheet) {
	listed, outage, bytes := s.Panels[3], s.Panels[4], s.Panels[5]
	single := func(q results.Query) plots.Group { return d.Find(q).Of("single") }
	line := func(l plots.Look, speed float64, list string) {
		minutes := results.Find(results.QRepeatRate, by.Minute.Open(), by.Speed.At(speed), by.List.Is(list))
		outage.Add(plots.Series{Look: l, Line: plots.PerThousand(single(minutes).Points())})
	}
	dot := func(place int, l plots.Look, statistic, list results.Condition) {
		q := results.Find(results.QListBytes, statistic, list, by.Delay.At(60))
		if p, ok := single(q).Total(); ok && p.Y > 0 {
			bytes.Dots(l, plots.At(bytes.Place(place), p.Y))
		}
	}
	line(listed.Series[0].Look, 2, "")
	for _, one := range listed.Series[1:] {
		bytes.Y.Names = append(bytes.Y.Names, one.Look.Name)
	}
	for i, one := range listed.Series[1:] {
		if i > 0 { // the outage is tried without the shortest
			line(one.Look, 2, lists[i])
		}
		dot(i, one.Look.Solid(), mean, by.List.Is(lists[i]))
		dot(i, one.Look.Hollow(), longest, by.List.Is(lists[i]))
	}
	line(plots.Look{
		Name: "No list, caught up at ten times the speed", Color: plots.Black, Dash: plots.Dash{4, 2},
	}, 10, "")
}
