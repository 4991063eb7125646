package measure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dejavu/store"
	"dejavu/workload"
)

// What a reader of the full population is asked.
const (
	Asked       = 12   // fresh candidates of a request
	repeated    = 24   // repeats of a life's last request
	promised    = 20   // of those repeats, how many lie in the promised window
	MaxAge      = 1000 // the oldest repeats asked for
	AgeBucket   = 10   // articles to a point of the retention curve
	GridStep    = 50   // articles between the points of a curve over articles shown
	GridEnd     = 2000
	longMoments = 8 // moments at which a long-lived reader is asked
)

// Grid is the numbers of articles shown at which curves have a point: every
// GridStep up to GridEnd, and one after the 500th, when wheels turn.
var Grid = func() (grid []int) {
	for x := 0; x <= GridEnd; x += GridStep {
		grid = append(grid, x)
	}
	i, _ := slices.BinarySearch(grid, workload.Least+1)
	return slices.Insert(grid, i, workload.Least+1)
}()

// A Point is what was found among readers who had been shown Shown articles.
type Point struct {
	Shown int   `json:"shown"`
	Fresh Rate  `json:"fresh"`   // fresh candidates taken for seen
	Users int64 `json:"users"`   // readers whose history was looked at
	Bytes int64 `json:"bytes"`   // its lengths, summed
	Ones  int64 `json:"ones"`    // bits set in the arrays that answer, summed
	Of    int64 `json:"of_bits"` // of so many
}

// FullCounts is what the full population yields for one strategy: whole
// numbers, the same on every machine.
type FullCounts struct {
	Points []Point `json:"points"` // one for each of Grid
	Steady Rate    `json:"steady"` // fresh candidates at the end of every life, a mean over the turn

	// Retention[i] is repeats recognised among those shown
	// i*AgeBucket+1 ... (i+1)*AgeBucket articles ago, at the end of every life.
	Retention []Rate `json:"retention"`

	// Repeats of articles inside the promised window, and those not recognised.
	WindowChecks int64 `json:"window_checks"`
	WindowMisses int64 `json:"window_misses"`

	// Where no window is promised, the newest articles instead: how many of
	// the newest NewestAsked were not recognised, in sum and at most.
	NewestUsers  int64 `json:"newest_users"`
	NewestMissed int64 `json:"newest_missed"`
	NewestMost   int64 `json:"newest_most"`

	Windows     int64   `json:"windows"`      // promised windows at the end of every life, summed
	WindowLeast int64   `json:"window_least"` // and the smallest
	Payload     int64   `json:"payload"`      // lengths of all histories at the end, summed
	Users       int64   `json:"users"`
	Totals      []Total `json:"totals"` // the sums on the way there, where a milestone was passed
}

// A Total is the lengths in bytes, summed, of the histories of those users counted
// who are among the population's first Users.
type Total struct {
	Users   int64 `json:"users"`
	Payload int64 `json:"payload"`
}

// NewestAsked is how many of the newest articles are asked for where no window
// is promised: one link of the paper's chain.
const NewestAsked = 100

// A Held is the memory taken while so many users' histories were alive. Where
// they were alive in parts, it is the parts' sum.
type Held struct {
	Users    int64   `json:"users"`
	Slabs    int64   `json:"slabs"`    // the store's memory in bytes, bookkeeping included
	Resident int64   `json:"resident"` // physical memory in bytes beyond that before the first
	Seconds  float64 `json:"seconds"`  // of simulation until then, all workers together running
}

// FullMachine is what depends on the machine.
type FullMachine struct {
	Parts int    `json:"parts"`
	Held  []Held `json:"held"` // where a milestone was passed
	All   Held   `json:"all"`  // when all histories are alive
}

// milestones are the numbers of users at which memory is looked at.
var milestones = []int{100_000, 1_000_000, 10_000_000, 100_000_000}

