package measure

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"dejavu/live/client"
	"dejavu/live/exposure"
	"dejavu/strategies"
	"dejavu/workload"
)

const (
	perRequest, perPage = 40, 10 // a user asks for a page of ten out of forty
	batch               = 8      // users of a ShowAll
)

func userName(n int) string { return fmt.Sprintf("user-%d", n) }

func articles(population workload.Full, user, from, n int) []strategies.ID {
	ids := make([]strategies.ID, n)
	population.Reader(user).IDs(ids, from)
	return ids
}

// A person is a simulated user and all that was answered, so that the next answer is known to the bit.
type person struct {
	name    string
	number  int
	salt    strategies.Salt
	history []byte          // what the service must hold
	shown   []strategies.ID // since the last Forget, exactly
	next    int             // article of the user's own order that was not proposed yet
}

// A crowd is persons for whom one goroutine makes requests, one by one.
type crowd struct {
	*fleet
	population workload.Full
	persons    []*person
	client     *client.Client
	random     *rand.Rand
	compared   map[string]int64

	mu    sync.Mutex // guards asked, and persons who are not among them
	asked []*person  // a call is under way for them
}

// newCrowd returns the crowd of one of the workers, among whom users are divided.
func newCrowd(f *fleet, population workload.Full, to *client.Client, random *rand.Rand, worker, users int) *crowd {
	c := &crowd{fleet: f, population: population, client: to, random: random, compared: map[string]int64{}}
	for n := worker; n < users; n += workers {
		salt := f.secret.Salt(uint64(f.secret.DigestString(userName(n))))
		c.persons = append(c.persons, &person{name: userName(n), number: n, salt: salt})
	}
	return c
}

// propose returns candidates for a user: mostly new, some shown lately or long ago.
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

// seenBy returns what the service must report, by the strategy and the history alone.
func (c *crowd) seenBy(p *person, candidates []strategies.ID) []bool {
	seen := make([]bool, len(candidates))
	c.layout.Seen(p.history, p.salt.Append(nil, candidates), seen)
	return seen
}

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
	// The model is the strategy. That no article of the window comes again is checked without it.
	window := p.shown[max(0, len(p.shown)-c.layout.Promised):]
	for _, id := range shown {
		if slices.Contains(window, id) {
			return fmt.Errorf("%s: article %x was shown again within the window of %d", p.name, id, len(window))
		}
	}
	c.recorded(p, shown)
	c.compared["articles"] += int64(len(shown))
	return nil
}

func (c *crowd) recorded(p *person, articles []strategies.ID) {
	if len(articles) > 0 {
		p.history = c.layout.Record(p.history, p.salt.Append(nil, articles))
		p.shown = append(p.shown, articles...)
	}
}

func (c *crowd) step(ctx context.Context) (err error) {
	what := c.random.IntN(1000)
	p := c.persons[c.random.IntN(len(c.persons))]
	who := []*person{p}
	for range batch - 1 {
		if p := c.persons[c.random.IntN(len(c.persons))]; what < 100 && !slices.Contains(who, p) {
			who = append(who, p)
		}
	}
	c.ask(who)
	defer c.ask(nil)
	switch {
	case what < 850:
		return c.show(ctx, who)
	case what < 900:
		chosen := articles(c.population, p.number, p.next, 3)
		p.next += len(chosen)
		if err = c.client.Record(ctx, p.name, chosen); err == nil {
			c.compared["records"]++
			c.recorded(p, chosen)
		}
	case what < 903:
		if err = c.client.Forget(ctx, p.name); err == nil {
			c.compared["forgotten"]++
			p.history, p.shown = nil, nil
		}
	case what < 950:
		return c.seen(ctx, p)
	default:
		c.compared["histories"]++
		return vector(ctx, c.client, p.name, p.history)
	}
	return err
}

func (c *crowd) ask(who []*person) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = who
}

func (c *crowd) show(ctx context.Context, who []*person) (err error) {
	var all []exposure.Show
	for _, p := range who {
		all = append(all, exposure.Show{User: p.name, Candidates: c.propose(p), Limit: perPage})
	}
	if one := &all[0]; len(all) > 1 {
		err = c.client.ShowAll(ctx, all)
	} else {
		one.Shown, err = c.client.Show(ctx, one.User, one.Candidates, one.Limit)
	}
	for i := 0; i < len(all) && err == nil; i++ {
		c.compared["shows"]++
		err = c.answered(who[i], all[i].Candidates, all[i].Shown)
	}
	return err
}

func (c *crowd) seen(ctx context.Context, p *person) error {
	candidates := c.propose(p)
	seen := make([]bool, len(candidates))
	if err := c.client.Seen(ctx, p.name, candidates, seen); err != nil {
		return err
	}
	c.compared["questions"]++
	if want := c.seenBy(p, candidates); !slices.Equal(seen, want) {
		return fmt.Errorf("%s, after %d articles: seen %v, want %v", p.name, len(p.shown), seen, want)
	}
	return nil
}

// vector fetches a user's history and compares it with want.
func vector(ctx context.Context, from *client.Client, user string, want []byte) error {
	v, err := from.Vector(ctx, user)
	if err == nil && !bytes.Equal(v.History, want) {
		err = fmt.Errorf("%s: a history of %d bytes, want %d, that differ", user, len(v.History), len(want))
	}
	return err
}
