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
	Asked       = 20   // fresh candidates of a request
	repeated    = 32   // repeats of a life's last request
	promised    = 26   // of those repeats, how many lie in the promised window
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
	Totals      []Total `json:"totals"` // the sums on the way there
}

// A Total is the lengths in bytes, summed, of the first Users users' histories.
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
	Parts   int     `json:"parts"`
	Held    []Held  `json:"held"`
	Seconds float64 `json:"seconds"` // of simulation, all workers together running
}

// milestones are the numbers of users at which memory is looked at.
var milestones = []int{100_000, 1_000_000, 10_000_000, 100_000_000}

// Full shows every reader of the population all articles of a life and asks
// questions on the way, in one store, user by user. When all histories of a
// part are alive it calls alive with them.
func Full(ctx context.Context, s Subject, population workload.Full, o Options,
	alive func(Alive) error,
) (FullCounts, FullMachine, error) {
	users := population.Users()
	parts := o.parts(fullNeed(s, users))
	machine := FullMachine{Parts: parts}
	counts := newFullCounts()
	var before Held // of the parts that are done
	stops := slices.DeleteFunc(slices.Clone(milestones), func(m int) bool { return m >= users })
	stops = append(stops, users)

	baseline := o.resident()
	memory := &touching{Strategy: s.Strategy}
	histories, err := store.New(store.Config{Strategy: memory, Users: (users + parts - 1) / parts, Stock: o.Stock})
	if err != nil {
		return counts, machine, fmt.Errorf("%s: %w", s.Name, err)
	}
	defer histories.Clear()
	for part := range parts {
		from, to := int(int64(users)*int64(part)/int64(parts)), int(int64(users)*int64(part+1)/int64(parts))
		if from == to {
			continue
		}
		histories.Reset()
		begin := time.Now()
		for at := from; at < to; {
			end := to
			if stops[0] <= to {
				end = stops[0]
			}
			workers := make([]*fullWorker, o.workers())
			for i := range workers {
				workers[i] = newFullWorker(s, population, histories, from)
			}
			if err := each(ctx, o, workers, at, end, (*fullWorker).live); err != nil {
				return counts, machine, err
			}
			for _, w := range workers {
				counts.add(&w.counts)
			}
			at = end
			if at == stops[0] {
				stops = stops[1:]
				machine.Seconds += time.Since(begin).Seconds()
				workers = nil
				held := before.plus(at, histories, o.resident()-baseline)
				held.Seconds = machine.Seconds
				machine.Held = append(machine.Held, held)
				payload := counts.Payload + histories.Stats().Payload
				counts.Totals = append(counts.Totals, Total{int64(at), payload})
				begin = time.Now()
			}
		}
		machine.Seconds += time.Since(begin).Seconds()
		before = before.plus(to, histories, o.resident()-baseline)
		counts.Payload += histories.Stats().Payload
		if alive != nil {
			if err := alive(Alive{Store: histories, First: from, Users: to - from, memory: memory}); err != nil {
				return counts, machine, err
			}
		}
	}
	return counts, machine, nil
}

// plus adds what the store holds now, and what is resident for it.
func (h Held) plus(users int, histories *store.Store, resident int64) Held {
	stats := histories.Stats()
	return Held{
		Users:    int64(users),
		Slabs:    h.Slabs + stats.Slabs + stats.Bookkeeping,
		Resident: h.Resident + resident,
	}
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

// add adds what a worker counted.
func (c *FullCounts) add(d *FullCounts) {
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
	c.Users += d.Users
}
