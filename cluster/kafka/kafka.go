// Package kafka connects a stream on Flink with Kafka: Read is its source, Requests and Answers are the ends of
// package remember.
//
// The offsets are part of the pipeline's state. So a checkpoint covers exactly the records before them, a restored job
// reads on there, and each record counts once. There is no consumer group. Each tick of Flink becomes an element for
// each partition, keyed by its number, whose stateful step polls. (Flink's runner leaks a timer whenever a splittable
// DoFn, Beam's own way, hands work back: Beam's issue 27648.)
//
// There is no watermark: windows and event-time timers after this source do not fire. The records' own times are the
// elements' event times.
package kafka

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/reflectx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/live/access"
)

func init() {
	register.DoFn3x0[context.Context, []byte, func(int, []byte)](&spreadFn{})
	register.DoFn5x1[context.Context, state.Provider, int, []byte, func(beam.EventTime, string, []byte), error](&pollFn{})
	register.Emitter2[int, []byte]()
	register.Emitter3[beam.EventTime, string, []byte]()
}

// A Config says what is read, and how. Flags sets all of it. It travels to the workers, which read the files of its
// embedded access at the same paths.
type Config struct {
	access.Kafka
	Topic string

	// Create sets the number of partitions of a missing topic. 0: a missing topic is an error.
	Create int

	// Start says where a partition without an offset in the job's state begins: earliest (or empty), latest, or a time
	// such as 2026-11-27T06:00:00Z. Offsets of a savepoint win. A partition added since the job started begins with its
	// first record, and one added while no job ran where Start says.
	Start string

	// Skip goes on behind records that are gone. Otherwise their partition is not read any more, and the log says so.
	Skip bool

	// Pace sets how long the next steps should work at a bundle's records; a checkpoint waits for it. A bundle puts out
	// Fewest to Most records. Zero values are the defaults: 400 ms, 50 and 2000.
	Pace         time.Duration
	Fewest, Most int
}

// Flags adds flags for c to the flags of the program. Their names are the keys that errors name.
func (c *Config) Flags() {
	flag.Func("kafka.brokers", "HOST:PORT of Kafka's brokers, with commas (default localhost:9192)", func(s string) error {
		c.Brokers = strings.Split(s, ",")
		return nil
	})
	c.Brokers = []string{"localhost:9192"}
	flag.StringVar(&c.Topic, "kafka.topic", "requests", "topic to read")
	flag.IntVar(&c.Create, "kafka.create", 0, "partitions of missing topics (default: a missing topic is an error)")
	flag.BoolVar(&c.TLS, "kafka.tls", false, "speak TLS")
	flag.StringVar(&c.CAFile, "kafka.ca_file", "", "certificates that sign the brokers' (default: the system's)")
	flag.StringVar(&c.CertFile, "kafka.cert_file", "", "certificate to show to the brokers")
	flag.StringVar(&c.KeyFile, "kafka.key_file", "", "its key")
	flag.StringVar(&c.SASL, "kafka.sasl", "", "how to log in: plain, scram-sha-256 or scram-sha-512")
	flag.StringVar(&c.User, "kafka.user", "", "who logs in")
	flag.StringVar(&c.PasswordFile, "kafka.password_file", "", "file of the password")
	flag.StringVar(&c.Start, "kafka.start", "earliest", "where partitions without offset begin: earliest, latest, a time")
	flag.BoolVar(&c.Skip, "kafka.skip", false, "go on behind records that are gone")
	flag.DurationVar(&c.Pace, "kafka.pace", pace, "time that the records of a bundle should take")
	flag.IntVar(&c.Fewest, "kafka.fewest", fewest, "fewest records a bundle")
	flag.IntVar(&c.Most, "kafka.most", most, "most records a bundle")
}

const (
	// Each instance of the source ticks. Flink runs equally many instances of each step: a step gets one tick per
	// partition and interval. It takes in 50 elements in a pace, so more partitions mean rarer ticks.
	interval     = 100 * time.Millisecond
	perPartition = 20 * time.Millisecond

	pace         = 400 * time.Millisecond
	fewest, most = 50, 2000
	refresh      = time.Minute // between searches for new partitions
)

// Read adds the source to a pipeline for Flink, as a stream: it takes the runner's option streaming=true. The
// result is a PCollection<KV<string, []byte>> of keys and values, in a partition's order for each key. Read asks the
// brokers for the topic's partitions, and returns an error after ten seconds without an answer.
func Read(ctx context.Context, s beam.Scope, c Config) (beam.PCollection, error) {
	c = c.complete()
	if c.Pace < 0 || c.Fewest < 1 || c.Most < c.Fewest {
		return beam.PCollection{}, fmt.Errorf("kafka.pace is %v, fewest %d, most %d: want a pace above 0, "+
			"1 or more records, and most not below fewest", c.Pace, c.Fewest, c.Most)
	}
	partitions, err := count(ctx, c)
	if err == nil {
		_, err = c.startsAt()
	}
	if err != nil {
		return beam.PCollection{}, err
	}
	const urn = "flink:transform:streaming_impulse:v1"
	every := max(interval, time.Duration(partitions)*perPartition)
	payload := fmt.Appendf(nil, `{"interval_ms":%d}`, every.Milliseconds())
	ticks := beam.External(s.Scope("Tick"), urn, payload, nil, []beam.FullType{typex.New(reflectx.ByteSlice)}, false)
	return poll(s, c, partitions, ticks[0]), nil
}

