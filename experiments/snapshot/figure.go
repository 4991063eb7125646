package snapshot

import (
	_ "embed"
	"slices"

	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"snapshot": restarts},
	Shows: text.Shows{"time and speed": func(r ...results.Row) string {
		return text.Of(r[0]) + ", " + text.Of(r[1]) + "/s"
	}},
})

// A line is one place of a panel: a value for each strategy, and where theory puts it.
type line struct {
	name   string
	query  results.Query
	value  func(number float64, count int64) float64
	theory bool
}

func left(forgotten float64, count int64) float64   { return 1 - forgotten/float64(count) }
func leftShare(forgotten float64, _ int64) float64  { return 1 - forgotten }
func perHistory(total float64, count int64) float64 { return total / float64(count) }

func restarts(d plots.Data, s *plots.Sheet) {
	kept, times := s.Panels[0], s.Panels[1]
	lines(d, kept,
		line{"before the backup", results.Find(results.QInside), left, false},
		line{"since the backup", results.Find(results.QForgotten), leftShare, true},
		line{"since, with the log replayed", results.Find(results.QDiffering), left, false})
	lines(d, times,
		line{"save to disk", results.Find(results.QSnapshotTime, save...), perHistory, false},
		line{"load, with validation", results.Find(results.QSnapshotTime, load...), perHistory, false},
		line{"load, checksums only", results.Find(results.QSnapshotTime, loadTrusted...), perHistory, false})
	for _, one := range times.Series {
		times.X.Max = max(times.X.Max, 1.1*one.Points[0].Y)
	}
}

func lines(d plots.Data, p *plots.Panel, all ...line) {
	all = slices.DeleteFunc(all, func(l line) bool { return len(d.Find(l.query)) == 0 })
	for _, l := range all {
		p.Y.Names = append(p.Y.Names, l.name)
	}
	for k, l := range all {
		for i, g := range d.Find(l.query) {
			total, ok := g.Total()
			if !ok {
				continue
			}
			r, at := g.Rows[0], p.Place(k)+0.14-0.28*float64(i)
			look := d.Look(g.Strategy)
			p.Add(plots.Series{Look: look, Points: []plots.Point{plots.At(at, l.value(total.Y, r.Count))}, Sideways: true})
			if theory, ok := r.Theory.Get(); ok && l.theory {
				p.Dots(look.With(plots.PlusStar.Hollow()), plots.At(at, l.value(theory, r.Count)))
			}
		}
	}
}
