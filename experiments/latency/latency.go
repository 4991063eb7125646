// Package latency is the time of a request: to one user again and again and to a
// random one of all, beside the single filter's, and beside the floor that the
// machine sets. A tail is one over batches of requests: the clock is read around a
// batch, since reading it takes as long as a few probes.
package latency

import (
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure/stopwatch"
	"dejavu/results"
)

// Experiment is latency.
var Experiment = experiment.Experiment{
	Name: results.Latency, About: "time of a request of 40 to 4000 candidates, hot and cold",
	Needs: func(s run.Scope) []run.Task {
		return append(append(shared.Fulls(s), shared.Alives(s)...), shared.Hot.Task(), byHeld.Task())
	},
	Rows: rows, Figures: Figures, Tables: func(c results.Cells) []results.Table { return []results.Table{table(c)} },
}

func rows(r *run.Run) (rows, timing []results.Row, err error) {
	hot, err := shared.Hot.Of(r)
	if err != nil {
		return nil, nil, err
	}
	timing = append(hotRows(hot.Paper, ""), hotRows(hot.Beyond, results.Beyond)...)
	for _, e := range shared.Papers(r.Scope) { // cold memory is that of ten million users
		alive, err := shared.Alive(e).Of(r)
		if err != nil {
			return nil, nil, err
		}
		timing = append(timing, coldRows(e.Name, alive)...)
	}
	held, err := byHeld.Of(r)
	return nil, append(timing, heldRows(held)...), err
}

// median is the row of a median with its interval, and tail that of a tail.
func median(name, quantity string, l stopwatch.Latency) results.Row {
	return row.Time(results.Latency, name, quantity, l, 1)
}

func tail(name, quantity string, l stopwatch.Latency, nanos float64) results.Row {
	return row.Number(results.Latency, name, quantity, results.Nanoseconds, nanos).At(float64(l.Candidates)).Among(l.Batches)
}

// hotRows are those of a round, of the names that begin with the prefix: the others
// are there to be compared with.
func hotRows(h shared.HotRound, prefix string) (timing []results.Row) {
	single, floor := h.Of("single"), h.Of("floor")
	for i, name := range h.Names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		for j, l := range h.Latencies[i] {
			timing = append(timing, median(name, results.QHotP50, l), tail(name, results.QHotP99, l, l.P99), tail(name, results.QHotP999, l, l.P999))
			if name == "nothing" || name == "floor" {
				continue
			}
			if single != nil {
				timing = append(timing, row.Over(results.Latency, name, results.QHotOverSingle, l, single[j]))
			}
			timing = append(timing, row.Over(results.Latency, name, results.QHotOverFloor, l, floor[j]))
		}
	}
	return timing
}

// coldRows are those of a strategy with all histories alive.
func coldRows(name string, a shared.AliveResult) (timing []results.Row) {
	for i, l := range a.Cold.Each {
		together := a.Cold.Together[i]
		timing = append(timing,
			median(name, results.QColdP50, l), tail(name, results.QColdP99, l, l.P99), tail(name, results.QColdP999, l, l.P999),
			median(name, results.QTogetherP50, together), tail(name, results.QTogetherP99, together, together.P99))
	}
	return append(timing, median(name, results.QTouchP50, a.Cold.Touch),
		row.Over(results.Latency, name, results.QTogetherOverFloor, a.Cold.Together[0], a.Cold.Floor()),
		row.Number(results.Latency, name, results.QUsersCold, "", float64(a.Cold.Users)))
}

func table(c results.Cells) results.Table {
	names := append(catalogue.Names(), "queue-map", "floor", "nothing")
	xs := []string{"40", "100", "400", "1000", "4000"}
	return text.ByStrategy(c, "Time of a request by candidates: hot median / cold median [p99 of batches] / cold, many at once", results.Latency, results.QHotP50,
		names, xs, func(r results.Row) string {
			s := text.Of(r)
			x := r.X.String()
			cold, ok := c.Find(results.Latency, r.Strategy, x, results.QColdP50)
			tail, _ := c.Find(results.Latency, r.Strategy, x, results.QColdP99)
			if ok {
				together, _ := c.Find(results.Latency, r.Strategy, x, results.QTogetherP50)
				s += " / " + text.Of(cold) + " [" + text.Of(tail) + "] / " + text.Of(together)
			}
			return s
		})
}
