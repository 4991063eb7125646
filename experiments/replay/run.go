// Package replay replays a log with strategies and an exact memory, and counts their answers. It reads a replay's
// flags, runs it, and writes replay.csv, which follows from the log and the flags, replay.timing.csv, which depends on
// the machine, and last run.json, which vouches for both.
package replay

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload/logs"
)

// Log describes the log that was read: its files as named, their detected format, the order of the requests, and what
// was found in them.
func Log(files []string, decided logs.Options, order string, facts deal.Facts) *results.Log {
	n := facts.Read
	return &results.Log{
		Files: files, Format: string(decided.Format), Layout: decided.Layout(),
		Order: order, OutOfOrder: n.OutOfOrder, OtherMethods: n.OtherMethods,
		Lines: n.Lines, Faults: n.Faults, Passed: n.Passed, LeftOut: n.LeftOut, Blank: n.Blank, Events: n.Events,
		Exposures: facts.Exposures, Twice: facts.Twice, Strayed: facts.Strayed,
		First: date(facts.First), Last: date(facts.Last),
	}
}

// Log returns the package's Log, with how it was replayed.
func (s Settings) Log(files []string, decided logs.Options, order string, facts deal.Facts) *results.Log {
	l := Log(files, decided, order, facts)
	if l.Idle = text.Duration(s.Idle); s.Idle == 0 {
		l.Idle = "never"
	}
	return l
}

// Save writes rows into a directory and, last, the manifest, whose files it fills in. Each file appears whole or not at
// all. It returns the run.
func Save(dir string, m results.Manifest, rows, timing []results.Row) (*results.Run, error) {
	if err := results.WriteFile(filepath.Join(dir, results.FileName(results.Replay)), Dimensions, rows); err != nil {
		return nil, err
	}
	times := filepath.Join(dir, results.TimingFileName(results.Replay))
	if err := results.WriteFile(times, Dimensions, timing); err != nil {
		return nil, err
	}
	files, err := results.Sums(dir, results.Replay)
	if err != nil {
		return nil, err
	}
	m.Experiments = []results.Status{{Name: results.Replay, Status: results.Done, Seconds: m.Seconds, Files: files}}
	run := &results.Run{Manifest: m, Rows: results.AsWritten(rows), Timing: results.AsWritten(timing)}
	return run, results.WriteManifest(dir, m)
}

// Broken returns an error for the promises that a replay's rows show as broken.
func Broken(rows []results.Row) error {
	var broken []string
	for _, r := range rows {
		if n := r.Value.Or(0); r.Quantity == results.QInside && n > 0 {
			broken = append(broken, fmt.Sprintf("%s let %.0f of %d through", r.Strategy, n, r.Count))
		}
	}
	if broken == nil {
		return nil
	}
	return fmt.Errorf("repeats were shown inside the guaranteed window: %s", strings.Join(broken, ", "))
}

func date(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }

// Dimensions are the columns of a replay's files. Articles counts articles recorded since the history was last empty,
// as the lower edge of a bin.
var Dimensions = []results.Dimension{
	by.Articles, by.Age, by.Elapsed, by.Activity, by.Cause, by.Rule, by.Statistic,
}

var (
	// Values of the dimension Cause. Repeats inside the window, of QInside, must not be.
	forgotten = by.Cause.Is("history forgotten")
	outside   = by.Cause.Is("outside the window")

	// neverForgotten bounds how many repeats would be shown if no history were forgotten: all outside the window,
	// recognised or not.
	neverForgotten = []results.Condition{by.Rule.Is("none"), by.Statistic.Is("bound")}
)

const (
	heldStep = 25   // the width of a bin of articles held,
	heldTo   = 2000 // and where the bins end
)

// Rows returns the rows of a replay of a whole log: rows that follow from the log and what was asked for, and rows that
// depend on the machine.
func Rows(subjects []measure.Subject, t Tally) (rows, timing []results.Row) {
	rows = append(rows,
		count("", results.QUsers, t.Log.Users), count("", results.QExposures, t.Log.Exposures),
		count("", "lines that cannot be read", t.Log.Read.Faults), count("", "requests", t.Strategies[0].Requests))
	for i, s := range subjects {
		rows = append(rows, strategyRows(s, t.Strategies[i], t.Log.Exposures)...)
		timing = append(timing, byteRow(s.Name, results.QStoreTotal, float64(t.Machine.Slabs[i])))
	}
	timing = append(timing,
		byteRow("", results.QResidentTotal, float64(t.Machine.Resident)),
		byteRow("", "exact truth total", float64(t.Machine.Truth)),
		row.Number("", "seconds", "", t.Machine.Seconds))
	return row.In(results.Replay, rows), row.In(results.Replay, timing)
}

