package delivery

import (
	"cmp"
	"context"
	"slices"

	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/workload"
)

// A Stream takes what was shown to the history: an event log, a job that reads it, a write.
type Stream struct {
	// Delay is the time in milliseconds from showing an article to recording it in the history. With Exponential it is
	// the mean, and records may overtake each other.
	Delay       uint64
	Exponential bool
	Outage      Outage // of the job; none if its Speed is 0
}

// An Outage is a time, From to To in seconds, in which a job reads nothing. Afterwards the job reads the log in order,
// Speed times as fast as it was written, until it has caught up. The log is assumed to grow evenly, as with many users,
// so that each user can be simulated alone.
type Outage struct {
	From, To uint32
	Speed    uint32 // at least 2
}

// CaughtUp returns the second at which the job has caught up.
func (o Outage) CaughtUp() float64 { return float64(o.To) + float64(o.To-o.From)/float64(o.Speed-1) }

// lands returns the millisecond at which what was shown in a second is in the history, delay after the job has read it.
func (s Stream) lands(second uint32, delay uint64) uint64 {
	at := uint64(second) * 1000
	if o := s.Outage; o.Speed > 0 && second >= o.From {
		at = max(at, uint64(o.To)*1000+uint64(second-o.From)*1000/uint64(o.Speed))
	}
	return at + delay
}

// An Edge is an exact list of what a user was just shown, asked beside the history. The zero Edge is no list.
type Edge struct {
	Articles int    // maximum length; 0 for any
	Seconds  uint32 // maximum age; 0 for any
}

// Repeats around an outage are counted in Bins bins of Bin seconds, of which Before lie before it.
const (
	Bin    = 300
	Before = 6
	Bins   = 36
)

// PipelineCounts counts articles that users were shown again because the first time was not yet recorded, or forgotten.
type PipelineCounts struct {
	Users int64 `json:"users"` // all of them, also those who never came

	Repeats   measure.Rate `json:"repeats"`   // articles shown; those that had been shown before
	Late      measure.Rate `json:"late"`      // articles shown; repeats no record of which had landed
	Settled   measure.Rate `json:"settled"`   // articles shown at refreshes with no record on its way; repeats
	Overtaken measure.Rate `json:"overtaken"` // refreshes after one of their session; those before its record landed

	EdgeLongest int64 `json:"edge_longest" sum:"most"` // articles in the longest list
	EdgeSeconds int64 `json:"edge_seconds"`            // for how long all lists held each of theirs, summed

	// With an outage: the repeats of each bin; those due to the outage, whose records are later than the delay; and the
	// second of the last of these, or 0.
	Over   []measure.Rate `json:"over"`
	Faults int64          `json:"faults"`
	Last   int64          `json:"last" sum:"most"`
}

// PipelineMeasure simulates two days of each user with a history that a stream updates. A refresh asks the history as
// it is then, and the list at the edge, shows the first candidates that pass both, and sends them to the stream. A
// record that lands at the moment of a refresh is known to it. Idle users are not forgotten.
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
	shown   []int32 // what the user was shown, oldest first, by number in the user's order
	ids     []strategies.ID
	at      []uint32 // seconds
	landed  []bool   // whether it is recorded in the history
	onWay   []transit
	first   int // index in shown of the first article in the list at the edge

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

// A tally counts a user's articles or refreshes, and hits among them.
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

// again counts a repeat, and whether the delay or the outage caused it.
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

// displace drops the oldest articles from the list at the edge if it is too long.
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
