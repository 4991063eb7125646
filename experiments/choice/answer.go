package choice

import (
	"cmp"
	_ "embed"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"text/template"

	"dejavu/experiments/describe"
	"dejavu/experiments/replay/replayer"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/results"
	"dejavu/store"
)

//go:embed answer.txt
var answerText string

var answers = template.Must(template.New("answer").Funcs(template.FuncMap{
	"short":      short,
	"bytes":      func(v any) string { return bytesText(float(v)) },
	"exact":      func(v any) string { return text.Bytes(float(v)) },
	"percent":    text.Percent,
	"nanos":      text.Nanos,
	"thousands":  text.Thousands,
	"rule":       describe.RuleText,
	"mean":       row.Mean,
	"of":         share,
	"hundred":    func(digits int, share float64) string { return fmt.Sprintf("%.*g", digits, 100*share) },
	"inAll":      func(each float64, users int) float64 { return float64(users) * (each + storeBytes) },
	"twice":      func(n int) int { return 2 * n },
	"history":    func(o Offer) int { return o.Payload + o.Header },
	"endless":    func(o Offer) bool { return o.kind.endless },
	"made":       func(o Offer) bool { return o.made != nil },
	"reason":     func(o Offer) string { return strings.TrimPrefix(o.Why, short(o.Strategy)+": ") },
	"slower":     func(s said) string { return fmt.Sprintf("%.2g", s.Smallest.Nanos/s.Take.Nanos) },
	"nearest":    nearest,
	"candidates": func() int { return candidates },
	"store":      func() int { return storeBytes },
	"machine":    func() string { return reference().machine },
}).Parse(answerText))

// A said is what the answer is made of.
type said struct {
	Need           Need
	All            []Offer
	Fitting        int
	Take, Smallest Offer  // see Recommended
	Go             string // the code of what to take, its lines separated by "; "
	Log            *Log
}

// say is a part of the answer by its name in answer.txt.
func say(part string, n Need, all []Offer, log *Log) string {
	s := said{Need: n, All: all, Fitting: Fitting(all), Log: log}
	s.Take, s.Smallest, _ = Recommended(all)
	if s.Go = s.Take.Go; log != nil {
		log.Needed = n
		s.Go = strings.Join(log.Go, "; ")
	}
	var b strings.Builder
	if err := answers.ExecuteTemplate(&b, part, s); err != nil {
		panic(err) // for any offers alike, and so in each test
	}
	return b.String()
}

// marks are what parts of answer.txt begin with.
var marks = regexp.MustCompile(`(?m)^[¶*>#@]`)

// Text is the answer for people, for a terminal of so many columns (0 for as many as it takes) or in Markdown: what to
// take, what fits and what a request costs there, the Go code of each, and which constraint to relax for the others. Of
// a log, which may be nil, it says what the users would have seen, and which windows the log needs.
func Text(n Need, all []Offer, log *Log, markdown bool, columns int) string {
	var b strings.Builder
	paragraph := func(text, bullet string) {
		if markdown {
			fmt.Fprintln(&b, bullet+text)
		} else {
			fmt.Fprintln(&b, document.Wrap(text, cmp.Or(columns, textColumns), "  "))
		}
	}
	render := func(t document.Table) {
		switch {
		case len(t.Rows) == 0:
		case markdown:
			fmt.Fprintln(&b, t.Markdown())
		default:
			fmt.Fprintln(&b, t.Within(columns))
		}
	}
	answer := marks.ReplaceAllString(say("answer", n, all, log), "\x00$0")
	for part := range strings.SplitSeq(answer, "\x00") {
		mark, rest, _ := strings.Cut(strings.TrimSpace(part), " ")
		switch {
		case mark == "¶":
			paragraph(rest+"\n", "")
		case mark == "*":
			paragraph(rest, "- ")
		case mark == "@windows":
			render(describe.WindowTable(log.described))
		case mark == "#":
			render(document.Declared(strings.Split(rest, "\n")))
		case mark == ">" && rest != "":
			code := strings.ReplaceAll(strings.TrimSuffix(rest, ";"), "; ", "\n")
			if markdown {
				code = "```go\n" + code + "\n```"
			}
			fmt.Fprint(&b, code, "\n\n")
		}
	}
	return b.String()
}

// textColumns is how wide a paragraph is where no terminal says.
const textColumns = 140

// short is a name without where it comes from.
func short(name string) string { return strings.TrimPrefix(name, results.Beyond) }

// bytesText is a number of bytes that is enough.
func bytesText(bytes float64) string { return text.Bytes(roundUp(bytes)) }

// float is any number.
func float(v any) float64 { return reflect.ValueOf(v).Convert(reflect.TypeFor[float64]()).Float() }