func count(strategy, quantity string, n int64) results.Row {
	return row.Number(strategy, quantity, "", float64(n))
}

func byteRow(strategy, quantity string, n float64) results.Row {
	return row.Number(strategy, quantity, results.Bytes, n)
}

func part(strategy, quantity string, k, of int64) results.Row {
	return row.Number(strategy, quantity, results.Ratio, row.Mean(k, of)).Among(of)
}

// parts returns the share of a bin, if the bin is not empty.
func parts(strategy, quantity string, k, of int64, bin results.Condition) []results.Row {
	if of == 0 {
		return nil
	}
	return []results.Row{part(strategy, quantity, k, of).With(bin)}
}

func strategyRows(s measure.Subject, r Counts, exposures int64) (rows []results.Row) {
	repeats, recognised := row.Sum(r.Repeated), row.Sum(r.Recognised)
	fpr := row.Shared(s.Name, results.QFPR, r.Fresh, r.Articles).Among(r.Fresh.Queries)
	fpr.Theory = Expected(s, r.FreshByHeld)
	rows = append(rows, fpr)
	suppressed := 100 * row.Mean(r.Fresh.Hits, exposures)
	rows = append(rows,
		row.Number(s.Name, "wrongly suppressed per 100", "", suppressed).Among(exposures),
		count(s.Name, "articles recorded", r.Shown), count(s.Name, results.QRepeats, repeats),
		part(s.Name, results.QRecognised, recognised, repeats),
		count(s.Name, results.QRepeatsShown, repeats-recognised),
		count(s.Name, results.QRepeatsShown, r.Forgotten).With(forgotten),
		count(s.Name, results.QRepeatsShown, r.Outside).With(outside),
		count(s.Name, results.QInside, r.WindowMisses).Expect(0).Among(r.WindowChecks),
		byteRow(s.Name, results.QPayloadTotal, float64(r.Payload)).Among(r.Alive),
		byteRow(s.Name, results.QBytesPerUser, row.Mean(r.Payload, r.Alive)).Among(r.Alive))
	if _, dated := s.Strategy.(strategies.Dated); !dated {
		rows = append(rows, count(s.Name, results.QRepeatsShown, r.Ever).With(neverForgotten...))
	}
	rows = append(rows, heldRows(s, r)...)
	for bin, of := range r.Repeated {
		age := by.Age.At(float64(deal.AgeOf(bin)))
		rows = append(rows, parts(s.Name, results.QRetention, r.Recognised[bin], of, age)...)
	}
	for bin, of := range r.RepeatedAfter {
		elapsed := by.Elapsed.At(float64(deal.ElapsedFrom(bin)))
		rows = append(rows, parts(s.Name, results.QRecognised, r.RecognisedAfter[bin], of, elapsed)...)
	}
	for _, a := range row.Activity(s.Name, r.Regime) {
		// Users share articles, which are not told apart here: an interval by user alone would be too narrow.
		a.Low, a.High = results.Number{}, results.Number{}
		rows = append(rows, a)
	}
	return rows
}

// heldRows returns false positives by articles held. There is no interval: users' queries in a bin are not told apart.
func heldRows(s measure.Subject, r Counts) (rows []results.Row) {
	for from := 0; from < heldTo; from += heldStep {
		fresh := make([]int64, from+heldStep) // of the bin alone, where theory looks for it
		copy(fresh[from:], r.FreshByHeld[from:from+heldStep])
		hits := row.Sum(r.HitsByHeld[from : from+heldStep])
		for _, bin := range parts(s.Name, results.QFPR, hits, row.Sum(fresh), by.Articles.At(float64(from))) {
			bin.Theory = Expected(s, fresh)
			rows = append(rows, bin)
		}
	}
	return rows
}
