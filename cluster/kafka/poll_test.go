package kafka

import (
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/strategies/strategytest"
)

// An offset is what a runner keeps of a partition, in this process.
type offset struct {
	state.Provider
	held  any
	reads int
}

func (o *offset) ReadValueState(string) (any, []state.Transaction, error) {
	o.reads++
	return o.held, nil, nil
}

func (o *offset) WriteValueState(t state.Transaction) error {
	o.held = t.Val
	return nil
}

// tick polls a partition, and gives what was put out.
func (o *offset) tick(t *testing.T, f *pollFn, partition int) (values []string, err error) {
	t.Helper()
	err = f.ProcessElement(t.Context(), o, partition, nil, func(_ beam.EventTime, _ string, value []byte) {
		values = append(values, string(value))
	})
	return values, err
}

// full is the partition that has all records of a topic with one key.
func full(t *testing.T, c Config) int {
	t.Helper()
	client := strategytest.Value(kgo.NewClient(kgo.SeedBrokers(c.Brokers...)))
	defer client.Close()
	ends := strategytest.Value(kadm.NewClient(client).ListEndOffsets(t.Context(), c.Topic))
	if end, _ := ends.Lookup(c.Topic, 0); end.Offset > 0 {
		return 0
	}
	return 1
}

func polling(c Config) *pollFn { return &pollFn{Config: c, Next: state.MakeValueState[int64]("next")} }

// A bundle puts out so many records and no more, of however many ticks, and the next one goes on behind them. Ticks
// that find no room ask for nothing.
func TestABundleIsLimited(t *testing.T) {
	fewest, most = 7, 7
	defer func() { fewest, most = 50, 5000 }()
	c := broker(t, 1, 20)
	f, o, partition := polling(c), new(offset), full(t, c)
	for _, want := range []struct {
		first string
		n     int
		next  int64
	}{{"0/0", 7, 7}, {"0/7", 7, 14}, {"0/14", 6, 20}, {"", 0, 20}} {
		f.StartBundle(nil)
		var all []string
		before := o.reads
		for range 3 {
			values, err := o.tick(t, f, partition)
			strategytest.Must(t, err)
			all = append(all, values...)
		}
		if len(all) != want.n || o.held != want.next || want.n > 0 && all[0] != want.first {
			t.Errorf("%d records, %q, the next is %v, want %+v", len(all), all, o.held, want)
		}
		if reads := o.reads - before; want.n == most && reads == 3 {
			t.Errorf("a bundle that is full was asked for more")
		}
	}
}

// The limit of a bundle follows from how long the one before took, if that was full.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		before int
		full   bool
		took   time.Duration
		want   int
	}{
		{0, true, time.Hour, fewest},
		{400, false, time.Hour, 400},
		{400, true, pace, 400},
		{400, true, pace * 4 / 5, 500},
		{400, true, pace / 10, 800},
		{400, true, 0, 800},
		{400, true, pace * 4 / 3, 300},
		{400, true, pace * 10, 200},
		{80, true, pace * 10, fewest},
		{4000, true, pace / 2, most},
	} {
		strategytest.Equal(t, limit(c.before, c.full, c.took), c.want, "after %+v", c)
	}
}

// A job that begins does so with the first record that retention has left.
func TestItBeginsWithTheFirstRecordThereIs(t *testing.T) {
	c := broker(t, 1, 20)
	partition := full(t, c)
	client := strategytest.Value(kgo.NewClient(kgo.SeedBrokers(c.Brokers...)))
	defer client.Close()
	var until kadm.Offsets
	until.AddOffset(c.Topic, int32(partition), 5, -1)
	deleted := strategytest.Value(kadm.NewClient(client).DeleteRecords(t.Context(), until))
	strategytest.Must(t, deleted.Error())
	f, o := polling(c), new(offset)
	f.StartBundle(nil)
	values, err := o.tick(t, f, partition)
	if err != nil || len(values) != 15 || values[0] != "0/5" || o.held != int64(20) {
		t.Errorf("%q, the next is %v, %v", values, o.held, err)
	}
	// Where it has been before, what is gone is missed.
	gone := &offset{held: int64(2)}
	_, err = gone.tick(t, f, partition)
	strategytest.ErrorSays(t, "records 2 to 4", err, "from offset 2: OFFSET_OUT_OF_RANGE")
	strategytest.Equal(t, gone.held, any(int64(2)), "the next is")
}

// Readers that nobody has used for a while are closed: partitions move to other processes.
func TestReadersThatLieUnusedAreClosed(t *testing.T) {
	c := broker(t, 0, 0)
	old := strategytest.Value(take(c, 0, beginning))
	old.put()
	fresh := strategytest.Value(take(c, 1, beginning))
	fresh.put()
	old.used = time.Now().Add(-kept - time.Second)
	other := strategytest.Value(take(Config{Brokers: c.Brokers, Topic: "other"}, 0, beginning))
	defer other.client.Close()
	readers.Lock()
	defer readers.Unlock()
	if readers.idle[old.place] != nil || readers.idle[fresh.place] != fresh {
		t.Errorf("idle are %v", readers.idle)
	}
}
