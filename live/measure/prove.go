package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"dejavu/live/client"
	"dejavu/strategies"
	"dejavu/workload"
)

// Prove kills the service by SIGKILL while simulated users refresh, and compares every answer with an exact model.
//
// The model is the strategy itself on a history of its own for every user. A call is repeated until it is answered. So
// the model knows every answer before it comes: had the service lost one acknowledged exposure, or counted one twice,
// the answers would differ, and in the end the histories, which are all compared.
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

const workers = 48

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
		if err := one.restart(ctx, syscall.SIGTERM, 0); err != nil {
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

func (p *proof) begin(ctx context.Context) (err error) {
	count, config := 1, "partitions: 32\n"
	if p.Kafka {
		if p.broker, err = p.kafka(ctx, p.Jars, p.out); err != nil {
			return err
		}
		count, config = 2, fmt.Sprintf("log: kafka\npartitions: 16\nkafka: {brokers: [%q], session: 2s, timeout: 60s}\n",
			p.broker.Address)
	}
	// Snapshots so often that many are under way when a kill comes.
	config += "snapshots: {every: 1s, folder: DIR/snapshots}\n"
	var addresses []string
	for i := range count {
		one, err := p.instance(fmt.Sprintf("instance-%d", i), config)
		if err != nil {
			return err
		}
		p.instances, addresses = append(p.instances, one), append(addresses, one.Address)
	}
	p.client = calling(client.Options{Attempt: 20 * time.Second}, addresses...)
	if err := p.awaitServed(ctx); err != nil {
		return err
	}
	population, err := workload.NewFull(p.Seed, p.Users)
	if err != nil {
		return err
	}
	for w := range workers {
		var numbers []int
		for n := w; n < p.Users; n += workers {
			numbers = append(numbers, n)
		}
		random := rand.New(rand.NewPCG(p.Seed, uint64(100+w)))
		p.crowds = append(p.crowds, newCrowd(p.fleet, population, p.client, random, numbers))
	}
	return nil
}

func (p *proof) refresh(ctx context.Context) error {
	group, refreshing := errgroup.WithContext(ctx)
	var over atomic.Bool
	for _, c := range p.crowds {
		group.Go(func() error {
			for !over.Load() {
				if err := c.step(refreshing); err != nil {
					return err
				}
			}
			return nil
		})
	}
	trouble := p.trouble(refreshing)
	over.Store(true)
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err // what a user met says more
	}
	return trouble
}

func (p *proof) awaitServed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return await(ctx, "all partitions are served", func() bool {
		served := map[uint32]bool{}
		for i := range p.instances {
			one, done := context.WithTimeout(ctx, 500*time.Millisecond)
			d, err := p.client.Describe(one, i)
			done()
			if err != nil {
				continue
			}
			for _, n := range d.Here {
				served[n] = true
			}
			if d.AllHere || len(served) == int(d.Partitions) {
				return true
			}
		}
		return false
	}, p.instances...)
}

func (p *proof) compareAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	var group errgroup.Group
	for _, c := range p.crowds {
		group.Go(func() error { return c.compareAll(ctx) })
	}
	return group.Wait()
}

func (p *proof) report(took time.Duration) {
	sum, longest := map[string]int64{}, time.Duration(0)
	for _, c := range p.crowds {
		for what, n := range c.compared {
			sum[what] += n
		}
		longest = max(longest, c.longest)
	}
	fmt.Fprintf(p.out, "%d users, strategy %s, %v: %d shows, %d of them in batches, of %d articles; "+
		"%d records, %d users forgotten, %d questions, %d histories fetched\n",
		p.Users, p.layout.Name, took.Round(time.Second), sum["shows"], sum["batched"], sum["articles"],
		sum["records"], sum["forgotten"], sum["questions"], sum["histories"])
	fmt.Fprintf(p.out, "%d kills of instances", p.Kills)
	if p.Kafka {
		fmt.Fprintf(p.out, ", %d of the broker, %d pauses of instances beyond their session", p.BrokerKills, p.Pauses)
	}
	fmt.Fprintf(p.out, "; %d calls repeated, the longest call %v\n", p.client.Repeated(), longest.Round(time.Millisecond))
	p.reportTimes("from a kill to all partitions served", p.ready)
	p.reportTimes("from the broker's start to its listening", p.listens)
	p.reportTimes("and from there to the next durable call", p.goesOn)
	fmt.Fprintln(p.out, "every answer and every history is the exact model's: nothing lost, nothing counted twice, "+
		"nothing shown again within the window")
}

func (p *proof) reportTimes(what string, times []time.Duration) {
	if n := len(times); n > 0 {
		slices.Sort(times)
		fmt.Fprintf(p.out, "%s: median %v, longest %v\n",
			what, times[n/2].Round(time.Millisecond), times[n-1].Round(time.Millisecond))
	}
}

func (p *proof) trouble(ctx context.Context) error {
	plan := slices.Repeat([]func(context.Context) error{p.killInstance}, p.Kills)
	if p.Kafka {
		plan = append(plan, slices.Repeat([]func(context.Context) error{p.killBroker}, p.BrokerKills)...)
		plan = append(plan, slices.Repeat([]func(context.Context) error{p.pauseInstance}, p.Pauses)...)
	}
	p.random.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	for n, next := range plan {
		if err := sleep(ctx, time.Duration(p.random.Int64N(int64(800*time.Millisecond)))); err != nil {
			return err
		}
		if err := next(ctx); err != nil {
			return err
		}
		if (n+1)%10 == 0 || n+1 == len(plan) {
			fmt.Fprintf(p.out, "%d of %d troubles; %d calls were repeated\n", n+1, len(plan), p.client.Repeated())
		}
	}
	return sleep(ctx, time.Second)
}

// killInstance kills one, and starts it again: at once, or when the other has taken over.
func (p *proof) killInstance(ctx context.Context) error {
	one, pause := p.instances[p.random.IntN(len(p.instances))], time.Duration(0)
	if len(p.instances) > 1 && p.random.IntN(2) == 0 {
		pause = 3 * time.Second
	}
	began := time.Now()
	if err := one.restart(ctx, syscall.SIGKILL, pause); err != nil {
		return err
	}
	err := p.awaitServed(ctx)
	p.ready = append(p.ready, time.Since(began))
	return err
}

func (p *proof) killBroker(ctx context.Context) error {
	pause := time.Duration(p.random.Int64N(int64(2 * time.Second)))
	if err := p.broker.restart(ctx, syscall.SIGKILL, pause); err != nil {
		return err
	}
	began := time.Now()
	if err := p.broker.awaitListens(ctx); err != nil {
		return err
	}
	p.listens = append(p.listens, time.Since(began))
	began = time.Now()
	one, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	err := p.client.Record(one, "somebody else", []strategies.ID{1})
	p.goesOn = append(p.goesOn, time.Since(began))
	return err
}

// pauseInstance stops one for longer than its session: the other takes over what it believes it has when it goes on.
func (p *proof) pauseInstance(ctx context.Context) error {
	one := p.instances[p.random.IntN(len(p.instances))]
	if err := one.signal(syscall.SIGSTOP, 0); err != nil {
		return err
	}
	err := sleep(ctx, 4*time.Second)
	if err := cmp.Or(one.signal(syscall.SIGCONT, 0), err); err != nil {
		return err
	}
	return p.awaitServed(ctx)
}
