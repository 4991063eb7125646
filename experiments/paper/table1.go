package paper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// Table1 measures the paper's comparison of strategies: memory, false positives, the window and the time of a request.
var Table1 = experiment.Experiment{
	Name: results.Table1,
	About: "the paper's Table 1, measured: memory, false positive rate, window (times: latency; rates at 500: fpr; " +
		"changing N: extend)",
	Needs: func(s engine.Scope) []engine.Task {
		return append(fullTasks(s), shared.Tasks(withWorst(s), atWorst)...)
	},
	Dimensions: []results.Dimension{by.Statistic},
	Rows:       table1Rows, Figures: table1Figures, Tables: table1Tables,
}

// Values of the dimension Statistic.
var (
	worst = by.Statistic.Is("worst") // of a full rotation
	mean  = by.Statistic.Is("mean")  // over the ends of lives
	least = by.Statistic.Is("least")
)

// table1Rows returns the rows of memory, false positives and windows.
func table1Rows(r *engine.Run) (rows, timing []results.Row) {
	for _, e := range r.Full() {
		subject, c := r.Subject(e), full(e).Of(r).Counts
		theory := subject.Theory
		add := func(r results.Row, theory, paper float64) {
			if paper > 0 {
				r = r.Stating(paper)
			}
			rows = append(rows, r.Expect(theory).Among(cmp.Or(r.Count, c.Users)))
		}
		number := func(quantity, unit string, value float64) results.Row {
			return row.Number(e.Name, quantity, unit, value)
		}
		ofLives := func(of func(shown int) int) float64 {
			return shared.MeanOverLives(func(shown int) float64 { return float64(of(shown)) })
		}
		header := 0.
		if h, ok := subject.Strategy.(measure.HeaderSizer); ok {
			header = float64(h.HeaderBytes())
		}
		users, payload, stated := float64(c.Users), ofLives(theory.Bytes)-header, 0.
		if c.Users == 10_000_000 { // for whom the paper states totals
			stated = e.Stated.Total
		}
		add(number(results.QPayloadPerUser, results.Bytes, row.Mean(c.Payload, c.Users)-header), payload, e.Stated.Payload)
		add(number(results.QHeaderPerUser, results.Bytes, header), header, 0)
		add(number(results.QPayloadTotal, results.Bytes, float64(c.Payload)-header*users), payload*users, stated)
		if made, ok := subject.Strategy.(catalogue.Strategy); !ok || !catalogue.Endless(made) {
			moments, most := worstMoments(theory)
			fresh := measure.Rate{}
			if hasWorst(e) {
				fresh = atWorst(e).Of(r)
			} else {
				for _, i := range moments {
					measure.Sum(&fresh, c.Cycle[i])
				}
			}
			if fresh.Queries > 0 { // else too few users for a life that ends just then
				add(row.Rate(e.Name, results.QFPR, fresh).With(worst), most, 0)
			}
		}
		add(row.Rate(e.Name, results.QFPR, c.Steady()).With(mean), shared.MeanOverLives(theory.FPR), 0)
		smallest := theory.Window(workload.Least) // that any life ends with
		for shown := workload.Least; shown < 1100; shown++ {
			smallest = min(smallest, theory.Window(shown))
		}
		add(number(results.QWindow, "", float64(c.WindowLeast)).With(least), float64(smallest), e.Stated.Window)
		add(number(results.QWindow, "", row.Mean(c.Windows, c.Users)).With(mean), ofLives(theory.Window), 0)
	}
	return rows, nil
}

// worstMoments returns when the expected rate of lives that end there is highest, to a thousandth, and that rate.
// Moments are in articles beyond workload.Least.
func worstMoments(t strategies.Theory) (moments []int, worst float64) {
	var expected [workload.Turn]float64
	for i := range expected {
		share, sum := 0., 0.
		for shown := workload.Least + i; shown <= workload.MaxShown; shown += workload.Turn {
			share += workload.ShownShare(shown)
			sum += workload.ShownShare(shown) * t.FPR(shown)
		}
		expected[i] = sum / share
	}
	worst = slices.Max(expected[:])
	for i, fpr := range expected {
		if fpr >= 0.999*worst {
			moments = append(moments, i)
		}
	}
	return moments, worst
}

// hasWorst reports whether an entry is the paper's dual filter or chain, or a reading or repair of them. Their rate is
// highest at a moment when few lives end.
func hasWorst(e catalogue.Entry) bool {
	return !e.IsBeyond() && e.Name != "queue" && e.Name != "single"
}

func withWorst(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), func(e catalogue.Entry) bool { return !hasWorst(e) })
}

func worstUsers(s engine.Scope) int { return max(1, s.Users/40) }

