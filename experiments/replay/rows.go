package replay

import (
	"dejavu/experiments/replay/replayer"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
)

// Dimensions are the columns of a replay's files. Articles are those recorded since the
// history was last empty, the lower edge of a bin.
var Dimensions = []results.Dimension{
	by.Articles, by.Age, by.Elapsed, by.Activity, by.Cause, by.Formula, by.Rule, by.Statistic,
}

var (
	// Values of the dimension Cause. Repeats inside the window, of QInside, must not be.
	forgotten = by.Cause.Is("history forgotten")
	outside   = by.Cause.Is("outside the window")

	// neverForgotten is how many repeats would be shown at most if no history were forgotten:
	// those outside the window, recognised or not.
	neverForgotten = []results.Condition{by.Rule.Is("none"), by.Statistic.Is("bound")}

	// distinct is theory by the different articles that a history holds.
	distinct = by.Formula.Is("distinct")
)

// heldStep is the width of a bin of articles held, and heldTo where the bins end.
const (
	heldStep = 25
	heldTo   = 2000
)

// Rows are the rows of a replay of a whole log with these subjects: those that follow
// from the log and what was asked for, and those that depend on the machine.
func Rows(subjects []measure.Subject, t replayer.Tally) (rows, timing []results.Row) {
	rows = append(rows,
		count("", results.QUsers, t.Log.Users),
		count("", results.QExposures, t.Log.Exposures),
		count("", results.QFaults, t.Log.Read.Faults),
		count("", results.QRequests, t.Strategies[0].Requests))
	for i, s := range subjects {
		rows = append(rows, strategyRows(s, t.Strategies[i], t.Log.Exposures)...)
		timing = append(timing, bytes(s.Name, results.QStoreTotal, float64(t.Machine.Slabs[i])))
	}
	return rows, append(timing,
		bytes("", results.QResidentTotal, float64(t.Machine.Resident)),
		bytes("", results.QTruth, float64(t.Machine.Truth)),
		row.Number(results.Replay, "", results.QSeconds, "", t.Machine.Seconds))
}

// count, bytes and part make rows of this experiment.
func count(strategy, quantity string, n int64) results.Row {
	return row.Number(results.Replay, strategy, quantity, "", float64(n))
}

func bytes(strategy, quantity string, n float64) results.Row {
	return row.Number(results.Replay, strategy, quantity, results.Bytes, n)
}

func part(strategy, quantity string, k, of int64) results.Row {
	return row.Number(results.Replay, strategy, quantity, results.Ratio, row.Mean(k, of)).Among(of)
}

// parts is the part of a bin, where there is anything in it.
func parts(strategy, quantity string, k, of int64, bin results.Condition) []results.Row {
	if of == 0 {
		return nil
	}
	return []results.Row{part(strategy, quantity, k, of).With(bin)}
}

// strategyRows are those of one strategy.
func strategyRows(s measure.Subject, r replayer.Counts, exposures int64) (rows []results.Row) {
	repeats, recognised := row.Sum(r.Repeated), row.Sum(r.Recognised)
	fpr := row.Shared(results.Replay, s.Name, results.QFPR, r.Fresh, r.Articles)
	fpr.Theory = replayer.Expected(s, r.FreshByHeld)
	rows = append(rows, fpr)
	if rate, ok := replayer.ExpectedOfDistinct(s, r).Get(); ok {
		rows = append(rows, row.Theory(results.Replay, s.Name, results.QFPR, results.Ratio, rate).With(distinct))
	}
	suppressed := 100 * row.Mean(r.Fresh.Hits, exposures)
	rows = append(rows,
		row.Number(results.Replay, s.Name, results.QSuppressed, "", suppressed).Among(exposures),
		count(s.Name, results.QShown, r.Shown), count(s.Name, results.QRepeats, repeats),
		part(s.Name, results.QRecognised, recognised, repeats),
		count(s.Name, results.QRepeatsShown, repeats-recognised),
		count(s.Name, results.QRepeatsShown, r.Forgotten).With(forgotten),
		count(s.Name, results.QRepeatsShown, r.Outside).With(outside),
		count(s.Name, results.QInside, r.WindowMisses).Expect(0).Among(r.WindowChecks),
		bytes(s.Name, results.QPayloadTotal, float64(r.Payload)).Among(r.Alive),
		bytes(s.Name, results.QBytesPerUser, row.Mean(r.Payload, r.Alive)).Among(r.Alive))
	// Where something was not recorded, a history never forgotten has another past.
	if _, dated := s.Strategy.(strategies.Dated); !dated && r.Shown == exposures {
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
	for _, a := range row.Activity(results.Replay, s.Name, r.Regime) {
		// Users of a log share its articles, which are not told apart here: an
		// interval by user alone would be too narrow.
		a.Low, a.High = results.Number{}, results.Number{}
		rows = append(rows, a)
	}
	return rows
}

// heldRows are false positives by articles held. Users' queries in a bin are
// not told apart, so that there is no interval.
func heldRows(s measure.Subject, r replayer.Counts) (rows []results.Row) {
	for from := 0; from < heldTo; from += heldStep {
		fresh := make([]int64, from+heldStep) // of the bin alone, where theory looks for it
		copy(fresh[from:], r.FreshByHeld[from:from+heldStep])
		hits := row.Sum(r.HitsByHeld[from : from+heldStep])
		for _, bin := range parts(s.Name, results.QFPR, hits, row.Sum(fresh), by.Articles.At(float64(from))) {
			bin.Theory = replayer.Expected(s, fresh)
			rows = append(rows, bin)
		}
	}
	return rows
}
