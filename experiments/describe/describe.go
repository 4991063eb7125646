// Package describe describes a log: how unevenly exposures are spread, when users come, what is shown again and after
// how long. It also fits the simulated population most like it.
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
	"dejavu/strategies"
	"dejavu/workload/logs"
)

// A Config sets how a log is described. Exposures, requests and repeats are counted as in a replay (package deal).
// Requests of a user within one second are a refresh; refreshes at most Session seconds apart form a session.
type Config struct {
	_ struct{}

	Session  int             // seconds, 1 to a day; 0 is half an hour
	Idle     store.Timestamp // a rule of forgetting to look at besides Rules; 0 is none
	Until    int64           // seconds since 1970, from which on requests are passed over; 0 is none
	Progress func(at logs.Position)
}

// most is the last bin of a histogram: that number and more.
const most = 4095

// A Description is what a log is like. All of it is whole numbers, the same for any number of workers, but
// for the two Ginis.
type Description struct {
	deal.Facts
	Session   int
	Refreshes int64
	Sessions  int64
	Backwards int64 // requests earlier than their user's last: of that refresh, as its pauses and gaps have it

	// Repeats by how many articles ago the article was shown, 1 being the newest before the request, and by how many
	// seconds, 0 if time went backwards; both by deal.Fine, up to the largest. Open counts exposures of users who were
	// shown anything before the request.
	Ages, Seconds []int64
	Repeats, Open int64

	// After is the same repeats by deal.ElapsedBin. Forgotten counts, by rule, repeats lost because histories are
	// forgotten after that many seconds without an exposure. A strategy with a window of n recognises Ages less
	// Forgotten, up to n.
	After     [deal.ElapsedBins]int64
	Rules     []store.Timestamp // ascending
	Forgotten [][]int64

	Pauses     []int64 // within sessions, by the second
	Gaps       []int64 // between sessions, in seconds, by deal.Fine
	LongGaps   int64   // of 24 hours and more
	LongAway   int64   // users who had such a gap
	PerSession []int64 // refreshes, to 4095 and more
	PerRefresh []int64 // articles
	SessionsOf []int64 // sessions of a user

	PerUser    Skew // exposures of a user
	PerArticle Skew // exposures of an article

	// Octaves[n][i] counts repeats with ages of i+1 bits after a number of articles of n bits.
	Octaves [33][33]int64
}

var rules = []store.Timestamp{store.Day / 24, store.Day / 4, store.Day, 2 * store.Day, 7 * store.Day, 30 * store.Day}

func newDescription(c Config) *Description {
	d := &Description{Session: c.Session, Rules: slices.Clone(rules), Pauses: make([]int64, c.Session+1)}
	if at, found := slices.BinarySearch(d.Rules, c.Idle); !found && c.Idle > 0 {
		d.Rules = slices.Insert(d.Rules, at, c.Idle)
	}
	d.Forgotten = make([][]int64, len(d.Rules))
	d.PerSession, d.PerRefresh, d.SessionsOf = make([]int64, most+1), make([]int64, most+1), make([]int64, most+1)
	return d
}

// Run reads the log, once if it is in the order that is asked for. Memory is 16 bytes for each exposure, some 30 for
// each article, a worker, and for each user. The caller closes the log.
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
	workers := make([]*describer, o.Goroutines())
	for i := range workers {
		workers[i] = &describer{Description: newDescription(c), shown: map[strategies.ID]uint32{}}
	}
	d := deal.Dealer[*describer]{
		Workers: workers, Deal: (*describer).keep, Until: c.Until, Progress: c.Progress,
	}
	if err := d.Run(ctx, log); err != nil {
		return nil, err
	}
	if d.Facts().Exposures == 0 {
		return nil, deal.ErrNoExposure
	}
	measure.Together(len(workers), func(i int) { workers[i].look(ctx) })
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	all := newDescription(c)
	var users []uint32
	shown := workers[0].shown
	for i, w := range workers {
		users = append(users, w.users...)
		for id, n := range w.shown {
			if i > 0 {
				shown[id] += n
			}
		}
		w.Session, w.Rules = 0, nil // which do not add up
		measure.Sum(all, *w.Description)
	}
	all.Facts = d.Facts()
	all.Read = log.Counts()
	all.PerUser, all.PerArticle = skewOf(users), skewOf(slices.Collect(maps.Values(shown)))
	return all, nil
}

// A describer collects the exposures of some users, and then looks at them user by user: a user's data then stays in
// the cache, where each exposure would otherwise wait for memory. One goroutine uses it.
type describer struct {
	*Description
	parts [1 << 8][]exposure       // by user number: few enough to append to, and each fits into a cache
	truth *deal.Exact              // of a part; lanes: where the article was last shown, from 1, and when
	shown map[strategies.ID]uint32 // how often, by article
	users []uint32                 // how many articles each was shown
}

type exposure struct {
	id   strategies.ID
	user uint32 // twice the worker's number, and 1 more for the first of a request
	at   store.Timestamp
}

func (w *describer) keep(h *deal.Hand) {
	for _, id := range h.IDs {
		w.shown[id]++
	}
	ids := h.IDs
	for _, q := range h.Requests {
		part, first := &w.parts[q.User%uint32(len(w.parts))], uint32(1)
		for _, id := range ids[:q.N] {
			*part = append(*part, exposure{id, 2*q.User + first, q.At})
			first = 0
		}
		ids = ids[q.N:]
	}
}

