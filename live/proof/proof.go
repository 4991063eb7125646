// Package proof runs the service for real and kills it: simulated users refresh, processes
// are killed at random by SIGKILL, and every answer is compared with an exact model.
//
// The model is the strategy itself on a history of its own for every user. A call is
// repeated until it is answered, as a caller would who lost an answer. So the model knows
// every answer before it comes: had the service lost one acknowledged exposure, or
// counted one twice, the history would differ, and with it the answers, and in the end
// the bytes, which are all compared.
package proof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"dejavu/live/client"
	"dejavu/live/client/local"
	"dejavu/live/instance"
	"dejavu/live/layout"
	"dejavu/live/servers"
	"dejavu/workload"
)

// Options are those of Run.
type Options struct {
	_ struct{}

	Users    int
	Kills    int // of instances
	Seed     uint64
	Strategy string
	Dir      string // for everything that is written; empty: a temporary one
	Program  string // the service's
	Out      io.Writer

	// Kafka has two instances share a topic of a broker that is killed, too, and be
	// paused until the other has taken over.
	Kafka       bool
	BrokerKills int
	Pauses      int
	Jars        string // folder of Kafka's jars; fetched by Maven where it is empty
}

// workers is how many users refresh at once.
const workers = 48

// A proof is one that runs.
type proof struct {
	Options
	layout    layout.Layout
	client    *client.Client
	random    *rand.Rand
	instances []*servers.Process
	broker    *servers.Process
	crowds    []*crowd
	ready     []time.Duration // after kills of instances, all partitions served
	listens   []time.Duration // after the broker's start
	goesOn    []time.Duration // after that, a call durable
}

// Run proves, and reports; an error is what is wrong with the service.
func Run(ctx context.Context, o Options) (err error) {
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "dejavu-proof-"); err != nil {
			return err
		}
		defer func() {
			if err == nil {
				err = os.RemoveAll(o.Dir)
			} else {
				fmt.Fprintln(o.Out, "what was written is left in", o.Dir)
			}
		}()
	}
	p := &proof{Options: o, random: rand.New(rand.NewPCG(o.Seed, 1))}
	if p.layout, err = layout.Make(layout.Choice{Name: o.Strategy}); err != nil {
		return err
	}
	defer func() {
		for _, i := range append(p.instances, p.broker) {
			if i != nil {
				_ = i.Kill()
			}
		}
	}()
	if err := p.begin(ctx); err != nil {
		return err
	}
	began := time.Now()
	// The users live until the chaos is over.
	living, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	over := make(chan struct{})
	for _, c := range p.crowds {
		group.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				if err := c.step(living); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	trouble := p.trouble(living)
	close(over)
	group.Wait()
	if cause := context.Cause(living); cause != nil && !errors.Is(cause, context.Canceled) {
		trouble = cause // what a user met says more
	}
	if trouble != nil {
		return trouble
	}
	fmt.Fprintf(o.Out, "comparing all %d histories, before and after a graceful stop\n", o.Users)
	if err := p.compareAll(ctx); err != nil {
		return err
	}
	for _, one := range p.instances {
		if err := one.Signal(syscall.SIGTERM, time.Minute); err != nil {
			return err
		}
		if err := one.Start(); err != nil {
			return err
		}
		if err := one.AwaitReady(ctx); err != nil {
			return err
		}
	}
	if err := p.compareAll(ctx); err != nil {
		return err
	}
	p.report(time.Since(began))
	return nil
}

