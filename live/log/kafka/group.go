package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Join makes the process a member of the group until the context is done or an error, after which it is to
// join anew: taken is called with the partitions that become its own, given with those that go to another
// when it returns, and lost with those that may have gone already. Calls come one after the other. What is
// written does not depend on the group's word (see the package), questions do (Sole).
func (l *Log) Join(ctx context.Context, session time.Duration, taken, given, lost func(context.Context, []int)) error {
	call := func(f func(context.Context, []int)) func(context.Context, *kgo.Client, map[string][]int32) {
		return func(ctx context.Context, _ *kgo.Client, byTopic map[string][]int32) {
			var partitions []int
			for _, p := range byTopic[l.o.Topic] {
				partitions = append(partitions, int(p))
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
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		end(l.beat(ctx, client, session))
	}()
	defer func() {
		end(nil)
		<-beating
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
