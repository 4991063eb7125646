// Command stream is a job to copy. It reads requests from a Kafka topic and writes the unseen candidates to another. In
// module cluster:
//
//	kafka/start.sh && flink/start.sh
//	go run ./examples/stream --kafka.create 4
//
// Then ask, and look at the answer:
//
//	echo 'ann:{"id": "1", "shown": [7], "candidates": [7, 8]}' | kcat -P -b localhost:9192 -t requests -K:
//	kcat -C -b localhost:9192 -t answers -o beginning
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"dejavu/cluster/flink"
	"dejavu/cluster/kafka"
	"dejavu/cluster/remember"
)

var (
	source   kafka.Config
	answers  = flag.String("answers", "answers", "topic of the answers")
	strategy = flag.String("strategy", "chain", "how histories are kept: a name of the project's catalogue")
	idle     = flag.Duration("idle", remember.Day, "time without an exposure after which a user is forgotten")
	lateness = flag.Duration("lateness", time.Hour, "time that a job may need to catch up with its topic")
)

func main() {
	source.Flags()
	defaults := map[string]string{
		"runner": "flink", "endpoint": "localhost:8099", "flink_rest": "localhost:8100", "environment_type": "LOOPBACK",
	}
	for name, value := range defaults {
		flag.Lookup(name).DefValue = value
		_ = flag.Set(name, value) // a default, which the command line replaces
	}
	flag.Parse()
	beam.Init() // does not come back on a worker
	flink.Use(flink.Stream)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "stream:", err)
		os.Exit(1)
	}
}

// run builds the pipeline, and runs it until ctx ends.
func run(ctx context.Context) error {
	p, s := beam.NewPipelineWithRoot()
	records, err := kafka.Read(ctx, s, source)
	if err != nil {
		return err
	}
	fresh, err := remember.Remember(s, remember.Config{
		Strategy: *strategy, Idle: *idle, ByClock: true, Lateness: *lateness,
	}, kafka.Requests(s, records))
	if err != nil {
		return err
	}
	sink := source
	sink.Topic = *answers
	if err := kafka.Answers(ctx, s, sink, fresh); err != nil {
		return err
	}
	return flink.Run(ctx, p)
}
