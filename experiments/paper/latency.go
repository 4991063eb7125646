package paper

import (
	"context"
	"fmt"
	"strings"

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
	"dejavu/results"
	"dejavu/results/by"
)

// Latency measures the time of a request, to one user again and again and to a random one of all, beside the single
// filter's and the least that the machine allows. The clock is read around a batch of requests, because reading it
// takes as long as a few probes.
var Latency = experiment.Experiment{
	Name: results.Latency, About: "time of a request of 40 to 4000 candidates, hot and cold",
	Needs: func(s engine.Scope) []engine.Task {
		return append(shared.Tasks(shared.PaperEntries, shared.Full)(s), shared.Hot, byHeld)
	},
	Dimensions: []results.Dimension{by.Candidates, by.History, by.Statistic, by.Over, by.Articles},
	Rows:       latencyRows, Figures: latencyFigures, Tables: latencyTables,
}

func latencyRows(r *engine.Run) (rows, timing []results.Row, err error) {
	hot, err := shared.Hot.Of(r)
	if err != nil {
		return nil, nil, err
	}
	timing = append(hotRows(hot.Paper, ""), hotRows(hot.Beyond, results.Beyond)...)
	for _, e := range shared.PaperEntries(r.Scope) { // cold memory takes ten million users
		full, err := shared.Full(e).Of(r)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range full.Alive {
			timing = append(timing, coldRows(e.Name, c)...)
		}
	}
	held, err := byHeld.Of(r)
	return nil, append(timing, heldRows(held)...), err
}

// Values of the dimension History: how a request's history is reached.
var (
	hot      = by.History.Is("hot")      // one user's, again and again
	cold     = by.History.Is("cold")     // a random user's
	together = by.History.Is("together") // many random users' at once
	touch    = by.History.Is("touch")    // its memory alone, not asked
)

// Values of the dimension Statistic. Tails are over batches of requests.
var (
	latencyMedian = by.Statistic.Is("p50")
	p99           = by.Statistic.Is("p99")
	p999          = by.Statistic.Is("p99.9")
)

// requests returns the rows of a request's time: the median with its interval, and the tails.
func requests(name string, history results.Condition, l stopwatch.Latency, tails ...results.Condition) []results.Row {
	rows := []results.Row{row.Time(results.Latency, name, results.QRequestTime, l, 1).With(history, latencyMedian)}
	for i, statistic := range tails {
		nanos := []float64{l.P99, l.P999}[i]
		r := row.Number(results.Latency, name, results.QRequestTime, results.Nanoseconds, nanos).Among(l.Batches)
		rows = append(rows, r.With(history, statistic, by.Candidates.At(float64(l.Candidates))))
	}
	return rows
}

// over returns the row of a time divided by another in the same turn.
func over(name string, history results.Condition, what string, l, other stopwatch.Latency) results.Row {
	return row.Over(results.Latency, name, results.QTimeRatio, l, other).With(history, by.Over.Is(what))
}

// hotRows returns a round's rows of names with the prefix. The other names are there for comparison.
func hotRows(h shared.HotRound, prefix string) (timing []results.Row) {
	single, floor := h.Of("single"), h.Of("floor")
	for i, name := range h.Names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		for j, l := range h.Latencies[i] {
			timing = append(timing, requests(name, hot, l, p99, p999)...)
			if name == "nothing" || name == "floor" {
				continue
			}
			if single != nil {
				timing = append(timing, over(name, hot, "single", l, single[j]))
			}
			timing = append(timing, over(name, hot, "floor", l, floor[j]))
		}
	}
	return timing
}

// coldRows returns a strategy's rows with all histories alive.
func coldRows(name string, c alive.Cold) (timing []results.Row) {
	for i, l := range c.Each {
		timing = append(timing, requests(name, cold, l, p99, p999)...)
		timing = append(timing, requests(name, together, c.Together[i], p99)...)
	}
	timing = append(timing, requests(name, touch, c.Touch)...)
	return append(timing,
		over(name, together, "hot or touch", c.Together[0], c.Floor()), // the larger of the two
		row.Number(results.Latency, name, results.QUsersAlive, "", float64(c.Users)).With(cold))
}

// heldArticles are the numbers of articles held when a request is timed; others are compared with the first.
var heldArticles = []int{100, 500, 2000}

// heldNames are a filter, with a constant number of probes, and the queue, which is scanned.
var heldNames = []string{"single", "queue"}

func heldName(name string, articles int) string { return fmt.Sprintf("%s, %d held", name, articles) }

// byHeld times histories that hold more and more.
var byHeld = engine.Measurement[shared.HotRound]{
	Name: "hot-held", Cost: 5e4,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (h shared.HotRound, err error) {
		var subjects []measure.Subject
		for _, name := range heldNames {
			e, ok := r.Entry(name)
			for i := 0; ok && i < len(heldArticles); i++ {
				s := r.Subject(e)
				s.Name = heldName(name, heldArticles[i])
				s.Strategy = shared.Limited{Strategy: s.Strategy, Articles: heldArticles[i]}
				subjects = append(subjects, s)
			}
		}
		if len(subjects) == 0 {
			return h, nil
		}
		return shared.TimeHot(ctx, r, subjects, heldArticles[len(heldArticles)-1], stopwatch.Sizes[:1])
	},
}

// heldRows returns the time of a request by the articles in the history.
func heldRows(h shared.HotRound) (timing []results.Row) {
	than := plural.Of(heldArticles[0], "article", "articles")
	for _, name := range heldNames {
		few := h.Of(heldName(name, heldArticles[0]))
		for _, articles := range heldArticles[1:] {
			if many := h.Of(heldName(name, articles)); many != nil {
				r := over(name, hot, than, many[0], few[0])
				timing = append(timing, r.With(by.Candidates.Is(""), by.Articles.At(float64(articles))))
			}
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
				Y:     plots.Axis{Label: "median time of a request", Scale: plots.Log, Min: 50, Max: 5e4, Format: plots.Duration},
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
		Title: "A request of 40 candidates over its loads alone: hot, over six loads a candidate; many random " +
			"users at once, over the larger of that and of reading the histories",
		Lines: results.Q("latency: time ratio at candidates=40, history=hot, over=floor"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Value("hot", "time ratio at candidates=40, history=hot, over=floor", text.Format("%.2f")),
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
