package proof

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

// What a user asks for at a refresh, as the suite's experiment pipeline has it: a page of
// ten out of forty.
const (
	perRequest = 40
	perPage    = 10
	batch      = 8 // requests of a ShowAll
)

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

// A crowd is persons whom one goroutine lives, one request after the other.
type crowd struct {
	layout     layout.Layout
	window     func(int) int
	secret     strategies.Secret
	population workload.Full
	persons    []*person
	client     *client.Client
	reader     *local.Reader
	random     *rand.Rand
	count      *Counts
}

// Counts is what was compared.
type Counts struct {
	Shows, Batched, Records, Forgets, Seens, Vectors int64
	Articles                                         int64         // that were shown
	Longest                                          time.Duration // that a call took, repetitions included
}

func (c *Counts) add(o *Counts) {
	c.Shows += o.Shows
	c.Batched += o.Batched
	c.Records += o.Records
	c.Forgets += o.Forgets
	c.Seens += o.Seens
	c.Vectors += o.Vectors
	c.Articles += o.Articles
	c.Longest = max(c.Longest, o.Longest)
}

// propose is candidates for a user: mostly articles that were never proposed, and some
// that were shown, lately or long ago.
func (c *crowd) propose(p *person) []strategies.ID {
	fresh := 25 + c.random.IntN(10)
	candidates := make([]strategies.ID, fresh, perRequest)
	c.population.Reader(p.number).IDs(candidates, p.next)
	p.next += perPage // the rest comes again
	for len(candidates) < perRequest && len(p.shown) > 0 {
		age := c.random.IntN(min(len(p.shown), 1+c.random.IntN(600)))
		candidates = append(candidates, p.shown[len(p.shown)-1-age])
	}
	c.random.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	return candidates
}

// expected is what the service must answer, by the strategy and the history alone.
func (c *crowd) expected(p *person, candidates []strategies.ID) (shown []strategies.ID) {
	mixed := p.salt.Append(nil, candidates)
	seen := make([]bool, len(mixed))
	c.layout.Seen(p.history, mixed, seen)
	for i, id := range candidates {
		if !seen[i] && !slices.Contains(shown, id) && len(shown) < perPage {
			shown = append(shown, id)
		}
	}
	return shown
}

// answered compares an answer with the model, and takes it in.
func (c *crowd) answered(p *person, candidates, shown []strategies.ID) error {
	if want := c.expected(p, candidates); !slices.Equal(shown, want) {
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
	c.count.Articles += int64(len(shown))
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
	defer func() { c.count.Longest = max(c.count.Longest, time.Since(began)) }()
	p := c.persons[c.random.IntN(len(c.persons))]
	switch what := c.random.IntN(1000); {
	case what < 750:
		candidates := c.propose(p)
		shown, err := c.client.Show(ctx, p.name, candidates, perPage)
		if err != nil {
			return err
		}
		c.count.Shows++
		return c.answered(p, candidates, shown)
	case what < 850:
		return c.together(ctx)
	case what < 900:
		articles := make([]strategies.ID, 3)
		c.population.Reader(p.number).IDs(articles, p.next)
		p.next += len(articles)
		if err := c.client.Record(ctx, p.name, articles); err != nil {
			return err
		}
		c.count.Records++
		c.recorded(p, articles)
		return nil
	case what < 903:
		if err := c.client.Forget(ctx, p.name); err != nil {
			return err
		}
		c.count.Forgets++
		p.history, p.shown = nil, nil
		return nil
	case what < 950:
		return c.seen(ctx, p)
	}
	return c.compare(ctx, p)
}

// together asks for several users in one call.
func (c *crowd) together(ctx context.Context) error {
	var who []*person
	var requests []exposure.Show
	for range batch {
		p := c.persons[c.random.IntN(len(c.persons))]
		if slices.Contains(who, p) {
			continue
		}
		who = append(who, p)
		requests = append(requests, exposure.Show{User: p.name, Candidates: c.propose(p), Limit: perPage})
	}
	if err := c.client.ShowAll(ctx, requests); err != nil {
		return err
	}
	for i, p := range who {
		c.count.Batched++
		if err := c.answered(p, requests[i].Candidates, requests[i].Shown); err != nil {
			return err
		}
	}
	return nil
}

func (c *crowd) seen(ctx context.Context, p *person) error {
	candidates := c.propose(p)
	seen, want := make([]bool, len(candidates)), make([]bool, len(candidates))
	if err := c.client.Seen(ctx, p.name, candidates, seen); err != nil {
		return err
	}
	c.layout.Seen(p.history, p.salt.Append(nil, candidates), want)
	c.count.Seens++
	if !slices.Equal(seen, want) {
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
	c.count.Vectors++
	if !bytes.Equal(v.History, p.history) {
		return fmt.Errorf("%s, after %d articles: a history of %d bytes, want %d, that differ", p.name, len(p.shown), len(v.History), len(p.history))
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
