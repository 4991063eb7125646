package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Join makes the process a member of the group until the context is done: taken is called
// with the partitions that become its own, given with those that go to another when it
// returns, and lost with those that may have gone already. Calls come one after the other. The group's word is about who works, not
// about what is true: that two hold a partition for a while does no harm (see the
// package).
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
		kgo.SessionTimeout(session), kgo.HeartbeatInterval(session/4), kgo.RebalanceTimeout(2*session),
		kgo.OnPartitionsAssigned(call(taken)), kgo.OnPartitionsRevoked(call(given)), kgo.OnPartitionsLost(call(lost)),
	)...)
	if err != nil {
		return fmt.Errorf("kafka: group %s: %w", l.o.Group, err)
	}
	defer client.Close() // and leave the group
	client.PauseFetchTopics(l.o.Topic)
	l.member(client)
	defer l.member(nil)
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
	return nil
}

// member notes the client by which the process is a member of the group.
func (l *Log) member(client *kgo.Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.group = client
}
