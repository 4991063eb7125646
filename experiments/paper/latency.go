package paper

import (
	"context"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/internal/plural"
	"dejavu/measure"
	"dejavu/measure/alive"
	"dejavu/measure/stopwatch"
	"dejavu/plots"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/results/by"
)

// Latency measures the time of a request, to one user again and again and to a random one of all. The clock is read
// around a batch of requests, because reading it takes as long as a few probes. Tradeoff times the strategies beyond
// the paper.
var Latency = experiment.Experiment{
	Name: results.Latency, About: "time of a request of 40 to 4000 candidates, hot and cold",
	Needs: func(s engine.Scope) []engine.Task {
		return append(shared.Tasks(paperEntries(s), full), inCache, longHistories)
	},
	Dimensions: []results.Dimension{by.Candidates, by.History, by.Statistic, by.Over, by.Articles},
	Rows:       latencyRows, Figures: latencyFigures, Tables: latencyTables,
}

// paperEntries returns the paper's entries of the full population.
func paperEntries(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), catalogue.Entry.IsBeyond)
}

// inCache times the paper's entries, and the queue's other way to answer ("queue-map").
var inCache = engine.Measurement[shared.HotRound]{
	Name: "hot", Cost: 1e6,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (h shared.HotRound, err error) {
		var subjects []measure.Subject
		for _, e := range paperEntries(r.Scope) {
			subjects = append(subjects, r.Subject(e))
		}
		decoder := catalogue.Must(queue.NewDecoder(queue.Paper))
		subjects = append(subjects, measure.Subject{Name: "queue-map", Strategy: decoder, Theory: decoder})
		return shared.TimeHot(ctx, r, subjects, shared.HotShown, stopwatch.Sizes)
	},
}

func latencyRows(r *engine.Run) (rows, timing []results.Row) {
	timing = hotRows(inCache.Of(r))
	for _, e := range paperEntries(r.Scope) { // cold memory takes ten million users
		for _, c := range full(e).Of(r).Alive {
			timing = append(timing, coldRows(e.Name, c)...)
		}
	}
	return nil, append(timing, longRows(longHistories.Of(r))...)
}

// Values of the dimension History: how a request's history is reached.
var (
	hot      = by.History.Is("hot")      // one user's, again and again
	cold     = by.History.Is("cold")     // a random user's
	together = by.History.Is("together") // many random users' at once
	touch    = by.History.Is("touch")    // its memory alone, not asked
)

var latencyMedian = by.Statistic.Is("p50")

// median returns the row of a request's median time.
func median(name string, history results.Condition, l stopwatch.Latency) results.Row {
	return row.Time(name, results.QRequestTime, l, 1).With(history, latencyMedian)
}

// tail returns the row of a quantile over batches of requests.
func tail(name string, history results.Condition, statistic string, nanos float64, l stopwatch.Latency) results.Row {
	r := row.Number(name, results.QRequestTime, results.Nanoseconds, nanos).Among(l.Batches)
	return r.With(history, by.Statistic.Is(statistic), by.Candidates.At(float64(l.Candidates)))
}

// over returns the row of a time divided by another in the same turn.
func over(name string, history results.Condition, what string, l, other stopwatch.Latency) results.Row {
	return row.Over(name, results.QTimeRatio, l, other).With(history, by.Over.Is(what))
}

// hotRows returns a round's rows.
func hotRows(h shared.HotRound) (timing []results.Row) {
	single := h.Of("single")
	for i, name := range h.Names {
		for j, l := range h.Latencies[i] {
			timing = append(timing, median(name, hot, l), tail(name, hot, "p99.9", l.P999, l))
			if single != nil {
				timing = append(timing, over(name, hot, "single", l, single[j]))
			}
		}
	}
	return timing
}

// coldRows returns a strategy's rows with all histories alive.
func coldRows(name string, c alive.Cold) (timing []results.Row) {
	for i, l := range c.Each {
		timing = append(timing,
			median(name, cold, l), tail(name, cold, "p99", l.P99, l), median(name, together, c.Together[i]))
	}
	return append(timing, median(name, touch, c.Touch),
		over(name, together, "hot or touch", c.Together[0], c.Longer()))
}

