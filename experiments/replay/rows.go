package replay

import (
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
func Rows(subjects []measure.Subject, t Tally) (rows, timing []results.Row) {
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
		f.Theory = expectedFPR(s, r.FreshByHeld)
		rows = append(rows, f)
		if rate, ok := distinctFPR(s, r).Get(); ok {
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

// expectedFPR is theory's mean over the fresh articles that were asked for, by how
// many articles a history held: nothing where none was, or where forgetting goes by
// the calendar.
func expectedFPR(s measure.Subject, fresh []int64) (mean results.Number) {
	if _, dated := s.Strategy.(strategies.Dated); dated || row.Sum(fresh) == 0 {
		return mean
	}
	sum := 0.
	for held, n := range fresh {
		if n > 0 {
			sum += float64(n) * s.Theory.FPR(held)
		}
	}
	return results.Num(sum / float64(row.Sum(fresh)))
}

// distinctFPR is theory's mean by how many different articles a history keeps, which is
// what theory is of: nothing where that is not known.
func distinctFPR(s measure.Subject, r Counts) (mean results.Number) {
	counted := row.Sum(r.FreshByDistinct)
	if counted+r.FreshLinked == 0 {
		return mean
	}
	sum := float64(r.HitsLinked) / linkedUnit
	if rate, ok := expectedFPR(s, r.FreshByDistinct).Get(); ok {
		sum += rate * float64(counted)
	}
	return results.Num(sum / float64(counted+r.FreshLinked))
}

// heldRows are false positives by articles held. Users' queries in a bin are
// not told apart, so that there is no interval.
func heldRows(s measure.Subject, r Counts) (rows []results.Row) {
	for from := 0; from < heldTo; from += heldStep {
		fresh := make([]int64, from+heldStep) // of the bin alone, where theory looks for it
		copy(fresh[from:], r.FreshByHeld[from:from+heldStep])
		n := row.Sum(fresh)
		if n == 0 {
			continue
		}
		bin := row.Number(results.Replay, s.Name, results.QFPR, results.Ratio, row.Mean(row.Sum(r.HitsByHeld[from:from+heldStep]), n))
		bin.X, bin.Theory, bin.Count = results.Num(float64(from)), expectedFPR(s, fresh), n
		rows = append(rows, bin)
	}
	return rows
}