// atWorst asks one user in 40 at an entry's worst moment, so that all rates there rest on equally many queries.
func atWorst(e catalogue.Entry) engine.Measurement[measure.Rate] {
	return engine.Measurement[measure.Rate]{
		Name: "worst-" + e.Name, Users: worstUsers, Cost: 3,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (measure.Rate, error) {
			population := catalogue.Must(workload.NewFull(r.Seed, worstUsers(r.Scope)))
			s := r.Subject(e)
			moments, _ := worstMoments(s.Theory)
			return measure.Each(ctx, r.Options, users, func() (*measure.Rate, func(user int)) {
				shown, fresh := make([]strategies.ID, workload.Least+moments[0]), make([]strategies.ID, measure.Asked)
				var rate measure.Rate
				var asker measure.Asker
				var history []byte
				return &rate, func(user int) {
					reader := population.Reader(user)
					reader.IDs(shown, 0)
					reader.IDs(fresh, workload.Fresh)
					history = s.Strategy.Record(history[:0], shown)
					rate.Add(len(fresh), asker.Count(s.Strategy, history, fresh))
				}
			})
		},
	}
}

var payload = results.Find(results.QPayloadPerUser)

var table1Figures = []plots.Figure{{
	Name: "table1", Experiment: results.Table1, Query: payload, Build: compared,
	Title: "The paper's strategies: memory, false positives, window and time",
	Caption: "Bytes per user, false positives, the window and the time of a request for the paper's strategies, " +
		"and for a chain that is sized for its union; in brackets the paper's figures.",
}}

// compared draws a panel for each property. The single filter, which never forgets, comes last, in hollow bars.
func compared(d plots.Data) plots.Sheet {
	const endless = "single"
	forgetting := []string{"queue", "dual", "chain", "chain-sized"}
	places := append(d.Ranked(payload, forgetting...), d.Ranked(payload, endless)...)
	look := func(strategy string) plots.Look {
		if strategy == endless {
			return d.Look(strategy).Hollow()
		}
		return d.Solid(strategy)
	}
	// The axis ends at max, or if that is 0 behind the longest bar, as for times, which depend on the machine.
	panel := func(title, label string, max float64, format plots.Format, values plots.Groups) *plots.Panel {
		x := plots.Axis{Label: label, Max: max, Format: format, Labels: 3, ShowValues: true, Least: true}
		p := &plots.Panel{Title: title, X: x, Y: plots.Axis{Blank: true}}
		return p.Bars(places, values, look)
	}
	memory := panel("Memory per user", "bytes (less is better)", 8800, plots.Bytes,
		d.Find(payload).Plus(d.Find(results.Find(results.QHeaderPerUser))))
	memory.Y.Blank = false
	rates := slices.Concat(d.Find(results.Find(results.QFPR, worst)),
		d.Find(results.Find(results.QFPR, by.Articles.At(500)).In(results.FPR).Of(endless)))
	window := panel("Guaranteed window", "articles (more is better)", 1000, nil,
		d.Ranked(results.Find(results.QWindow, least), forgetting...))
	window.X.Least, window.X.Most = false, true
	for i, g := range places {
		if g.Strategy == endless {
			window.Endless(look(endless), window.Place(i), "never forgets")
		}
	}
	return plots.Sheet{
		Columns: 4, Height: 48 + 25*float64(len(places)),
		Panels: []*plots.Panel{
			memory, panel("False positives, worst", "rate (less is better)", 0.15, plots.Percent, rates), window,
			panel("Time of a request", "time (less is better)", 0, plots.Duration,
				d.Find(results.Find(results.QRequestTime, hot, latencyMedian, by.Candidates.At(40)).In(results.Latency))),
		},
		Note: "A full history, and a request of 40 candidates. In brackets: the paper's figures. Bold: the best. Rates " +
			"are at the worst moment of a rotation. Hollow: the single filter never forgets; its rate is after 500 " +
			"articles.",
	}
}

// Columns that several of the tables have.
var (
	strategy  = text.Column{Header: "strategy", Write: name}
	rateWorst = text.Values("FPR at worst", worstRate,
		"fpr at statistic=worst", "fpr: fpr at articles=500", "fpr: fpr at articles=1000", "fpr: fpr at articles=2000")
	rateMean    = text.Value("mean over lives", "fpr at statistic=mean", text.WithTheory)
	perUser     = text.Value("payload a user", "payload per user", text.WithPaper)
	windowMean  = text.Value("mean", "guaranteed window at statistic=mean", text.WithPaper)
	requestTime = text.Values("request of 40", bothWays,
		"latency: request time at candidates=40, history=hot, statistic=p50",
		"latency: request time of queue-map at candidates=40, history=hot, statistic=p50")
)