// longArticles are the articles in a filter when a request is timed; other times are compared with the first.
var longArticles = []int{100, 500, 2000}

// longHistories times a filter of more and more articles, which has a constant number of probes.
var longHistories = engine.Measurement[shared.HotRound]{
	Name: "hot-held", Cost: 2e4,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (h shared.HotRound, err error) {
		e, ok := r.Entry("single")
		if !ok {
			return h, nil
		}
		var subjects []measure.Subject
		for _, articles := range longArticles {
			s := r.Subject(e)
			s.Strategy = shared.Limited{Strategy: s.Strategy, Articles: articles}
			subjects = append(subjects, s)
		}
		return shared.TimeHot(ctx, r, subjects, slices.Max(longArticles), stopwatch.Sizes[:1])
	},
}

// longRows returns the time of a request by the articles in the history.
func longRows(h shared.HotRound) (timing []results.Row) {
	than := plural.Of(longArticles[0], "article", "articles")
	for i, l := range h.Latencies {
		if i > 0 {
			r := over(h.Names[i], hot, than, l[0], h.Latencies[0][0])
			timing = append(timing, r.With(by.Candidates.Is(""), by.Articles.At(float64(longArticles[i]))))
		}
	}
	return timing
}

var medians = results.Find(results.QRequestTime, by.Candidates.Open(), by.Statistic.Is("p50"))

var latencyFigures = []plots.Figure{{
	Name: "latency", Experiment: results.Latency, Query: medians.With(by.History.Is("hot")),
	Title: "Time of a request, in the cache and out of it",
	Caption: "The median time of a request by its number of candidates, for one user again and again, and for " +
		"random users.",
	Build: func(d plots.Data) plots.Sheet {
		panel := func(title, history string, strategies ...string) *plots.Panel {
			p := &plots.Panel{
				Title: title,
				X:     plots.Axis{Label: "candidates per request", Scale: plots.Log, Format: plots.Number, Labels: 3},
				Y:     plots.Axis{Label: "median time of a request", Scale: plots.Log, Min: 50, Max: 2e5, Format: plots.Duration},
			}
			for _, name := range strategies {
				p.Add(d.Joined(medians.With(by.History.Is(history)).Of(name))...)
			}
			p.TightX()
			return p
		}
		return plots.Sheet{
			Columns: 2, Height: 215, Panels: []*plots.Panel{
				panel("(a) In the cache", "hot", "queue-map", "queue", "dual", "chain", "single"),
				panel("(b) Out of the cache", "cold", "queue", "dual", "chain", "single"),
			},
			Note: "(a): one user again and again. (b): users drawn at random from all. Queue, map per request: the " +
				"paper's hash table, measured in the cache alone. The table lists the 99th percentile, and random " +
				"users queried in one call, whose waits for memory overlap.",
		}
	},
}}

var latencyTables = []text.Table{
	{
		Title: "Time of a request by candidates: hot median / cold median [p99 of batches] / cold, many at once",
		Lines: results.Q("latency: request time at candidates=40, history=hot, statistic=p50"),
		Columns: text.ByStrategy(by.Candidates, []string{"40", "100", "400", "1000", "4000"}, hotAndCold,
			"request time at history=hot, statistic=p50", "request time at history=cold, statistic=p50",
			"request time at history=cold, statistic=p99", "request time at history=together, statistic=p50"),
	},
	{
		Title: "A request of 40 candidates of many random users at once, over the larger of that of one user and of " +
			"reading the histories",
		Lines: results.Q("latency: time ratio at candidates=40, history=together, over=hot or touch"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Value("cold, many at once", "time ratio at candidates=40, history=together, over=hot or touch",
				text.Format("%.2f")),
		},
	},
}

func hotAndCold(r ...results.Row) string {
	said := text.Of(r[0])
	if r[1].Value.IsSet() {
		said += " / " + text.Of(r[1]) + " [" + text.Of(r[2]) + "] / " + text.Of(r[3])
	}
	return said
}
