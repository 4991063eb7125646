package choose

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"dejavu/experiments/describe"
	"dejavu/experiments/replay"
	"dejavu/experiments/row"
	"dejavu/measure/deal"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/store"
)

const (
	// LeastIdle is the shortest recommended rule of forgetting: the paper's 24 hours.
	LeastIdle = store.Day
	// leastRepeats is the fewest repeats that say something about a window.
	leastRepeats = 100
	// DefaultWindow is used if nothing else is set.
	DefaultWindow = 400

	mostUsers = 3 // the place of 0.99 in describe.Levels
)

// A Log holds what a log's users need, and what they would have seen.
type Log struct {
	Files     []string `json:"files"`
	Users     int64    `json:"users"`
	Exposures int64    `json:"exposures"`
	Repeats   int64    `json:"repeats"`

	// The share of repeats to be recognised, and the least share recognised with Need's window and Idle.
	Share    float64         `json:"repeats_asked"`
	Has      float64         `json:"repeats_window"`
	Idle     store.Timestamp `json:"idle_seconds"` // without an article, until a history is forgotten; 0 is never
	TopShare float64         `json:"top_articles"` // of the exposures, of the hundredth part of the articles with the most

	Days        float64  `json:"days"`                  // how long the log is: no repeat is older
	Recommended string   `json:"recommended,omitempty"` // an Offer's strategy
	Spec        string   `json:"strategies,omitempty"`  // as replay --strategies takes it
	Total       int64    `json:"total_bytes,omitempty"` // it takes at most
	Go          []string `json:"go,omitempty"`          // the lines that construct it, and the store
	Seen        *Seen    `json:"seen,omitempty"`        // of the recommended one
	Held        *Held    `json:"held_out,omitempty"`
	Figures     []string `json:"figures,omitempty"` // paths, of what Save has written

	Read      string  `json:"-"` // a line on how the log was read, for people
	Needed    Need    `json:"-"`
	Offers    []Offer `json:"-"`
	described *describe.Description
}

// Seen holds the result of replaying a log with a strategy that records all of it.
type Seen struct {
	Repeats        int64   `json:"repeats"`
	Recognised     int64   `json:"recognised"`
	Forgotten      int64   `json:"shown_forgotten"` // repeats shown, by cause
	Outside        int64   `json:"shown_outside"`
	Inside         int64   `json:"shown_inside"` // must be 0
	Unseen         int64   `json:"unseen"`       // exposures of what was not shown before
	FalsePositives int64   `json:"false_positives"`
	Alive          int64   `json:"histories"` // at the end
	Payload        int64   `json:"payload_bytes"`
	PerUser        float64 `json:"bytes_a_user"`   // of a user of the log, with a history or none
	Expected       float64 `json:"expected_bytes"` // of the users asked for, with the store's bytes

	Late replay.Late `json:"held_out"`
}

// A Held compares advice from the first four fifths of a log's time with the last fifth, which it did not see.
type Held struct {
	From  int64  `json:"from"`          // seconds since 1970, from which on requests are held out
	Why   string `json:"why,omitempty"` // the first part has no answer
	First *Log   `json:"first,omitempty"`

	// Worse reports whether, of 100 repeats or more, more are shown there than twice the number asked for or promised
	// by the first part, plus three standard deviations (Poisson). Needed is the window for the share asked for there,
	// by First's rule of forgetting or, if none suffices, without one.
	Worse  bool `json:"worse"`
	Needed int  `json:"window_needed,omitempty"`
}

// Ask completes a need from a log: users, window and articles that are 0. The window is the least that has the share of
// the log's repeats. 99 % of the log's users are shown at most the articles. A negative idle stands for the rule of
// forgetting that ruled finds.
//
// It returns an error if no window up to MaxWindow has the share of repeats.
func Ask(n Need, d *describe.Description, share float64, idle int64) (*Log, error) {
	l := &Log{
		Users: d.Users, Exposures: d.Exposures, Repeats: d.Repeats, Share: share, Idle: store.Timestamp(max(0, idle)),
		TopShare: float64(d.PerArticle.Top) / float64(d.PerArticle.Sum), Days: d.Days(), described: d,
	}
	n.Users = cmp.Or(n.Users, int(d.Users))
	if idle < 0 {
		l.Idle = ruled(d, n.Window, share)
	}
	switch {
	case n.Window > 0:
	case d.Repeats == 0:
		n.Window = DefaultWindow
	default:
		window, most := d.Window(l.Idle, share)
		switch {
		case window == 0:
			return l, fmt.Errorf("--repeats is %v, and where histories are forgotten after %s "+
				"no window has more than %.4g of the log's repeats: ask for fewer, or for a longer --idle",
				share, describe.RuleText(l.Idle), most)
		case window > MaxWindow:
			return l, fmt.Errorf("--repeats is %v, which takes a window of %d, want one up to %d: ask for fewer", share, window,
				MaxWindow)
		}
		n.Window = window
	}
	l.Has = d.Within(l.Idle, n.Window)
	if n.Articles == 0 {
		n.Articles = min(max(n.Window, int(l.Most())), MaxWindow)
	}
	l.Needed = n
	return l, nil
}

