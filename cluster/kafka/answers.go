package kafka

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/cluster/remember"
)

func init() {
	register.DoFn4x0[context.Context, string, []byte, func(string, remember.Request)](&requestFn{})
	register.DoFn3x0[context.Context, string, remember.Answer](&answerFn{})
	register.Emitter2[string, remember.Request]()
}

// Requests makes remember's requests, a PCollection<KV<string, remember.Request>>, from records whose key is the user
// and whose value is a request as JSON. Other records are counted as "unreadable" and logged: an error would stop the
// job for good.
func Requests(s beam.Scope, records beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("Requests"), &requestFn{}, records)
}

var unreadable, written = beam.NewCounter("dejavu/kafka", "unreadable"), beam.NewCounter("dejavu/kafka", "answers")

type requestFn struct{}

func (*requestFn) ProcessElement(ctx context.Context, user string, value []byte, emit func(string, remember.Request)) {
	var r remember.Request
	if err := json.Unmarshal(value, &r); err != nil {
		unreadable.Inc(ctx, 1)
		log.Warnf(ctx, "kafka: user %q: %.100q is not a request as JSON: %v", user, value, err)
		return
	}
	unreadable.Inc(ctx, 0) // an alert needs a counter that was there before
	emit(user, r)
}

const requestHeader = "request" // of an answer's record: the ID of its request

// Answers writes answers to the topic of c: the key is the user, the value the answer as JSON, the header "request" the
// request's ID. A bundle ends when all replicas in sync have its answers, so none is lost. After a restart answers are
// written again, the same (see README.md): Once recognises them. Answers returns an error if the brokers do not have
// the topic.
func Answers(ctx context.Context, s beam.Scope, c Config, answers beam.PCollection) error {
	_, err := count(ctx, c)
	beam.ParDo0(s.Scope("Answers"), &answerFn{Config: c}, answers)
	return err
}

type answerFn struct {
	Config Config

	client *kgo.Client
	sent   *kgo.FirstErrPromise
}

func (f *answerFn) Setup() (err error) {
	f.client, err = f.Config.client(kgo.DefaultProduceTopic(f.Config.Topic), kgo.RecordDeliveryTimeout(time.Minute))
	return err
}

func (f *answerFn) StartBundle() { f.sent = kgo.AbortingFirstErrPromise(f.client) }

func (f *answerFn) ProcessElement(ctx context.Context, user string, a remember.Answer) {
	value, _ := json.Marshal(a) // no field of it can fail
	f.client.Produce(context.WithoutCancel(ctx), &kgo.Record{
		Key: []byte(user), Value: value, Headers: []kgo.RecordHeader{{Key: requestHeader, Value: []byte(a.ID)}},
	}, f.sent.Promise())
	written.Inc(ctx, 1)
}

func (f *answerFn) FinishBundle() error {
	if err := f.sent.Err(); err != nil {
		return f.Config.Advise("kafka", fmt.Errorf("kafka: answers to topic %q: %w", f.Config.Topic, err))
	}
	return nil
}

func (f *answerFn) Teardown() { f.client.Close() }

// Once recognises answers that are written again, by user and request ID. Use one for each partition of the topic. A
// caller that stores answers by user and request ID needs none.
type Once struct {
	known map[string]bool
	last  []string // a ring of the known ones
	at    int
}

// NewOnce returns a Once that remembers the last n answers, 1 or more. They must cover the time that a restart goes
// back: from its checkpoint to the end of the lost tasks.
func NewOnce(n int) *Once { return &Once{known: map[string]bool{}, last: make([]string, max(n, 1))} }

// First reports whether the record is the first answer to its request among those remembered.
func (o *Once) First(r *kgo.Record) bool {
	id := string(r.Key) + "\x00"
	for _, h := range r.Headers {
		if h.Key == requestHeader {
			id += string(h.Value)
		}
	}
	if o.known[id] {
		return false
	}
	delete(o.known, o.last[o.at])
	o.known[id], o.last[o.at] = true, id
	o.at = (o.at + 1) % len(o.last)
	return true
}
