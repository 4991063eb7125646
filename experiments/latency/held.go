package latency

import (
	"context"
	"fmt"

	"dejavu/experiments/engine"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
)

// heldArticles are the lengths of life after which a request is timed; the others
// are compared with the first.
var heldArticles = []int{100, 500, 2000}

// heldNames are a filter, whose probes stay as many, and the queue, which is read through.
var heldNames = []string{"single", "queue"}

// byHeld times histories that hold more and more.
var byHeld = engine.Timing[shared.HotRound]{
	Name: "hot-held", Cost: 2e5,
	Make: func(ctx context.Context, r *engine.Run) (h shared.HotRound, err error) {
		var subjects []measure.Subject
		for _, name := range heldNames {
			e, ok := r.Entry(name)
			if !ok {
				continue
			}
			subject, err := r.Subject(e)
			if err != nil {
				return h, err
			}
			for _, articles := range heldArticles {
				of := subject
				of.Name, of.Strategy = heldName(name, articles), shared.Limited{Strategy: subject.Strategy, Articles: articles}
				subjects = append(subjects, of)
			}
		}
		if len(subjects) == 0 {
			return h, nil
		}
		return shared.TimeHot(ctx, r, subjects, heldArticles[len(heldArticles)-1], stopwatch.Sizes[:1])
	},
}

// heldRows is the time of a request by the articles that the history holds.
func heldRows(h shared.HotRound) (timing []results.Row) {
	for _, name := range heldNames {
		few := h.Of(heldName(name, heldArticles[0]))
		for _, articles := range heldArticles[1:] {
			if many := h.Of(heldName(name, articles)); many != nil {
				timing = append(timing, over(name, hot, fmt.Sprintf("%d articles", heldArticles[0]), many[0], few[0]).
					With(by.Candidates.Is(""), by.Articles.At(float64(articles))))
			}
		}
	}
	return timing
}

// heldName is a strategy with so many articles held.
func heldName(name string, articles int) string { return fmt.Sprintf("%s, %d held", name, articles) }