// ruled returns the shortest rule of LeastIdle or more with which the window is at most a quarter longer than without a
// rule; 0 is never. A given rule must cost none of the repeats asked for.
func ruled(d *describe.Description, given int, share float64) store.Timestamp {
	longest, _ := d.Window(0, share)
	for _, rule := range d.Rules {
		window, _ := d.Window(rule, share)
		enough := window > 0 && 4*window <= 5*longest
		if given > 0 {
			enough = d.Within(rule, given) >= min(share, d.Within(0, given))
		}
		if rule >= LeastIdle && (enough || d.Repeats == 0) {
			return rule
		}
	}
	return 0
}

// Recommend finds the offers, and notes which of them to take, as Recommended says. It reports whether any fits.
func (l *Log) Recommend() (ok bool, err error) {
	n := l.Needed
	if l.Offers, err = Offers(n); err != nil {
		return false, err
	}
	o, _ := Recommended(l.Offers)
	if !o.Fits {
		return false, nil
	}
	l.Recommended, l.Total = o.Strategy, o.Total
	l.Spec = fmt.Sprintf("%s:window=%d,fpr=%v", o.kind.Name, n.reach(o.kind), n.FPR)
	idle := fmt.Sprintf(", Idle: %d * store.Day", l.Idle/store.Day)
	if l.Idle%store.Day > 0 {
		idle = fmt.Sprintf(", Idle: %d", l.Idle)
	}
	idle = strings.NewReplacer(", Idle: 0 * store.Day", "", ": 1 * ", ": ").Replace(idle)
	users := fmt.Sprintf("users, err := store.New[string](store.Config{Strategy: memory%s, Secret: secret})", idle)
	l.Go = []string{o.Go, users}
	return true, nil
}

// Replayed takes in what a replay of the log with the recommended strategy counted.
func (l *Log) Replayed(t replay.Tally) {
	c := t.Strategies[0]
	l.Seen = &Seen{
		Repeats: row.Sum(c.Repeated), Recognised: row.Sum(c.Recognised),
		Forgotten: c.Forgotten, Outside: c.Outside, Inside: c.WindowMisses,
		Unseen: c.Fresh.Queries, FalsePositives: c.Fresh.Hits,
		Alive: c.Alive, Payload: c.Payload, PerUser: float64(c.Payload) / float64(t.Log.Users), Late: c.Late,
	}
	l.Seen.Expected = float64(l.Needed.Users) * (l.Seen.PerUser + float64(l.Needed.StoreBytes()))
}

// HeldFrom returns when the last fifth of a log's time begins, in seconds since 1970.
func HeldFrom(d *describe.Description) int64 { return d.Last - d.Span()/5 }

// HeldOut compares the advice from requests before a time, first, with the replayed others.
func (l *Log) HeldOut(from int64, first *Log) {
	l.Held = &Held{From: from, First: first}
	rest := l.described.Without(first.described)
	if l.Held.Needed, _ = rest.Window(first.Idle, l.Share); l.Held.Needed == 0 {
		l.Held.Needed, _ = rest.Window(0, l.Share)
	}
	if first.Seen != nil {
		late := first.Seen.Late
		asked := max(1-l.Share, 1-first.Has) * float64(late.Repeats)
		l.Held.Worse = late.Repeats >= leastRepeats && float64(late.Repeats-late.Recognised) > 2*asked+3*math.Sqrt(asked)
	}
}

// Most returns how many articles 99 % of the log's users are shown at most.
func (l *Log) Most() int64 { return l.described.PerUser.Quantiles[mostUsers] }

var inWindow = results.Find(results.QRecognised, by.Window.Open())

