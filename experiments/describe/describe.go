// Package describe says what a log is like: how unevenly exposures lie, when users come, what is shown again
// and after how long; and which simulated population is most like it.
package describe

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/workload/logs"
)

// A Config says how a log is looked at. Exposures, requests and repeats are those of a replay (package deal).
// Requests of a user within one second are a refresh; refreshes at most Session seconds apart are of one session.
type Config struct {
	_ struct{}

	Session  int             // seconds, 1 to a day; 0 is half an hour
	Idle     store.Timestamp // a rule of forgetting to look at besides Rules; 0 is none
	MaxUsers int             // as in a replay
	Progress func(at logs.Position)
}

// most is the last bin of what is counted one by one: of so many and more.
const most = 4095

// A Description is what a log is like. All of it is whole numbers, the same for any number of workers, but
// for the two Ginis.
type Description struct {
	deal.Facts
	Session   int `sum:"same"`
	Refreshes int64
	Sessions  int64
	Backwards int64 // requests earlier than their user's last: of that refresh, as its pauses and gaps have it

	// Of exposures of what was shown before: how many articles ago, 1 being the newest
	// before the request, and how many seconds, by deal.AgeBin; 0 where the time went backwards. Open is
	// the exposures of users who had been shown anything before the request.
	Ages, Seconds []int64
	Repeats, Open int64

	// After is the same repeats by deal.ElapsedBin, and Forgotten, by rule, those that no history has where
	// it is forgotten after so many seconds without an exposure. Of a strategy that certainly remembers the
	// last n articles, what is left up to the age n is recognised.
	After     [deal.ElapsedBins]int64
	Rules     []store.Timestamp `sum:"same"` // ascending
	Forgotten [][]int64

	Pauses     []int64 // within sessions, by the second
	Gaps       []int64 // between sessions, in seconds, by deal.AgeBin
	LongGaps   int64   // of 24 hours and more
	LongAway   int64   // users who had such a gap
	PerSession []int64 // refreshes, to 4095 and more
	PerRefresh []int64 // articles
	SessionsOf []int64 // sessions of a user

	PerUser    Skew // exposures of a user
	PerArticle Skew // exposures of an article

	// Octaves[n][i] is the repeats of an age of i+1 bits where the number of articles shown before the request had n.
	Octaves [33][33]int64
}

var rules = []store.Timestamp{store.Day / 24, store.Day / 4, store.Day, 2 * store.Day, 7 * store.Day, 30 * store.Day}

func newDescription(c Config) *Description {
	d := &Description{Session: c.Session, Rules: slices.Clone(rules), Pauses: make([]int64, c.Session+1)}
	if at, found := slices.BinarySearch(d.Rules, c.Idle); !found && c.Idle > 0 {
		d.Rules = slices.Insert(d.Rules, at, c.Idle)
	}
	for range d.Rules {
		d.Forgotten = append(d.Forgotten, make([]int64, deal.AgeBins))
	}
	d.Ages, d.Seconds, d.Gaps = make([]int64, deal.AgeBins), make([]int64, deal.AgeBins), make([]int64, deal.AgeBins)
	d.PerSession, d.PerRefresh, d.SessionsOf = make([]int64, most+1), make([]int64, most+1), make([]int64, most+1)
	return d
}

// Run reads the log, once if it is in the order that is asked for. Memory is 18 to 36 bytes for each article
// of a user, 20 to 40 for each article, and some 70 bytes a user. The caller closes the log.
func (c Config) Run(ctx context.Context, log deal.Log, o measure.Options) (d *Description, err error) {
	c.Session = cmp.Or(c.Session, 30*60)
	if c.Session < 1 || c.Session > int(store.Day) {
		return nil, fmt.Errorf("describe: Session is %d, want 1 to %d seconds", c.Session, store.Day)
	}
	err = deal.Anew(func() error {
		d, err = c.describe(ctx, log, o)
		return err
	})
	return d, err
}

func (c Config) describe(ctx context.Context, log deal.Log, o measure.Options) (*Description, error) {
	shown := map[uint64]uint32{} // by article
	workers := make([]*describer, o.Goroutines())
	for i := range workers {
		workers[i] = &describer{Description: newDescription(c), truth: deal.NewExact(2)}
	}
	d := deal.Dealer[*describer]{
		Workers: workers, Deal: (*describer).look, MaxUsers: c.MaxUsers, Progress: c.Progress,
		Article: func(id uint64) { shown[id]++ },
	}
	if err := d.Run(ctx, log); err != nil {
		return nil, err
	}
	if d.Facts().Exposures == 0 {
		return nil, deal.ErrNoExposure
	}
	all := newDescription(c)
	var users []uint32
	for _, w := range workers {
		for i := range w.visited {
			w.leave(&w.visited[i])
			users = append(users, w.visited[i].shown)
		}
		measure.Sum(all, *w.Description)
	}
	all.Facts = d.Facts()
	all.Read = log.Counts()
	all.PerUser, all.PerArticle = skewOf(users), skewOf(slices.Collect(maps.Values(shown)))
	return all, nil
}

// A describer looks at some users' requests. One goroutine uses it.
type describer struct {
	*Description
	truth   *deal.Exact // lanes: where the article was last shown, from 1, and when
	visited []visited
	begun   []uint32 // by user and rule: the articles shown before the history, of which nothing is left
}

// A visited is what is known of a user so far.
type visited struct {
	shown     uint32          // articles
	before    uint32          // the present refresh
	refreshes uint32          // of the present session
	sessions  uint32          // ended, and the present one
	last      store.Timestamp // the present refresh's
	long      bool            // was away for 24 hours
}

