package delivery

import (
	"cmp"
	"context"
	"slices"

	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/workload"
)

// A Stream is the way from what was shown to the history that remembers it: an event log, a job that reads it, a write.
type Stream struct {
	// Delay is how many milliseconds pass from an article's being shown to its record's being in the history;
	// where Exponential is set, their mean, and records may overtake each other.
	Delay       uint64
	Exponential bool
	Outage      Outage // if its Speed is not 0, when the job stands still
}

// An Outage is a time, From to To in seconds, in which a job reads nothing. The log goes on growing;
// afterwards the job reads what lies there in order, Speed times as fast as it came in, until it has caught
// up. What came in is taken for spread evenly over time, as that of many users is. So no user's records wait
// for another's more than by the clock, and each user can be simulated alone.
type Outage struct {
	From, To uint32
	Speed    uint32 // at least 2
}

// CaughtUp is the second from which on records are as early as ever.
func (o Outage) CaughtUp() float64 { return float64(o.To) + float64(o.To-o.From)/float64(o.Speed-1) }

// lands is the millisecond in which a record of a second is in the history, so many after the job has read it.
func (s Stream) lands(second uint32, delay uint64) uint64 {
	at := uint64(second) * 1000
	if o := s.Outage; o.Speed > 0 && second >= o.From {
		at = max(at, uint64(o.To)*1000+uint64(second-o.From)*1000/uint64(o.Speed))
	}
	return at + delay
}

// An Edge is an exact list of what a user was just shown, asked beside the history; the zero Edge is none.
type Edge struct {
	Articles int    // the newest so many; 0 for any number
	Seconds  uint32 // and of these the ones that are younger; 0 for any age
}

// Bin is how many seconds of an outage's surroundings are counted together: Bins times, from Before of them before it.
const (
	Bin    = 300
	Before = 6
	Bins   = 36
)

// PipelineCounts is what users saw again because it was not yet known that they had seen it, or no longer, in whole numbers.
type PipelineCounts struct {
	Users int64 `json:"users"` // all of them, also those who never came

	Repeats   measure.Rate `json:"repeats"`   // articles shown; those that had been shown before
	Late      measure.Rate `json:"late"`      // articles shown; repeats no record of which had landed
	Settled   measure.Rate `json:"settled"`   // articles shown at refreshes with no record on its way; repeats
	Overtaken measure.Rate `json:"overtaken"` // refreshes after one of their session; those before its record landed

	EdgeLongest int64 `json:"edge_longest" sum:"most"` // articles in the longest list
	EdgeSeconds int64 `json:"edge_seconds"`            // for how long all lists held each of theirs, summed

	// Where the stream has an outage: the repeats of each Bin seconds; those that are the outage's fault,
	// their records being later than the delay; and the second of the last such, 0 where there is none.
	Over   []measure.Rate `json:"over"`
	Faults int64          `json:"faults"`
	Last   int64          `json:"last" sum:"most"`
}

// PipelineMeasure lives the two days of each of these users with a history that learns of what was shown by way of a stream. A
// refresh asks the history as it is by then, and the list at the edge, shows the first few candidates that pass both,
// and puts what it showed on its way. A record lands for a refresh of the same moment.
//
// Users share nothing but the clock, so that the events of each, refreshes and landings, are gone through alone, in
// order. Histories never idle away, as in Daily without the rule.
func PipelineMeasure(ctx context.Context, o measure.Options, s strategies.Strategy, population workload.Daily,
	users measure.Range, stream Stream, edge Edge,
) (PipelineCounts, error) {
	return measure.Each(ctx, o, users, func() (*PipelineCounts, func(user int)) {
		c := population.Config()
		p := &pipe{
			strategy: s, population: population, stream: stream, edge: edge, history: make([]byte, slices.Max(s.Sizes())),
			articles: make([]int32, c.Recalled), ages: make([]int, c.Recalled), recalled: make([]strategies.ID, c.Recalled),
			seen: make([]bool, c.Recalled), perRefresh: c.PerRefresh,
		}
		if stream.Outage.Speed > 0 {
			p.counts.Over = make([]measure.Rate, Bins)
		}
		return &p.counts, p.live
	})
}

type pipe struct {
	strategy   strategies.Strategy
	population workload.Daily
	stream     Stream
	edge       Edge
	counts     PipelineCounts

	history []byte
	shown   []int32         // what the user was shown, oldest first: numbers in the user's order,
	ids     []strategies.ID // their IDs,
	at      []uint32        // the seconds,
	landed  []bool          // and whether the record is in the history
	onWay   []transit
	first   int // from where on shown is in the list at the edge

	articles   []int32 // the candidates of a refresh
	ages       []int
	recalled   []strategies.ID
	seen       []bool
	perRefresh int
}

// A transit is the record of a refresh: shown[from:to], and when it lands.
type transit struct {
	lands    uint64
	from, to int
}