var figures = []plots.Figure{{
	Name: named, Experiment: named, Query: inWindow, Strategies: plots.All,
	Title: "Windows for the log: repeats recognised, and memory",
	Caption: "The share of repeats within each window: of the whole log, of the first four fifths of its time, and " +
		"of the last fifth, which was held out. And the longest history of the five smallest structures that fit, " +
		"at the requested rate.",
	Looks: map[string]plots.Look{
		"chain":   {Name: "Chain", Color: plots.Green, Mark: plots.Diamond},
		wholeLog:  {Name: "All of the log", Color: plots.Indigo},
		firstPart: {Name: "First four fifths", Color: plots.SkyBlue, Dash: plots.Dash{4, 4}},
		lastPart:  {Name: "Last fifth, held out", Color: plots.Orange, Dash: plots.Dash{8, 2, 2, 2}},
	},
	Build: func(d plots.Data) plots.Sheet {
		windows := plots.Axis{Label: "window: the last articles of a user", Scale: plots.Log, Format: plots.Number}
		add := func(p *plots.Panel, q results.Query) *plots.Panel {
			for _, s := range d.Series(q) {
				if s.Line = s.Points; !p.Direct {
					s.Points = nil
				}
				p.Add(s)
			}
			for _, s := range d.Series(inWindow.With(by.Statistic.Is("recommended"))) {
				if s.Look.Name == "All of the log" {
					at := s.Points[0].X
					p.Guides = append(p.Guides, plots.Guide{At: at, Label: "recommended: " + plots.Number(at), Vertical: true})
				}
			}
			return p
		}
		repeats := add(&plots.Panel{
			Title: "(a) Repeats within the window", X: windows,
			Y: plots.Axis{Label: "share of repeats", Max: 1.02, Format: plots.Percent},
		}, inWindow)
		repeats.Guides = append(repeats.Guides, plots.Guide{At: 0.99, Label: "99 %"})
		memory := add(&plots.Panel{
			Title: "(b) Memory for the window", X: windows, Direct: true,
			Y: plots.Axis{Label: "bytes per user", Scale: plots.Log, Format: plots.Bytes},
		}, results.Find(results.QBytesPerUser, by.Window.Open()))
		return plots.Sheet{
			Columns: 2, Height: 190, Panels: []*plots.Panel{repeats, memory},
			Note: "Repeats whose history was forgotten are left out. Histories are forgotten after the idle time that the " +
				"whole log recommends, or, for the two parts, the first part.",
		}
	},
}}

// The parts of a log that its rows are of.
const (
	wholeLog  = "all of the log"
	firstPart = "first four fifths"
	lastPart  = "last fifth"
)

// named names the experiment in the rows' first column, and their file.
const named = "choose"

// Save writes the figure's rows, choose.csv, and the figure, figures/choose.svg and .png, into a directory: the share
// of the log's repeats in each window, and the size of the strategies that fit.
func (l *Log) Save(dir string) (err error) {
	rows := l.rows()
	path := filepath.Join(dir, results.FileName(named))
	if err := results.WriteFile(path, []results.Dimension{by.Window, by.Statistic}, rows); err != nil {
		return err
	}
	drawn, err := plots.Draw(figures, rows, filepath.Join(dir, "figures"))
	l.Figures = drawn[0].Files
	return err
}

// rows returns the figure's rows: four windows for each doubling, and one for the slower structures.
func (l *Log) rows() (rows []results.Row) {
	add := func(name, quantity, unit string, window int, v float64, where ...results.Condition) {
		where = append(where, by.Window.At(float64(window)))
		rows = append(rows, row.Number(name, quantity, unit, v).With(where...))
	}
	longest := min(max(deal.Fine.To(len(l.described.Ages)), 2*l.Needed.Window), MaxWindow)
	shares := func(name string, d *describe.Description, idle store.Timestamp, window int) {
		add(name, results.QRecognised, results.Ratio, window, d.Within(idle, window), by.Statistic.Is("recommended"))
		for i, last := 0, 0; last < longest; i++ {
			if w := min(int(math.Exp2(float64(i)/4)), longest); w > last {
				add(name, results.QRecognised, results.Ratio, w, d.Within(idle, w))
				last = w
			}
		}
	}
	shares(wholeLog, l.described, l.Idle, l.Needed.Window)
	if l.Held != nil && l.Held.First != nil {
		first := l.Held.First
		shares(firstPart, first.described, first.Idle, first.Needed.Window)
		shares(lastPart, l.described.Without(first.described), first.Idle, first.Needed.Window)
	}
	for _, o := range l.Offers[:min(5, len(l.Offers))] {
		for w := 8; o.Fits && !o.kind.endless && w <= longest; w *= 2 {
			if made, err := o.kind.Sized(w, l.Needed.FPR); err == nil {
				_, last := o.kind.span(made, w)
				add(o.Strategy, results.QBytesPerUser, results.Bytes, w, float64(made.Bytes(last)))
			}
		}
	}
	return row.In(named, rows)
}