// complete returns c with the defaults in place of zero values.
func (c Config) complete() Config {
	c.Pace, c.Fewest, c.Most = cmp.Or(c.Pace, pace), cmp.Or(c.Fewest, fewest), cmp.Or(c.Most, most)
	return c
}

func poll(s beam.Scope, c Config, partitions int, ticks beam.PCollection) beam.PCollection {
	s = s.Scope("Kafka")
	ticks = beam.ParDo(s, &spreadFn{Config: c, Partitions: partitions}, ticks)
	next, topic := state.MakeValueState[int64]("next"), state.MakeValueState[string]("topic")
	return beam.ParDo(s, &pollFn{Config: c, Partitions: partitions, Next: next, Topic: topic}, ticks)
}

// client connects to the brokers.
func (c Config) client(more ...kgo.Opt) (*kgo.Client, error) {
	opts, err := c.Options("kafka")
	if err != nil {
		return nil, err
	}
	return kgo.NewClient(append(opts, more...)...)
}

// count returns how many partitions the topic has.
func count(ctx context.Context, c Config) (int, error) {
	if err := c.Check("kafka"); err != nil {
		return 0, err
	}
	if c.Topic == "" {
		return 0, errors.New("kafka.topic is empty, want the name of a topic")
	}
	client, err := c.client()
	if err != nil {
		return 0, err
	}
	defer client.Close()
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	admin := kadm.NewClient(client)
	topics, err := admin.ListTopics(ctx, c.Topic)
	if errors.Is(topics[c.Topic].Err, kerr.UnknownTopicOrPartition) && c.Create > 0 {
		_, err = admin.CreateTopic(ctx, int32(c.Create), -1, nil, c.Topic)
		return c.Create, err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, syscall.ECONNREFUSED) {
		err = fmt.Errorf("nobody answers; kafka/start.sh starts a broker here: %w", err)
	}
	if err = cmp.Or(err, topics[c.Topic].Err); err != nil {
		return 0, c.Advise("kafka", fmt.Errorf("kafka: topic %q at %q: %w", c.Topic, c.Brokers, err))
	}
	return len(topics[c.Topic].Partitions), nil
}

const earliest, latest = -2, -1 // instead of a time, as Kafka's protocol has it

// startsAt returns the time in milliseconds at which partitions begin, earliest or latest.
func (c Config) startsAt() (int64, error) {
	switch c.Start {
	case "", "earliest":
		return earliest, nil
	case "latest":
		return latest, nil
	}
	t, err := time.Parse(time.RFC3339, c.Start)
	if err != nil {
		return 0, fmt.Errorf("kafka.start is %q, want earliest, latest, or a time such as 2026-11-27T06:00:00Z", c.Start)
	}
	return t.UnixMilli(), nil
}

// offset returns the offset of a partition's first record at or after a time of startsAt.
func (c Config) offset(ctx context.Context, partition int, at int64) (int64, error) {
	client, err := c.client()
	if err != nil {
		return 0, err
	}
	defer client.Close()
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	list, err := kadm.NewClient(client).ListOffsetsAfterMilli(ctx, at, c.Topic)
	found, ok := list.Lookup(c.Topic, int32(partition))
	if !ok && err == nil {
		err = kerr.UnknownTopicOrPartition
	}
	return found.Offset, cmp.Or(err, found.Err)
}

// A spreadFn makes an element for each partition of a tick. It finds partitions that the topic is given later.
type spreadFn struct {
	Config     Config
	Partitions int

	looked time.Time
}

func (f *spreadFn) Setup() { f.looked = time.Now() }

func (f *spreadFn) ProcessElement(ctx context.Context, tick []byte, emit func(int, []byte)) {
	if time.Since(f.looked) > refresh {
		n, err := count(ctx, f.Config)
		if err != nil {
			log.Warnf(ctx, "kafka: looking for new partitions: %v", err)
		} else if n > f.Partitions {
			log.Infof(ctx, "kafka: topic %q has %d partitions, %d of them new: they are read", f.Config.Topic, n, n-f.Partitions)
			f.Partitions = n
		}
		f.looked = time.Now()
	}
	for p := range f.Partitions {
		emit(p, tick)
	}
}

// The source's counters: records read, and minutes in which a partition was not read because records are gone. Each
// partition has a gauge "lag N": the records that wait in it.
var (
	polled = beam.NewCounter("dejavu/kafka", "records")
	gone   = beam.NewCounter("dejavu/kafka", "gone")
)