func (p *pipe) live(user int) {
	p.history, p.shown, p.ids, p.at, p.landed = p.history[:0], p.shown[:0], p.ids[:0], p.at[:0], p.landed[:0]
	p.onWay, p.first = p.onWay[:0], 0
	p.counts.Users++
	visitor, delays := p.population.Visitor(user), p.population.Delays(user)
	var l glance
	previous := 0 // where the articles of the refresh before begin
	now, ok := visitor.Next()
	for step := 0; ok; step++ {
		before := len(p.shown)
		p.land(uint64(now) * 1000)
		p.expire(now)
		if visitor.InSession() && previous < before {
			l.overtaken.of++
			if !p.landed[before-1] {
				l.overtaken.hits++
			}
		}
		previous = before
		visitor.Recall(p.shown, p.articles, p.ages, p.recalled)
		p.strategy.Seen(p.history, p.recalled, p.seen)
		p.show(now, &l)
		if len(p.shown) > before {
			delay := p.stream.Delay
			if p.stream.Exponential {
				delay = delays.Exponential(step, delay)
			}
			p.onWay = append(p.onWay, transit{p.stream.lands(now, delay), before, len(p.shown)})
		}
		now, ok = visitor.Next()
	}
	p.leave(&l)
}

type glance struct {
	repeats, late, settled, overtaken tally
	bins                              [Bins]tally
}

// A tally is so many of a user's articles or refreshes, and how many of them count.
type tally struct{ of, hits int }

func (t *tally) add(of, hits int) { t.of, t.hits = t.of+of, t.hits+hits }

func (t tally) to(r *measure.Rate) {
	if t.of > 0 {
		r.Add(t.of, t.hits)
	}
}

func (p *pipe) land(now uint64) {
	if p.stream.Exponential {
		slices.SortStableFunc(p.onWay, func(a, b transit) int { return cmp.Compare(a.lands, b.lands) })
	}
	due := 0
	for ; due < len(p.onWay) && p.onWay[due].lands <= now; due++ {
		b := p.onWay[due]
		p.history = p.strategy.Record(p.history, p.ids[b.from:b.to])
		for i := b.from; i < b.to; i++ {
			p.landed[i] = true
		}
	}
	p.onWay = slices.Delete(p.onWay, 0, due)
}

func (p *pipe) expire(now uint32) {
	for t := p.edge.Seconds; t > 0 && p.first < len(p.at) && now-p.at[p.first] >= t; p.first++ {
		p.counts.EdgeSeconds += int64(t)
	}
}

func (p *pipe) show(now uint32, l *glance) {
	before, settled, repeats := len(p.shown), len(p.onWay) == 0, 0
	for i, seen := range p.seen {
		if seen || len(p.shown)-before == p.perRefresh {
			continue
		}
		article := p.articles[i]
		if p.ages[i] > 0 {
			if p.edge != (Edge{}) && slices.Contains(p.shown[p.first:before], article) {
				continue
			}
			repeats++
			p.again(now, article, before, l)
		}
		p.shown, p.ids = append(p.shown, article), append(p.ids, p.recalled[i])
		p.at, p.landed = append(p.at, now), append(p.landed, false)
	}
	shown := len(p.shown) - before
	l.repeats.add(shown, repeats)
	l.late.of += shown
	if settled {
		l.settled.add(shown, repeats)
	}
	if p.counts.Over != nil {
		since := int64(now) - int64(p.stream.Outage.From) + Before*Bin
		if bin := since / Bin; since >= 0 && bin < Bins {
			l.bins[bin].add(shown, repeats)
		}
	}
	p.displace(now)
}

// again counts an article that is shown although it was before, and whose fault it is.
func (p *pipe) again(now uint32, article int32, before int, l *glance) {
	for i, a := range p.shown[:before] {
		if a == article && p.landed[i] {
			return // it was known, and forgotten
		}
	}
	l.late.hits++
	earliest := p.at[slices.Index(p.shown, article)]
	if p.counts.Over != nil && uint64(earliest)*1000+p.stream.Delay <= uint64(now)*1000 {
		p.counts.Faults++
		p.counts.Last = max(p.counts.Last, int64(now))
	}
}

// displace drops from the list at the edge what newer articles have no room for.
func (p *pipe) displace(now uint32) {
	if p.edge == (Edge{}) {
		return
	}
	for n := p.edge.Articles; n > 0 && len(p.shown)-p.first > n; p.first++ {
		p.counts.EdgeSeconds += int64(now - p.at[p.first])
	}
	p.counts.EdgeLongest = max(p.counts.EdgeLongest, int64(len(p.shown)-p.first))
}

func (p *pipe) leave(l *glance) {
	if p.edge != (Edge{}) {
		for _, at := range p.at[p.first:] {
			held := uint32(workload.Horizon) - at
			p.counts.EdgeSeconds += int64(min(held, cmp.Or(p.edge.Seconds, held)))
		}
	}
	if len(p.shown) == 0 {
		return
	}
	l.repeats.to(&p.counts.Repeats)
	l.late.to(&p.counts.Late)
	l.settled.to(&p.counts.Settled)
	l.overtaken.to(&p.counts.Overtaken)
	for i := range p.counts.Over {
		l.bins[i].to(&p.counts.Over[i])
	}
}
