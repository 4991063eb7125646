package main

import (
	"slices"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/queue"
	"dejavu/results"
)

// A hotResult is the time of requests to one reader whose history is in the
// cache, for each strategy, all in turn.
type hotResult struct {
	Names     []string
	Latencies [][]measure.Latency // by strategy, by measure.Sizes
}

// plus is h: times are the first one's.
func (h hotResult) plus(hotResult) hotResult { return h }

func (h hotResult) of(name string) []measure.Latency {
	return h.Latencies[slices.Index(h.Names, name)]
}

func (h hotResult) has(name string) bool { return slices.Contains(h.Names, name) }

// hotShown is how many articles the reader was shown: a full life.
const hotShown = 600

// hot measures the catalogue, the queue's other way to answer, the floor and
// nothing; then, at the size of a refresh alone, what the paper did not try, beside
// the single filter and the floor again, for times are compared within a turn.
func (s *suite) hot() (hotResults, error) {
	return measured(s, hotName, func() (r hotResults, err error) {
		if !s.timed() {
			return r, nil
		}
		floor := measure.Subject{Name: "floor", Strategy: measure.NewFloor(slices.Max(measure.Sizes), s.seed), Theory: measure.Nothing{}}
		var paper, beyond []measure.Subject
		for _, e := range fullEntries() {
			subject, err := s.subject(e)
			if err != nil {
				return r, err
			}
			if !e.IsBeyond() {
				paper = append(paper, subject)
			}
			if e.IsBeyond() || e.Name == "single" {
				beyond = append(beyond, subject)
			}
		}
		decoder, err := queue.NewDecoder(queue.Paper)
		if err != nil {
			return r, err
		}
		if r.Paper, err = hotOf(s, append(paper,
			measure.Subject{Name: "queue-map", Strategy: decoder, Theory: decoder}, floor,
			measure.Subject{Name: "nothing", Strategy: measure.Nothing{}, Theory: measure.Nothing{}}), measure.Sizes); err != nil {
			return r, err
		}
		r.Beyond, err = hotOf(s, append(beyond, floor), measure.Sizes[:1])
		return r, err
	})
}

// hotOf measures these subjects in turns.
func hotOf(s *suite, subjects []measure.Subject, sizes []int) (r hotResult, err error) {
	for _, subject := range subjects {
		r.Names = append(r.Names, subject.Name)
	}
	r.Latencies, err = measure.Hot(s.ctx, subjects, hotShown, sizes, s.seed)
	return r, err
}

// A hotResults is what both rounds came to.
type hotResults struct{ Paper, Beyond hotResult }

// plus is h: times are the first one's.
func (h hotResults) plus(hotResults) hotResults { return h }

// of is the times of an entry of the catalogue, the least number of candidates first.
func (h hotResults) of(e catalogue.Entry) []measure.Latency {
	if e.IsBeyond() {
		return h.Beyond.of(e.Name)
	}
	return h.Paper.of(e.Name)
}

// latency is the time of a request: hot and cold, beside the single filter's,
// and beside the floor that the machine sets.
func latency(s *suite) (rows, timing []results.Row, err error) {
	hot, err := s.hot()
	if err != nil {
		return nil, nil, err
	}
	add := func(name, quantity string, l measure.Latency, nanos float64) *results.Row {
		r := number(results.Latency, name, quantity, results.Nanoseconds, nanos)
		r.X, r.Count = results.Num(float64(l.Candidates)), l.Requests
		timing = append(timing, r)
		return &timing[len(timing)-1]
	}
	for _, h := range []hotResult{hot.Paper, hot.Beyond} {
		single, floor := h.of("single"), h.of("floor")
		for i, name := range h.Names {
			isBeyond := strings.HasPrefix(name, results.Beyond)
			if len(h.Latencies[i]) == 1 && !isBeyond {
				continue // told among the paper's, with all sizes
			}
			for j, l := range h.Latencies[i] {
				between(add(name, results.QHotP50, l, l.P50), l)
				add(name, results.QHotP99, l, l.P99)
				add(name, results.QHotP999, l, l.P999)
				if name != "nothing" && name != "floor" {
					timing = append(timing,
						over(name, "hot p50 over single", l, single[j]), over(name, results.QHotOverFloor, l, floor[j]))
				}
			}
		}
	}
	for _, e := range fullEntries() {
		if e.IsBeyond() {
			continue // cold memory is that of ten million readers
		}
		full, err := s.full(e)
		if err != nil {
			return nil, nil, err
		}
		for i, l := range full.Cold.Each {
			between(add(e.Name, results.QColdP50, l, l.P50), l)
			add(e.Name, results.QColdP99, l, l.P99)
			add(e.Name, results.QColdP999, l, l.P999)
			together := full.Cold.Together[i]
			between(add(e.Name, results.QTogetherP50, together, together.P50), together)
			add(e.Name, results.QTogetherP99, together, together.P99)
		}
		touch := full.Cold.Touch
		between(add(e.Name, results.QTouchP50, touch, touch.P50), touch)
		ratio := over(e.Name, results.QTogetherOverFloor, full.Cold.Together[0], full.Cold.Floor())
		users := number(results.Latency, e.Name, "users alive when cold", "", float64(full.Cold.Users))
		timing = append(timing, ratio, users)
	}
	byHeld, err := s.byHeld()
	return nil, append(timing, byHeld...), err
}

// over is a strategy's time over another's in the same turn: the median over
// the turns, and its interval.
func over(name, quantity string, l, other measure.Latency) results.Row {
	ratios := measure.Latency{Candidates: l.Candidates, Rounds: make([]float64, len(l.Rounds))}
	for i := range l.Rounds {
		ratios.Rounds[i] = l.Rounds[i] / other.Rounds[i]
	}
	sorted := slices.Sorted(slices.Values(ratios.Rounds))
	r := number(results.Latency, name, quantity, results.Ratio, sorted[len(sorted)/2])
	between(&r, ratios)
	r.X, r.Count = results.Num(float64(l.Candidates)), l.Requests
	return r
}

// between gives a time its interval. One of too few turns has none: the row says
// so by the two columns it leaves empty, and so does verify.
func between(r *results.Row, l measure.Latency) {
	if low, high, ok := l.Between(); ok {
		r.Low, r.High = results.Num(low), results.Num(high)
	}
}
