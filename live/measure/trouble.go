package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/strategies"
)

// A trouble is caused the given number of times.
type trouble struct {
	times int
	name  string
	cause func(context.Context) error
}

func (p *proof) troubles() []trouble {
	others := p.others()
	all := []trouble{
		{p.Kills, "kills of instances", p.killInstance},
		{others, "jumps of their clocks", p.jump},
		{others, fmt.Sprintf("floods of %d connections", flooding), p.flood},
	}
	if p.Kafka {
		all = append(all, trouble{others, "kills of the broker", p.killBroker},
			trouble{others, "pauses of instances beyond their session", p.pauseInstance},
			trouble{others, "partitions added", p.addPartition})
	}
	return all
}

// trouble causes everything that may go wrong, in random order.
func (p *proof) trouble(ctx context.Context) error {
	var plan []func(context.Context) error
	for _, of := range p.troubles() {
		plan = append(plan, slices.Repeat([]func(context.Context) error{of.cause}, of.times)...)
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

func (p *proof) anyInstance() *Process { return p.instances[p.random.IntN(len(p.instances))] }

// killInstance kills an instance, and restarts it at once or after the other took over; then a damaged copy.
func (p *proof) killInstance(ctx context.Context) error {
	one, pause := p.anyInstance(), time.Duration(0)
	if len(p.instances) > 1 && p.random.IntN(2) == 0 {
		pause = 3 * time.Second
	}
	if err := one.Kill(); err != nil {
		return err
	}
	var histories map[string][]byte // that the copy has
	name := fmt.Sprintf("copy-%d", p.started)
	if !p.Kafka {
		p.started++
		histories = p.settled(10) // all of them take longer than all the rest
		if err := os.CopyFS(filepath.Join(p.dir, name), os.DirFS(filepath.Join(p.dir, one.name))); err != nil {
			return err
		}
	}
	began := time.Now()
	err := cmp.Or(sleep(ctx, pause), one.start(), p.awaitServed(ctx))
	p.ready = append(p.ready, time.Since(began))
	if err == nil && histories != nil {
		return p.startDamaged(ctx, name, histories)
	}
	return err
}

func (p *proof) killBroker(ctx context.Context) error {
	pause := time.Duration(p.random.Int64N(int64(2 * time.Second)))
	one, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return cmp.Or(p.broker.Kill(), sleep(one, pause), p.broker.startListening(one),
		p.client.Record(one, "somebody else", []strategies.ID{1}))
}

// pauseInstance stops an instance for longer than its session: the other takes over what it still believes it has.
func (p *proof) pauseInstance(ctx context.Context) error {
	pid := strconv.Itoa(p.anyInstance().cmd.Process.Pid)
	signal := func(name string) error { return exec.Command("kill", name, pid).Run() }
	return cmp.Or(signal("-STOP"), sleep(ctx, 4*time.Second), signal("-CONT"), p.awaitServed(ctx))
}

const clockFile = ".clock" // behind an instance's name

// jump moves an instance's clock by hours or days, or back, and may then kill it. The instance doubts its clock.
func (p *proof) jump(ctx context.Context) error {
	one, ahead := p.anyInstance(), 0
	if p.random.IntN(3) > 0 {
		ahead = (1 + p.random.IntN(30*24)) * (1 - 2*p.random.IntN(2))
	}
	seconds := []byte(strconv.Itoa(ahead * 3600))
	if err := os.WriteFile(filepath.Join(p.dir, one.name+clockFile), seconds, 0o600); err != nil {
		return err
	}
	if p.random.IntN(2) == 0 {
		if err := cmp.Or(one.Kill(), one.start(), p.awaitServed(ctx)); err != nil {
			return err
		}
	}
	return await(ctx, fmt.Sprintf("a clock that is %d h ahead is told of", ahead), func() bool {
		text, err := page(one.Address + "/readyz")
		return err == nil && strings.Contains(text, "clock differs by") == (ahead != 0)
	}, one)
}

const flooding = 2000 // connections that each door has in a flood, more than it lets in

// flood opens connections that send nothing, half a request, or too large a one. Pages and a PING are answered.
func (p *proof) flood(ctx context.Context) error {
	one := p.anyInstance()
	// One that was killed may still be starting, while the other serves all partitions.
	if err := one.awaitReady(ctx); err != nil {
		return err
	}
	door := redis.NewClient(&redis.Options{Addr: one.door, MaxRetries: -1})
	defer door.Close()
	const head = "POST /dejavu.exposure.v1.Exposures/Show HTTP/1.1\r\nHost: proof\r\n" +
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n{\"user\":"
	for address, says := range map[string][]string{
		one.Address: {"", fmt.Sprintf(head, 1000), fmt.Sprintf(head, 1<<30)},
		one.door:    {"", "*3\r\n$4\r\nSEEN\r\n$9\r\nhalf", "*1\r\n$1073741824\r\n"},
	} {
		for n := range flooding {
			conn, err := net.DialTimeout("tcp", address, 20*time.Second)
			if err != nil {
				return fmt.Errorf("connection %d of a flood: %w", n, err)
			}
			defer conn.Close()
			_, _ = conn.Write([]byte(says[n%len(says)])) // where there is no room any more it is closed
		}
	}
	err := door.Ping(ctx).Err()
	for _, at := range []string{one.other + "/healthz", one.other + "/metrics", one.Address + "/healthz"} {
		text, failed := page(at)
		if err = cmp.Or(err, failed); strings.Contains(text, "\ndejavu_refused_total{code=\"413\"} 0\n") {
			err = errors.New("nothing was refused as too large")
		}
	}
	if err != nil {
		return fmt.Errorf("in a flood: %w\n%s", err, one.tail())
	}
	return nil
}

// addPartition adds a partition to the topic: instances ignore it, and say so.
func (p *proof) addPartition(ctx context.Context) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(p.broker.Address))
	if err != nil {
		return err
	}
	defer client.Close()
	answers, err := kadm.NewClient(client).CreatePartitions(ctx, 1, "dejavu-exposures")
	return cmp.Or(err, answers.Error())
}
