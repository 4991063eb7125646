package main

import (
	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies"
)

// heldStep is the width of a bin of articles held, and heldTo where the bins end.
const (
	heldStep = 25
	heldTo   = 2000
)

// replayRows are the rows of a replay.
func replayRows(subjects []measure.Subject, all []measure.Replayed, facts measure.ReplayedLog, machine measure.ReplayMachine) (rows, timing []results.Row) {
	whole := func(strategy, quantity, unit string, n int64) results.Row {
		return number(results.Replay, strategy, quantity, unit, float64(n))
	}
	rows = append(rows, whole("", results.QUsers, "", facts.Users), whole("", results.QExposures, "", facts.Exposures),
		whole("", results.QFaults, "", facts.Read.Faults), whole("", results.QRequests, "", all[0].Requests))
	for i, s := range subjects {
		r := all[i]
		repeats, recognised := sumOf(r.Repeated), sumOf(r.Recognised)
		f := rate(results.Replay, s.Name, results.QFPR, r.Fresh)
		f.Theory = expectedFPR(s, r.FreshByHeld)
		suppressed := number(results.Replay, s.Name, results.QSuppressed, "", 100*perUser(r.Fresh.Hits, facts.Exposures))
		suppressed.Count = facts.Exposures
		known := number(results.Replay, s.Name, results.QRecognised, results.Ratio, perUser(recognised, repeats))
		known.Count = repeats
		missed := whole(s.Name, results.QInside, "", r.WindowMisses)
		missed.Theory, missed.Count = results.Num(0), r.WindowChecks
		payload := whole(s.Name, results.QPayloadTotal, results.Bytes, r.Payload)
		mean := number(results.Replay, s.Name, results.QBytesPerUser, results.Bytes, perUser(r.Payload, r.Alive))
		payload.Count, mean.Count = r.Alive, r.Alive
		rows = append(rows, f, suppressed, whole(s.Name, results.QShown, "", r.Shown), whole(s.Name, results.QRepeats, "", repeats), known,
			whole(s.Name, results.QLetThrough, "", repeats-recognised), missed, payload, mean)
		rows = append(rows, heldRows(s, r)...)
		for bin, n := range r.Repeated {
			if n > 0 {
				row := number(results.Replay, s.Name, results.QRetention, results.Ratio, perUser(r.Recognised[bin], n))
				row.X, row.Count = results.Num(float64(measure.AgeOf(bin))), n
				rows = append(rows, row)
			}
		}
		for _, row := range activityRows(catalogue.Entry{Name: s.Name}, r.Regime) {
			row.Experiment = results.Replay
			rows = append(rows, row)
		}
		timing = append(timing, whole(s.Name, results.QStoreTotal, results.Bytes, machine.Slabs[i]))
	}
	return rows, append(timing, whole("", results.QResidentTotal, results.Bytes, machine.Resident),
		whole("", results.QTruth, results.Bytes, machine.Truth), number(results.Replay, "", results.QSeconds, "", machine.Seconds))
}

func sumOf(counts []int64) (sum int64) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// expectedFPR is theory's mean over the fresh articles that were asked for, by how
// many articles a history held: nothing where none was, or where forgetting goes by
// the calendar.
func expectedFPR(s measure.Subject, fresh []int64) (mean results.Number) {
	if _, dated := s.Strategy.(strategies.Dated); dated || sumOf(fresh) == 0 {
		return mean
	}
	sum := 0.
	for held, n := range fresh {
		if n > 0 {
			sum += float64(n) * s.Theory.FPR(held)
		}
	}
	return results.Num(sum / float64(sumOf(fresh)))
}

// heldRows are false positives by articles held. Readers' queries in a bin are
// not told apart, so that there is no interval.
func heldRows(s measure.Subject, r measure.Replayed) (rows []results.Row) {
	for from := 0; from < heldTo; from += heldStep {
		fresh := make([]int64, from+heldStep) // of the bin alone, where theory looks for it
		copy(fresh[from:], r.FreshByHeld[from:from+heldStep])
		n := sumOf(fresh)
		if n == 0 {
			continue
		}
		row := number(results.Replay, s.Name, results.QFPR, results.Ratio, perUser(sumOf(r.HitsByHeld[from:from+heldStep]), n))
		row.X, row.Theory, row.Count = results.Num(float64(from)), expectedFPR(s, fresh), n
		rows = append(rows, row)
	}
	return rows
}
