package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	rebalances = 2  // sessions for which the group waits, as it divides its partitions, for a member that does not join in
	beats      = 20 // heartbeats of a session
)

// errReplaced means that the group silently replaced the member: its client joined as a new one, giving nothing up.
var errReplaced = errors.New("the member was replaced by a new one")

// A lease lasts while the group gives this member's partitions to nobody else: for a session after sending the last
// heartbeat that it answered, and for rebalances sessions after the last one not answered by a rebalance in progress. A
// dropped member does not come back under its name: while the name is the same, a lapsed lease goes on.
type lease struct {
	mu           sync.Mutex
	session      time.Duration
	member       string    // "": none
	sent, stable time.Time // heartbeats that were answered; those that knew of no rebalance
}

// leave ends the membership, after all partitions were given up.
func (l *lease) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.member = ""
}

// renew takes a heartbeat's answer. It returns errReplaced if the member is not the one given the partitions.
func (l *lease) renew(member string, session time.Duration, sent time.Time, answer error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if answer != nil && !errors.Is(answer, kerr.RebalanceInProgress) {
		return nil
	}
	if l.member != "" && l.member != member {
		return errReplaced
	}
	if answer == nil {
		l.stable = sent
	} else if l.member == "" {
		return nil
	}
	l.member, l.session, l.sent = member, session, sent
	return nil
}

func (l *lease) held(now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.member == "" {
		return errors.New("the group has not taken this instance in yet")
	}
	// The tenth is for clocks that do not run alike.
	margin := l.session / 10
	if silent := since(l.sent, now); silent > l.session-margin {
		return fmt.Errorf("the group has not been heard of for %v, its session is %v", silent, l.session)
	}
	if waiting := since(l.stable, now); waiting > rebalances*l.session-margin {
		return fmt.Errorf("the group has been rebalancing for %v", waiting)
	}
	return nil
}

// since returns how long ago then was, by the clock that shows more: the monotonic clock stops while a machine sleeps,
// and the other may be set.
func since(then, now time.Time) time.Duration {
	return max(now.Sub(then), now.Round(0).Sub(then.Round(0)))
}

// beat keeps the lease until ctx ends or the member is replaced. The client's own heartbeats do not say when they left.
func (l *Log) beat(ctx context.Context, client *kgo.Client, session time.Duration) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(session / beats):
		}
		r := kmsg.NewPtrHeartbeatRequest()
		r.Group = l.o.Group
		if r.MemberID, r.Generation = client.GroupMetadata(); r.Generation < 0 {
			continue
		}
		sent := time.Now()
		one, cancel := context.WithTimeout(ctx, session)
		answer, err := r.RequestWith(one, client)
		cancel()
		if err != nil {
			continue
		}
		if err := l.lease.renew(r.MemberID, session, sent, kerr.ErrorForCode(answer.ErrorCode)); err != nil {
			return err
		}
	}
}

// Sole returns nil while no other process can have been given this one's partitions.
func (l *Log) Sole() error {
	if err := l.lease.held(time.Now()); err != nil {
		return fmt.Errorf("kafka: group %s: %w", l.o.Group, err)
	}
	return nil
}

// Join keeps the process a member of the group until the context is done or an error occurs; then join again. It calls,
// one at a time, taken with new partitions, given with partitions that move when it returns, and lost with partitions
// that may have moved already. It ignores partitions added to the topic later.
func (l *Log) Join(ctx context.Context, session time.Duration, taken, given, lost func(context.Context, []int)) error {
	call := func(f func(context.Context, []int)) func(context.Context, *kgo.Client, map[string][]int32) {
		return func(ctx context.Context, _ *kgo.Client, byTopic map[string][]int32) {
			var partitions []int
			for _, p := range byTopic[l.o.Topic] {
				if int(p) < l.o.Partitions {
					partitions = append(partitions, int(p))
				} else {
					l.more(int(p) + 1)
				}
			}
			if len(partitions) > 0 {
				f(ctx, partitions)
			}
		}
	}
	client, err := kgo.NewClient(append(l.o.client(),
		kgo.ConsumerGroup(l.o.Group), kgo.ConsumeTopics(l.o.Topic), kgo.DisableAutoCommit(),
		kgo.SessionTimeout(session), kgo.HeartbeatInterval(session/4), kgo.RebalanceTimeout(rebalances*session),
		kgo.OnPartitionsAssigned(call(taken)), kgo.OnPartitionsRevoked(call(given)), kgo.OnPartitionsLost(call(lost)),
	)...)
	if err != nil {
		return fmt.Errorf("kafka: group %s: %w", l.o.Group, err)
	}
	defer client.Close() // and leave the group
	client.PauseFetchTopics(l.o.Topic)
	ctx, end := context.WithCancelCause(ctx)
	var beating sync.WaitGroup
	beating.Go(func() { end(l.beat(ctx, client, session)) })
	defer func() {
		end(nil)
		beating.Wait()
		l.lease.leave()
	}()
	for ctx.Err() == nil {
		for _, e := range client.PollFetches(ctx).Errors() {
			if errors.Is(e.Err, kgo.ErrClientClosed) {
				return nil
			}
			if ctx.Err() == nil {
				return fmt.Errorf("kafka: group %s: %w", l.o.Group, e.Err)
			}
		}
	}
	if err := context.Cause(ctx); errors.Is(err, errReplaced) {
		return fmt.Errorf("kafka: group %s: %w", l.o.Group, err)
	}
	return nil
}
