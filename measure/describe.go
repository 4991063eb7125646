package measure

import (
	"context"
	"fmt"
	"math/bits"
	"sync"

	"dejavu/store"
	"dejavu/workload/logs"
)

// A Describe says how a log is looked at. What a reader was shown within one
// second is a refresh; refreshes at most Session seconds apart are of one session.
type Describe struct {
	_ struct{}

	Session  int // seconds, 1 to a day; 0 is half an hour
	MaxUsers int // as in Replay
	Progress func(at logs.Position)
}

// A Description is what a log is like. All of it is whole numbers, the same for
// any number of workers, but for the two Ginis.
type Description struct {
	ReplayedLog
	Session   int
	Refreshes int64
	Sessions  int64
	Backwards int64 // requests earlier than their reader's last; they are put into that refresh

	// Of exposures of what was shown before: how many articles ago, 1 being the
	// newest before the refresh, and how many seconds, by AgeBin. Open is the
	// exposures of readers who had been shown anything before the refresh.
	Ages, Seconds []int64
	Repeats, Open int64

	Pauses     []int64 // within sessions, by the second
	Gaps       []int64 // between sessions, by AgeBin of seconds
	LongGaps   int64   // of 24 hours and more
	LongAway   int64   // readers who had such a gap
	PerSession []int64 // refreshes, 1 to 4095 and more
	PerRefresh []int64 // articles, 1 to 4095 and more
	SessionsOf []int64 // sessions of a reader, 1 to 4095 and more

	Readers  Skew // exposures of a reader
	Articles Skew // exposures of an article

	// Octaves[n][i] is the repeats of an age of i+1 bits where the number of
	// articles shown before the refresh had n.
	Octaves [33][33]int64
}

const (
	countMost      = 4095
	defaultSession = 30 * 60
)

// Run reads the log once. Memory is 18 to 36 bytes for each article of a reader,
// 18 to 23 for each article, and some 40 bytes a reader. The caller closes the log.
func (c Describe) Run(ctx context.Context, log *logs.Log, o Options) (*Description, error) {
	if c.Session == 0 {
		c.Session = defaultSession
	}
	if c.Session < 1 || c.Session > int(store.Day) {
		return nil, fmt.Errorf("measure: Session is %d, want 1 to %d seconds", c.Session, store.Day)
	}
	articles, err := logs.NewUsers(logs.MaxUsers)
	if err != nil {
		return nil, err
	}
	var shown []uint32 // by article
	workers := make([]*describer, o.workers())
	for i := range workers {
		workers[i] = newDescriber(c.Session)
	}
	many := false
	d := dealer[*describer]{
		workers: workers, deal: (*describer).look, maxUsers: c.MaxUsers, progress: c.Progress,
		article: func(id uint64) {
			n, ok := articles.Number(id)
			if !ok {
				many = true
				return
			}
			if int(n) == len(shown) {
				shown = append(shown, 0)
			}
			shown[n]++
		},
	}
	if err := d.run(ctx, log); err != nil {
		return nil, err
	}
	if d.facts.Exposures == 0 {
		return nil, ErrNoExposure
	}
	if many {
		return nil, fmt.Errorf("measure: more than %d articles", logs.MaxUsers)
	}
	var group sync.WaitGroup
	for _, w := range workers {
		group.Go(w.finish)
	}
	group.Wait()
	all := newDescription(c.Session)
	var readers []uint32
	for _, w := range workers {
		all.add(&w.Description)
		for _, v := range w.visited {
			readers = append(readers, v.shown)
		}
	}
	twice := all.Twice
	all.ReplayedLog = d.facts
	all.Read, all.Twice = log.Counts(), twice
	all.Exposures -= twice
	all.Readers, all.Articles = skewOf(readers), skewOf(shown)
	return all, nil
}

func newDescription(session int) *Description {
	return &Description{
		Session: session,
		Ages:    make([]int64, AgeBins), Seconds: make([]int64, AgeBins), Gaps: make([]int64, AgeBins),
		Pauses:     make([]int64, session+1),
		PerSession: make([]int64, countMost+1), PerRefresh: make([]int64, countMost+1), SessionsOf: make([]int64, countMost+1),
	}
}