type pollFn struct {
	Config     Config
	Partitions int                // when the job was started
	Next       state.Value[int64] // the offset of the first record that was not put out yet
	Topic      state.Value[string]

	began       time.Time         // of the bundle
	limit, left int               // records that it may put out, and may still
	stuck       map[int]time.Time // partitions whose records are gone, and when that was last said
}

// StartBundle sets how many records the bundle may put out.
func (f *pollFn) StartBundle(func(beam.EventTime, string, []byte)) {
	now := time.Now()
	f.limit = f.Config.limit(f.limit, f.left == 0, now.Sub(f.began))
	f.began, f.left = now, f.limit
}

// limit returns the limit of a bundle from the limit of the bundle before. A bundle after a full one begins when the
// next steps have taken in most of the full one: its time shows how fast they are. The limit grows slowly, because
// buffers on the way take in the first records at once.
func (c Config) limit(before int, full bool, took time.Duration) int {
	switch {
	case before == 0:
		return c.Fewest
	case !full:
		return before
	}
	fits := int(float64(before) * c.Pace.Seconds() / max(took, time.Millisecond).Seconds())
	return min(max(fits, c.Fewest), before+before/4, c.Most)
}

func (f *pollFn) ProcessElement(
	ctx context.Context, sp state.Provider, partition int, _ []byte, emit func(beam.EventTime, string, []byte),
) error {
	if f.left == 0 || time.Since(f.stuck[partition]) < time.Minute {
		return nil
	}
	next, known, err := f.Next.Read(sp)
	if err != nil {
		return err
	}
	if !known {
		if next, err = f.begin(ctx, partition); err == nil {
			err = f.Next.Write(sp, next) // also if nothing comes for long: latest is now
		}
		if err != nil {
			return f.wrong(partition, next, err)
		}
		log.Infof(ctx, "kafka: topic %q, partition %d begins at offset %d: the job's state has none, and kafka.start is %q",
			f.Config.Topic, partition, next, cmp.Or(f.Config.Start, "earliest"))
	}
	r, err := take(f.Config, partition, next)
	if err != nil {
		return err
	}
	if r.used.IsZero() { // this process has not read the partition yet
		topic, named, err := f.Topic.Read(sp)
		if named && topic != f.Config.Topic {
			err = fmt.Errorf("the state has offsets of topic %q: start with --kafka.topic %[1]s, or without savepoint", topic)
		} else if err == nil && !named {
			err = f.Topic.Write(sp, f.Config.Topic)
		}
		if err != nil {
			r.client.Close()
			return f.wrong(partition, next, err)
		}
	}
	records, err := r.poll(ctx, f.left)
	if err == nil && len(records) > 0 {
		err = f.Next.Write(sp, r.next)
	}
	if err != nil {
		r.client.Close()
		if errors.Is(err, kerr.OffsetOutOfRange) {
			return f.missing(ctx, sp, partition, next)
		}
		return f.wrong(partition, next, err)
	}
	for _, record := range records {
		emit(mtime.FromTime(record.Timestamp), string(record.Key), record.Value)
	}
	f.left -= len(records)
	polled.Inc(ctx, int64(len(records)))
	gone.Inc(ctx, 0) // an alert needs a counter that was there before
	beam.NewGauge("dejavu/kafka", fmt.Sprint("lag ", partition)).Set(ctx, max(r.end-r.next, 0))
	r.put()
	return nil
}

func (f *pollFn) wrong(partition int, next int64, err error) error {
	err = fmt.Errorf("kafka: topic %q, partition %d, from offset %d: %w", f.Config.Topic, partition, next, err)
	return f.Config.Advise("kafka", err)
}

func (f *pollFn) begin(ctx context.Context, partition int) (int64, error) {
	at, err := f.Config.startsAt()
	if err != nil {
		return 0, err
	}
	if partition >= f.Partitions {
		at = earliest // it was added later: all its records are new
	}
	return f.Config.offset(ctx, partition, at)
}

// missing handles a partition whose next record is gone. An error would make Flink restart the job for ever.
func (f *pollFn) missing(ctx context.Context, sp state.Provider, partition int, next int64) error {
	first, err := f.Config.offset(ctx, partition, earliest)
	if err != nil {
		return f.wrong(partition, next, err)
	}
	if f.Config.Skip {
		log.Warnf(ctx, "kafka: topic %q, partition %d: record %d is gone, and skipped up to %d, the first that there is",
			f.Config.Topic, partition, next, first)
		return f.Next.Write(sp, first)
	}
	log.Errorf(ctx, "kafka: topic %q, partition %d: record %d is gone, the first that there is has offset %d. The "+
		"partition is not read any more, the others are. To go on, stop the job with a savepoint, and start it from "+
		"that with --kafka.skip: requests before %[4]d get no answer", f.Config.Topic, partition, next, first)
	gone.Inc(ctx, 1)
	if f.stuck == nil {
		f.stuck = map[int]time.Time{}
	}
	f.stuck[partition] = time.Now()
	return nil
}
