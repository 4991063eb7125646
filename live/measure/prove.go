package measure

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
	"dejavu/workload"
)

// Prove runs the service for real and kills it: simulated users refresh, processes are
// killed at random by SIGKILL, and every answer is compared with an exact model.
//
// The model is the strategy itself on a history of its own for every user. A call is
// repeated until it is answered, as a caller would who lost an answer. So the model knows
// every answer before it comes: had the service lost one acknowledged exposure, or
// counted one twice, the history would differ, and with it the answers, and in the end
// the bytes, which are all compared.
type Prove struct {
	Users       int    `help:"Simulated users." default:"10000"`
	Kills       int    `help:"Kills of instances by SIGKILL." default:"100"`
	Strategy    string `help:"A strategy of the catalogue." default:"chain"`
	Seed        uint64 `help:"Of everything random but the moments of the operating system." default:"1"`
	Dir         string `help:"Folder for the files that are written; a temporary one by default." type:"path"`
	Kafka       bool   `help:"Run two instances on a Kafka of one node, which Maven downloads."`
	BrokerKills int    `help:"Kills of the broker." default:"10"`
	Pauses      int    `help:"How often an instance is stopped until the other has taken over." default:"10"`
	Jars        string `help:"Folder of Kafka's jars, in place of Maven." type:"existingdir"`
}

// workers is how many users refresh at once.
const workers = 48

// A proof is one that runs.
type proof struct {
	Prove
	*fleet
	out       io.Writer
	client    *client.Client
	random    *rand.Rand
	instances []*Process
	broker    *Process
	crowds    []*crowd
	ready     []time.Duration // after kills of instances, all partitions served
	listens   []time.Duration // after the broker's start
	goesOn    []time.Duration // after that, a call durable
}

// Run proves, and reports; an error is what is wrong with the service.
func (o *Prove) Run(ctx context.Context, out io.Writer) (err error) {
	p := &proof{Prove: *o, out: out, random: rand.New(rand.NewPCG(o.Seed, 1))}
	if p.Dir == "" {
		if p.Dir, err = os.MkdirTemp("", "dejavu-proof-"); err != nil {
			return err
		}
		defer func() {
			if err == nil {
				err = os.RemoveAll(p.Dir)
			} else {
				fmt.Fprintln(out, "what was written is left in", p.Dir)
			}
		}()
	}
	if p.fleet, err = newFleet(p.Dir, p.Strategy); err != nil {
		return err
	}
	defer p.kill()
	if err := p.begin(ctx); err != nil {
		return err
	}
	began := time.Now()
	if err := p.refresh(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "comparing all %d histories, before and after a graceful stop\n", p.Users)
	if err := p.compareAll(ctx); err != nil {
		return err
	}
	for _, one := range p.instances {
		if err := one.signal(syscall.SIGTERM, time.Minute); err != nil {
			return err
		}
		if err := one.Start(); err != nil {
			return err
		}
		if err := one.awaitReady(ctx); err != nil {
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
func (p *proof) begin(ctx context.Context) (err error) {
	count, config := 1, "partitions: 32\n"
	if p.Kafka {
		if p.broker, err = startKafka(ctx, p.dir, p.Jars, p.out); err != nil {
			return err
		}
		p.add(p.broker)
		count, config = 2, fmt.Sprintf("log: kafka\npartitions: 16\nkafka: {brokers: [%q], session: 2s, timeout: 60s}\n",
			p.broker.Address)
	}
	// Snapshots so often that many are under way when a kill comes.
	config += fmt.Sprintf("snapshots: {every: 1s, folder: %s}\n", filepath.Join(p.dir, "snapshots"))
	var addresses []string
	for i := range count {
		one, err := p.instance(fmt.Sprintf("instance-%d", i), config)
		if err != nil {
			return err
		}
		p.instances, addresses = append(p.instances, one), append(addresses, one.Address)
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
	for w := range workers {
		p.crowds = append(p.crowds, newCrowd(p.layout, p.secret, population, p.client, rand.NewPCG(p.Seed, uint64(100+w))))
	}
	for n := range p.Users {
		p.crowds[n%workers].add(n)
	}
	return nil
}

// refresh has the users refresh until the trouble is over.
func (p *proof) refresh(ctx context.Context) error {
	refreshing, stop := context.WithCancelCause(ctx)
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
				if err := c.step(refreshing); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	trouble := p.trouble(refreshing)
	close(over)
	group.Wait()
	if cause := context.Cause(refreshing); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause // what a user met says more
	}
	return trouble
}

// awaitServed returns when every partition is served by an instance.
func (p *proof) awaitServed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		served := map[uint32]bool{}
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
			for _, n := range d.Here {
				served[n] = true
			}
		}
		if len(served) == int(of) {
			return nil
		}
		for _, one := range p.instances {
			if err := one.running(); err != nil {
				return err
			}
		}
		if err := sleep(ctx, 2*time.Millisecond); err != nil {
			return fmt.Errorf("%d of %d partitions are served: %w\n%s", len(served), of, err, p.instances[0].tail())
		}
	}
}

// compareAll compares the bytes of every user's history.
func (p *proof) compareAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	failed := make([]error, len(p.crowds))
	var group sync.WaitGroup
	for i, c := range p.crowds {
		group.Go(func() { failed[i] = c.compareAll(ctx) })
	}
	group.Wait()
	return firstOf(failed)
}

// report says what was proven.
func (p *proof) report(took time.Duration) {
	var c counts
	for _, one := range p.crowds {
		c.add(&one.counts)
	}
	fmt.Fprintf(p.out, "%d users, strategy %s, %v: %d shows, %d of them in batches, of %d articles; "+
		"%d records, %d users forgotten, %d questions, %d histories fetched\n",
		p.Users, p.layout.Name, took.Round(time.Second), c.shows+c.batched, c.batched, c.articles,
		c.records, c.forgets, c.seens, c.vectors)
	fmt.Fprintf(p.out, "%d kills of instances", p.Kills)
	if p.Kafka {
		fmt.Fprintf(p.out, ", %d of the broker, %d pauses of instances beyond their session", p.BrokerKills, p.Pauses)
	}
	fmt.Fprintf(p.out, "; %d calls repeated, the longest call %v\n",
		p.client.Repeated(), c.longest.Round(time.Millisecond))
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
			fmt.Fprintf(p.out, "%s: median %v, longest %v\n",
				t.what, t.times[n/2].Round(time.Millisecond), t.times[n-1].Round(time.Millisecond))
		}
	}
	fmt.Fprintln(p.out, "every answer and every history is the exact model's: nothing lost, nothing counted twice, "+
		"nothing shown again within the window")
}
