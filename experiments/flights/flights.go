// Package flights replays a small real log, so that what was found of simulated users stands beside users whom nobody
// simulated. README.md says where the log comes from, and what its users and articles are: routes, each of which is
// "shown" an aircraft with every flight.
//
// It replays the log twice, with the rule that forgets a history after 24 idle hours and without. The truth is exact.
// Of the seed depend the articles' IDs alone, and so which unseen ones are false positives.
package flights

import (
	"bytes"
	_ "embed"
	"fmt"

	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/replay/replayer"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload/logs"
)

// Experiment is flights. It has no measurement to be shared out: the whole log takes about a second.
var Experiment = experiment.Experiment{
	Name:       results.Flights,
	About:      "a real log, three months of flights: FPR, repeats shown and bytes, beside simulated users",
	Dimensions: []results.Dimension{by.Rule, by.Age, by.Cause},
	Rows:       rows, Figures: figures, Tables: tables,
}

//go:embed flights.csv.zst
var packed []byte

// Open opens the log, whose articles have IDs that follow from the seed. The caller closes it.
func Open(seed uint64) (*Log, error) {
	l, err := logs.New(bytes.NewReader(packed), "flights.csv.zst", logs.Options{})
	if err != nil {
		return nil, fmt.Errorf("flights: %w", err)
	}
	return &Log{l, seed}, nil
}

// A Log is the flights, in the order of their times.
type Log struct {
	*logs.Log
	seed uint64
}

// NextRequest is the next flight, nothing after the last.
func (l *Log) NextRequest() []logs.Event {
	events := l.Log.NextRequest()
	for i := range events {
		events[i].Article = strategies.Number(uint64(events[i].Article) ^ l.seed)
	}
	return events
}

// rules are the values of the dimension Rule: after how long an idle history is forgotten.
var rules = []struct {
	name string
	idle store.Timestamp
}{{"24h", store.Day}, {"none", 0}}

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	entries := r.Full()
	subjects := make([]measure.Subject, len(entries))
	for i, e := range entries {
		subjects[i] = r.Subject(e)
	}
	for _, rule := range rules {
		tally, err := replayed(r, subjects, replayer.Config{Idle: rule.idle})
		if err != nil {
			return nil, nil, fmt.Errorf("flights: %w", err)
		}
		if rows == nil {
			rows = ofLog(tally)
		}
		for i, s := range subjects {
			for _, found := range ofStrategy(s, tally.Strategies[i], tally.Log.Exposures) {
				rows = append(rows, found.With(by.Rule.Is(rule.name)))
			}
		}
	}
	return rows, nil, nil
}

func replayed(r *engine.Run, subjects []measure.Subject, c replayer.Config) (replayer.Tally, error) {
	log, err := Open(r.Seed)
	if err != nil {
		return replayer.Tally{}, err
	}
	defer log.Close()
	return c.Run(r.Context(), subjects, log, r.Options)
}

func number(strategy, quantity, unit string, n float64) results.Row {
	return row.Number(results.Flights, strategy, quantity, unit, n)
}

// ofLog are the rows of the log itself, which name no strategy.
func ofLog(t replayer.Tally) []results.Row {
	count := func(quantity string, n int64) results.Row { return number("", quantity, "", float64(n)) }
	return []results.Row{
		count(results.QUsers, t.Log.Users), count(results.QExposures, t.Log.Exposures),
		count(results.QRepeats, row.Sum(t.Strategies[0].Repeated)),
	}
}

// ofStrategy are the rows of a strategy under one rule. Theory is of the different articles that histories hold.
func ofStrategy(s measure.Subject, c replayer.Counts, exposures int64) []results.Row {
	fpr := row.Shared(results.Flights, s.Name, results.QFPR, c.Fresh, c.Articles)
	fpr.Theory = replayer.ExpectedOfDistinct(s, c)
	repeats := row.Sum(c.Repeated) - row.Sum(c.Recognised)
	rows := []results.Row{
		fpr,
		number(s.Name, results.QRepeatRate, results.Ratio, row.Mean(repeats, exposures)).Among(exposures),
		number(s.Name, results.QRepeatsShown, "", float64(c.Forgotten)).With(by.Cause.Is("history forgotten")),
		number(s.Name, results.QRepeatsShown, "", float64(c.Outside)).With(by.Cause.Is("outside the window")),
		number(s.Name, results.QInside, "", float64(c.WindowMisses)).Expect(0).Among(c.WindowChecks),
		number(s.Name, results.QPayloadTotal, results.Bytes, float64(c.Payload)).Among(c.Alive),
	}
	// Ages in octaves: at 1, 2 to 3, 4 to 7 and so on.
	for bin := deal.AgeBin(1); bin < len(c.Repeated); {
		from, known, of := deal.AgeOf(bin), int64(0), int64(0)
		for ; bin < len(c.Repeated) && deal.AgeOf(bin) < 2*from; bin++ {
			known, of = known+c.Recognised[bin], of+c.Repeated[bin]
		}
		if of > 0 {
			r := number(s.Name, results.QRetention, results.Ratio, row.Mean(known, of)).Among(of)
			rows = append(rows, r.With(by.Age.At(float64(from))))
		}
	}
	return rows
}

