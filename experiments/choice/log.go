package choice

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dejavu/experiments/describe"
	"dejavu/experiments/replay/replayer"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/internal/document"
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

	Read string `json:"-"` // a line on how the log was read, for people

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
		n.Articles = min(max(n.Window, int(d.PerUser.Quantiles[mostUsers])), MaxWindow)
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

// LogText is the answer to a log: what to take, what the users would have seen with it,
// which windows the log needs, and the tables of Text.
func LogText(n Need, all []Offer, l *Log, markdown bool, columns int) string {
	b := answer{markdown: markdown, columns: columns}
	b.recommendation(n, all, strings.Join(l.Go, "; "))
	if l.Recommended != "" {
		b.paragraph(l.more() + "\n")
	}
	if l.Seen != nil {
		b.render(l.seen(n))
		if l.Seen.Inside > 0 {
			b.paragraph(fmt.Sprintf("FALSE NEGATIVES: %d repeats inside the guaranteed window were shown, "+
				"which must not be.\n", l.Seen.Inside))
		}
	}
	if l.Read != "" {
		b.paragraph(l.Read + "\n")
	}
	b.render(describe.WindowTable(l.described))
	b.paragraph(l.asks(n) + "\n")
	b.tables(n, all)
	return b.String()
}

// asks says what of the log made the need.
func (l *Log) asks(n Need) string {
	if l.Repeats == 0 {
		return fmt.Sprintf("The log has no repeat, and so says nothing of the window: it is %d articles.", n.Window)
	}
	forgotten := "histories are never forgotten"
	if l.Idle > 0 {
		forgotten = fmt.Sprintf("histories are forgotten after %s without an article recorded", describe.RuleText(l.Idle))
	}
	return fmt.Sprintf("Of the %d repeats at least %.4g %% are of the last %d articles, if %s. "+
		"99 %% of the log's users are shown %d articles at most.",
		l.Repeats, 100*l.Has, n.Window, forgotten, l.described.PerUser.Quantiles[mostUsers])
}

// more says how to see more of what is recommended, and why the store salts.
func (l *Log) more() string {
	idle := "0"
	if l.Idle > 0 {
		idle = text.Duration(time.Duration(l.Idle) * time.Second)
	}
	return fmt.Sprintf("'replay --strategies %s --idle %s' shows more of it. "+
		"The 1 %% of articles shown most often have %.3g %% of the exposures: "+
		"the store salts, so that popular articles hide no others.", l.Spec, idle, 100*l.TopShare)
}

// seen is the table of what the log's users would have seen.
func (l *Log) seen(n Need) document.Table {
	s := l.Seen
	of := func(k, n int64) string {
		if n == 0 {
			return "0 of 0"
		}
		return fmt.Sprintf("%d of %d (%.4g %%)", k, n, 100*float64(k)/float64(n))
	}
	same := fmt.Sprintf("%d such users, with the store's %d bytes each", n.Users, storeBytes)
	return document.Table{
		Title:  fmt.Sprintf("What the log's %d users would have seen with it", l.Users),
		Header: []string{"what", "how much"},
		Rows: [][]string{
			{"repeats recognised", of(s.Recognised, s.Repeats)},
			{"repeats shown, the history forgotten", of(s.Forgotten, s.Repeats)},
			{"repeats shown, outside the window", of(s.Outside, s.Repeats)},
			{"repeats shown inside it, must be 0", of(s.Inside, s.Repeats)},
			{"unseen articles reported as seen", of(s.FalsePositives, s.Unseen)},
			{"wrongly suppressed of 100 exposures", fmt.Sprintf("%.3g", 100*float64(s.FalsePositives)/float64(l.Exposures))},
			{"users with a history at the end", of(s.Alive, l.Users)},
			{"payload at the end", text.Bytes(float64(s.Payload))},
			{same, bytesText(float64(n.Users) * (s.PerUser + storeBytes))},
		},
	}
}
