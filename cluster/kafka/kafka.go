// Package kafka reads a Kafka topic into a pipeline on Flink, so that the offsets are
// part of the pipeline's state: a checkpoint holds what was made of the records before
// them and of no others, and a restored job reads on there. Each record counts once.
//
// Flink gives the time, a tick an interval, by the one source that its runner has for pipelines in any
// language. A tick becomes an element for each partition, keyed by its number, and a stateful step polls: it
// reads the next offset from its state, puts the records out that are there, and writes the offset after
// them. The offsets that a consumer group would commit to the brokers are not used, and no group is joined.
//
// A splittable DoFn would be Beam's own way. Each time it hands back the rest of its
// work, Flink's runner keeps a timer and a state for it that are never cleared, before
// the mending of Beam's issue 27648, so that checkpoints grow for as long as it runs.
//
// There is no watermark: Flink's ticks carry none. Windows and event-time timers behind
// this source do not fire; the records' own times are the elements' event times.
package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/reflectx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

func init() {
	register.DoFn2x0[[]byte, func(int, []byte)](&spreadFn{})
	register.DoFn5x1[context.Context, state.Provider, int, []byte, func(beam.EventTime, string, []byte), error](&pollFn{})
	register.Emitter2[int, []byte]()
	register.Emitter3[beam.EventTime, string, []byte]()
}

// A Config says what is read, and how often.
type Config struct {
	Brokers []string // host:port, those that are asked first
	Topic   string

	// Interval is the time between two polls of each instance of the source, of which
	// Flink runs as many as it runs of each step: a millisecond or more, 0 for 100 ms.
	Interval time.Duration

	// Most is how many records of a partition a poll puts out: 0 for 500. They are in
	// one bundle, for all that the runner's limit says.
	Most int
}

func (c Config) check() (Config, error) {
	switch {
	case len(c.Brokers) == 0 || c.Topic == "":
		return c, fmt.Errorf("kafka: brokers are %q and the topic is %q, want both", c.Brokers, c.Topic)
	case c.Interval != 0 && c.Interval < time.Millisecond:
		return c, fmt.Errorf("kafka: interval is %v, want 1ms or more, or 0 for 100ms", c.Interval)
	case c.Most < 0:
		return c, fmt.Errorf("kafka: a poll puts out %d records at most, want 1 or more, or 0 for 500", c.Most)
	}
	if c.Interval == 0 {
		c.Interval = 100 * time.Millisecond
	}
	if c.Most == 0 {
		c.Most = 500
	}
	return c, nil
}

// Read adds the source to a pipeline for Flink, as a stream: it takes the runner's option streaming=true. The
// result is a PCollection<KV<string, []byte>> of keys and values, in a partition's order for each key, from
// the beginning of the topic on. The topic is asked for its partitions, now: later ones are not read.
func Read(ctx context.Context, s beam.Scope, c Config) (beam.PCollection, error) {
	c, err := c.check()
	if err != nil {
		return beam.PCollection{}, err
	}
	const urn = "flink:transform:streaming_impulse:v1"
	payload := fmt.Appendf(nil, `{"interval_ms":%d}`, c.Interval.Milliseconds())
	ticks := beam.External(s.Scope("Tick"), urn, payload, nil, []beam.FullType{typex.New(reflectx.ByteSlice)}, false)
	return ReadAt(ctx, s, c, ticks[0])
}

// ReadAt is Read on any runner, with ticks of its own: a PCollection<[]byte>.
func ReadAt(ctx context.Context, s beam.Scope, c Config, ticks beam.PCollection) (beam.PCollection, error) {
	c, err := c.check()
	if err != nil {
		return beam.PCollection{}, err
	}
	partitions, err := count(ctx, c)
	if err != nil {
		return beam.PCollection{}, err
	}
	s = s.Scope("Kafka")
	ticks = beam.ParDo(s, &spreadFn{partitions}, ticks)
	return beam.ParDo(s, &pollFn{Config: c, Next: state.MakeValueState[int64]("next")}, ticks), nil
}

func count(ctx context.Context, c Config) (int, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...))
	if err != nil {
		return 0, fmt.Errorf("kafka: %w", err)
	}
	defer client.Close()
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	topics, err := kadm.NewClient(client).ListTopics(ctx, c.Topic)
	if err == nil {
		err = topics[c.Topic].Err
	}
	if err != nil {
		return 0, fmt.Errorf("kafka: topic %q at %q: %w", c.Topic, c.Brokers, err)
	}
	return len(topics[c.Topic].Partitions), nil
}

// A spreadFn makes a tick one of each partition.
type spreadFn struct{ Partitions int }

// ProcessElement makes them.
func (f *spreadFn) ProcessElement(tick []byte, emit func(int, []byte)) {
	for p := range f.Partitions {
		emit(p, tick)
	}
}

// A pollFn puts out what has come to a partition.
type pollFn struct {
	Config Config
	Next   state.Value[int64] // the offset that was not put out yet; 0 and none are the beginning
}

// ProcessElement polls once.
func (f *pollFn) ProcessElement(
	ctx context.Context, sp state.Provider, partition int, _ []byte, emit func(beam.EventTime, string, []byte),
) error {
	next, known, err := f.Next.Read(sp)
	if err != nil {
		return err
	}
	if !known {
		next = beginning
	}
	r, err := take(f.Config, partition, next)
	if err != nil {
		return err
	}
	records, err := r.poll(ctx, f.Config.Most)
	if err != nil {
		r.close()
		return fmt.Errorf("kafka: topic %q, partition %d, from offset %d: %w", f.Config.Topic, partition, next, err)
	}
	for _, record := range records {
		emit(mtime.FromTime(record.Timestamp), string(record.Key), record.Value)
	}
	if len(records) > 0 {
		if err := f.Next.Write(sp, r.next); err != nil {
			r.close()
			return err
		}
	}
	r.put()
	return nil
}

const (
	beginning = -1          // no offset is known
	kept      = time.Minute // how long a reader lies unused
)

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
