package shared

import (
	"context"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/queue"
	"dejavu/strategies"
	"dejavu/workload"
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
var Hot = engine.Measurement[HotResult]{
	Name: "hot", Cost: 2e6,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (h HotResult, err error) {
		least := stopwatch.NewFloor(slices.Max(stopwatch.Sizes), r.Seed)
		floor := measure.Subject{Name: "floor", Strategy: least, Theory: stopwatch.Nothing{}}
		var paper, beyond []measure.Subject
		for _, e := range r.Full() {
			subject := r.Subject(e)
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

// MeanOverLives is the expectation of f over the articles shown to a user of the full population.
func MeanOverLives(f func(shown int) float64) float64 {
	sum := 0.
	for shown := workload.Least; shown <= workload.MaxShown; shown++ {
		sum += workload.ShownShare(shown) * f(shown)
	}
	return sum
}

// Remembers is whether theory says that the article shown age articles ago, 1 being the newest, is certainly
// recognised after read articles.
func Remembers(s measure.Subject, read, age int) bool {
	if r, ok := s.Strategy.(measure.Rememberer); ok {
		return r.Remembers(read, age)
	}
	return age <= s.Theory.Window(read)
}

// A Limited strategy records the first articles of those it is shown and no more: stopwatch.Hot shows all its
// subjects the same.
type Limited struct {
	strategies.Strategy
	Articles int
}

// Record keeps the first articles of those shown.
func (l Limited) Record(history []byte, shown []strategies.ID) []byte {
	return l.Strategy.Record(history, shown[:min(len(shown), l.Articles)])
}

// MonthDays is how many days a month has.
const MonthDays = 30

// A spread is a Dated strategy at the end of a full month: what it is shown at first counts as so many
// articles a day.
type spread struct {
	strategies.Strategy // as it is on the month's last day
	on                  []strategies.Strategy
}

// FullMonth is a strategy whose histories are full after MonthDays days of workload.PerDay articles each: a
// newcomer's articles are spread over the days, and it is asked on the last.
func FullMonth(dated strategies.Dated) strategies.Strategy {
	var s spread
	for day := range MonthDays {
		s.on = append(s.on, dated.On(day))
	}
	s.Strategy = s.on[MonthDays-1]
	return s
}

// Record spreads a newcomer's articles over the days.
func (s spread) Record(history []byte, shown []strategies.ID) []byte {
	if len(history) > 0 {
		return s.Strategy.Record(history, shown)
	}
	for day, on := range s.on {
		history = on.Record(history, shown[day*workload.PerDay:][:workload.PerDay])
	}
	return history
}
