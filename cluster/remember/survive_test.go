package remember_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/cluster/flink"
	"dejavu/cluster/kafka"
	"dejavu/cluster/remember"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// What flink/survive.sh says to this package's test binary.
var (
	users    = flag.Int("users", 2000, "users of the script")
	rate     = flag.Int("rate", 0, "requests a second; 0 is all at once")
	patience = flag.Duration("patience", 3*time.Minute, "how long no answer comes before the job counts as stalled")
	linger   = flag.Duration("linger", 0, "how long the job goes on after the last answer")
	brokers  = flag.String("brokers", "", "of Kafka; where there are none the test is left out")
	saved    = flag.String("saved", "", "directory of the checkpoints; requests are written when there is one")
	out      = flag.String("out", "", "directory for the answers, which workers and this program see")
	topic    = flag.String("topic", "", "of the requests; where it is there already, they are in it")
	more     = flag.Int("more", 0, "steps that the job has more: one, and another that keeps state")
)

func init() {
	register.DoFn3x1[string, []byte, func(string, remember.Request), error](&decodeFn{})
	register.Emitter2[string, remember.Request]()
	register.DoFn2x1[string, remember.Answer, error](&writeFn{})
	register.DoFn4x1[state.Provider, string, remember.Request, func(string, remember.Request), error](&passFn{})
	register.Function2x2(pass)
}

var errAll = errors.New("all answers are there")

// The job that flink/survive.sh disturbs: requests go into a Kafka topic, from there to Remember, and the answers
// are written to files as they come. Beside it a plain loop answers, without Beam. Each answer has to be the
// loop's, to the article, each history in the end to the byte: a request that was lost, or recorded twice, changes
// answers after it. An answer that is written again after a restart is counted, and has to be the same again.
func TestSurvives(t *testing.T) {
	if *brokers == "" {
		t.Skip("--brokers names no Kafka: flink/survive.sh runs this")
	}
	flink.Use(flink.Stream)
	c := script{Users: *users, Seed: 2016}
	events := ask(c.events())
	servers, name := strings.Split(*brokers, ","), cmp.Or(*topic, fmt.Sprintf("requests-%d", time.Now().UnixNano()))
	queue := strategytest.Value(kgo.NewClient(kgo.SeedBrokers(servers...), kgo.DefaultProduceTopic(name)))
	defer queue.Close()
	const partitions = 4
	made, err := kadm.NewClient(queue).CreateTopic(t.Context(), partitions, 1, nil, name)
	again := errors.Is(err, kerr.TopicAlreadyExists) && *topic != ""
	if err = cmp.Or(err, made.Err); err != nil && !again {
		t.Fatal(err)
	}
	p, s := beam.NewPipelineWithRoot()
	records := strategytest.Value(kafka.Read(t.Context(), s, kafka.Config{Brokers: servers, Topic: name}))
	requests := beam.ParDo(s, &decodeFn{}, records)
	if *more > 0 {
		requests = beam.ParDo(s, pass, requests)
	}
	if *more > 1 {
		requests = beam.ParDo(s, &passFn{state.MakeValueState[int]("passed")}, requests)
	}
	config := remember.Config{Strategy: "chain", Idle: remember.Day, ByClock: true}
	answers := strategytest.Value(remember.Remember(s, config, requests))
	// A shuffle, as what comes after has: the answers of a bundle are on their way to
	// other machines before it ends.
	beam.ParDo0(s, &writeFn{Dir: *out}, beam.Reshuffle(s, answers))

	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	go feed(ctx, cancel, queue, events, again)
	if err := flink.Run(ctx, p); !errors.Is(err, errAll) {
		t.Fatal(err)
	}
}

// feed waits until the job has taken a checkpoint, writes the requests if they are not there, and watches the answers
// until the end.
func feed(ctx context.Context, end context.CancelCauseFunc, queue *kgo.Client, events []arrival, there bool) {
	pattern := filepath.Join(*saved, "*", "chk-*", "_metadata")
	checkpoints := func() []string { return strategytest.Value(filepath.Glob(pattern)) }
	others := checkpoints() // of jobs before
	isNew := func(path string) bool { return !slices.Contains(others, path) }
	for !slices.ContainsFunc(checkpoints(), isNew) {
		time.Sleep(time.Second)
	}
	go func() {
		if !there {
			if err := produce(ctx, queue, events); err != nil {
				end(fmt.Errorf("writing to Kafka: %w", err))
			}
		}
		fmt.Println("all requests are in Kafka")
	}()
	end(watch(events))
}