// add adds what was counted of other readers.
func (d *Description) add(e *Description) {
	for _, sum := range []struct {
		to   *int64
		more int64
	}{
		{&d.Refreshes, e.Refreshes},
		{&d.Sessions, e.Sessions},
		{&d.Backwards, e.Backwards},
		{&d.Repeats, e.Repeats},
		{&d.Open, e.Open},
		{&d.LongGaps, e.LongGaps},
		{&d.LongAway, e.LongAway},
		{&d.Twice, e.Twice},
	} {
		*sum.to += sum.more
	}
	for _, sum := range []struct{ to, more []int64 }{
		{d.Ages, e.Ages},
		{d.Seconds, e.Seconds},
		{d.Pauses, e.Pauses},
		{d.Gaps, e.Gaps},
		{d.PerSession, e.PerSession},
		{d.PerRefresh, e.PerRefresh},
		{d.SessionsOf, e.SessionsOf},
	} {
		for i := range sum.to {
			sum.to[i] += sum.more[i]
		}
	}
	for n := range d.Octaves {
		for i := range d.Octaves[n] {
			d.Octaves[n][i] += e.Octaves[n][i]
		}
	}
}

// A describer looks at some readers' requests. One goroutine uses it.
type describer struct {
	Description
	truth   *exact // lanes: where the article was last shown, from 1, and when
	visited []visited
}

// A visited is what is known of a reader so far.
type visited struct {
	shown     uint32      // articles
	before    uint32      // the present refresh
	refreshes uint32      // of the present session
	sessions  uint32      // ended, and the present one
	last      store.Clock // the present refresh's
	long      bool        // was away for 24 hours
}

func newDescriber(session int) *describer {
	return &describer{Description: *newDescription(session), truth: newExact(2)}
}

// look counts the requests of a hand.
func (w *describer) look(h *hand) {
	ids := h.ids
	for _, q := range h.requests {
		for int(q.reader) >= len(w.visited) {
			w.visited = append(w.visited, visited{})
		}
		v := &w.visited[q.reader]
		w.come(v, q.at)
		table := w.truth.open(int(q.reader), int(q.n))
		for _, id := range ids[:q.n] {
			lanes, known := table.find(id)
			at := first(lanes)
			if known && at > v.before {
				w.Twice++
				continue
			}
			if v.before > 0 {
				w.Open++
			}
			if known {
				age := v.before - at + 1
				w.Repeats++
				w.Ages[AgeBin(int(age))]++
				w.Octaves[bits.Len32(v.before)][bits.Len32(age)-1]++
				if v.last > store.Clock(lanes[1]) {
					w.Seconds[AgeBin(int(v.last-store.Clock(lanes[1])))]++
				} else {
					w.Seconds[0]++
				}
			}
			v.shown++
			setFirst(lanes, v.shown)
			lanes[1] = uint32(v.last)
		}
		ids = ids[q.n:]
	}
}

// come moves a reader to a refresh.
func (w *describer) come(v *visited, at store.Clock) {
	switch {
	case v.sessions == 0:
		v.sessions, v.refreshes = 1, 1
	case at == v.last:
		return
	case at < v.last:
		w.Backwards++
		return
	default:
		gap := at - v.last
		w.endRefresh(v)
		if int(gap) <= w.Session {
			w.Pauses[gap]++
			v.refreshes++
		} else {
			w.endSession(v)
			w.Gaps[AgeBin(int(gap))]++
			if gap >= store.Day {
				w.LongGaps++
				v.long = true
			}
			v.sessions++
			v.refreshes = 1
		}
	}
	v.last, v.before = at, v.shown
}

func (w *describer) endRefresh(v *visited) {
	w.Refreshes++
	w.PerRefresh[min(v.shown-v.before, countMost)]++
}

func (w *describer) endSession(v *visited) {
	w.Sessions++
	w.PerSession[min(v.refreshes, countMost)]++
}

// finish ends all readers' last sessions.
func (w *describer) finish() {
	for i := range w.visited {
		v := &w.visited[i]
		if v.sessions == 0 {
			continue
		}
		w.endRefresh(v)
		w.endSession(v)
		w.SessionsOf[min(v.sessions, countMost)]++
		if v.long {
			w.LongAway++
		}
	}
}

// Quantile is the least bin of a histogram up to which the share p of all lies, p
// above 0; 0 of an empty one.
func Quantile(histogram []int64, p float64) int {
	total := int64(0)
	for _, n := range histogram {
		total += n
	}
	sum := int64(0)
	for i, n := range histogram {
		if sum += n; sum > 0 && float64(sum) >= p*float64(total) {
			return i
		}
	}
	return 0
}
