// Package script is simulated users' requests as an unbounded stream: what tests
// at scale feed to Remember, on any runner and in any process.
//
// A script follows from its configuration alone, so that whoever checks the answers
// makes it again and need not be told. In it users take turns for five days.
// Each request shows ten articles, three of which the user knows, and asks for
// articles that are new, shown just now, and shown any time before; the last one
// asks for all that was ever shown. Requests come late, by up to Late, behind the
// watermark; some are delivered twice; one user in fifty is shown more than any
// window holds; one in ten is away for three or four days in the middle, and all of them
// are gone in the end.
package script

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"dejavu/cluster/remember"
	"dejavu/strategies"
)

// A Config says how long a script is, and what it follows from.
type Config struct {
	Users int // 1 and more; a user is shown a hundred articles on average
	Seed  uint64
}

// What every script keeps to.
const (
	Shown = 10             // articles shown by a request
	Fresh = 20             // candidates never shown before, the first of each request
	Late  = 6 * time.Hour  // how late a request comes at most
	Away  = 72 * time.Hour // how long a user is away at least, if away
	Pause = 12 * time.Hour // the longest time between requests of a user who is there

	start  = 96 * time.Hour // in which users come first
	again  = 3              // articles of Shown that the user has been shown before
	asked  = 20             // candidates shown at any time before
	recent = 600            // articles among which half of them lie: the edges of windows
)

// An Event is a request as it arrives.
type Event struct {
	Arrives time.Duration // since the beginning of the script; its events are in this order
	At      time.Duration // the event's own time: that, or earlier by up to Late
	User    string
	Request remember.Request // its ID is the event's alone
}

// sleeps reports whether a user is away once.
func sleeps(user int) bool { return user%10 == 3 }

// Sleepers is how many users are away once, and come back.
func (c Config) Sleepers() int { return (c.Users + 10 - 4) / 10 }

// Name is a user's name, by number.
func Name(user int) string { return fmt.Sprintf("user-%d", user) }

// Events makes the script.
func (c Config) Events() []Event {
	var events []Event
	for user := range c.Users {
		events = append(events, c.life(user)...)
	}
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.Arrives, b.Arrives) })
	return events
}

// life is the requests of a user.
func (c Config) life(user int) (events []Event) {
	random := rand.New(rand.NewPCG(c.Seed, uint64(user)))
	articles := func(n int) []strategies.ID {
		ids := make([]strategies.ID, n)
		for i := range ids {
			ids[i] = strategies.ID(random.Uint64()) // two are the same once in 10^13 scripts
		}
		return ids
	}
	requests, pause := 2+random.IntN(14), Pause
	if user%50 == 0 {
		requests, pause = 110, Pause/6
	}
	var shown []strategies.ID
	now := time.Duration(random.Int64N(int64(start)))
	for i := range requests {
		r := remember.Request{ID: fmt.Sprintf("%d/%d", user, i), Candidates: articles(Fresh)}
		for range again {
			if len(shown) > 0 {
				r.Shown = append(r.Shown, shown[random.IntN(len(shown))])
			}
		}
		r.Shown = append(r.Shown, articles(Shown-len(r.Shown))...)
		shown = append(shown, r.Shown...)
		r.Candidates = append(r.Candidates, r.Shown...)
		if i == requests-1 {
			r.Candidates = append(r.Candidates, shown...)
		} else {
			newest := shown[max(0, len(shown)-recent):]
			for range asked / 2 {
				r.Candidates = append(r.Candidates, shown[random.IntN(len(shown))], newest[random.IntN(len(newest))])
			}
		}
		e := Event{Arrives: now, At: now, User: Name(user), Request: r}
		if random.IntN(20) == 0 {
			e.At -= time.Duration(random.Int64N(int64(Late)))
		}
		events = append(events, e)
		if random.IntN(50) == 0 { // delivered again
			e.Arrives += time.Duration(random.Int64N(int64(time.Hour)))
			e.Request.ID += " again"
			shown = append(shown, r.Shown...)
			events = append(events, e)
		}
		now += 1 + time.Duration(random.Int64N(int64(pause)))
		if sleeps(user) && i == requests/2-1 {
			now += Away + time.Duration(random.Int64N(int64(Away/2)))
		}
	}
	return events
}

// Ask has each user's history asked for after the last of the events.
func Ask(events []Event) []Event {
	last := map[string]Event{}
	for _, e := range events {
		if l, ok := last[e.User]; !ok || e.At > l.At {
			last[e.User] = e
		}
	}
	end := events[len(events)-1].Arrives
	for _, user := range slices.Sorted(maps.Keys(last)) {
		ask := remember.Request{ID: user + "/history", Vector: true}
		events = append(events, Event{Arrives: end, At: last[user].At, User: user, Request: ask})
	}
	return events
}

// Newcomers are the users' first requests, all at one time.
func (c Config) Newcomers(at time.Time) []Event {
	var events []Event
	for user := range c.Users {
		e := c.life(user)[0]
		e.At = at.Sub(Moment(0))
		e.Request.Vector = true
		events = append(events, e)
	}
	return events
}