// begin starts everything.
func (p *proof) begin(ctx context.Context) error {
	count, config := 1, ""
	shared := fmt.Sprintf("strategy: %s\nsecret_file: %s\n", p.Strategy, filepath.Join(p.Dir, "secret"))
	if p.Kafka {
		count = 2
		broker, err := servers.StartKafka(ctx, p.Dir, p.Jars, p.Out)
		p.broker = broker
		if err != nil {
			return err
		}
		config = fmt.Sprintf("log: kafka\npartitions: 16\nkafka: {brokers: [%q], session: 2s, timeout: 60s}\n", broker.Address)
	} else {
		config = "partitions: 32\n"
	}
	// Snapshots so often that many are under way when a kill comes.
	config += fmt.Sprintf("snapshots: {every: 1s, folder: %s}\n", filepath.Join(p.Dir, "snapshots"))
	secret, err := instance.Secret(filepath.Join(p.Dir, "secret"))
	if err != nil {
		return err
	}
	var addresses []string
	for i := range count {
		name := fmt.Sprintf("instance-%d", i)
		one, err := servers.NewInstance(p.Program, p.Dir, name, fmt.Sprintf("data: %s\n%s%s", filepath.Join(p.Dir, name), shared, config))
		if err != nil {
			return err
		}
		p.instances, addresses = append(p.instances, one), append(addresses, one.Address)
		if err := one.Start(); err != nil {
			return err
		}
	}
	if p.client, err = client.New(client.Options{Addresses: addresses, Attempt: 20 * time.Second}); err != nil {
		return err
	}
	if err := p.awaitServed(ctx); err != nil {
		return err
	}
	population, err := workload.NewFull(p.Seed, p.Users)
	if err != nil {
		return err
	}
	window := windowOf(p.layout)
	for w := range workers {
		p.crowds = append(p.crowds, &crowd{
			layout: p.layout, window: window, secret: secret, population: population, client: p.client,
			reader: local.New(p.layout, secret), random: rand.New(rand.NewPCG(p.Seed, uint64(100+w))), count: &Counts{},
		})
	}
	for n := range p.Users {
		c := p.crowds[n%workers]
		name := fmt.Sprintf("user-%d", n)
		c.persons = append(c.persons, &person{name: name, number: n, salt: secret.Salt(uint64(secret.DigestString(name)))})
	}
	return nil
}

// windowOf is what the strategy's theory guarantees.
func windowOf(l layout.Layout) func(int) int {
	if t, ok := l.Strategy.(interface{ Window(int) int }); ok {
		return t.Window
	}
	return func(int) int { return 0 }
}

// awaitServed returns when every partition is served by an instance.
func (p *proof) awaitServed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		var here []uint32
		of := uint32(1)
		for i := range p.instances {
			one, done := context.WithTimeout(ctx, 500*time.Millisecond)
			d, err := p.client.Describe(one, i)
			done()
			if err != nil {
				continue
			}
			of = d.Partitions
			if d.AllHere {
				return nil
			}
			here = append(here, d.Here...)
		}
		slices.Sort(here)
		if len(slices.Compact(here)) == int(of) {
			return nil
		}
		for _, one := range p.instances {
			if err := one.Running(); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d partitions are served: %w\n%s", len(here), of, ctx.Err(), p.instances[0].Tail())
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// compareAll compares the bytes of every user's history.
func (p *proof) compareAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	errs := make(chan error, len(p.crowds))
	for _, c := range p.crowds {
		go func() {
			for _, one := range c.persons {
				if err := c.compare(ctx, one); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	var first error
	for range p.crowds {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

// report says what was proven.
func (p *proof) report(took time.Duration) {
	var c Counts
	for _, one := range p.crowds {
		c.add(one.count)
	}
	fmt.Fprintf(p.Out, "%d users, strategy %s, %v: %d shows, %d of them in batches, of %d articles; %d records, %d users forgotten, %d questions, %d histories fetched\n",
		p.Users, p.layout.Name, took.Round(time.Second), c.Shows+c.Batched, c.Batched, c.Articles, c.Records, c.Forgets, c.Seens, c.Vectors)
	fmt.Fprintf(p.Out, "%d kills of instances", p.Kills)
	if p.Kafka {
		fmt.Fprintf(p.Out, ", %d of the broker, %d pauses of instances beyond their session", p.BrokerKills, p.Pauses)
	}
	fmt.Fprintf(p.Out, "; %d calls repeated, the longest call %v\n", p.client.Repeated(), c.Longest.Round(time.Millisecond))
	for _, t := range []struct {
		what  string
		times []time.Duration
	}{
		{"from a kill to all partitions served", p.ready},
		{"from the broker's start to its listening", p.listens},
		{"and from there to the next durable call", p.goesOn},
	} {
		if n := len(t.times); n > 0 {
			slices.Sort(t.times)
			fmt.Fprintf(p.Out, "%s: median %v, longest %v\n", t.what, t.times[n/2].Round(time.Millisecond), t.times[n-1].Round(time.Millisecond))
		}
	}
	fmt.Fprintln(p.Out, "every answer and every history is the exact model's: nothing lost, nothing counted twice, nothing shown again within the window")
}
