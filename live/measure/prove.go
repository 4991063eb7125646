package measure

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
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

// Prove makes trouble while simulated users refresh. Every answer is known in advance: the model is the strategy on
// each user's own history, and a call is repeated until it is answered.
type Prove struct {
	Users int    `help:"Simulated users." default:"10000"`
	Kills int    `help:"How often an instance is killed by SIGKILL; all else comes a tenth as often." default:"100"`
	Seed  uint64 `help:"Seed of all random numbers; the timing of the operating system has none." default:"1"`
	Kafka bool   `help:"Run two instances on a Kafka of one node, which Maven downloads."`
}

// others returns how often each other trouble comes.
func (o *Prove) others() int { return (o.Kills + 9) / 10 }

var workers = 48 // goroutines that refresh; tests take fewer

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
	ready     []time.Duration // from a kill of an instance to all partitions served

	started, mended, refused int // damaged copies
}

// Run proves, and reports; an error says what is wrong with the service.
func (o *Prove) Run(ctx context.Context, out io.Writer) error {
	p := &proof{Prove: *o, out: out, random: rand.New(rand.NewPCG(o.Seed, 1))}
	var err error
	if p.fleet, err = newFleet(); err != nil {
		return err
	}
	fmt.Fprintln(out, "if something is wrong, what was written is left in", p.dir)
	defer p.kill()
	began := time.Now()
	for _, step := range []func(context.Context) error{p.begin, p.refresh, p.compareAll, p.restart, p.compareAll} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	p.report(time.Since(began))
	p.kill()
	return os.RemoveAll(p.dir)
}

// restart stops and starts the instances, gracefully.
func (p *proof) restart(ctx context.Context) error {
	for _, one := range p.instances {
		if err := cmp.Or(one.end(syscall.SIGTERM), one.start(), one.awaitReady(ctx)); err != nil {
			return err
		}
		unknown := fmt.Sprintf("\ndejavu_partitions_unknown %d\n", p.others())
		if text, err := page(one.Address + "/metrics"); p.Kafka && !strings.Contains(text, unknown) {
			return fmt.Errorf("the metrics of %s do not have%s%v", one.name, unknown, err)
		}
	}
	return nil
}

func (p *proof) begin(ctx context.Context) (err error) {
	count, more := 1, "partitions: 32\nsnapshots: {every: 1s}\n"
	if p.Kafka {
		fmt.Fprintln(p.out, "fetching Kafka by Maven")
		if p.broker, err = StartKafka(ctx, p.dir, ""); err != nil {
			return err
		}
		p.processes = append(p.processes, p.broker)
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
	if p.client, err = client.New(client.Options{Attempt: 20 * time.Second, Addresses: addresses}); err != nil {
		return err
	}
	if err := p.awaitServed(ctx); err != nil {
		return err
	}
	population, err := workload.NewFull(p.Seed, p.Users)
	for w := range workers {
		random := rand.New(rand.NewPCG(p.Seed, uint64(100+w)))
		p.crowds = append(p.crowds, newCrowd(p.fleet, population, p.client, random, w, p.Users))
	}
	return err
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
	group.Go(func() error {
		defer over.Store(true)
		return p.trouble(refreshing)
	})
	return group.Wait()
}

func (p *proof) awaitServed(ctx context.Context) error {
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
	fmt.Fprintf(p.out, "comparing all %d histories\n", p.Users)
	return compareWith(ctx, p.settled(1), p.client)
}

func (p *proof) report(took time.Duration) {
	sum := map[string]int64{}
	for _, c := range p.crowds {
		for what, n := range c.compared {
			sum[what] += n
		}
	}
	fmt.Fprintf(p.out, "%d users, strategy %s, %v", p.Users, p.layout.Name, took.Round(time.Second))
	for _, what := range slices.Sorted(maps.Keys(sum)) {
		fmt.Fprintf(p.out, ", %d %s", sum[what], what)
	}
	fmt.Fprintln(p.out)
	for _, of := range p.troubles() {
		fmt.Fprintf(p.out, "%d %s, ", of.times, of.name)
	}
	fmt.Fprintf(p.out, "%d calls repeated\n", p.client.Repeated())
	fmt.Fprintf(p.out, "%d damaged copies: %d harmless, %d mended, with a line, %d refused, in one line\n",
		p.started, p.started-p.mended-p.refused, p.mended, p.refused)
	if n := len(p.ready); n > 0 {
		slices.Sort(p.ready)
		fmt.Fprintf(p.out, "from a kill to all partitions served: median %v, longest %v\n",
			p.ready[n/2].Round(time.Millisecond), p.ready[n-1].Round(time.Millisecond))
	}
	fmt.Fprintln(p.out, "every answer and every history is the exact model's: nothing lost, nothing counted twice, "+
		"nothing shown again within the window")
}
