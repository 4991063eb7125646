package shared

import (
	"context"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/queue"
)

// HotShown is how many articles the user of Hot was shown: a full life.
const HotShown = 600

// A HotRound is the time of requests to one user whose history is in the cache, for each strategy, all in
// turns.
type HotRound struct {
	Names     []string
	Latencies [][]stopwatch.Latency // by strategy, by number of candidates
}

// Of is the times of a name, by number of candidates; nil where it has none.
func (h HotRound) Of(name string) []stopwatch.Latency {
	if i := slices.Index(h.Names, name); i >= 0 {
		return h.Latencies[i]
	}
	return nil
}

// TimeHot times these subjects in turns, after so many articles shown.
func TimeHot(
	ctx context.Context, r *engine.Run, subjects []measure.Subject, shown int, sizes []int,
) (h HotRound, err error) {
	for _, s := range subjects {
		h.Names = append(h.Names, s.Name)
	}
	h.Latencies, err = stopwatch.Hot(ctx, subjects, shown, sizes, r.Seed)
	return h, err
}

// A HotResult is two rounds.
type HotResult struct{ Paper, Beyond HotRound }

// Of is the times of an entry of the catalogue, the least number of candidates first.
func (h HotResult) Of(e catalogue.Entry) []stopwatch.Latency {
	if e.IsBeyond() {
		return h.Beyond.Of(e.Name)
	}
	return h.Paper.Of(e.Name)
}

// Hot times the catalogue, the queue's other way to answer ("queue-map"), the floor and nothing; then, with
// the smallest number of candidates alone, what the paper did not try, beside the single filter and the floor
// again, for times are compared within a turn.
var Hot = engine.Timing[HotResult]{
	Name: "hot", Cost: 2e6,
	Make: func(ctx context.Context, r *engine.Run) (h HotResult, err error) {
		least := stopwatch.NewFloor(slices.Max(stopwatch.Sizes), r.Seed)
		floor := measure.Subject{Name: "floor", Strategy: least, Theory: stopwatch.Nothing{}}
		var paper, beyond []measure.Subject
		for _, e := range r.Full() {
			subject, err := r.Subject(e)
			if err != nil {
				return h, err
			}
			if !e.IsBeyond() {
				paper = append(paper, subject)
			}
			if e.IsBeyond() || e.Name == "single" {
				beyond = append(beyond, subject)
			}
		}
		decoder := catalogue.Must(queue.NewDecoder(queue.Paper))
		paper = append(paper, measure.Subject{Name: "queue-map", Strategy: decoder, Theory: decoder}, floor,
			measure.Subject{Name: "nothing", Strategy: stopwatch.Nothing{}, Theory: stopwatch.Nothing{}})
		if h.Paper, err = TimeHot(ctx, r, paper, HotShown, stopwatch.Sizes); err != nil {
			return h, err
		}
		h.Beyond, err = TimeHot(ctx, r, append(beyond, floor), HotShown, stopwatch.Sizes[:1])
		return h, err
	},
}
