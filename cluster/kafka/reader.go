package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// kept limits how long an unused reader is kept.
const kept = time.Minute

// A reader is a connection that reads a partition from an offset on, and fetches ahead.
type reader struct {
	place     string // which topic and partition
	client    *kgo.Client
	next, end int64 // the offset of the next record, and the one after the last that the broker had
	used      time.Time
}

// readers holds this process's idle readers. Beam hands the bundles of a partition to any instance of the step, and
// Flink moves partitions between processes: so a step takes a reader only if its offset is the next one.
var readers = struct {
	sync.Mutex
	idle map[string]*reader
}{idle: map[string]*reader{}}

// patience limits how long a poll waits for records. On Flink the next tick comes soon.
var patience time.Duration

func take(c Config, partition int, next int64) (*reader, error) {
	at := fmt.Sprint(c, partition)
	readers.Lock()
	r := readers.idle[at]
	delete(readers.idle, at)
	for other, r := range readers.idle {
		if time.Since(r.used) > kept {
			delete(readers.idle, other)
			go r.client.Close() // it may wait for a broker
		}
	}
	readers.Unlock()
	if r != nil && r.next == next {
		return r, nil
	}
	if r != nil {
		go r.client.Close()
	}
	client, err := c.client(
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{c.Topic: {int32(partition): kgo.NewOffset().At(next)}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), // records that are gone are an error, and not passed over
		kgo.FetchMaxWait(time.Second),
	)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	return &reader{place: at, client: client, next: next}, nil
}

func (r *reader) put() {
	readers.Lock()
	other := readers.idle[r.place]
	r.used = time.Now()
	readers.idle[r.place] = r
	readers.Unlock()
	if other != nil {
		other.client.Close()
	}
}

func (r *reader) poll(ctx context.Context, most int) ([]*kgo.Record, error) {
	waits, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if patience == 0 {
		waits = nil // which is not to wait
	}
	fetches := r.client.PollRecords(waits, most)
	for _, e := range fetches.Errors() {
		if !errors.Is(e.Err, context.DeadlineExceeded) {
			return nil, e.Err
		}
	}
	fetches.EachPartition(func(p kgo.FetchTopicPartition) { r.end = p.HighWatermark })
	records := fetches.Records()
	if len(records) > 0 {
		r.next = records[len(records)-1].Offset + 1
	}
	return records, nil
}
