package snapshot

import (
	"slices"

	"dejavu/plots"
	"dejavu/results"
)

// Figures are a restart from a backup.
var Figures = []plots.Figure{{
	Name:  "snapshot",
	Title: "A restart from a backup forgets what was shown since, unless a log is replayed",
	Caption: "Histories in use saved to the disk, ten more articles shown, the process ended and started again: what was saved is all there, what was shown since is forgotten " +
		"unless a log has it; and the time of a history to the disk and back.",
	Experiment: results.Snapshot, Query: results.Find(results.QForgotten), Strategies: plots.All, Build: snapshot,
}}

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

func snapshot(d plots.Data) plots.Sheet {
	kept := &plots.Panel{
		Title: "(a) A log brings back what the backup lacks",
		X:     plots.Axis{Label: "articles recognised after a restart", Min: 0, Max: 1.02, Format: plots.Percent, Labels: 4},
	}
	lines(d, kept,
		line{"before the backup", results.Find(results.QInside), left, false},
		line{"since the backup", results.Find(results.QForgotten), leftShare, true},
		line{"since, with the log replayed", results.Find(results.QDiffering), left, false})
	times := &plots.Panel{
		Title: "(b) Time to save and load a history",
		X:     plots.Axis{Label: "time per history, of all together", Format: plots.Duration, Labels: 4},
	}
	lines(d, times,
		line{"save to disk", results.Find(results.QSnapshotTime, save...), perHistory, false},
		line{"load, with validation", results.Find(results.QSnapshotTime, load...), perHistory, false},
		line{"load, checksums only", results.Find(results.QSnapshotTime, loadTrusted...), perHistory, false})
	for _, s := range times.Series {
		times.X.Max = max(times.X.Max, 1.1*s.Points[0].Y)
	}
	return plots.Sheet{
		Grid:   plots.Grid(2, kept, times),
		Height: 120,
		Note: "(a): of the articles inside the window; of ten more that were shown after the backup; histories identical to the lost ones once these ten are recorded again from a log. Stars: theory. " +
			"(b): each measured once, for all histories together; the file is in the system's cache when it is loaded.",
	}
}

// lines adds lines to a panel, those that have numbers.
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
