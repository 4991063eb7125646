package plots

import (
	"dejavu/results"
)

// snapshot shows what a restart from a backup brings back, and how long a history
// takes to the disk and from there.
func snapshot(d data) (sheet, string) {
	kept := &panel{
		title: "(a) Articles recognised after a restart",
		x:     axis{label: "share", min: 0, max: 1.02, format: percent, labels: 4},
	}
	times := &panel{
		title: "(b) Time of a history",
		x:     axis{label: "time, all histories together, for each", format: duration, labels: 4},
	}
	forgotten := d.groups(results.Snapshot, results.QForgotten)
	d.marks(kept, "before the backup", results.QInside, func(r results.Row) float64 { return 1 - r.Value.Or(0)/float64(r.Count) }, nil)
	d.marks(kept, "since the backup", results.QForgotten, func(r results.Row) float64 { return 1 - r.Value.Or(0) },
		func(r results.Row) (float64, bool) { v, ok := r.Theory.Get(); return 1 - v, ok })
	d.marks(kept, "since, the log replayed", results.QAstray, func(r results.Row) float64 { return 1 - r.Value.Or(0)/float64(r.Count) }, nil)
	for _, t := range []struct{ name, quantity string }{
		{"save, to the disk", results.QSave}, {"load, all validated", results.QLoad}, {"load, checksums alone", results.QLoadTrusted},
	} {
		d.marks(times, t.name, t.quantity, func(r results.Row) float64 { return r.Value.Or(0) / float64(r.Count) }, nil)
	}
	if len(forgotten) == 0 || len(kept.series) == 0 {
		return sheet{}, missing(results.Snapshot, results.QForgotten)
	}
	place(kept)
	grid := [][]*panel{{kept}}
	if len(times.series) > 0 {
		place(times)
		times.x.min = 0
		for _, s := range times.series {
			times.x.max = max(times.x.max, 1.1*s.points[0].y)
		}
		grid[0] = append(grid[0], times)
	}
	return sheet{
		grid:   grid,
		height: 120,
		note: "(a): of the articles inside the window; of ten more that were shown after the backup; histories that are again what they were once these are recorded anew, as from a log. Stars: theory. " +
			"(b): each taken once, of all histories together; loading finds the file in the system's cache.",
	}, ""
}

// marks adds a line to a panel: a value of each strategy, and where theory puts it.
func (d data) marks(p *panel, name, quantity string, value func(results.Row) float64, theory func(results.Row) (float64, bool)) {
	found := false
	for i, g := range d.groups(results.Snapshot, quantity) {
		for _, r := range g.rows {
			if r.X.IsSet() || !r.Value.IsSet() || r.Count <= 0 {
				continue
			}
			v := value(r)
			if !usable(v) {
				continue
			}
			if !found {
				p.y.names, found = append(p.y.names, name), true
			}
			at := float64(len(p.y.names)-1) - 0.14 + 0.28*float64(i)
			l := d.palette.looks[g.strategy]
			p.add(series{look: l, points: []point{{at, v, v, v}}, sideways: true})
			if theory == nil {
				continue
			}
			if t, ok := theory(r); ok && usable(t) {
				l.mark = mark{sides: 4, star: true, hollow: true}
				p.add(series{look: l, points: []point{{at, t, t, t}}, sideways: true, unnamed: true})
			}
		}
	}
}

// place turns the places of a nominal axis round: names are from the top, places from
// below.
func place(p *panel) {
	for _, s := range p.series {
		for i := range s.points {
			s.points[i].x = float64(len(p.y.names)-1) - s.points[i].x
		}
	}
}
