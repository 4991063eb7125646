package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dejavu/live/exposure"
	"dejavu/strategies"
)

// What the log does with records.
const (
	synced   = "durable"
	unsynced = "written, not synced"
	none     = "no log"
	database = "as the database is"
)

// A kind of call, and what came of it in each of the turns.
type kind struct {
	name    string
	by      string // the client; "": the keeper, without a network
	batch   int    // requests in a call
	durable string
	vector  bool // a history is fetched

	rates, costs []float64 // requests a second; microseconds of all processors a request
	times        *hdrhistogram.Histogram
}

func (b *bench) kinds() (all []*kind) {
	modes := []string{synced, none}
	if b.memory == nil {
		modes = []string{database}
	}
	for _, durable := range modes {
		all = append(all,
			&kind{name: "show, HTTP/2", by: "HTTP/2", batch: 1, durable: durable},
			&kind{name: "show, HTTP/1.1", by: "HTTP/1.1", batch: 1, durable: durable},
			&kind{name: "show all, 50 a call", by: "HTTP/1.1", batch: 50, durable: durable},
			&kind{name: "show all, 200 a call", by: "HTTP/1.1", batch: 200, durable: durable},
			&kind{name: "the keeper, no network", batch: 50, durable: durable},
		)
	}
	if b.memory != nil {
		all = append(all, &kind{name: "show all, 200 a call", by: "HTTP/1.1", batch: 200, durable: unsynced})
	}
	return append(all, &kind{name: "vector, HTTP/1.1", by: "HTTP/1.1", batch: 1, vector: true})
}

// measure takes turns of everything.
func (b *bench) measure(ctx context.Context) error {
	all := b.kinds()
	for turn := range b.Turns {
		for _, k := range all {
			b.durable(k.durable)
			if err := b.run(ctx, k, turn); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
	}
	b.durable(synced)
	b.report(all)
	return nil
}

// durable sets what the log does from now on.
func (b *bench) durable(how string) {
	if b.log != nil {
		b.log.off.Store(how == none)
		b.log.Sync(how == synced)
	}
}

func (b *bench) report(all []*kind) {
	fmt.Fprintf(b.out, "%d callers at once, %d candidates and %d shown a request, %d turns of %v each\n\n",
		b.Callers, perRequest, perPage, b.Turns, b.For)
	fmt.Fprintf(b.out, "%-24s %-20s %12s %10s %10s %10s %16s\n",
		"", "", "requests/s", "p50 ms", "p99 ms", "p99.9 ms", "processor us")
	for _, k := range all {
		at := func(q float64) float64 { return float64(k.times.ValueAtQuantile(q)) / 1e6 }
		fmt.Fprintf(b.out, "%-24s %-20s %12.0f %10.3f %10.3f %10.3f %16.1f\n",
			k.name, k.durable, median(k.rates), at(50), at(99), at(99.9), median(k.costs))
	}
	fmt.Fprintln(b.out)
	for _, with := range all {
		for _, without := range all {
			if without.name == with.name && with.durable == synced && without.durable == none {
				fmt.Fprintf(b.out, "what durability costs, %s: %.2f times as many requests a second without, "+
					"%.2f times the processor with\n",
					with.name, ratio(without.rates, with.rates), ratio(with.costs, without.costs))
			}
		}
	}
	if b.log == nil {
		return
	}
	m := b.log.Meter()
	if n := m.Commits.Load(); n > 0 {
		fmt.Fprintf(b.out, "commits of the log: %d, of %.1f records and %.2f ms each\n",
			n, float64(m.Records.Load())/float64(n), float64(m.Nanos.Load())/float64(n)/1e6)
	}
}

// ratio is the median of what two kinds had in the same turns.
func ratio(of, over []float64) float64 {
	ratios := make([]float64, len(of))
	for turn := range of {
		ratios[turn] = of[turn] / over[turn]
	}
	return median(ratios)
}

func median(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

// A loader makes calls, one after the other.
type loader struct {
	*bench
	random   *rand.Rand
	requests []exposure.Show
	ids      []strategies.ID
}

// draw makes requests of random users.
func (l *loader) draw(n int) {
	if len(l.requests) != n {
		l.requests, l.ids = make([]exposure.Show, n), make([]strategies.ID, n*perRequest)
	}
	for i := range l.ids {
		l.ids[i] = strategies.ID(l.random.Uint64())
	}
	for i := range l.requests {
		l.requests[i] = exposure.Show{
			User: userName(l.random.IntN(l.Users)), Candidates: l.ids[i*perRequest:][:perRequest], Limit: perPage,
		}
	}
}

func (l *loader) call(ctx context.Context, k *kind) error {
	l.draw(k.batch)
	to, one := l.clients[k.by], &l.requests[0]
	var err error
	switch {
	case to == nil:
		return l.histories.ShowAll(ctx, l.requests)
	case k.vector:
		_, err = to.Vector(ctx, one.User)
	case k.batch == 1:
		_, err = to.Show(ctx, one.User, one.Candidates, one.Limit)
	default:
		err = to.ShowAll(ctx, l.requests)
	}
	return err
}

// run is one turn of a kind of call.
func (b *bench) run(ctx context.Context, k *kind, turn int) error {
	var group sync.WaitGroup
	histograms, failed := make([]*hdrhistogram.Histogram, b.Callers), make([]error, b.Callers)
	before, began := processor(), time.Now()
	for i := range b.Callers {
		h := hdrhistogram.New(1000, int64(time.Minute), 3)
		histograms[i] = h
		group.Go(func() {
			l := &loader{bench: b, random: rand.New(rand.NewPCG(uint64(turn)<<32|uint64(i), uint64(len(k.name))))}
			for start := began; start.Sub(began) < b.For && failed[i] == nil; start = time.Now() {
				failed[i] = l.call(ctx, k)
				_ = h.RecordValue(int64(time.Since(start))) // a minute at most
			}
		})
	}
	group.Wait()
	took, cost := time.Since(began), processor()-before
	if err := firstOf(failed); err != nil {
		return err
	}
	for _, h := range histograms[1:] {
		histograms[0].Merge(h)
	}
	requests := float64(histograms[0].TotalCount()) * float64(k.batch)
	k.rates = append(k.rates, requests/took.Seconds())
	k.costs = append(k.costs, cost.Seconds()*1e6/requests)
	if k.times == nil {
		k.times = histograms[0]
	} else {
		k.times.Merge(histograms[0])
	}
	return nil
}

// processor is the time that the process has had of all processors. Unlike a rate it
// hardly depends on what else the machine does.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
