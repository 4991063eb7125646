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
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"dejavu/live/client"
	"dejavu/workload"
)

// Prove makes trouble while simulated users refresh, as docs/live-inside.md says, and compares every answer with an
// exact model.
//
// The model is the strategy itself on a history of its own for every user. A call is repeated until it is answered. So
// the model knows every answer before it comes: had the service lost one acknowledged exposure, or counted one twice,
// the answers would differ, and in the end the histories, which are all compared.
type Prove struct {
	Users       int    `help:"Simulated users." default:"10000"`
	Kills       int    `help:"How often an instance is killed by SIGKILL." default:"100"`
	Jumps       int    `help:"How often an instance's clock jumps by hours or days." default:"12"`
	Floods      int    `help:"How often both ports of an instance are flooded with connections." default:"10"`
	Copies      int    `help:"How often the instance restarts from a damaged copy; not with Kafka." default:"100"`
	Strategy    string `help:"Strategy of the catalogue." default:"chain"`
	Seed        uint64 `help:"Seed of all random numbers; the timing of the operating system has none." default:"1"`
	Dir         string `help:"Folder for the files (default: a temporary one)." type:"path"`
	Kafka       bool   `help:"Run two instances on a Kafka of one node, which Maven downloads."`
	BrokerKills int    `help:"How often the broker is killed." default:"10"`
	Pauses      int    `help:"How often an instance is stopped until the other has taken over." default:"10"`
	Added       int    `help:"Partitions that are added to the Kafka topic." default:"3"`
}

const workers = 48

// calling returns a client of instances; there is one wherever they have an address.
func calling(o client.Options, addresses ...string) *client.Client {
	o.Addresses = addresses
	c, _ := client.New(o)
	return c
}

type proof struct {
	Prove
	*fleet
	out       io.Writer
	client    *client.Client
	random    *rand.Rand
	config    string // of instances
	instances []*Process
	broker    *Process
	crowds    []*crowd
	ready     []time.Duration // after kills of instances, all partitions served
	listens   []time.Duration // after the broker's start
	goesOn    []time.Duration // after that, a call durable
	probed    []time.Duration // in floods, a page or a PING answered

	started, mended, refused int // damaged copies
}

// Run proves, and reports; an error is what is wrong with the service.
func (o *Prove) Run(ctx context.Context, out io.Writer) error {
	p := &proof{Prove: *o, out: out, random: rand.New(rand.NewPCG(o.Seed, 1))}
	dir, err := os.MkdirTemp(o.Dir, "dejavu-proof-")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "what is written is left in", dir, "where something is wrong")
	if p.fleet, err = newFleet(dir, p.Strategy); err != nil {
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
		unknown := fmt.Sprintf("\ndejavu_partitions_unknown %d\n", p.Added)
		if text, err := page(one.Address + "/metrics"); p.Kafka && !strings.Contains(text, unknown) {
			return fmt.Errorf("the metrics of %s do not have%s%v", one.name, unknown, err)
		}
	}
	if err := p.compareAll(ctx); err != nil {
		return err
	}
	p.report(time.Since(began))
	p.kill()
	return os.RemoveAll(dir)
}

func (p *proof) begin(ctx context.Context) (err error) {
	count, more := 1, "partitions: 32\nsnapshots: {every: 1s}\n"
	if p.Kafka {
		if p.broker, err = p.kafka(ctx, p.out); err != nil {
			return err
		}
		count, more = 2, fmt.Sprintf("log: kafka\npartitions: 16\nsnapshots: {every: 1s, folder: DIR/snapshots}\n"+
			"kafka: {brokers: [%q], session: 2s, timeout: 60s}\n", p.broker.Address)
	}
	// Snapshots come so often that many are under way when a kill comes; a flood takes more connections than there are.
	p.config = "limits: {connections: 1024}\n" + more
	var addresses []string
	for i := range count {
		name := fmt.Sprintf("instance-%d", i)
		one, err := p.instance(name, p.config, "--clock-file", filepath.Join(p.dir, name+clockFile))
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
	return compareWith(ctx, p.settled(1), p.client)
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
	var made []string
	for _, of := range p.troubles() {
		made = append(made, fmt.Sprint(of.times, " ", of.name))
	}
	fmt.Fprintf(p.out, "%s; %d calls repeated, the longest call %v\n", strings.Join(made, ", "), p.client.Repeated(),
		longest.Round(time.Millisecond))
	if p.started > 0 {
		fmt.Fprintf(p.out, "%d damaged copies: %d harmless, %d mended, with a line, %d refused, in one line\n",
			p.started, p.started-p.mended-p.refused, p.mended, p.refused)
	}
	p.reportTimes("pages and pings asked for in floods", p.probed)
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
