package remember_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/cluster/flink"
	"dejavu/cluster/kafka"
	"dejavu/cluster/remember"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Settings from flink/survive.sh.
var (
	users    = flag.Int("users", 2000, "users of the script")
	rate     = flag.Int("rate", 0, "requests a second; 0 is all at once")
	until    = flag.Int("until", 100, "per cent of the requests that are in Kafka when this job has run")
	patience = flag.Duration("patience", 3*time.Minute, "how long no answer comes before the job counts as stalled")
	linger   = flag.Duration("linger", 0, "how long the job goes on after the last answer")
	saved    = flag.String("saved", "", "directory of the checkpoints; requests are written when there is one")
	more     = flag.Int("more", 0, "steps that the job has more: one, and another that keeps state")
	queue    kafka.Config
)

func init() {
	queue.Flags()
	register.DoFn4x1[state.Provider, string, remember.Request, func(string, remember.Request), error](&passFn{})
	register.Emitter2[string, remember.Request]()
	register.Function2x2(pass)
}

var errAll = errors.New("all answers are there")

// The job that flink/survive.sh disturbs: requests go from one Kafka topic to Remember, and the answers to another. A
// plain loop answers too, without Beam. Each answer and each final history must equal the loop's: a request lost, or
// recorded twice, changes later answers. Answers repeated after a restart are counted, and must be equal.
func TestSurvives(t *testing.T) {
	if *saved == "" {
		t.Skip("--saved names no checkpoints: flink/survive.sh runs this")
	}
	flink.Use(flink.Stream)
	events := ask(script{Users: *users, Seed: 2016}.events())
	queue.Create = 4
	results := queue
	results.Topic += "-answers"
	client := strategytest.Value(kgo.NewClient(kgo.SeedBrokers(queue.Brokers...), kgo.DefaultProduceTopic(queue.Topic),
		kgo.ConsumeTopics(results.Topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart())))
	defer client.Close()
	p, s := beam.NewPipelineWithRoot()
	requests := kafka.Requests(s, strategytest.Value(kafka.Read(t.Context(), s, queue)))
	if *more > 0 {
		requests = beam.ParDo(s, pass, requests)
	}
	if *more > 1 {
		requests = beam.ParDo(s, &passFn{state.MakeValueState[int]("passed")}, requests)
	}
	config := remember.Config{Strategy: "chain", Idle: remember.Day, ByClock: true}
	answers := strategytest.Value(remember.Remember(s, config, requests))
	strategytest.Must(t, kafka.Answers(t.Context(), s, results, answers))

	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	go feed(ctx, cancel, client, events)
	if err := flink.Run(ctx, p); !errors.Is(err, errAll) {
		t.Fatal(err)
	}
}

// feed waits until the job has taken a checkpoint, writes this job's part of the requests, and watches the answers
// until the end.
func feed(ctx context.Context, end context.CancelCauseFunc, client *kgo.Client, events []arrival) {
	pattern := filepath.Join(*saved, "*", "chk-*", "_metadata")
	checkpoints := func() []string { return strategytest.Value(filepath.Glob(pattern)) }
	others := checkpoints() // of jobs before
	isNew := func(path string) bool { return !slices.Contains(others, path) }
	for !slices.ContainsFunc(checkpoints(), isNew) {
		time.Sleep(time.Second)
	}
	go func() {
		if err := produce(ctx, client, events[:len(events)**until/100]); err != nil {
			end(fmt.Errorf("writing to Kafka: %w", err))
		}
		fmt.Println("the requests are in Kafka")
	}()
	end(watch(ctx, client, events))
}

// produce writes the requests that are not in Kafka yet, in the order of their arrival, and returns when the brokers
// have them.
func produce(ctx context.Context, client *kgo.Client, events []arrival) error {
	there := 0
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, queue.Topic)
	ends.Each(func(o kadm.ListedOffset) { there += int(o.Offset) })
	if err = cmp.Or(err, ends.Error()); err != nil {
		return err
	}
	began, written := time.Now(), kgo.AbortingFirstErrPromise(client)
	for i, e := range events[there:] {
		if *rate > 0 {
			time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(*rate))))
		}
		value := strategytest.Value(json.Marshal(e.request))
		record := &kgo.Record{Key: []byte(e.user), Value: value, Timestamp: moment(e.at)}
		client.Produce(ctx, record, written.Promise())
	}
	return written.Err()
}

