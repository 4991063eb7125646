package choice

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"dejavu/experiments/describe"
	"dejavu/experiments/replay/replayer"
	"dejavu/experiments/row"
	"dejavu/store"
)

// A Log is what a log says of what its users need, and what they would have seen. Its
// windows are those of describe: as far as bins of ages tell, which is an eighth.
type Log struct {
	Files     []string `json:"files"`
	Users     int64    `json:"users"`
	Exposures int64    `json:"exposures"`
	Repeats   int64    `json:"repeats"`

	// Of the repeats, the share to be recognised, and the share that certainly is, at
	// least, with Need's window and Idle.
	Share float64 `json:"repeats_asked"`
	Has   float64 `json:"repeats_window"`

	Idle     store.Timestamp `json:"idle_seconds"` // without an article, until a history is forgotten; 0 is never
	TopShare float64         `json:"top_articles"` // of the exposures, of the hundredth part of the articles with the most

	Recommended string   `json:"recommended,omitempty"` // an Offer's strategy
	Spec        string   `json:"strategies,omitempty"`  // as replay --strategies takes it
	Go          []string `json:"go,omitempty"`          // the lines that construct it, and the store
	Seen        *Seen    `json:"seen,omitempty"`        // of the recommended one

	Read   string `json:"-"` // a line on how the log was read, for people
	Needed Need   `json:"-"`

	described *describe.Description
}

// Seen is what a log's users would have seen with a strategy: the log replayed, all of it recorded.
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
	PerUser        float64 `json:"bytes_a_user"` // of a user of the log, with a history or none
}

// LeastIdle is the shortest rule of forgetting that is recommended: the paper's 24 hours.
const LeastIdle = store.Day

// Ask completes a need by a log: what is 0 in it, of users, window and articles, is the log's. The window is
// the least that has the share of the log's repeats. The articles are those that 99 % of the log's users do
// not exceed. Idle is given, or below 0: then it is the rule of forgetting that ruled finds.
//
// An error is for a share of repeats that no window of MaxWindow has.
func Ask(n Need, d *describe.Description, share float64, idle int64) (Need, *Log, error) {
	l := &Log{
		Users: d.Users, Exposures: d.Exposures, Repeats: d.Repeats, Share: share, Idle: store.Timestamp(max(0, idle)),
		TopShare: float64(d.PerArticle.Top) / float64(d.PerArticle.Sum), described: d,
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
			return n, l, fmt.Errorf("--repeats is %v, and where histories are forgotten after %s "+
				"no window has more than %.4g of the log's repeats: ask for fewer, or for a longer --idle",
				share, describe.RuleText(l.Idle), most)
		case window > MaxWindow:
			return n, l, fmt.Errorf("--repeats is %v, which takes a window of %d articles, want one up to %d: ask for fewer",
				share, window, MaxWindow)
		}
		n.Window = window
	}
	l.Has = d.Within(l.Idle, n.Window)
	if n.Articles == 0 {
		n.Articles = min(max(n.Window, int(l.Most())), MaxWindow)
	}
	return n, l, nil
}

// ruled is the shortest rule of LeastIdle and more, 0 being never, with which the window is at most a quarter
// longer than without any, or, where that is given, which costs none of the repeats that are asked for.
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

// DefaultWindow is where nothing says another.
const DefaultWindow = 400

// mostUsers is the place of 0.99 in describe.Levels.
const mostUsers = 3

// Recommend notes which of the offers to take, as Recommended says, and reports whether any fits.
func (l *Log) Recommend(n Need, all []Offer) bool {
	o, _, ok := Recommended(all)
	if !ok {
		return false
	}
	l.Recommended = o.Strategy
	rate := strconv.FormatFloat(n.FPR, 'g', -1, 64)
	l.Spec = fmt.Sprintf("%s:window=%d,fpr=%s", o.kind.Name, n.reach(o.kind), rate)
	idle := ""
	if l.Idle > 0 {
		idle = fmt.Sprintf(", Idle: %d", l.Idle)
		if l.Idle%store.Day == 0 {
			idle = strings.Replace(fmt.Sprintf(", Idle: %d * store.Day", l.Idle/store.Day), "1 * ", "", 1)
		}
	}
	users := fmt.Sprintf("users, err := store.New[string](store.Config{Strategy: memory%s, Secret: secret})", idle)
	l.Go = append(strings.Split(o.Go, "; "), users)
	return true
}

// Replayed takes in what a replay of the log with the recommended strategy counted.
func (l *Log) Replayed(t replayer.Tally) {
	c := t.Strategies[0]
	l.Seen = &Seen{
		Forgotten: c.Forgotten, Outside: c.Outside, Inside: c.WindowMisses,
		Unseen: c.Fresh.Queries, FalsePositives: c.Fresh.Hits, Alive: c.Alive, Payload: c.Payload,
		PerUser: float64(c.Payload) / float64(t.Log.Users),
		Repeats: row.Sum(c.Repeated), Recognised: row.Sum(c.Recognised),
	}
}

// Most is the articles that 99 % of the log's users are shown at most.
func (l *Log) Most() int64 { return l.described.PerUser.Quantiles[mostUsers] }
