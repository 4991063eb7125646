package delivery

import (
	"cmp"
	"context"
	"slices"

	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/workload"
)

// A Stream moves what was shown to the history: an event log, and a job that reads it and records.
type Stream struct {
	// Delay is the time in milliseconds from showing an article to recording it. With Exponential it is the mean, and
	// records may overtake each other.
	Delay       uint64
	Exponential bool
	Outage      Outage // of the job; none if Speed is 0
}

// An Outage is a time, From to To in seconds, in which a job reads nothing. Afterwards it reads the log in order, Speed
// times as fast as it was written, until it has caught up. The log grows evenly, as if many users wrote it, so that
// each user can be simulated alone.
type Outage struct {
	From, To uint32
	Speed    uint32 // at least 2
}

// CaughtUp returns the second at which the job has caught up.
func (o Outage) CaughtUp() float64 { return float64(o.To) + float64(o.To-o.From)/float64(o.Speed-1) }

// lands returns the millisecond at which the articles of a second are recorded, delay after the job has read them.
func (s Stream) lands(second uint32, delay uint64) uint64 {
	at := uint64(second) * 1000
	if o := s.Outage; o.Speed > 0 && second >= o.From {
		at = max(at, uint64(o.To)*1000+uint64(second-o.From)*1000/uint64(o.Speed))
	}
	return at + delay
}

// An Edge is an exact list of a user's latest articles, queried beside the history. The zero Edge is no list.
type Edge struct {
	Articles int    // maximum length; 0 for any
	Seconds  uint32 // maximum age; 0 for any
}

type pipelineCounts struct {
	Users   int64        `json:"users"`   // also those without a visit
	Repeats measure.Rate `json:"repeats"` // articles shown; repeats among them
	Settled measure.Rate `json:"settled"` // the same, of refreshes when nothing is unrecorded
	Longest measure.Most `json:"longest"` // articles in the longest list
	Faults  int64        `json:"faults"`  // repeats that the outage causes: the delay alone does not
	Last    measure.Most `json:"last"`    // the second of the last fault, or 0
}

// measureStream simulates two days of each user with a history that a stream updates. A refresh queries history and
// edge, shows the first candidates that pass both, and sends them to the stream. A record that lands at the moment of a
// refresh counts for it. Idle users are not forgotten.
func measureStream(ctx context.Context, o measure.Options, s strategies.Strategy, population workload.Daily,
	users measure.Range, stream Stream, edge Edge,
) (pipelineCounts, error) {
	return measure.Each(ctx, o, users, func() (*pipelineCounts, func(user int)) {
		c := population.Config()
		p := &pipe{
			strategy: s, population: population, stream: stream, edge: edge, history: make([]byte, slices.Max(s.Sizes())),
			articles: make([]int32, c.Recalled), ages: make([]int, c.Recalled), recalled: make([]strategies.ID, c.Recalled),
			seen: make([]bool, c.Recalled), perRefresh: c.PerRefresh,
		}
		return &p.counts, p.live
	})
}

type pipe struct {
	strategy   strategies.Strategy
	population workload.Daily
	stream     Stream
	edge       Edge
	counts     pipelineCounts

	history []byte
	shown   []int32 // what the user was shown, oldest first, as numbers in the user's own order of articles
	ids     []strategies.ID
	at      []uint32 // the seconds when
	onWay   []transit
	first   int // index in shown of the edge's oldest article

	articles   []int32 // the candidates of a refresh
	ages       []int
	recalled   []strategies.ID
	seen       []bool
	perRefresh int

	repeats, settled measure.Rate // one user's counts
}

// A transit is the record of a refresh, shown[from:to], until it lands (a millisecond).
type transit struct {
	lands    uint64
	from, to int
}

func (p *pipe) live(user int) {
	p.history, p.shown, p.ids, p.at, p.onWay = p.history[:0], p.shown[:0], p.ids[:0], p.at[:0], p.onWay[:0]
	p.first, p.repeats, p.settled = 0, measure.Rate{}, measure.Rate{}
	p.counts.Users++
	visitor, delays := p.population.Visitor(user), p.population.Delays(user)
	now, ok := visitor.Next()
	for step := 0; ok; step++ {
		before := len(p.shown)
		p.land(uint64(now) * 1000)
		for t := p.edge.Seconds; t > 0 && p.first < before && now-p.at[p.first] >= t; p.first++ {
		}
		visitor.Recall(p.shown, p.articles, p.ages, p.recalled)
		p.strategy.Seen(p.history, p.recalled, p.seen)
		if p.show(now); len(p.shown) > before {
			delay := p.stream.Delay
			if p.stream.Exponential {
				delay = delays.Exponential(step, delay)
			}
			p.onWay = append(p.onWay, transit{p.stream.lands(now, delay), before, len(p.shown)})
		}
		now, ok = visitor.Next()
	}
	add := func(to *measure.Rate, r measure.Rate) {
		if r.Queries > 0 {
			to.Add(int(r.Queries), int(r.Hits))
		}
	}
	add(&p.counts.Repeats, p.repeats)
	add(&p.counts.Settled, p.settled)
}

func (p *pipe) land(now uint64) {
	if p.stream.Exponential {
		slices.SortStableFunc(p.onWay, func(a, b transit) int { return cmp.Compare(a.lands, b.lands) })
	}
	due := 0
	for ; due < len(p.onWay) && p.onWay[due].lands <= now; due++ {
		p.history = p.strategy.Record(p.history, p.ids[p.onWay[due].from:p.onWay[due].to])
	}
	p.onWay = slices.Delete(p.onWay, 0, due)
}

func (p *pipe) show(now uint32) {
	before, repeats := len(p.shown), int64(0)
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
			earliest := p.at[slices.Index(p.shown, article)]
			if p.stream.Outage.Speed > 0 && uint64(earliest)*1000+p.stream.Delay <= uint64(now)*1000 {
				p.counts.Faults++
				p.counts.Last = max(p.counts.Last, measure.Most(now))
			}
		}
		p.shown, p.ids, p.at = append(p.shown, article), append(p.ids, p.recalled[i]), append(p.at, now)
	}
	shown := int64(len(p.shown) - before)
	p.repeats.Queries, p.repeats.Hits = p.repeats.Queries+shown, p.repeats.Hits+repeats
	if len(p.onWay) == 0 {
		p.settled.Queries, p.settled.Hits = p.settled.Queries+shown, p.settled.Hits+repeats
	}
	if p.edge.Articles > 0 {
		p.first = max(p.first, len(p.shown)-p.edge.Articles)
	}
	if p.edge != (Edge{}) {
		p.counts.Longest = max(p.counts.Longest, measure.Most(len(p.shown)-p.first))
	}
}