// watch compares answers as they are written, until all are there or something is wrong.
func watch(ctx context.Context, client *kgo.Client, events []arrival) error {
	want, got, again := alone(events), map[string]bool{}, 0
	began, last, next := time.Now(), time.Now(), 1
	once := map[int32]*kafka.Once{}
	read := func(patience time.Duration) error {
		ctx, stop := context.WithTimeout(ctx, patience)
		defer stop()
		for _, r := range client.PollRecords(ctx, 1000).Records() {
			var a remember.Answer
			if err := json.Unmarshal(r.Value, &a); err != nil || line(string(r.Key), a) != want[a.ID] {
				return fmt.Errorf("%v: the answer is\n%s\nwant\n%s", err, line(string(r.Key), a), want[a.ID])
			}
			if once[r.Partition] == nil {
				once[r.Partition] = kafka.NewOnce(len(want))
			}
			if first := once[r.Partition].First(r); first == got[a.ID] {
				return fmt.Errorf("request %s is answered for the first time: %v", a.ID, first)
			} else if !first {
				again++
			}
			got[a.ID], last = true, time.Now()
		}
		return nil
	}
	for len(got) < len(want) {
		if err := read(100 * time.Millisecond); err != nil {
			return err
		}
		if time.Since(last) > *patience {
			return fmt.Errorf("stalled: no answer for %v, %d of %d are there", *patience, len(got), len(want))
		}
		for ; next*len(want)/10 <= len(got) && next <= 10; next++ {
			const line = "%d0 %% of %d answers after %.1f s, at %d\n"
			fmt.Printf(line, next, len(want), time.Since(began).Seconds(), time.Now().UnixMilli())
		}
	}
	// The job may have more to say: tasks that had lost their manager answered, too, until they noticed that they had.
	for before := -1; before < again; {
		before = again
		for end := time.Now().Add(*linger + time.Second); time.Now().Before(end); {
			if err := read(100 * time.Millisecond); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d answers and histories of %d users: as a loop without Beam gives them; "+
		"%d were written again, the same\n",
		len(got), *users, again)
	return errAll
}

// pass is an extra step that changes nothing.
func pass(user string, r remember.Request) (string, remember.Request) { return user, r }

// A passFn is another, which has a stage of its own, as it keeps state.
type passFn struct{ Passed state.Value[int] }

func (f *passFn) ProcessElement(
	sp state.Provider, user string, r remember.Request, emit func(string, remember.Request),
) error {
	n, _, err := f.Passed.Read(sp)
	emit(user, r)
	return errors.Join(err, f.Passed.Write(sp, n+1))
}

func line(user string, a remember.Answer) string {
	return fmt.Sprintf("%s\t%s\t%x\t%x", a.ID, user, a.Fresh, a.Vector)
}

func alone(events []arrival) map[string]string {
	s := remember.Must("chain")
	lines := map[string]string{}
	histories, newest := map[string][]byte{}, map[string]time.Duration{}
	for _, e := range events {
		history := histories[e.user]
		if e.at-newest[e.user] >= remember.Day || e.request.Forget {
			history = nil
		}
		if len(e.request.Shown) > 0 {
			if history == nil || e.at > newest[e.user] {
				newest[e.user] = e.at
			}
			history = s.Record(history, e.request.Shown)
			histories[e.user] = history
		}
		a := remember.Answer{ID: e.request.ID, Fresh: []strategies.ID{}}
		seen := make([]bool, len(e.request.Candidates))
		s.Seen(history, e.request.Candidates, seen)
		for i, id := range e.request.Candidates {
			if !seen[i] {
				a.Fresh = append(a.Fresh, id)
			}
		}
		if e.request.Vector {
			a.Vector = history
		}
		lines[a.ID] = line(e.user, a)
	}
	return lines
}
