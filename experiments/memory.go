package main

import (
	"math"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
)

// memory is bytes by articles shown, totals by users, and by days of churn.
func memory(s *suite) (rows, timing []results.Row, err error) {
	return s.eachEntry(func(e catalogue.Entry, subject measure.Subject) (rows, timing []results.Row, err error) {
		full, err := s.full(e)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range full.Counts.Points {
			if p.Users == 0 {
				continue
			}
			r := number(results.Memory, e.Name, results.QBytesPerUser, results.Bytes, perUser(p.Bytes, p.Users))
			r.X, r.Count = results.Num(float64(p.Shown)), p.Users
			r.Theory = results.Num(float64(subject.Theory.Bytes(p.Shown)))
			rows = append(rows, r)
		}
		mean := meanOverLives(func(shown int) float64 { return float64(subject.Theory.Bytes(shown)) })
		for _, a := range full.Counts.Totals {
			r := number(results.Memory, e.Name, results.QPayloadTotal, results.Bytes, float64(a.Payload))
			r.X, r.Count = results.Num(float64(a.Users)), a.Users
			r.Theory = results.Num(mean * float64(a.Users))
			if stated := statedTotal(e); a.Users == 10_000_000 && stated > 0 {
				r.Paper = results.Num(stated)
			}
			rows = append(rows, r)
		}
		for exponent := 5.; exponent <= 9; exponent += 0.5 {
			users := math.Round(math.Pow(10, exponent))
			rows = append(rows, results.Row{
				Experiment: results.Memory, Strategy: e.Name, X: results.Num(users),
				Quantity: results.QTotalTheory, Unit: results.Bytes, Theory: results.Num(mean * users),
			})
		}
		for _, h := range full.Machine.Held {
			for _, v := range []struct {
				quantity string
				bytes    int64
			}{{results.QStoreTotal, h.Slabs}, {results.QResidentTotal, h.Resident}} {
				r := number(results.Memory, e.Name, v.quantity, results.Bytes, float64(v.bytes))
				r.X, r.Count = results.Num(float64(h.Users)), h.Users
				timing = append(timing, r)
			}
			r := number(results.Memory, e.Name, results.QTimePerUser, results.Nanoseconds, h.Seconds*1e9/float64(h.Users))
			r.X, r.Count = results.Num(float64(h.Users)), h.Users
			timing = append(timing, r)
		}
		parts := number(results.Memory, e.Name, "parts", "", float64(full.Machine.Parts))
		timing = append(timing, parts)
		if e.Churn == 0 {
			return rows, timing, nil
		}
		churn, err := s.churn(e)
		if err != nil {
			return nil, nil, err
		}
		r, t := churnRows(e, churn)
		return append(rows, r...), append(timing, t...), nil
	})
}

// churnRows is what is held at every midnight.
func churnRows(e catalogue.Entry, churn churnResult) (rows, timing []results.Row) {
	row := func(quantity, unit string, value float64) results.Row {
		r := number(results.Memory, e.Name, quantity, unit, value)
		r.Count = int64(churn.Users)
		return r
	}
	for day, m := range churn.Midnights {
		at := func(quantity, unit string, value int64) results.Row {
			r := row(quantity, unit, float64(value))
			r.X = results.Num(float64(day + 1))
			return r
		}
		rows = append(rows,
			at(results.QAliveAtMidnight, "", m.Alive),
			at(results.QPayloadAtMidnight, results.Bytes, m.Payload))
		timing = append(timing,
			at(results.QSlabsAtMidnight, results.Bytes, m.Slabs),
			at(results.QResidentAtMidnight, results.Bytes, m.Resident))
	}
	if slabs, resident, ok := measure.Growth(churn.Together, churn.Midnights); ok {
		timing = append(timing,
			row(results.QSlabsGrowth, results.Ratio, slabs),
			row(results.QResidentGrowth, results.Ratio, resident))
	}
	return rows, timing
}

// statedTotal is the paper's memory for ten million users, in bytes: 40 GB of
// queues, "about 5 GB" of filters (§5).
func statedTotal(e catalogue.Entry) float64 {
	switch e.Name {
	case "queue":
		return 40e9
	case "single":
		return 5e9
	default:
		return 0
	}
}
