package measure

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"dejavu/strategies"
)

// anArticle is an article of nobody's.
var anArticle = []strategies.ID{1}

// trouble kills, restarts, pauses, in a random order and at random moments.
func (p *proof) trouble(ctx context.Context) error {
	var plan []func(context.Context) error
	for range p.Kills {
		plan = append(plan, p.killInstance)
	}
	if p.Kafka {
		for range p.BrokerKills {
			plan = append(plan, p.killBroker)
		}
		for range p.Pauses {
			plan = append(plan, p.pauseInstance)
		}
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

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// killInstance kills one, and starts it again: at once, or when the other has taken over.
func (p *proof) killInstance(ctx context.Context) error {
	one := p.instances[p.random.IntN(len(p.instances))]
	if err := one.Kill(); err != nil {
		return err
	}
	began := time.Now()
	if len(p.instances) > 1 && p.random.IntN(2) == 0 {
		if err := sleep(ctx, 3*time.Second); err != nil {
			return err
		}
	}
	if err := one.Start(); err != nil {
		return err
	}
	err := p.awaitServed(ctx)
	p.ready = append(p.ready, time.Since(began))
	return err
}

// killBroker kills Kafka and starts it again.
func (p *proof) killBroker(ctx context.Context) error {
	if err := p.broker.Kill(); err != nil {
		return err
	}
	if err := sleep(ctx, time.Duration(p.random.Int64N(int64(2*time.Second)))); err != nil {
		return err
	}
	if err := p.broker.Start(); err != nil {
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
	err := p.client.Record(one, "somebody else", anArticle)
	p.goesOn = append(p.goesOn, time.Since(began))
	return err
}

// pauseInstance stops one for longer than the group waits for it, so that the other takes
// over what the first believes it has when it goes on.
func (p *proof) pauseInstance(ctx context.Context) error {
	one := p.instances[p.random.IntN(len(p.instances))]
	if err := one.signal(syscall.SIGSTOP, 0); err != nil {
		return err
	}
	err := sleep(ctx, 4*time.Second)
	if err := one.signal(syscall.SIGCONT, 0); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	return p.awaitServed(ctx)
}