// Full shows every one of these readers of the population all articles of a life
// and asks questions on the way, in one store, user by user. When all histories
// of a part are alive it calls alive with them.
func Full(ctx context.Context, s Subject, population workload.Full, readers Range, o Options,
	alive func(Alive) error,
) (FullCounts, FullMachine, error) {
	counts, machine := newFullCounts(), FullMachine{All: Held{Users: int64(readers.To)}}
	if readers.Len() == 0 {
		return counts, machine, nil
	}
	parts := o.parts(fullNeed(s, readers.Len()))
	machine.Parts = parts
	stops := slices.DeleteFunc(slices.Clone(milestones), func(m int) bool { return m >= population.Users() })
	stops = slices.DeleteFunc(append(stops, population.Users()), func(m int) bool { return m <= readers.From })

	baseline := o.resident()
	memory := &touching{Strategy: s.Strategy}
	histories, err := store.New(store.Config{Strategy: memory, Users: (readers.Len() + parts - 1) / parts, Stock: o.Stock})
	if err != nil {
		return counts, machine, fmt.Errorf("%s: %w", s.Name, err)
	}
	defer histories.Clear()
	var before Held // of the parts that are done
	for part := range parts {
		users := readers.Part(part, parts)
		if users.Len() == 0 {
			continue
		}
		histories.Reset()
		seconds := 0.
		for at := users.From; at < users.To; {
			end := min(users.To, stops[0])
			workers := make([]*fullWorker, o.workers())
			for i := range workers {
				workers[i] = newFullWorker(s, population, histories, users.From)
			}
			begin := time.Now()
			if err := each(ctx, o, workers, Range{at, end}, (*fullWorker).live); err != nil {
				return counts, machine, err
			}
			seconds += time.Since(begin).Seconds()
			for _, w := range workers {
				counts.Add(&w.counts)
			}
			workers = nil
			machine.All = holding(end, histories, o.resident()-baseline, seconds).after(before)
			if end == stops[0] {
				stops = stops[1:]
				machine.Held = append(machine.Held, machine.All)
				counts.Totals = append(counts.Totals, Total{int64(end), counts.Payload + histories.Stats().Payload})
			}
			at = end
		}
		before = machine.All
		counts.Payload += histories.Stats().Payload
		if alive != nil {
			if err := alive(Alive{Store: histories, First: users.From, Users: users.Len(), memory: memory}); err != nil {
				return counts, machine, err
			}
		}
	}
	return counts, machine, nil
}

// holding is what the store holds now that so many users have lived, what is
// resident for it, and how long that took.
func holding(users int, histories *store.Store, resident int64, seconds float64) Held {
	stats := histories.Stats()
	return Held{
		Users: int64(users), Slabs: stats.Slabs + stats.Bookkeeping, Resident: resident, Seconds: seconds,
	}
}

// after adds what was held before, by readers of smaller numbers.
func (h Held) after(before Held) Held {
	h.Slabs += before.Slabs
	h.Resident += before.Resident
	h.Seconds += before.Seconds
	return h
}

// Add adds what was measured of the readers that come next, all of them alive
// after these: parts elsewhere.
func (m *FullMachine) Add(next FullMachine) {
	m.Parts += next.Parts
	for _, h := range next.Held {
		m.Held = append(m.Held, h.after(m.All))
	}
	m.All = next.All.after(m.All)
}

// fullNeed is the bytes that all histories take, with the store's share.
func fullNeed(s Subject, users int) int64 {
	mean := 0.
	for shown := workload.Least; shown <= workload.MaxShown; shown++ {
		mean += workload.ShownShare(shown) * float64(s.Theory.Bytes(shown))
	}
	return int64(float64(users) * (1.05*mean + 12))
}

func newFullCounts() FullCounts {
	c := FullCounts{
		Points: make([]Point, len(Grid)), Retention: make([]Rate, MaxAge/AgeBucket), WindowLeast: workload.MaxShown,
	}
	for i, x := range Grid {
		c.Points[i].Shown = x
	}
	return c
}

// Add adds what another worker counted or, of the readers that come next, another
// run.
func (c *FullCounts) Add(d *FullCounts) {
	for i := range c.Points {
		p, q := &c.Points[i], &d.Points[i]
		p.Fresh = p.Fresh.Plus(q.Fresh)
		p.Users += q.Users
		p.Bytes += q.Bytes
		p.Ones += q.Ones
		p.Of += q.Of
	}
	c.Steady = c.Steady.Plus(d.Steady)
	for i := range c.Retention {
		c.Retention[i] = c.Retention[i].Plus(d.Retention[i])
	}
	c.WindowChecks += d.WindowChecks
	c.WindowMisses += d.WindowMisses
	c.NewestUsers += d.NewestUsers
	c.NewestMissed += d.NewestMissed
	c.NewestMost = max(c.NewestMost, d.NewestMost)
	c.Windows += d.Windows
	c.WindowLeast = min(c.WindowLeast, d.WindowLeast)
	for _, t := range d.Totals {
		c.Totals = append(c.Totals, Total{t.Users, c.Payload + t.Payload})
	}
	c.Payload += d.Payload
	c.Users += d.Users
}
