package paper

import (
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Serve measures the store under requests from many goroutines with all users alive, and the cost of garbage
// collection.
var Serve = experiment.Experiment{
	Name: results.Serve, About: "requests from many goroutines, and the garbage collector meanwhile",
	Needs:      shared.Tasks(shared.PaperEntries, shared.Full),
	Dimensions: []results.Dimension{by.Goroutines},
	Rows:       shared.ByEntry(shared.PaperEntries, shared.Full, serveOfEntry), // throughput is that of ten million users
	Figures:    serveFigures, Tables: serveTables,
}

// collectEvery is how often Go's collector runs where nothing is allocated that would make it run sooner.
const collectEvery = 2 * time.Minute

func serveOfEntry(_ *engine.Run, e catalogue.Entry, full shared.FullResult) (rows, timing []results.Row, err error) {
	for _, alive := range full.Alive {
		timing = append(timing, serveRows(e, alive)...)
	}
	return nil, timing, nil
}

func serveRows(e catalogue.Entry, a shared.AliveResult) (timing []results.Row) {
	number := func(quantity, unit string, value float64, count int64) results.Row {
		return row.Number(results.Serve, e.Name, quantity, unit, value).Among(count)
	}
	c, users := a.Collection, int64(a.Cold.Users)
	for _, v := range a.Serving {
		idle := c.CPU / (collectEvery.Seconds() * float64(v.Goroutines))
		for _, r := range []results.Row{
			number(results.QRequestsPerSecond, "", v.PerSecond(), v.Requests),
			number(results.QFairness, results.Ratio, float64(v.Least)/float64(max(v.Most, 1)), v.Requests),
			number("collections", "", float64(v.Collections), v.Requests),
			number("pauses", results.Nanoseconds, float64(v.Pause), v.Requests),
			number("heap bytes per request", results.Bytes, row.Mean(v.Allocated, v.Requests), v.Requests),
			number(results.QCollectShare, results.Ratio, v.CollectorShare(), v.Collections).Expect(idle),
		} {
			timing = append(timing, r.With(by.Goroutines.At(float64(v.Goroutines))))
		}
	}
	all := by.Goroutines.At(float64(c.Goroutines))
	return append(timing,
		number(results.QForcedCPU, results.Nanoseconds, 1e9*c.CPU, int64(c.Times)).With(all),
		number(results.QForcedPause, results.Nanoseconds, float64(c.Pause), int64(c.Times)).With(all),
		number(results.QObjectsPerUser, "", row.Mean(a.HeapObjects, users), users))
}

var serveFigures = []plots.Figure{{
	Name: "serve", Experiment: results.Serve, Query: results.Find(results.QRequestsPerSecond, by.Goroutines.Open()),
	Title: "Requests a second, by goroutines", Caption: "Requests per second of one goroutine, and of two.",
	Looks: map[string]plots.Look{"queue": {Name: "Queue (as many users as fit)", Color: plots.Black}},
	Build: oneAndTwo,
}}

// oneAndTwo says why there is no figure of one goroutine.
func oneAndTwo(d plots.Data) plots.Sheet {
	one := d.Find(results.Find(results.QRequestsPerSecond, by.Goroutines.At(1)))
	places := d.Ranked(results.Find(results.QRequestsPerSecond, by.Goroutines.At(2)), "queue", "single", "dual", "chain")
	if len(places) == 0 {
		return plots.Sheet{
			Reason: "experiment " + results.Serve + " had one processor, and so one goroutine: there is nothing to " +
				"compare",
		}
	}
	hollow := plots.Square.Hollow()
	p := &plots.Panel{
		Title: "Histories of random users",
		X:     plots.Axis{Label: "requests per second", Format: plots.Count, Labels: 4, Told: true},
		Key: []plots.Look{
			{Name: "one goroutine", Color: plots.Slate, Mark: hollow}, {Name: "two", Color: plots.Slate, Mark: plots.Square},
		},
	}
	p.Named(places, d.Look)
	for i, g := range places {
		if v, ok := one.Of(g.Strategy).Total(); ok {
			p.Bar(d.Look(g.Strategy).With(hollow), p.Place(i)+0.2, v.Y)
		}
		v, _ := g.Total()
		p.Bar(d.Look(g.Strategy), p.Place(i)-0.2, v.Y)
	}
	return plots.Sheet{
		Columns: 1, Height: 60 + 30*float64(len(places)), Panels: []*plots.Panel{p},
		Note: "Each goroutine repeats: query 40 candidates of a random user, and record the first ten that pass. " +
			"Not all users' queues fit in memory. The table has other numbers of goroutines, as far as there are " +
			"processors.",
	}
}

var serveTables = []text.Table{
	{
		Title: "Requests a second by goroutines: 40 candidates asked, 10 recorded",
		Lines: results.Q("serve: requests per second at goroutines=*"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Condition("goroutines", by.Goroutines),
			text.Value("requests a second", "requests per second at goroutines=*", text.Format("%.0f")),
			text.Value("least served over most", "fairness at goroutines=*", text.Format("%.2f")),
		},
	},
	{
		Title: "The garbage collector while all processors serve: by itself [theory: once in two minutes], and " +
			"made to run",
		Lines: results.Q("serve: collection cpu at goroutines=*"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Value("heap objects a user", "heap objects per user", text.Of),
			text.Value("heap bytes a request", "heap bytes per request at goroutines=*", text.Format("%.2g")),
			text.Value("share of CPU", "gc share at goroutines=*", text.WithTheory),
			text.Value("CPU of a collection", "collection cpu at goroutines=*", text.Of),
			text.Value("longest pause", "collection pause at goroutines=*", text.Of),
		},
	},
}
