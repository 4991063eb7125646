package resp

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"dejavu/live/exposure"
	"dejavu/strategies"
)

// A batch holds commands that are answered together: shows, by one call, or writes of different users, made at once.
type batch struct {
	shows  []exposure.Show
	asked  []asked // by the shows
	writes []write
	ids    []strategies.ID // room for the articles of shows
	chosen []int           // positions among the keys of one
}

// asked is the command behind a show.
type asked struct {
	name   string
	keys   [][]byte
	answer func(r *reply, keys [][]byte, shown []int) // whose keys at these positions were chosen
}

type write struct {
	name, user string
	do         func(context.Context) error
	err        error
}

// digests returns the articles that keys name.
func (c *session) digests(keys [][]byte) []strategies.ID {
	before := len(c.ids)
	for _, key := range keys {
		c.ids = append(c.ids, c.Secret.Digest(key))
	}
	return c.ids[before:len(c.ids):len(c.ids)]
}

// add adds a show to the batch, unless something is wrong with it.
func (c *session) add(request uint64, user []byte, limit int64, one asked) error {
	name, err := c.userAndKeys(user, one.keys)
	if err := cmp.Or(err, c.Traffic.CheckLimit(limit)); err != nil {
		return err
	}
	if len(c.writes) > 0 || len(c.shows) == c.Traffic.Limits.Requests {
		c.flush()
	}
	ids := c.digests(one.keys)
	c.shows = append(c.shows, exposure.Show{User: name, Request: request, Candidates: ids, Limit: int(limit)})
	c.asked = append(c.asked, one)
	return nil
}

// write adds a user's write of the articles that keys name. It answers the batch first if the write cannot join it.
func (c *session) write(name, user string, keys [][]byte, do func(context.Context, []strategies.ID) error) {
	same := func(w write) bool { return w.user == user } // their order counts
	if len(c.asked) > 0 || len(c.writes) == c.Traffic.Limits.RequestsAtOnce || slices.ContainsFunc(c.writes, same) {
		c.flush()
	}
	articles := c.digests(keys)
	c.writes = append(c.writes, write{name, user, func(ctx context.Context) error { return do(ctx, articles) }, nil})
}

// flush answers the batch.
func (c *session) flush() {
	if len(c.asked) > 0 {
		c.flushShows()
	}
	if len(c.writes) > 0 {
		c.flushWrites()
	}
	c.ids = c.ids[:0]
}

// showAll lets the keeper answer the users served here, and returns which are not.
func (c *session) showAll(ctx context.Context) (away []bool, err error) {
	if len(c.shows) == 1 {
		return nil, c.Keeper.ShowAll(ctx, c.shows)
	}
	of, here := c.Keeper.Partitions()
	if len(here) == of {
		return nil, c.Keeper.ShowAll(ctx, c.shows)
	}
	var some []exposure.Show
	away = make([]bool, len(c.shows))
	for i, r := range c.shows {
		if away[i] = !slices.Contains(here, exposure.Partition(r.User, of)); !away[i] {
			some = append(some, r)
		}
	}
	err = c.Keeper.ShowAll(ctx, some)
	for i := range c.shows {
		if !away[i] {
			c.shows[i], some = some[0], some[1:]
		}
	}
	return away, err
}

func (c *session) flushShows() {
	began := time.Now()
	var away []bool
	err := c.ask(func(ctx context.Context) (err error) {
		away, err = c.showAll(ctx)
		return err
	})
	for i, a := range c.asked {
		failed := err
		if away != nil && away[i] {
			failed = exposure.ErrElsewhere
		}
		if failed == nil {
			failed = c.positions(&c.shows[i])
		}
		if c.answered(a.name, began, failed) {
			a.answer(&c.reply, a.keys, c.chosen)
		}
	}
	clear(c.shows)
	clear(c.asked)
	c.shows, c.asked = c.shows[:0], c.asked[:0]
}

// positions sets chosen to the positions of the shown articles among the candidates, in their order.
func (c *session) positions(r *exposure.Show) error {
	c.chosen = c.chosen[:0]
	for at, id := range r.Candidates {
		if n := len(c.chosen); n < len(r.Shown) && r.Shown[n] == id {
			c.chosen = append(c.chosen, at)
		}
	}
	if len(c.chosen) < len(r.Shown) {
		return invalid("the request with this id was of other keys")
	}
	return nil
}

func (c *session) flushWrites() {
	began := time.Now()
	failed := c.ask(func(ctx context.Context) error {
		var others sync.WaitGroup
		for i := range c.writes[1:] {
			w := &c.writes[1+i]
			others.Go(func() { w.err = w.do(ctx) })
		}
		c.writes[0].err = c.writes[0].do(ctx)
		others.Wait()
		return nil
	})
	for i := range c.writes {
		w := &c.writes[i]
		if err := cmp.Or(failed, w.err); c.answered(w.name, began, err) {
			c.simple("OK")
		}
	}
	clear(c.writes)
	c.writes = c.writes[:0]
}

// ask calls the keeper within the limits.
func (c *session) ask(do func(context.Context) error) error {
	if err := c.Traffic.Enter(); err != nil {
		return fmt.Errorf("%w: %w", errBusy, err)
	}
	defer c.Traffic.Leave()
	if limit := c.Traffic.Limits.RequestTime; time.Until(c.answering) < limit*9/10 { // as in wait
		c.cancel()
		c.answering = time.Now().Add(limit)
		c.ctx, c.cancel = context.WithDeadline(context.Background(), c.answering)
	}
	return do(c.ctx)
}

// answered counts an answered command, and writes its error, if any.
func (c *session) answered(name string, began time.Time, err error) bool {
	f := failureOf(err)
	if call := c.calls[name]; call != nil {
		call.Answered(f.code, time.Since(began))
	}
	if err == nil {
		return true
	}
	if f.status != 0 {
		c.Traffic.Refuse(f.status)
	} else {
		slog.Warn("a command failed", "command", name, "error", err)
	}
	c.fail(f.prefix + " " + f.about + err.Error())
	return false
}
