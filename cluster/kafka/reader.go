package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	beginning = -1          // no offset is known
	kept      = time.Minute // how long a reader lies unused
)

// A place is what a reader reads.
type place struct {
	brokers, topic string
	partition      int
}

// A reader is a connection that reads a partition from an offset on, and fetches ahead.
type reader struct {
	place  place
	client *kgo.Client
	next   int64 // the offset of the next record
	used   time.Time
}

// readers are those of this process that no step uses just now. Beam hands the bundles
// of a partition to any instance of the step, and Flink moves partitions between
// processes: so an offset decides whether a reader is the one to go on with.
var readers = struct {
	sync.Mutex
	idle map[place]*reader
}{idle: map[place]*reader{}}

// patience is how long a poll waits for records. On Flink the next tick comes soon.
var patience time.Duration

// take is a reader of a partition, from an offset on.
func take(c Config, partition int, next int64) (*reader, error) {
	at := place{strings.Join(c.Brokers, ","), c.Topic, partition}
	readers.Lock()
	r := readers.idle[at]
	delete(readers.idle, at)
	for other, r := range readers.idle {
		if time.Since(r.used) > kept {
			delete(readers.idle, other)
			go r.close() // it may wait for a broker
		}
	}
	readers.Unlock()
	if r != nil && r.next == next {
		return r, nil
	}
	if r != nil {
		go r.close()
	}
	offset := kgo.NewOffset().AtStart()
	if next != beginning {
		offset = kgo.NewOffset().At(next)
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(c.Brokers...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{c.Topic: {int32(partition): offset}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), // records that are gone are an error, and not passed over
		kgo.FetchMaxWait(time.Second),
	)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	return &reader{place: at, client: client, next: next}, nil
}

// put leaves a reader for the next poll.
func (r *reader) put() {
	readers.Lock()
	other := readers.idle[r.place]
	r.used = time.Now()
	readers.idle[r.place] = r
	readers.Unlock()
	if other != nil {
		other.close()
	}
}

// close ends a reader.
func (r *reader) close() { r.client.Close() }

// poll is what has been fetched, up to so many records.
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
	records := fetches.Records()
	if len(records) > 0 {
		r.next = records[len(records)-1].Offset + 1
	}
	return records, nil
}
