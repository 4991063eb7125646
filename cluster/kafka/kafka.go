// Package kafka reads a Kafka topic into a pipeline on Flink, so that the offsets are part of the pipeline's state: a
// checkpoint holds what was made of the records before them and of no others, and a restored job reads on there. Each
// record counts once. A tick of Flink's becomes an element for each partition, keyed by its number, whose stateful
// step polls: no consumer group is joined.
//
// A splittable DoFn would be Beam's own way. Each time it hands back the rest of its work, Flink's runner keeps a timer
// and a state for it that are never cleared, before the mending of Beam's issue 27648, so that checkpoints grow.
//
// There is no watermark: windows and event-time timers behind this source do not fire; the records' own times are the
// elements' event times.
package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// A Config says what is read.
type Config struct {
	Brokers []string // host:port, those that are asked first
	Topic   string
}

const (
	// A tick comes from each instance of the source, of which Flink runs as many as of each step, so that a step has as
	// many ticks as there are partitions in each interval. It takes 50 of them and the records of a bundle in pace:
	// more ticks would pile up when records wait, and each checkpoint behind them.
	interval     = 100 * time.Millisecond
	perPartition = 20 * time.Millisecond

	// pace is how long what comes after works at the records of a bundle, about. A checkpoint waits for it.
	pace = 400 * time.Millisecond
)

// The fewest records that a bundle may put out, with which a step begins, and the most.
var fewest, most = 50, 2000

// Read adds the source to a pipeline for Flink, as a stream: it takes the runner's option streaming=true. The
// result is a PCollection<KV<string, []byte>> of keys and values, in a partition's order for each key, from
// the beginning of the topic on. The topic is asked for its partitions, now: later ones are not read.
func Read(ctx context.Context, s beam.Scope, c Config) (beam.PCollection, error) {
	partitions, err := count(ctx, c)
	if err != nil {
		return beam.PCollection{}, err
	}
	const urn = "flink:transform:streaming_impulse:v1"
	every := max(interval, time.Duration(partitions)*perPartition)
	payload := fmt.Appendf(nil, `{"interval_ms":%d}`, every.Milliseconds())
	ticks := beam.External(s.Scope("Tick"), urn, payload, nil, []beam.FullType{typex.New(reflectx.ByteSlice)}, false)
	return poll(s, c, partitions, ticks[0]), nil
}

func poll(s beam.Scope, c Config, partitions int, ticks beam.PCollection) beam.PCollection {
	s = s.Scope("Kafka")
	ticks = beam.ParDo(s, &spreadFn{partitions}, ticks)
	return beam.ParDo(s, &pollFn{Config: c, Next: state.MakeValueState[int64]("next")}, ticks)
}

func count(ctx context.Context, c Config) (int, error) {
	if len(c.Brokers) == 0 || c.Topic == "" {
		return 0, fmt.Errorf("kafka: brokers are %q and the topic is %q, want both", c.Brokers, c.Topic)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...))
	if err != nil {
		return 0, fmt.Errorf("kafka: %w", err)
	}
	defer client.Close()
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	topics, err := kadm.NewClient(client).ListTopics(ctx, c.Topic)
	if err = cmp.Or(err, topics[c.Topic].Err); err != nil {
		return 0, fmt.Errorf("kafka: topic %q at %q: %w", c.Topic, c.Brokers, err)
	}
	return len(topics[c.Topic].Partitions), nil
}

type spreadFn struct{ Partitions int }

func (f *spreadFn) ProcessElement(tick []byte, emit func(int, []byte)) {
	for p := range f.Partitions {
		emit(p, tick)
	}
}

type pollFn struct {
	Config Config
	Next   state.Value[int64] // the offset that was not put out yet; none is the beginning

	began       time.Time // the bundle
	limit, left int       // records that it may put out, and may still
}

// StartBundle sets how many records the bundle may put out.
func (f *pollFn) StartBundle(func(beam.EventTime, string, []byte)) {
	now := time.Now()
	f.limit = limit(f.limit, f.left == 0, now.Sub(f.began))
	f.began, f.left = now, f.limit
}

// limit is that of a bundle after one with this limit. Where that put out all it might, the next one begins when what
// comes after has taken most of it in: how long it took says how fast that is. It grows slowly, as what is on the way
// takes in the first of them at once.
func limit(before int, full bool, took time.Duration) int {
	switch {
	case before == 0:
		return fewest
	case !full:
		return before
	}
	fits := int(float64(before) * pace.Seconds() / max(took, time.Millisecond).Seconds())
	return min(max(fits, fewest), before+before/4, most)
}

func (f *pollFn) ProcessElement(
	ctx context.Context, sp state.Provider, partition int, _ []byte, emit func(beam.EventTime, string, []byte),
) error {
	if f.left == 0 {
		return nil
	}
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
	records, err := r.poll(ctx, f.left)
	if err == nil && len(records) > 0 {
		err = f.Next.Write(sp, r.next)
	}
	if err != nil {
		r.client.Close()
		return fmt.Errorf("kafka: topic %q, partition %d, from offset %d: %w", f.Config.Topic, partition, next, err)
	}
	for _, record := range records {
		emit(mtime.FromTime(record.Timestamp), string(record.Key), record.Value)
	}
	f.left -= len(records)
	r.put()
	return nil
}

const (
	beginning = -2          // no offset is known: the topic's first, as kgo has it
	kept      = time.Minute // how long a reader lies unused
)

// A reader is a connection that reads a partition from an offset on, and fetches ahead.
type reader struct {
	place  string // which topic and partition
	client *kgo.Client
	next   int64 // the offset of the next record
	used   time.Time
}

// readers are those of this process that no step uses just now. Beam hands the bundles
// of a partition to any instance of the step, and Flink moves partitions between
// processes: so an offset decides whether a reader is the one to go on with.
var readers = struct {
	sync.Mutex
	idle map[string]*reader
}{idle: map[string]*reader{}}

// patience is how long a poll waits for records. On Flink the next tick comes soon.
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
	offset := kgo.NewOffset().At(next)
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
	records := fetches.Records()
	if len(records) > 0 {
		r.next = records[len(records)-1].Offset + 1
	}
	return records, nil
}
