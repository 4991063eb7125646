package remember_test

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

// A script is simulated users' requests, which follow from it alone. In it users take turns for five days.
// Each request shows ten articles, three of which the user knows, and asks for articles that are new, shown
// just now, and shown any time before; the last one asks for all that was ever shown. Requests come late, by
// up to maxLate, behind the watermark; some are delivered twice; one user in fifty is shown more than any
// window holds; one in ten is away for three or four days in the middle, and all of them are gone in the end.
type script struct {
	Users int // 1 and more; a user is shown a hundred articles on average
	Seed  uint64
}

// What every script keeps to.
const (
	shownAtOnce = 10             // articles shown by a request
	unseen      = 20             // candidates never shown before, the first of each request
	maxLate     = 6 * time.Hour  // how late a request comes at most
	away        = 72 * time.Hour // how long a user is away at least, if away
	maxPause    = 12 * time.Hour // the longest time between requests of a user who is there

	firstDays = 96 * time.Hour // in which users come first
	repeated  = 3              // articles of shownAtOnce that the user has been shown before
	askedOld  = 20             // candidates shown at any time before
	recent    = 600            // articles among which half of them lie: the edges of windows
)

// An event is a user's request.
type event struct {
	at      time.Duration // its own time, since the beginning
	user    string
	request remember.Request // its ID is the event's alone
}

// An arrival is an event and when it comes: at its time, or later by up to maxLate.
type arrival struct {
	event
	arrives time.Duration
}

// sleeps reports whether a user is away once.
func sleeps(user int) bool { return user%10 == 3 }

// sleepers is how many users are away once, and come back.
func (c script) sleepers() int { return (c.Users + 10 - 4) / 10 }

// userName is a user's name, by number.
func userName(user int) string { return fmt.Sprintf("user-%d", user) }

// moment is a time of a script, which begins on some day of 2026.
func moment(at time.Duration) time.Time {
	return time.Date(2026, 3, 14, 6, 0, 0, 0, time.UTC).Add(at)
}

// events makes the script, in the order of arrival.
func (c script) events() []arrival {
	var events []arrival
	for user := range c.Users {
		events = append(events, c.life(user)...)
	}
	slices.SortStableFunc(events, func(a, b arrival) int { return cmp.Compare(a.arrives, b.arrives) })
	return events
}

// life is the requests of a user.
func (c script) life(user int) (events []arrival) {
	random := rand.New(rand.NewPCG(c.Seed, uint64(user)))
	articles := func(n int) []strategies.ID {
		ids := make([]strategies.ID, n)
		for i := range ids {
			ids[i] = strategies.ID(random.Uint64()) // two are the same once in 10^13 scripts
		}
		return ids
	}
	requests, pause := 2+random.IntN(14), maxPause
	if user%50 == 0 {
		requests, pause = 110, maxPause/6
	}
	var shown []strategies.ID
	now := time.Duration(random.Int64N(int64(firstDays)))
	for i := range requests {
		r := remember.Request{ID: fmt.Sprintf("%d/%d", user, i), Candidates: articles(unseen)}
		for range repeated {
			if len(shown) > 0 {
				r.Shown = append(r.Shown, shown[random.IntN(len(shown))])
			}
		}
		r.Shown = append(r.Shown, articles(shownAtOnce-len(r.Shown))...)
		shown = append(shown, r.Shown...)
		r.Candidates = append(r.Candidates, r.Shown...)
		if i == requests-1 {
			r.Candidates = append(r.Candidates, shown...)
		} else {
			newest := shown[max(0, len(shown)-recent):]
			for range askedOld / 2 {
				r.Candidates = append(r.Candidates, shown[random.IntN(len(shown))], newest[random.IntN(len(newest))])
			}
		}
		e := arrival{event{now, userName(user), r}, now}
		if random.IntN(20) == 0 {
			e.at -= time.Duration(random.Int64N(int64(maxLate)))
		}
		events = append(events, e)
		if random.IntN(50) == 0 { // delivered again
			e.arrives += time.Duration(random.Int64N(int64(time.Hour)))
			e.request.ID += " again"
			shown = append(shown, r.Shown...)
			events = append(events, e)
		}
		now += 1 + time.Duration(random.Int64N(int64(pause)))
		if sleeps(user) && i == requests/2-1 {
			now += away + time.Duration(random.Int64N(int64(away/2)))
		}
	}
	return events
}

// ask has each user's history asked for after the last of the events.
func ask(events []arrival) []arrival {
	last := map[string]time.Duration{}
	for _, e := range events {
		last[e.user] = max(last[e.user], e.at)
	}
	end := events[len(events)-1].arrives
	for _, user := range slices.Sorted(maps.Keys(last)) {
		r := remember.Request{ID: user + "/history", Vector: true}
		events = append(events, arrival{event{last[user], user, r}, end})
	}
	return events
}

// newcomers are the users' first requests, all at one time.
func (c script) newcomers(at time.Time) (events []arrival) {
	for user := range c.Users {
		e := c.life(user)[0]
		e.at = at.Sub(moment(0))
		e.request.Vector = true
		events = append(events, e)
	}
	return events
}