func share(k, n int64) string {
	if n == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d (%.4g %%)", k, n, 100*float64(k)/float64(n))
}

const (
	// more is how many times the bytes of the smallest one may take that answers at least faster times as fast.
	more   = 1.25
	faster = 2
)

// Recommended is the offer to take: of those that fit and keep their window for ever the smallest, or, where
// a slightly larger one is much faster, that one; where none keeps its window for ever, the smallest of those
// with a fixed capacity. Offers must stand in the order of Offers. It reports whether any fits.
func Recommended(all []Offer) (take, smallest Offer, ok bool) {
	for _, o := range all {
		switch {
		case !o.Fits:
		case !ok:
			take, smallest, ok = o, o, true
		case o.kind.endless != smallest.kind.endless || float64(o.User) > more*float64(smallest.User):
		case o.Nanos > 0 && faster*o.Nanos <= smallest.Nanos && o.Nanos < take.Nanos:
			take = o
		}
	}
	return take, smallest, ok
}

// nearest says what the least change of each constraint is that has something fit, of what keeps its window for ever.
func nearest(n Need, all []Offer) string {
	least, longest, lowest := Offer{}, Offer{}, Offer{}
	for _, o := range all {
		if o.kind.endless {
			continue
		}
		if o.made != nil && (least.made == nil || o.Total < least.Total) {
			least = o
		}
		if o.PossibleWindow > longest.PossibleWindow {
			longest = o
		}
		if o.PossibleFPR > n.FPR && (lowest.PossibleFPR == 0 || o.PossibleFPR < lowest.PossibleFPR) {
			lowest = o
		}
	}
	var ways []string
	way := func(possible bool, format string, value any, o Offer) {
		if possible {
			ways = append(ways, fmt.Sprintf(format, value, short(o.Strategy)))
		}
	}
	way(least.made != nil && n.Memory > 0, "give %s, which %s takes", bytesText(float64(least.Total)), least)
	way(lowest.PossibleFPR > 0, "accept an FPR of %s (%s)", text.Percent(lowest.PossibleFPR), lowest)
	way(longest.PossibleWindow > 0, "remember the last %d articles (%s)", longest.PossibleWindow, longest)
	if ways == nil {
		return "Relaxing one constraint alone does not help."
	}
	sentence := strings.Join(ways, ", or ")
	return strings.ToUpper(sentence[:1]) + sentence[1:] + "."
}

const (
	// LeastIdle is the shortest rule of forgetting that is recommended: the paper's 24 hours.
	LeastIdle = store.Day
	// DefaultWindow is where nothing says another.
	DefaultWindow = 400

	mostUsers = 3 // the place of 0.99 in describe.Levels
)

// A Log is what a log says of what its users need, and what they would have seen. Its
// windows are those of describe: as far as bins of ages tell, which is an eighth.
type Log struct {
	Files     []string `json:"files"`
	Users     int64    `json:"users"`
	Exposures int64    `json:"exposures"`
	Repeats   int64    `json:"repeats"`

	// Of the repeats, the share to be recognised, and that which certainly is, at least, with Need's window and Idle.
	Share    float64         `json:"repeats_asked"`
	Has      float64         `json:"repeats_window"`
	Idle     store.Timestamp `json:"idle_seconds"` // without an article, until a history is forgotten; 0 is never
	TopShare float64         `json:"top_articles"` // of the exposures, of the hundredth part of the articles with the most

	Recommended string   `json:"recommended,omitempty"` // an Offer's strategy
	Spec        string   `json:"strategies,omitempty"`  // as replay --strategies takes it
	Go          []string `json:"go,omitempty"`          // the lines that construct it, and the store
	Seen        *Seen    `json:"seen,omitempty"`        // of the recommended one

	Read      string `json:"-"` // a line on how the log was read, for people
	Needed    Need   `json:"-"`
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

// Recommend notes which of the offers to take, as Recommended says, and reports whether any fits.
func (l *Log) Recommend(n Need, all []Offer) bool {
	o, _, ok := Recommended(all)
	if !ok {
		return false
	}
	l.Recommended = o.Strategy
	l.Spec = fmt.Sprintf("%s:window=%d,fpr=%v", o.kind.Name, n.reach(o.kind), n.FPR)
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
		Repeats: row.Sum(c.Repeated), Recognised: row.Sum(c.Recognised),
		Forgotten: c.Forgotten, Outside: c.Outside, Inside: c.WindowMisses,
		Unseen: c.Fresh.Queries, FalsePositives: c.Fresh.Hits,
		Alive: c.Alive, Payload: c.Payload, PerUser: float64(c.Payload) / float64(t.Log.Users),
	}
}

// Most is the articles that 99 % of the log's users are shown at most.
func (l *Log) Most() int64 { return l.described.PerUser.Quantiles[mostUsers] }
