package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/cluster/internal/script"
)

// partitions of the topic.
const partitions = 4

// newQueue connects to Kafka, and makes a topic.
func newQueue(ctx context.Context, brokers, topic string) (*kgo.Client, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...))
	if err != nil {
		return nil, err
	}
	made, err := kadm.NewClient(client).CreateTopic(ctx, partitions, 1, nil, topic)
	if err == nil {
		err = made.Err
	}
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("making topic %s at %s: %w", topic, brokers, err)
	}
	return client, nil
}

// produce writes requests in the order of their arrival, so many a second, and returns
// when the brokers have them.
func produce(ctx context.Context, to *kgo.Client, topic string, events []script.Event, rate int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	began := time.Now()
	for i, e := range events {
		if rate > 0 {
			due := began.Add(time.Duration(i) * time.Second / time.Duration(rate))
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(time.Until(due)):
			}
		}
		value, err := e.Request.MarshalBinary()
		if err != nil {
			return err
		}
		record := &kgo.Record{Topic: topic, Key: []byte(e.User), Value: value, Timestamp: script.Moment(e.At)}
		to.Produce(ctx, record, func(_ *kgo.Record, err error) {
			if err != nil {
				cancel(err)
			}
		})
	}
	if err := to.Flush(ctx); err != nil {
		return err
	}
	return context.Cause(ctx)
}
