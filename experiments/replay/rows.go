package replay

import (
	"dejavu/experiments/replay/replayer"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/results"
	"dejavu/strategies"
)

// heldStep is the width of a bin of articles held, and heldTo where the bins end.
const (
	heldStep = 25
	heldTo   = 2000
)

// Rows are the rows of a replay of a whole log with these subjects: those that follow
// from the log and what was asked for, and those that depend on the machine.
func Rows(subjects []measure.Subject, t replayer.Tally) (rows, timing []results.Row) {
	facts := t.Log
	whole := func(strategy, quantity, unit string, n int64) results.Row {
		return row.Number(results.Replay, strategy, quantity, unit, float64(n))
	}
	rows = append(rows, whole("", results.QUsers, "", facts.Users), whole("", results.QExposures, "", facts.Exposures),
		whole("", results.QFaults, "", facts.Read.Faults), whole("", results.QRequests, "", t.Strategies[0].Requests))
	for i, s := range subjects {
		r := t.Strategies[i]
		repeats, recognised := row.Sum(r.Repeated), row.Sum(r.Recognised)
		f := row.Shared(results.Replay, s.Name, results.QFPR, r.Fresh, r.Articles)
		f.Theory = replayer.Expected(s, r.FreshByHeld)
		rows = append(rows, f)
		if rate, ok := replayer.ExpectedOfDistinct(s, r).Get(); ok {
			rows = append(rows, row.Theory(results.Replay, s.Name, results.QFPRDistinct, results.Ratio, rate))
		}
		rows = append(rows,
			row.Number(results.Replay, s.Name, results.QSuppressed, "", 100*row.Mean(r.Fresh.Hits, facts.Exposures)).Among(facts.Exposures),
			whole(s.Name, results.QShown, "", r.Shown), whole(s.Name, results.QRepeats, "", repeats),
			row.Number(results.Replay, s.Name, results.QRecognised, results.Ratio, row.Mean(recognised, repeats)).Among(repeats),
			whole(s.Name, results.QRepeatsShown, "", repeats-recognised),
			whole(s.Name, results.QIdled, "", r.Forgotten), whole(s.Name, results.QOutside, "", r.Outside),
			whole(s.Name, results.QInside, "", r.WindowMisses).Expect(0).Among(r.WindowChecks),
			whole(s.Name, results.QPayloadTotal, results.Bytes, r.Payload).Among(r.Alive),
			row.Number(results.Replay, s.Name, results.QBytesPerUser, results.Bytes, row.Mean(r.Payload, r.Alive)).Among(r.Alive))
		// Where something was not recorded, a history never forgotten has another past.
		if _, dated := s.Strategy.(strategies.Dated); !dated && r.Shown == facts.Exposures {
			rows = append(rows, whole(s.Name, results.QEver, "", r.Ever))
		}
		rows = append(rows, heldRows(s, r)...)
		for bin, n := range r.Repeated {
			if n > 0 {
				rows = append(rows, row.Number(results.Replay, s.Name, results.QRetention, results.Ratio, row.Mean(r.Recognised[bin], n)).
					At(float64(deal.AgeOf(bin))).Among(n))
			}
		}
		for bin, n := range r.RepeatedAfter {
			if n > 0 {
				rows = append(rows, row.Number(results.Replay, s.Name, results.QAfter, results.Ratio, row.Mean(r.RecognisedAfter[bin], n)).
					At(float64(deal.ElapsedFrom(bin))).Among(n))
			}
		}
		for _, a := range row.Activity(results.Replay, s.Name, r.Regime) {
			// Users of a log share its articles, which are not told apart here: an
			// interval by user alone would be too narrow.
			a.Low, a.High = results.Number{}, results.Number{}
			rows = append(rows, a)
		}
		timing = append(timing, whole(s.Name, results.QStoreTotal, results.Bytes, t.Machine.Slabs[i]))
	}
	return rows, append(timing, whole("", results.QResidentTotal, results.Bytes, t.Machine.Resident),
		whole("", results.QTruth, results.Bytes, t.Machine.Truth), row.Number(results.Replay, "", results.QSeconds, "", t.Machine.Seconds))
}

// heldRows are false positives by articles held. Users' queries in a bin are
// not told apart, so that there is no interval.
func heldRows(s measure.Subject, r replayer.Counts) (rows []results.Row) {
	for from := 0; from < heldTo; from += heldStep {
		fresh := make([]int64, from+heldStep) // of the bin alone, where theory looks for it
		copy(fresh[from:], r.FreshByHeld[from:from+heldStep])
		n := row.Sum(fresh)
		if n == 0 {
			continue
		}
		bin := row.Number(results.Replay, s.Name, results.QFPR, results.Ratio, row.Mean(row.Sum(r.HitsByHeld[from:from+heldStep]), n))
		bin.X, bin.Theory, bin.Count = results.Num(float64(from)), replayer.Expected(s, fresh), n
		rows = append(rows, bin)
	}
	return rows
}
