// Command survivor is the job that flink/survive.sh disturbs: requests go into a Kafka
// topic, from there to Remember, and the answers are written to files as they come.
// Beside it a plain loop answers, without Beam. Each answer has to be the loop's, to the
// article, each history in the end to the byte: a request that was lost, or recorded
// twice, changes answers after it. An answer that is written again after a restart is
// counted, and has to be the same again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/cluster/flink"
	"dejavu/cluster/internal/script"
	"dejavu/cluster/kafka"
	"dejavu/cluster/remember"
)

var (
	users     = flag.Int("users", 2000, "users of the script")
	newcomers = flag.Bool("newcomers", false, "each user makes one request, all of them now, and is forgotten after --idle")
	idle      = flag.Duration("idle", remember.Day, "time without an exposure after which a user is forgotten")
	rate      = flag.Int("rate", 0, "requests a second; 0 is all at once")
	patience  = flag.Duration("patience", 3*time.Minute, "how long no answer comes before the job counts as stalled")
	linger    = flag.Duration("linger", 0, "how long the job goes on after the last answer")
	brokers   = flag.String("brokers", "localhost:9092", "of Kafka")
	rest      = flag.String("rest", "", "Flink's REST interface, for a report on checkpoints")
	out       = flag.String("out", "", "directory for the answers, which workers and this program see")
)

func init() {
	register.DoFn3x1[string, []byte, func(string, remember.Request), error](&decodeFn{})
	register.Emitter2[string, remember.Request]()
	register.DoFn2x1[string, remember.Answer, error](&writeFn{})
}

func main() {
	flag.Parse()
	flink.Use(flink.Stream)
	beam.Init()
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	c := script.Config{Users: *users, Seed: 2016}
	events := script.Ask(c.Events())
	if *newcomers {
		events = c.Newcomers(time.Now())
	}
	topic := fmt.Sprintf("requests-%d", time.Now().UnixNano())
	queue, err := newQueue(ctx, *brokers, topic)
	if err != nil {
		return err
	}
	defer queue.Close()
	p, s := beam.NewPipelineWithRoot()
	records, err := kafka.Read(ctx, s, kafka.Config{Brokers: strings.Split(*brokers, ","), Topic: topic})
	if err != nil {
		return err
	}
	answers, err := remember.Remember(s, remember.Config{Strategy: "chain", Idle: *idle, ByClock: true}, beam.ParDo(s, &decodeFn{}, records))
	if err != nil {
		return err
	}
	// A shuffle, as what comes after has: the answers of a bundle are on their way to
	// other machines before it ends.
	beam.ParDo0(s, &writeFn{Dir: *out}, beam.Reshuffle(s, answers))

	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan error, 1)
	go func() { ended <- flink.Run(ctx, p) }()
	go func() { cancel(feed(ctx, queue, topic, events)) }()
	if err := <-ended; !errors.Is(err, errAll) {
		return err
	}
	return nil
}

// feed writes the requests, when the workers have started, and watches the answers.
func feed(ctx context.Context, queue *kgo.Client, topic string, events []script.Event) error {
	if *rest != "" {
		if err := awaitCheckpoint(ctx, *rest); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		if err := produce(ctx, queue, topic, events, *rate); err != nil {
			stop(fmt.Errorf("writing to Kafka: %w", err))
		}
	}()
	return watch(ctx, events)
}

// errAll is that all answers are there, and right.
var errAll = errors.New("all answers are there")

// watch compares answers as they are written, until all are there or something is wrong.
func watch(ctx context.Context, events []script.Event) error {
	want, err := alone(events)
	if err != nil {
		return err
	}
	w := watcher{dir: *out, want: want, got: map[string]bool{}}
	began, last, next := time.Now(), time.Now(), 1
	for len(w.got) < len(want) {
		fresh, err := w.read()
		switch {
		case err != nil:
			return err
		case fresh > 0:
			last = time.Now()
		case time.Since(last) > *patience:
			return fmt.Errorf("stalled: no answer for %v, %d of %d are there", *patience, len(w.got), len(want))
		}
		for ; next*len(want)/10 <= len(w.got) && next <= 10; next++ {
			fmt.Printf("%d0 %% of %d answers after %.1f s\n", next, len(want), time.Since(began).Seconds())
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
	all := time.Now()
	time.Sleep(*linger)
	if _, err := w.read(); err != nil {
		return err
	}
	fmt.Printf("%d answers of %d users, %d of them with the history: as a loop without Beam gives them; %d were written again, the same\n",
		len(w.got), *users, w.vectors, w.again)
	if *rest != "" {
		if err := report(ctx, *rest, all); err != nil {
			return err
		}
	}
	return errAll
}

// A decodeFn makes records requests.
type decodeFn struct{}

// ProcessElement decodes one.
func (f *decodeFn) ProcessElement(user string, value []byte, emit func(string, remember.Request)) error {
	var r remember.Request
	if err := r.UnmarshalBinary(value); err != nil {
		return err
	}
	emit(user, r)
	return nil
}