// windowLeast returns the column of the guaranteed window.
func windowLeast(header string) text.Column {
	return text.Value(header, "guaranteed window at statistic=least", text.WithPaper)
}

// Table 1, with the paper's values in round brackets and expected ones in square ones; and the same beyond the paper.
var table1Tables = []text.Table{
	{
		Heading: heading, Lines: payload.In(results.Table1), Keep: func(r results.Row) bool { return !isBeyond(r) },
		Columns: []text.Column{
			strategy, perUser,
			text.Value("payload", "payload total", text.WithPaper),
			rateWorst, rateMean, windowLeast("guaranteed window"), windowMean,
			text.Value("retained at N→1000", "extend: articles retained", text.Of),
			requestTime,
		},
	},
	{
		Title: "Table 1 for what the paper did not try, made for a window of 400 at 2 % where a window can be " +
			"guaranteed",
		Lines: payload.In(results.Table1), Keep: isBeyond,
		Columns: []text.Column{
			strategy, perUser, text.Value("header", "header per user", text.WithPaper),
			rateWorst, rateMean, windowLeast("guaranteed window"), windowMean,
			text.Value("a candidate", "tradeoff: ns per candidate at candidates=40, sized=2 %", text.Of),
		},
	},
}

// Headline lists the columns of the README's table: the paper's strategies, and its chain sized for its union.
var Headline = text.Table{
	Heading: heading, Lines: payload.In(results.Table1),
	Keep: func(r results.Row) bool {
		e, err := catalogue.Find(r.Strategy)
		return !isBeyond(r) && err == nil && (!e.Sampled() || e.SizeOf != "")
	},
	Columns: []text.Column{
		strategy,
		text.Values("bytes, mean", whole, "payload per user", "header per user"),
		text.Value("at most", "payload per user", longest),
		rateWorst, windowLeast("window"),
	},
}

// heading returns the title of Table 1 with the number of users.
func heading(c results.Cells) string {
	users := ""
	if r, ok := c.One(payload.In(results.Table1).Of("queue")); ok {
		users = " over " + text.Thousands(int(r.Count)) + " users"
	}
	return "Table 1, measured" + users + " (in round brackets: the paper; in square ones: theory)"
}

func isBeyond(r results.Row) bool { return strings.HasPrefix(r.Strategy, results.Beyond) }

// whole writes a history's bytes on average, its header included.
func whole(r ...results.Row) string {
	sum := r[0]
	sum.Value = results.Num(sum.Value.Or(0) + r[1].Value.Or(0))
	return text.Of(sum)
}

// longest writes the bytes of the strategy's longest history, beside the paper's, which are a maximum too.
func longest(r results.Row) string {
	e, err := catalogue.Find(r.Strategy)
	if err != nil {
		return text.None
	}
	sizes := catalogue.Must(e.Make()).Sizes()
	r.Value = results.Num(float64(sizes[len(sizes)-1]))
	return text.WithPaper(r)
}

// bothWays writes the time of a request. For the queue it adds the time of the paper's hash table, if it was timed.
func bothWays(r ...results.Row) string {
	switch scan, decoded := text.Of(r[0]), text.Of(r[1]); {
	case r[0].Strategy != "queue":
		return scan
	case !r[1].Value.IsSet():
		return scan + " by a scan"
	default:
		return scan + " by a scan, " + decoded + " by the paper's hash table"
	}
}

// name writes the name of a strategy and, if only some users run on it, their share.
func name(r ...results.Row) string {
	if e, err := catalogue.Find(r[0].Strategy); err == nil && e.Sampled() {
		return fmt.Sprintf("%s (users/%d)", e.Name, e.Share)
	}
	return r[0].Strategy
}

// worstRate writes the rate at the worst moment of a rotation and half its 95 % interval. For a strategy that never
// forgets it writes the rates after 500, 1000 and 2000 articles.
func worstRate(r ...results.Row) string {
	worst := r[0]
	half := (worst.High.Or(0) - worst.Low.Or(0)) / 2
	switch {
	case !worst.Value.IsSet():
		var lives []string
		for _, life := range r[1:] {
			if life.Value.IsSet() {
				lives = append(lives, fmt.Sprintf("%s at %s", text.WithPaper(life), life.Where.Of(by.Articles)))
			}
		}
		return strings.Join(lives, ", ")
	case worst.Value.Or(0) > 0 && half > 0:
		return fmt.Sprintf("%s ± %.2f [%s]", text.Percent(worst.Value.Or(0)), 100*half, text.Percent(worst.Theory.Or(0)))
	}
	return text.WithTheory(worst)
}