func (w *describer) look(h *deal.Hand) {
	ids := h.IDs
	for _, q := range h.Requests {
		for int(q.User) >= len(w.visited) {
			w.visited = append(w.visited, visited{})
			w.begun = append(w.begun, make([]uint32, len(w.Rules))...)
		}
		v := &w.visited[q.User]
		begun := w.begun[int(q.User)*len(w.Rules):][:len(w.Rules)]
		for i, rule := range w.Rules {
			if v.sessions > 0 && int64(q.At)-int64(v.last) >= int64(rule) {
				begun[i] = v.shown
			}
		}
		w.come(v, q.At)
		table := w.truth.Open(int(q.User), int(q.N))
		before := v.shown
		for _, id := range ids[:q.N] {
			v.shown++
			age, lanes := table.Show(id, before, v.shown)
			if age > 0 {
				bin, since := deal.AgeBin(int(age)), deal.Since(store.Timestamp(lanes[1]), q.At)
				w.Repeats++
				w.Ages[bin]++
				w.Octaves[bits.Len32(before)][bits.Len32(age)-1]++
				w.Seconds[deal.AgeBin(since)]++
				w.After[deal.ElapsedBin(since)]++
				for i := range begun {
					if before-age < begun[i] {
						w.Forgotten[i][bin]++
					}
				}
			}
			lanes[1] = uint32(q.At)
		}
		if before > 0 {
			w.Open += int64(q.N)
		}
		ids = ids[q.N:]
	}
}

func (w *describer) come(v *visited, at store.Timestamp) {
	gap := int64(at) - int64(v.last)
	switch {
	case v.sessions == 0:
		v.sessions = 1
	case gap == 0:
		return
	case gap < 0:
		w.Backwards++
		return
	case gap <= int64(w.Session):
		w.endRefresh(v)
		w.Pauses[gap]++
	default:
		w.endRefresh(v)
		w.endSession(v)
		w.Gaps[deal.AgeBin(int(gap))]++
		if gap >= int64(store.Day) {
			w.LongGaps++
			v.long = true
		}
		v.sessions++
	}
	v.refreshes++
	v.last, v.before = at, v.shown
}

func (w *describer) endRefresh(v *visited) {
	w.Refreshes++
	w.PerRefresh[min(v.shown-v.before, most)]++
}

func (w *describer) endSession(v *visited) {
	w.Sessions++
	w.PerSession[min(v.refreshes, most)]++
	v.refreshes = 0
}

func (w *describer) leave(v *visited) {
	if v.sessions == 0 {
		return
	}
	w.endRefresh(v)
	w.endSession(v)
	w.SessionsOf[min(v.sessions, most)]++
	if v.long {
		w.LongAway++
	}
}

// Quantile is the least bin of a histogram up to which the share p of all lies, p above 0; 0 of an empty one.
func Quantile(histogram []int64, p float64) int {
	total := row.Sum(histogram)
	sum := int64(0)
	for i, n := range histogram {
		if sum += n; sum > 0 && float64(sum) >= p*float64(total) {
			return i
		}
	}
	return 0
}

// Window is deal.WindowOf the log's repeats, where histories are forgotten by one of Rules, 0 being never.
func (d *Description) Window(idle store.Timestamp, share float64) (window int, has float64) {
	return deal.WindowOf(d.kept(idle), d.Repeats, share)
}

// Within is the share of the log's repeats that a window has, at least, by such a rule.
func (d *Description) Within(idle store.Timestamp, window int) float64 {
	sum := int64(0)
	for bin, n := range d.kept(idle) {
		if deal.AgeTo(bin) <= window {
			sum += n
		}
	}
	return row.Mean(sum, d.Repeats)
}

// kept are Ages without those that are forgotten by a rule, one of Rules or 0.
func (d *Description) kept(idle store.Timestamp) []int64 {
	kept := slices.Clone(d.Ages)
	if i := slices.Index(d.Rules, idle); i >= 0 {
		for bin, n := range d.Forgotten[i] {
			kept[bin] -= n
		}
	}
	return kept
}

// A Skew is how unevenly exposures lie.
type Skew struct {
	N         int64              // users, or articles
	Sum       int64              // their exposures
	Quantiles [len(Levels)]int64 // at Levels
	Once      int64              // of N, how many have one exposure
	Top       int64              // exposures of the hundredth part with the most, rounded up
	Gini      float64            // 0 where all have as many, near 1 where one has them all
}

// Levels are the levels of Skew's quantiles; the last is the most there is.
var Levels = [...]float64{0.1, 0.5, 0.9, 0.99, 0.999, 1}

// skewOf sorts the counts, those of 0 not being there.
func skewOf(counts []uint32) (s Skew) {
	counts = slices.DeleteFunc(counts, func(n uint32) bool { return n == 0 })
	slices.Sort(counts)
	n := len(counts)
	if s.N = int64(n); n == 0 {
		return s
	}
	weighted := 0. // exact up to 2^53, and near enough beyond
	for i, c := range counts {
		s.Sum += int64(c)
		weighted += float64(i+1) * float64(c)
		if c == 1 {
			s.Once++
		}
		if i >= n-(n+99)/100 {
			s.Top += int64(c)
		}
	}
	for i, level := range Levels {
		s.Quantiles[i] = int64(counts[max(0, min(n, int(level*float64(n)+0.999999))-1)])
	}
	s.Gini = max(0, 2*weighted/(float64(n)*float64(s.Sum))-float64(n+1)/float64(n))
	return s
}