// produce writes requests in the order of their arrival, and returns when the brokers have them.
func produce(ctx context.Context, queue *kgo.Client, events []arrival) error {
	began, written := time.Now(), kgo.AbortingFirstErrPromise(queue)
	for i, e := range events {
		if *rate > 0 {
			time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(*rate))))
		}
		value := strategytest.Value(e.request.MarshalBinary())
		record := &kgo.Record{Key: []byte(e.user), Value: value, Timestamp: moment(e.at)}
		queue.Produce(ctx, record, written.Promise())
	}
	return written.Err()
}

// watch compares answers as they are written, until all are there or something is wrong.
func watch(events []arrival) error {
	w := watcher{want: alone(events), got: map[string]bool{}, done: map[string]int64{}}
	began, last, next := time.Now(), time.Now(), 1
	for len(w.got) < len(w.want) {
		before := len(w.got)
		if err := w.read(); err != nil {
			return err
		}
		switch {
		case len(w.got) > before:
			last = time.Now()
		case time.Since(last) > *patience:
			return fmt.Errorf("stalled: no answer for %v, %d of %d are there", *patience, len(w.got), len(w.want))
		}
		for ; next*len(w.want)/10 <= len(w.got) && next <= 10; next++ {
			const line = "%d0 %% of %d answers after %.1f s, at %d\n"
			fmt.Printf(line, next, len(w.want), time.Since(began).Seconds(), time.Now().UnixMilli())
		}
		time.Sleep(100 * time.Millisecond)
	}
	// The job may have more to say: tasks that had lost their manager answered, too, until they noticed that they had.
	for before := -1; before < len(w.got)+w.again; {
		before = len(w.got) + w.again
		time.Sleep(*linger)
		if err := w.read(); err != nil {
			return err
		}
	}
	fmt.Printf("%d answers of %d users, %d of them with the history: as a loop without Beam gives them; "+
		"%d were written again, the same\n", len(w.got), *users, w.vectors, w.again)
	return errAll
}

// pass is a step that a job may have more.
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

type decodeFn struct{}

func (f *decodeFn) ProcessElement(user string, value []byte, emit func(string, remember.Request)) error {
	var r remember.Request
	if err := r.UnmarshalBinary(value); err != nil {
		return err
	}
	emit(user, r)
	return nil
}

func line(user string, a remember.Answer) string {
	return fmt.Sprintf("%s\t%s\t%x\t%x", a.ID, user, a.Fresh, a.Vector)
}

// A writeFn writes answers to a file of its own, each by one call of the system: what
// is written outlives the process.
type writeFn struct {
	Dir string

	file *os.File
}

func (f *writeFn) ProcessElement(user string, a remember.Answer) (err error) {
	if f.file == nil {
		if f.file, err = os.CreateTemp(f.Dir, "answers-*"); err != nil {
			return err
		}
	}
	_, err = f.file.WriteString(line(user, a) + "\n")
	return err
}

func alone(events []arrival) map[string]string {
	s := remember.Must("chain")
	lines := map[string]string{}
	histories, newest := map[string][]byte{}, map[string]time.Duration{}
	for _, e := range events {
		history := histories[e.user]
		if e.at-newest[e.user] >= remember.Day {
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

type watcher struct {
	want    map[string]string
	got     map[string]bool
	done    map[string]int64 // bytes read, by file
	again   int              // answers that were there already
	vectors int              // those with a history
}

func (w *watcher) read() error {
	files, err := filepath.Glob(filepath.Join(*out, "answers-*"))
	if err != nil {
		return err
	}
	for _, path := range files {
		b, err := readFrom(path, w.done[path])
		if err != nil {
			return err
		}
		b = b[:bytes.LastIndexByte(b, '\n')+1] // a line may be on its way, or cut for good
		w.done[path] += int64(len(b))
		for text := range strings.Lines(string(b)) {
			text = strings.TrimSuffix(text, "\n")
			id, _, _ := strings.Cut(text, "\t")
			switch {
			case text != w.want[id]:
				return fmt.Errorf("the answer to request %s is\n%s\nwant\n%s", id, text, w.want[id])
			case w.got[id]:
				w.again++
				continue
			}
			w.got[id] = true
			if !strings.HasSuffix(text, "\t") {
				w.vectors++
			}
		}
	}
	return nil
}

func readFrom(path string, at int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, at, 1<<40))
}