// look looks at all that was kept, and gives it back.
func (w *describer) look(ctx context.Context) {
	var users [][]exposure // users of a part, with their exposures in order
	for i, part := range w.parts {
		for _, e := range part {
			n := int(e.user / 2 / uint32(len(w.parts)))
			for n >= len(users) {
				users = append(users, nil)
			}
			users[n] = append(users[n], e)
		}
		w.parts[i], w.truth = nil, deal.NewExact(2)
		for n, all := range users {
			if users[n] = all[:0]; len(all) > 0 && ctx.Err() == nil {
				w.lookAt(all, w.truth.Open(n, len(all)))
			}
		}
	}
}

func (w *describer) lookAt(all []exposure, table deal.Table) {
	var v visited
	for n := 1; len(all) > 0; all, n = all[n:], 1 {
		for n < len(all) && all[n].user%2 == 0 {
			n++
		}
		w.take(&v, table, all[:n])
	}
	w.leave(&v)
	w.users = append(w.users, v.shown)
}

// A visited is what is known of a user so far.
type visited struct {
	shown     uint32          // articles
	before    uint32          // the present refresh
	refreshes uint32          // of the present session
	sessions  uint32          // ended, and the present one
	last      store.Timestamp // the present refresh's
	long      bool            // was away for 24 hours
	begun     [7]uint32       // by rule: the articles shown before the history, of which nothing is left
}

func (w *describer) take(v *visited, table deal.Table, request []exposure) {
	at, begun := request[0].at, v.begun[:len(w.Rules)]
	for i, rule := range w.Rules {
		if v.sessions > 0 && int64(at)-int64(v.last) >= int64(rule) {
			begun[i] = v.shown
		}
	}
	w.come(v, at)
	before := v.shown
	for _, e := range request {
		v.shown++
		age, lanes := table.Show(e.id, before, v.shown)
		if age > 0 {
			since := deal.Since(store.Timestamp(lanes[1]), at)
			w.Repeats++
			count(&w.Ages, int(age))
			w.Octaves[bits.Len32(before)][bits.Len32(age)-1]++
			count(&w.Seconds, since)
			w.After[deal.ElapsedBin(since)]++
			for i := range begun {
				if before-age < begun[i] {
					count(&w.Forgotten[i], int(age))
				}
			}
		}
		lanes[1] = uint32(at)
	}
	if before > 0 {
		w.Open += int64(len(request))
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
		count(&w.Gaps, int(gap))
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
	w.endRefresh(v)
	w.endSession(v)
	w.SessionsOf[min(v.sessions, most)]++
	if v.long {
		w.LongAway++
	}
}

// count counts a number in a histogram by deal.Fine, which is as long as its last bin asks for.
func count(histogram *[]int64, n int) {
	bin := deal.Fine.Bin(n)
	if more := bin + 1 - len(*histogram); more > 0 {
		*histogram = append(*histogram, make([]int64, more)...)
	}
	(*histogram)[bin]++
}

// Quantile returns the least bin up to which the histogram holds the share p, above 0; 0 if it is empty.
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

// Window returns deal.Fine.Window of the log's repeats, with histories forgotten by one of Rules; 0 is never.
func (d *Description) Window(idle store.Timestamp, share float64) (window int, has float64) {
	return deal.Fine.Window(d.kept(idle), d.Repeats, share)
}

// Within returns the least share of the log's repeats in a window, by such a rule.
func (d *Description) Within(idle store.Timestamp, window int) float64 {
	sum := int64(0)
	for bin, n := range d.kept(idle) {
		if deal.Fine.To(bin) <= window {
			sum += n
		}
	}
	return row.Mean(sum, d.Repeats)
}

// kept returns Ages without the repeats forgotten by one of Rules, or 0.
func (d *Description) kept(idle store.Timestamp) []int64 {
	if i := slices.Index(d.Rules, idle); i >= 0 {
		return minus(d.Ages, d.Forgotten[i])
	}
	return d.Ages
}

// Without returns the repeats, by age and rule of forgetting, less the repeats of an earlier part of the log. It sets
// no other field.
func (d *Description) Without(earlier *Description) *Description {
	left := &Description{Repeats: d.Repeats - earlier.Repeats, Rules: d.Rules, Ages: minus(d.Ages, earlier.Ages)}
	for i := range d.Rules {
		left.Forgotten = append(left.Forgotten, minus(d.Forgotten[i], earlier.Forgotten[i]))
	}
	return left
}

// minus subtracts a histogram, which is no longer.
func minus(all, some []int64) []int64 {
	left := slices.Clone(all)
	for bin, n := range some[:min(len(some), len(left))] {
		left[bin] -= n
	}
	return left
}

// A Skew is how unevenly exposures lie.
type Skew struct {
	N         int64              // users, or articles
	Sum       int64              // their exposures
	Quantiles [len(Levels)]int64 // at Levels
	Once      int64              // of N, how many have one exposure
	Top       int64              // exposures of the hundredth part with the most, rounded up
	Gini      float64            // 0 if all have the same number, near 1 if one has them all
}

// Levels are the levels of Skew's quantiles; the last is the maximum.
var Levels = [...]float64{0.1, 0.5, 0.9, 0.99, 0.999, 1}

// skewOf sorts the counts and drops zeros.
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
