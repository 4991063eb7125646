package kafka

import (
	"fmt"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/twmb/franz-go/pkg/kadm"

	"dejavu/strategies/strategytest"
)

// An offset is what a runner keeps of a partition, in this process.
type offset struct {
	state.Provider
	held, topic any
	reads       int
}

func (o *offset) ReadValueState(key string) (any, []state.Transaction, error) {
	if o.reads++; key == "topic" {
		return o.topic, nil, nil
	}
	return o.held, nil, nil
}

func (o *offset) WriteValueState(t state.Transaction) error {
	*map[string]*any{"next": &o.held, "topic": &o.topic}[t.Key] = t.Val
	return nil
}

// tick polls the first partition, and gives what was put out.
func (o *offset) tick(t *testing.T, f *pollFn) (values []string, err error) {
	t.Helper()
	err = f.ProcessElement(t.Context(), o, 0, nil, func(_ beam.EventTime, _ string, value []byte) {
		values = append(values, string(value))
	})
	return values, err
}

func polling(c Config) *pollFn {
	next, topic := state.MakeValueState[int64]("next"), state.MakeValueState[string]("topic")
	return &pollFn{Config: c, Partitions: 1, Next: next, Topic: topic}
}

// A bundle puts out at most its limit of records over all ticks, and the next one goes on behind them. Ticks without
// room ask for nothing.
func TestABundleIsLimited(t *testing.T) {
	c := broker(t, 1, 20)
	c.Fewest, c.Most = 7, 7
	f, o := polling(c), new(offset)
	for _, want := range []struct {
		first string
		n     int
		next  int64
	}{{"0/0", 7, 7}, {"0/7", 7, 14}, {"0/14", 6, 20}, {"", 0, 20}} {
		f.StartBundle(nil)
		var all []string
		before := o.reads
		for range 3 {
			values, err := o.tick(t, f)
			strategytest.Must(t, err)
			all = append(all, values...)
		}
		if len(all) != want.n || o.held != want.next || want.n > 0 && all[0] != want.first {
			t.Errorf("%d records, %q, the next is %v, want %+v", len(all), all, o.held, want)
		}
		if readers.idle[fmt.Sprint(c, 0)] == nil {
			t.Error("a tick leaves no reader to the next one")
		}
		if want.n == c.Most && o.reads > before+2 {
			t.Error("a bundle that is full was asked for more")
		}
	}
}

// The limit of a bundle follows from how long the one before took, if that was full.
func TestLimit(t *testing.T) {
	limit := Config{}.complete().limit
	for took, want := range map[time.Duration]int{
		pace: 400, pace * 8 / 9: 450, pace / 10: 500, 0: 500, pace * 4 / 3: 300, pace * 10: fewest,
	} {
		strategytest.Equal(t, limit(400, true, took), want, "full, after %v, the limit is", took)
		strategytest.Equal(t, limit(400, false, took), 400, "not full, after %v, the limit is", took)
		strategytest.Equal(t, limit(0, true, took), fewest, "at first the limit is")
	}
	strategytest.Equal(t, limit(1900, true, pace/2), most, "at most the limit is")
}

// A partition begins where its saved offset or else Start says, a new one with its first record. Records 0 to 4 are
// gone; record i has time i.
func TestStart(t *testing.T) {
	c := broker(t, 1, 20)
	client := strategytest.Value(c.client())
	defer client.Close()
	var until kadm.Offsets
	until.AddOffset(c.Topic, 0, 5, -1)
	strategytest.Must(t, strategytest.Value(kadm.NewClient(client).DeleteRecords(t.Context(), until)).Error())
	for _, w := range []struct {
		start string
		known int // partitions when the job was started
		saved any // its offset, if the job was started from a savepoint
		first int64
	}{
		{"", 1, nil, 5},
		{"earliest", 1, nil, 5},
		{"latest", 1, nil, 20},
		{"latest", 0, nil, 5},
		{"1970-01-01T00:00:00.012Z", 1, nil, 12},
		{"latest", 1, int64(7), 7},
	} {
		c.Start = w.start
		f, o := polling(c), &offset{held: w.saved}
		f.Partitions = w.known
		f.StartBundle(nil)
		values, err := o.tick(t, f)
		if err != nil || int64(len(values)) != 20-w.first || o.held != int64(20) || o.topic != c.Topic {
			t.Errorf("%+v: %q, the next is %v of topic %v, %v", w, values, o.held, o.topic, err)
		}
	}
	// Where it has been before, what is gone is missed: the partition is left alone, or it is skipped if it may be.
	f, o := polling(c), &offset{held: int64(2)}
	for _, skip := range []bool{false, true} {
		f.Config.Skip, f.stuck = skip, nil
		f.StartBundle(nil)
		for range 2 {
			_, err := o.tick(t, f)
			strategytest.Must(t, err)
		}
		strategytest.Equal(t, len(f.stuck) == 0, skip, "the partition is read")
		strategytest.Equal[any](t, o.held, map[bool]int64{false: 2, true: 20}[skip], "after two ticks the next is")
	}
	_, err := (&offset{held: int64(7), topic: "old"}).tick(t, f)
	strategytest.ErrorSays(t, "another topic's", err, `topic "old": start with --kafka.topic old, or without savepoint`)
}

// Readers unused for a while are closed: partitions move to other processes.
func TestReadersThatLieUnusedAreClosed(t *testing.T) {
	c := broker(t, 0, 0)
	old := strategytest.Value(take(c, 0, 0))
	old.put()
	fresh := strategytest.Value(take(c, 1, 0))
	fresh.put()
	old.used = time.Now().Add(-kept - time.Second)
	other := strategytest.Value(take(Config{Kafka: c.Kafka, Topic: "other"}, 0, 0))
	defer other.client.Close()
	readers.Lock()
	defer readers.Unlock()
	if readers.idle[old.place] != nil || readers.idle[fresh.place] != fresh {
		t.Errorf("idle are %v", readers.idle)
	}
}
