package measure

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"dejavu/live/client"
	"dejavu/live/client/local"
	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/strategies"
	"dejavu/workload"
)

// batch is how many users ask together in a ShowAll.
const batch = 8

// A person is one simulated user and all that was answered, so that every next answer is
// known beforehand, to the bit.
type person struct {
	name    string
	number  int
	salt    strategies.Salt
	history []byte          // what the service must hold
	shown   []strategies.ID // since the last Forget, exactly
	next    int             // article of the user's own order that was not proposed yet
}

// A crowd is persons for whom one goroutine calls, one request after the other.
type crowd struct {
	layout     layout.Layout
	window     func(int) int // what the strategy's theory guarantees
	secret     strategies.Secret
	population workload.Full
	persons    []*person
	client     *client.Client
	reader     *local.Reader
	random     *rand.Rand
	counts
}

// counts is what was compared.
type counts struct {
	shows, batched, records, forgets, seens, vectors int64
	articles                                         int64         // that were shown
	longest                                          time.Duration // that a call took, repetitions included
}

func (c *counts) add(o *counts) {
	c.shows += o.shows
	c.batched += o.batched
	c.records += o.records
	c.forgets += o.forgets
	c.seens += o.seens
	c.vectors += o.vectors
	c.articles += o.articles
	c.longest = max(c.longest, o.longest)
}

func newCrowd(
	l layout.Layout, secret strategies.Secret, population workload.Full, to *client.Client, source rand.Source,
) *crowd {
	window := func(int) int { return 0 }
	if t, ok := l.Strategy.(interface{ Window(int) int }); ok {
		window = t.Window
	}
	return &crowd{
		layout: l, window: window, secret: secret, population: population, client: to,
		reader: local.New(l, secret), random: rand.New(source),
	}
}

// add adds a user of the population.
func (c *crowd) add(number int) {
	name := userName(number)
	salt := c.secret.Salt(uint64(c.secret.DigestString(name)))
	c.persons = append(c.persons, &person{name: name, number: number, salt: salt})
}

// propose is candidates for a user: mostly articles that were never proposed, and some
// that were shown, lately or long ago.
func (c *crowd) propose(p *person) []strategies.ID {
	candidates := articles(c.population, p.number, p.next, 25+c.random.IntN(10))
	p.next += perPage // the rest comes again
	for len(candidates) < perRequest && len(p.shown) > 0 {
		age := c.random.IntN(min(len(p.shown), 1+c.random.IntN(600)))
		candidates = append(candidates, p.shown[len(p.shown)-1-age])
	}
	c.random.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	return candidates
}

// seenBy is what the service must say of candidates, by the strategy and the history alone.
func (c *crowd) seenBy(p *person, candidates []strategies.ID) []bool {
	seen := make([]bool, len(candidates))
	c.layout.Seen(p.history, p.salt.Append(nil, candidates), seen)
	return seen
}

// answered compares the answer to a show with the model, and takes it in.
func (c *crowd) answered(p *person, candidates, shown []strategies.ID) error {
	var want []strategies.ID
	for i, seen := range c.seenBy(p, candidates) {
		if id := candidates[i]; !seen && !slices.Contains(want, id) && len(want) < perPage {
			want = append(want, id)
		}
	}
	if !slices.Equal(shown, want) {
		return fmt.Errorf("%s, after %d articles: shown %x, want %x", p.name, len(p.shown), shown, want)
	}
	// The model is the strategy; that no article of the window comes again needs none.
	window := p.shown[max(0, len(p.shown)-c.window(len(p.shown))):]
	for _, id := range shown {
		if slices.Contains(window, id) {
			return fmt.Errorf("%s: article %x was shown again within the window of %d", p.name, id, len(window))
		}
	}
	c.recorded(p, shown)
	c.articles += int64(len(shown))
	return nil
}

func (c *crowd) recorded(p *person, articles []strategies.ID) {
	if len(articles) > 0 {
		p.history = c.layout.Record(p.history, p.salt.Append(nil, articles))
		p.shown = append(p.shown, articles...)
	}
}

// step is one call of some user.
func (c *crowd) step(ctx context.Context) error {
	began := time.Now()
	defer func() { c.longest = max(c.longest, time.Since(began)) }()
	p := c.persons[c.random.IntN(len(c.persons))]
	switch what := c.random.IntN(1000); {
	case what < 750:
		return c.show(ctx, p)
	case what < 850:
		return c.showAll(ctx)
	case what < 900:
		return c.record(ctx, p)
	case what < 903:
		return c.forget(ctx, p)
	case what < 950:
		return c.seen(ctx, p)
	}
	return c.compare(ctx, p)
}

func (c *crowd) show(ctx context.Context, p *person) error {
	candidates := c.propose(p)
	shown, err := c.client.Show(ctx, p.name, candidates, perPage)
	if err != nil {
		return err
	}
	c.shows++
	return c.answered(p, candidates, shown)
}

// showAll asks for several users in one call.
func (c *crowd) showAll(ctx context.Context) error {
	var who []*person
	var requests []exposure.Show
	for range batch {
		p := c.persons[c.random.IntN(len(c.persons))]
		if !slices.Contains(who, p) {
			who = append(who, p)
			requests = append(requests, exposure.Show{User: p.name, Candidates: c.propose(p), Limit: perPage})
		}
	}
	if err := c.client.ShowAll(ctx, requests); err != nil {
		return err
	}
	for i, p := range who {
		c.batched++
		if err := c.answered(p, requests[i].Candidates, requests[i].Shown); err != nil {
			return err
		}
	}
	return nil
}

func (c *crowd) record(ctx context.Context, p *person) error {
	chosen := articles(c.population, p.number, p.next, 3)
	p.next += len(chosen)
	if err := c.client.Record(ctx, p.name, chosen); err != nil {
		return err
	}
	c.records++
	c.recorded(p, chosen)
	return nil
}

func (c *crowd) forget(ctx context.Context, p *person) error {
	if err := c.client.Forget(ctx, p.name); err != nil {
		return err
	}
	c.forgets++
	p.history, p.shown = nil, nil
	return nil
}

func (c *crowd) seen(ctx context.Context, p *person) error {
	candidates := c.propose(p)
	seen := make([]bool, len(candidates))
	if err := c.client.Seen(ctx, p.name, candidates, seen); err != nil {
		return err
	}
	c.seens++
	if want := c.seenBy(p, candidates); !slices.Equal(seen, want) {
		return fmt.Errorf("%s, after %d articles: seen %v, want %v", p.name, len(p.shown), seen, want)
	}
	return nil
}

// compare fetches a user's history, and asks it here.
func (c *crowd) compare(ctx context.Context, p *person) error {
	v, err := c.client.Vector(ctx, p.name)
	if err != nil {
		return err
	}
	c.vectors++
	if !bytes.Equal(v.History, p.history) {
		return fmt.Errorf("%s, after %d articles: a history of %d bytes, want %d, that differ",
			p.name, len(p.shown), len(v.History), len(p.history))
	}
	last := p.shown[max(0, len(p.shown)-min(50, c.window(len(p.shown)))):]
	seen := make([]bool, len(last))
	if err := c.reader.Seen(v, last, seen); err != nil {
		return err
	}
	if slices.Contains(seen, false) {
		return fmt.Errorf("%s: the vector does not know the last %d articles", p.name, len(last))
	}
	return nil
}

// compareAll compares all histories.
func (c *crowd) compareAll(ctx context.Context) error {
	for _, p := range c.persons {
		if err := c.compare(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
