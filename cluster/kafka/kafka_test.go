package kafka

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/cluster/internal/runner"
	"dejavu/strategies/strategytest"
)

func init() { register.DoFn3x0[beam.EventTime, string, []byte](&gatherFn{}) }

func TestMain(m *testing.M) {
	patience = 300 * time.Millisecond // ticks of a test do not wait for each other
	os.Exit(runner.Run(m))
}

// The workers are in this process.
var gathered struct {
	sync.Mutex
	byKey map[string][]string
	at    map[string]beam.EventTime
}

type gatherFn struct{}

func (f *gatherFn) ProcessElement(at beam.EventTime, key string, value []byte) {
	gathered.Lock()
	defer gathered.Unlock()
	gathered.byKey[key] = append(gathered.byKey[key], string(value))
	gathered.at[string(value)] = at
}

const topic = "requests"

// broker starts one in this process, with some records for each of some keys, in a partition or, of several keys, two.
func broker(t *testing.T, keys, records int) Config {
	t.Helper()
	fake := strategytest.Value(kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(int32(min(1+keys/2, 2)), topic)))
	t.Cleanup(fake.Close)
	client := strategytest.Value(kgo.NewClient(kgo.SeedBrokers(fake.ListenAddrs()...)))
	defer client.Close()
	for i := range records {
		for key := range keys {
			r := &kgo.Record{
				Topic: topic, Key: fmt.Append(nil, key), Value: fmt.Appendf(nil, "%d/%d", key, i),
				Timestamp: time.UnixMilli(int64(i)),
			}
			strategytest.Must(t, client.ProduceSync(t.Context(), r).FirstErr())
		}
	}
	return Config{Brokers: fake.ListenAddrs(), Topic: topic}
}

// Each record comes once, those of a key in their order, at their own times, however many ticks they take.
func TestEachRecordComesOnce(t *testing.T) {
	runner.SkipOnFlink(t, "its ticks do not end")
	const keys, records, ticks = 20, 12, 5
	fewest = keys * records // as all ticks may be of one bundle
	defer func() { fewest = 50 }()
	c := broker(t, keys, records)
	gathered.byKey, gathered.at = map[string][]string{}, map[string]beam.EventTime{}
	p, s := beam.NewPipelineWithRoot()
	partitions := strategytest.Value(count(t.Context(), c))
	beam.ParDo0(s, &gatherFn{}, poll(s, c, partitions, beam.CreateList(s, make([][]byte, ticks))))
	strategytest.Must(t, ptest.Run(p))
	for key := range keys {
		var want []string
		for i := range records {
			want = append(want, fmt.Sprintf("%d/%d", key, i))
			strategytest.Equal(t, gathered.at[want[i]], mtime.FromTime(time.UnixMilli(int64(i))),
				"record %s has the time", want[i])
		}
		strategytest.EqualSlices(t, gathered.byKey[fmt.Sprint(key)], want, "key %d has the records", key)
	}
}

// A reader that is further than the state is not the one to go on with: the job was
// restored, and reads again from where its state stands.
func TestAReaderIsKeptOnlyWhereTheOffsetIsItsOwn(t *testing.T) {
	c := broker(t, 1, 20)
	first := read(t, c, 0, beginning)
	first.put()
	if again := read(t, c, 0, 20); again.client != first.client {
		t.Error("a reader that stands where it should is not kept")
	} else {
		again.put()
	}
	restored := read(t, c, 0, 7)
	if restored.client == first.client || restored.next != 20 {
		t.Errorf("from offset 7 on the reader is at %d, the other one: %v", restored.next, restored.client != first.client)
	}
	restored.put()
}

func read(t *testing.T, c Config, partition int, next int64) *reader {
	t.Helper()
	r := strategytest.Value(take(c, partition, next))
	strategytest.Must(t, strategytest.ErrorOf(r.poll(t.Context(), most)))
	return r
}

// Without patience a poll does not wait, and puts out what has been fetched by then.
func TestAPollThatDoesNotWait(t *testing.T) {
	defer func(before time.Duration) { patience = before }(patience)
	patience = 0
	const records = 4
	c := broker(t, 1, records)
	r := strategytest.Value(take(c, 0, beginning))
	defer r.client.Close()
	left := records
	for began := time.Now(); left > 0 && time.Since(began) < 5*time.Second; time.Sleep(time.Millisecond) {
		left -= len(strategytest.Value(r.poll(t.Context(), most)))
	}
	strategytest.AtMost(t, left, 0, "records of %d that did not come", records)
}

func TestConfigIsChecked(t *testing.T) {
	brokers := broker(t, 0, 0).Brokers
	for want, c := range map[string]Config{
		"brokers are []":               {Topic: topic},
		`the topic is ""`:              {Brokers: brokers},
		`topic "other" at ["127.0.0.1`: {Brokers: brokers, Topic: "other"},
	} {
		_, s := beam.NewPipelineWithRoot()
		strategytest.ErrorSays(t, fmt.Sprintf("%+v", c), strategytest.ErrorOf(Read(context.Background(), s, c)), want)
	}
}
