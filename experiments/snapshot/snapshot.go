package snapshot

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// Experiment is snapshot.
var Experiment = experiment.Experiment{
	Name: results.Snapshot,
	About: "histories of one user in 40 backed up, and a restart: what is kept, forgotten, and the time " +
		"(of ten million: --users 400000000)",
	Needs:      func(s engine.Scope) []engine.Task { return shared.Tasks(backedUp(s), restarted) },
	Dimensions: []results.Dimension{by.Step, by.Check},
	Rows:       shared.ByEntry(backedUp, restarted, ofEntry), Figures: shown.Figures, Tables: shown.Tables,
}

// usersOf is how many are backed up, one in 40: the disk is slow, and what a history takes there hardly depends on
// how many there are. To have ten million of them on the disk, name the experiment alone, with --users 400000000.
func usersOf(s engine.Scope) int { return max(500, s.Users/40) }

func backedUp(s engine.Scope) (entries []catalogue.Entry) {
	for _, name := range []string{"single", "chain"} {
		if e, ok := s.Entry(name); ok {
			entries = append(entries, e)
		}
	}
	return entries
}

type result struct {
	Counts  Counts
	Machine Machine
}

func restarted(e catalogue.Entry) engine.Measurement[result] {
	return engine.Measurement[result]{
		Name: "snapshot-" + e.Name, Users: usersOf, Cost: 15, Machine: true,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (found result, err error) {
			population := catalogue.Must(workload.NewFull(r.Seed, usersOf(r.Scope)))
			subject := r.Subject(e)
			dir, remove, err := folder(r.Out)
			if err != nil {
				return found, err
			}
			defer remove()
			_, _, err = measure.Full(ctx, subject, population, users, r.Options, func(part measure.Alive) error {
				r.Held(part.Store.Stats().Slabs)
				counts, machine, err := Measure(ctx, subject, population, part, dir, r.Options)
				measure.Sum(&found.Counts, counts)
				measure.Sum(&found.Machine, machine)
				return advised(ctx, err, part.Store.Stats().Payload, dir)
			})
			return found, err
		},
	}
}

// advised says to an error of a snapshot how many bytes it takes and what to do, where the histories are
// still in the process and nobody ended the run.
func advised(ctx context.Context, err error, left int64, dir string) error {
	if err == nil || ctx.Err() != nil || left == 0 {
		return err
	}
	const how = "%w; it takes %s in %s: name another disk by --out, or fewer users by --users"
	return fmt.Errorf(how, err, text.Bytes(float64(left)), dir)
}

// folder makes an empty folder beside the saved measurements of a run, for as long as it takes, and returns
// what removes it; one that a killed run has left there is removed. A run without a directory has the
// system's for temporary files.
func folder(out string) (dir string, remove func(), err error) {
	if out == "" {
		dir, err = os.MkdirTemp("", "snapshots-*")
	} else {
		dir = filepath.Join(filepath.Dir(engine.Path(out, "")), "snapshots")
		err = cmp.Or(os.RemoveAll(dir), os.MkdirAll(filepath.Dir(dir), 0o755))
		if err == nil {
			err = os.Mkdir(dir, 0o700) // a snapshot says what people read
		}
	}
	return dir, func() { os.RemoveAll(dir) }, err
}

func ofEntry(r *engine.Run, e catalogue.Entry, found result) (rows, timing []results.Row, err error) {
	c, m := found.Counts, found.Machine
	number := func(quantity, unit string, value float64, count int64) results.Row {
		return row.Number(results.Snapshot, e.Name, quantity, unit, value).Among(count)
	}
	none := func(quantity string, count, of int64) results.Row {
		return number(quantity, "", float64(count), of).Expect(0)
	}
	unseen := 1 - shared.MeanOverLives(r.Subject(e).Theory.FPR) // an article shown since is as good as unseen
	each := row.Mean(c.Forgotten.Hits, c.Histories)
	rows = []results.Row{
		number(results.QHistories, "", float64(c.Histories), c.Histories),
		number(results.QPayloadTotal, results.Bytes, float64(c.Payload), c.Histories),
		none(results.QHistoriesLost, c.Lost, c.Histories),
		none(results.QInside, c.WindowMisses, c.WindowChecks),
		row.Rate(results.Snapshot, e.Name, results.QForgotten, c.Forgotten).Expect(unseen),
		number(results.QForgottenEach, "", each, c.Histories).Expect(SinceBackup * unseen),
		none(results.QDiffering, c.Differ, c.Histories),
	}
	// Times were taken once, of all histories.
	timing = append(timing, number(results.QSnapshotBytes, results.Bytes, float64(m.Bytes), c.Histories))
	for _, t := range []struct {
		step    []results.Condition
		seconds float64
	}{{save, m.Save}, {load, m.Load}, {loadTrusted, m.Trusted}} {
		took := number(results.QSnapshotTime, results.Nanoseconds, 1e9*t.seconds, c.Histories)
		timing = append(timing, took.With(t.step...))
		if t.seconds > 0 {
			speed := number(results.QBytesPerSecond, results.Bytes, float64(m.Bytes)/t.seconds, c.Histories)
			timing = append(timing, speed.With(t.step...))
		}
	}
	return rows, timing, nil
}

// The steps that are timed: histories saved until they are on the disk, loaded with every one validated, and
// loaded by their checksums alone.
var (
	save        = []results.Condition{by.Step.Is("save")}
	load        = []results.Condition{by.Step.Is("load"), by.Check.Is("all")}
	loadTrusted = []results.Condition{by.Step.Is("load"), by.Check.Is("checksums")}
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
	name  string
	query results.Query
	value func(number float64, count int64) float64
}

func left(forgotten float64, count int64) float64   { return 1 - forgotten/float64(count) }
func leftShare(forgotten float64, _ int64) float64  { return 1 - forgotten }
func perHistory(total float64, count int64) float64 { return total / float64(count) }

func restarts(d plots.Data, s *plots.Sheet) {
	kept, times := s.Panels[0], s.Panels[1]
	lines(d, kept,
		line{"before the backup", results.Find(results.QInside), left},
		line{"since the backup", results.Find(results.QForgotten), leftShare},
		line{"since, with the log replayed", results.Find(results.QDiffering), left})
	lines(d, times,
		line{"save to disk", results.Find(results.QSnapshotTime, save...), perHistory},
		line{"load, with validation", results.Find(results.QSnapshotTime, load...), perHistory},
		line{"load, checksums only", results.Find(results.QSnapshotTime, loadTrusted...), perHistory})
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
			if theory, ok := r.Theory.Get(); ok && r.Quantity == results.QForgotten {
				p.Dots(look.With(plots.PlusStar.Hollow()), plots.At(at, l.value(theory, r.Count)))
			}
		}
	}
}