var byAge = results.Find(results.QRetention, by.Age.Open())

var figures = []plots.Figure{{
	Name: "flights", Experiment: results.Flights, Query: byAge.With(by.Rule.Is("none")),
	Title: "A log of flights: repeats recognised, by age",
	Caption: "Three months of flights: the share of repeats recognised, by how many articles ago the article was " +
		"shown, where idle users are forgotten after 24 hours and where nobody is.",
	Build: func(d plots.Data) plots.Sheet {
		panel := func(title, rule string) *plots.Panel {
			p := &plots.Panel{
				Title: title,
				X:     plots.Axis{Label: "age: articles shown since", Min: -0.5, Max: 12, Format: plots.PowerOfTwo, Labels: 8},
				Y:     plots.Axis{Label: "share recognised", Max: 1.02, Format: plots.Percent},
				Guides: []plots.Guide{
					{At: 7.644, Vertical: true, Color: plots.Blue}, {At: 8.644, Vertical: true, Color: plots.Green},
					{At: 8.966, Label: "500", Vertical: true, Color: plots.Black},
				},
			}
			for _, s := range plots.Unvaried(d.Series(byAge.With(by.Rule.Is(rule)))) {
				s.Points, s.Join = plots.MidBin(s.Points), true
				p.Add(s)
			}
			return p
		}
		return plots.Sheet{
			Columns: 2, Height: 185,
			Panels: []*plots.Panel{
				panel("(a) Nobody is forgotten", "none"), panel("(b) Users idle for 24 hours are forgotten", "24h"),
			},
			Note: "Users are routes, articles are aircraft. Ages are binned in powers of two; a mark stands in the " +
				"middle of its bin. Dashed: the windows of the dual filter (200), the chain (400) and the queue " +
				"(500); the single filter never forgets. A mark may hide another of the same value.",
		}
	},
}}

var tables = []text.Table{{
	Title: "A real log, three months of flights, beside simulated users of thirty days, as log / simulated; with " +
		"the 24 h rule",
	Lines: results.Q("flights: fpr at rule=24h"),
	Columns: []text.Column{
		text.Strategy("strategy"),
		text.Value("FPR, log", "fpr at rule=24h", text.Of),
		text.Values("95 %", interval, "fpr at rule=24h"),
		text.Values("theory", theory, "fpr at rule=24h"),
		text.Value("FPR, simulated", "daily: fpr at rule=24h", text.Of),
		text.Values("repeats shown of 1000", beside(ofThousand),
			"repeats per article shown at rule=24h", "daily: repeats per article shown at rule=24h"),
		text.Values("without the rule", beside(ofThousand),
			"repeats per article shown at rule=none", "daily: repeats per article shown at rule=none"),
		text.Values("bytes a history", beside(each), "payload total at rule=24h", "daily: payload total at rule=24h"),
	},
}}

func ofThousand(r results.Row) string { return fmt.Sprintf("%.3g", 1000*r.Value.Or(0)) }

// each is the mean of a total.
func each(r results.Row) string {
	r.Value = results.Num(row.Mean(int64(r.Value.Or(0)), r.Count))
	return text.Of(r)
}

// beside is the log's number and that of simulated users, where there is one.
func beside(show func(results.Row) string) func(...results.Row) string {
	return func(r ...results.Row) string {
		cells := [2]string{text.None, text.None}
		for i, one := range r {
			if one.Value.IsSet() {
				cells[i] = show(one)
			}
		}
		return cells[0] + " / " + cells[1]
	}
}

// interval is a rate's, of as many digits as the rate.
func interval(r ...results.Row) string {
	if !r[0].High.IsSet() {
		return text.None
	}
	return text.Percent(r[0].Low.Or(0)) + " to " + text.Percent(r[0].High.Or(0))
}

// theory is that of a rate, where one is known.
func theory(r ...results.Row) string {
	if v, ok := r[0].Theory.Get(); ok {
		return text.Percent(v)
	}
	return text.None
}
