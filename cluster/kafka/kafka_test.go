package kafka

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/cluster/internal/runner"
	"dejavu/cluster/remember"
	"dejavu/live/access"
	"dejavu/strategies/strategytest"
)

func init() {
	register.DoFn3x0[beam.EventTime, string, []byte](&gatherFn{})
	register.Function1x2(ofAnn)
}

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
	return Config{Kafka: access.Kafka{Brokers: fake.ListenAddrs()}, Topic: topic}.complete()
}

// Each record comes once, in the order of its key and at its own time, however many ticks it takes.
func TestEachRecordComesOnce(t *testing.T) {
	runner.SkipOnFlink(t, "its ticks do not end")
	const keys, records, ticks = 20, 12, 5
	c := broker(t, keys, records)
	c.Fewest, c.Most = keys*records, keys*records // as all ticks may be of one bundle
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

// A reader ahead of the state is not used: the job was restored, and reads again from its state's offset.
func TestAReaderIsKeptOnlyWhereTheOffsetIsItsOwn(t *testing.T) {
	c := broker(t, 1, 20)
	first := read(t, c, 0, 0)
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
	r := strategytest.Value(take(c, 0, 0))
	defer r.client.Close()
	left := records
	for began := time.Now(); left > 0 && time.Since(began) < 5*time.Second; time.Sleep(time.Millisecond) {
		left -= len(strategytest.Value(r.poll(t.Context(), most)))
	}
	strategytest.AtMost(t, left, 0, "records of %d that did not come", records)
}

func TestConfigIsChecked(t *testing.T) {
	good := broker(t, 0, 0)
	nobody := Config{Kafka: access.Kafka{Brokers: []string{"localhost:1"}}, Topic: topic}
	for want, change := range map[string]func(c *Config){
		"kafka.brokers is empty":                  func(c *Config) { c.Brokers = nil },
		"kafka.topic is empty":                    func(c *Config) { c.Topic = "" },
		`topic "other" at ["127.0.0.1`:            func(c *Config) { c.Topic = "other" },
		`kafka.start is "noon", want earliest, l`: func(c *Config) { c.Start = "noon" },
		"fewest 50, most 49":                      func(c *Config) { c.Most = 49 },
		"kafka/start.sh starts a broker here":     func(c *Config) { *c = nobody },
		"kafka.sasl is plain and kafka.tls is":    func(c *Config) { c.SASL = "plain" },
		"kafka.password_file: open /none: ": func(c *Config) {
			c.SASL, c.User, c.PasswordFile = "scram-sha-256", "ann", "/none"
		},
	} {
		c := good
		change(&c)
		_, s := beam.NewPipelineWithRoot()
		strategytest.ErrorSays(t, want, strategytest.ErrorOf(Read(context.Background(), s, c)), want)
	}
	good.Most, good.Topic, good.Create = good.Fewest, "new", 1
	p, s := beam.NewPipelineWithRoot()
	strategytest.Must(t, strategytest.ErrorOf(Read(t.Context(), s, good)))
	edges, _, err := p.Build()
	strategytest.Must(t, err)
	tick := slices.IndexFunc(edges, func(e *graph.MultiEdge) bool { return e.Payload != nil })
	strategytest.Equal(t, string(edges[tick].Payload.Data), `{"interval_ms":100}`, "the source ticks as")
	good.Create = 0
	strategytest.Equal(t, strategytest.Value(count(t.Context(), good)), 1, "a topic that was missing has partitions")
}

// Partitions that a topic is given while the job runs are read.
func TestPartitionsAreAdded(t *testing.T) {
	c := broker(t, 1, 0)
	client := strategytest.Value(c.client())
	defer client.Close()
	made := strategytest.Value(kadm.NewClient(client).CreatePartitions(t.Context(), 2, c.Topic))
	strategytest.Must(t, made.Error())
	f, seen := &spreadFn{Config: c, Partitions: 1, looked: time.Now()}, 0
	tick := func() { f.ProcessElement(t.Context(), nil, func(p int, _ []byte) { seen = p + 1 }) }
	tick()
	strategytest.Equal(t, seen, 1, "before the next look there are partitions")
	f.looked = time.Time{}
	tick()
	strategytest.Equal(t, seen, 3, "after it there are partitions")
}

// The topic holds answers under their users, with the request's ID. In a second run, Once recognises each.
func TestAnswers(t *testing.T) {
	runner.SkipOnFlink(t, "its workers are not needed")
	c, once := broker(t, 1, 0), NewOnce(3)
	values := [][]byte{[]byte(`{"id": "1", "candidates": [7]}`), []byte("torn"), []byte(`{"id": "2", "candidates": [8]}`)}
	for range 2 {
		p, s := beam.NewPipelineWithRoot()
		records := beam.ParDo(s, ofAnn, beam.CreateList(s, values))
		requests := Requests(s, records)
		answers := strategytest.Value(remember.Remember(s, remember.Config{Strategy: "queue"}, requests))
		strategytest.Must(t, Answers(t.Context(), s, c, answers))
		strategytest.Must(t, ptest.Run(p))
	}
	client := strategytest.Value(c.client(kgo.ConsumeTopics(c.Topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart())))
	defer client.Close()
	var got []string
	for len(got) < 4 {
		for _, r := range client.PollRecords(t.Context(), 0).Records() {
			strategytest.Equal(t, string(r.Key), "ann", "the key is")
			got = append(got, fmt.Sprint(once.First(r), " ", string(r.Value)))
		}
	}
	slices.Sort(got)
	strategytest.EqualSlices(t, got, []string{
		`false {"id":"1","fresh":[7]}`, `false {"id":"2","fresh":[8]}`,
		`true {"id":"1","fresh":[7]}`, `true {"id":"2","fresh":[8]}`,
	}, "answers, and which are the first")
	// A Once forgets the oldest.
	of := func(id string) *kgo.Record {
		return &kgo.Record{Headers: []kgo.RecordHeader{{Key: requestHeader, Value: []byte(id)}}}
	}
	for i, id := range []string{"a", "b", "a", "c", "d", "a"} {
		strategytest.Equal(t, once.First(of(id)), i != 2, "%d, %s is the first", i, id)
	}
}

func ofAnn(value []byte) (string, []byte) { return "ann", value }

// A real broker is read and written by TLS with a password. What is wrong is said with the key to look at.
func TestRealBroker(t *testing.T) {
	if testing.Short() {
		t.Skip("a broker takes its time")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	certificate(t, in("server.pem"), in("server.crt"))
	certificate(t, in("other.pem"), in("other.crt"))
	properties := `listeners=PLAINTEXT://localhost:9392,CONTROLLER://localhost:9393,USERS://localhost:9394
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,USERS:SASL_SSL
ssl.keystore.type=PEM
ssl.keystore.location=` + in("server.pem") + `
sasl.enabled.mechanisms=PLAIN
listener.name.users.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_ann="right";
`
	for name, text := range map[string]string{"more": properties, "right": "right\n", "wrong": "wrong"} {
		strategytest.Must(t, os.WriteFile(in(name), []byte(text), 0o600))
	}
	script := func(args ...string) error {
		cmd := exec.Command("./start.sh", args...)
		cmd.Env = append(os.Environ(), "PORT=9392", "MORE="+in("more"))
		cmd.Stderr = os.Stderr
		return cmd.Run()
	}
	defer func() { strategytest.Must(t, script("stop")) }()
	err := script()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 3 {
		t.Skip("left out: there is no Java or Maven")
	}
	strategytest.Must(t, err)
	c := Config{Kafka: access.Kafka{
		Brokers: []string{"localhost:9394"}, TLS: true, CAFile: in("server.crt"), SASL: "plain", User: "ann",
		PasswordFile: in("right"),
	}, Topic: topic}.complete()
	client := strategytest.Value(c.client())
	defer client.Close()
	c.Create = 1
	strategytest.Equal(t, strategytest.Value(count(t.Context(), c)), 1, "a topic that was missing has partitions")
	c.Create = 0
	sink := &answerFn{Config: c}
	strategytest.Must(t, sink.Setup())
	defer sink.Teardown()
	sink.StartBundle()
	sink.ProcessElement(t.Context(), "ann", remember.Answer{ID: "1"})
	strategytest.Must(t, sink.FinishBundle())
	f, o, values := polling(c), new(offset), []string(nil)
	f.StartBundle(nil)
	for began := time.Now(); len(values) == 0 && err == nil && time.Since(began) < 20*time.Second; {
		values, err = o.tick(t, f)
	}
	if err != nil || len(values) != 1 {
		t.Errorf("%q, %v, want one answer", values, err)
	}
	for want, change := range map[string]func(c *Config){
		"look at kafka.user and kafka.password_file for localhost:9394": func(c *Config) { c.PasswordFile = in("wrong") },
		"look at kafka.ca_file for localhost:9394":                      func(c *Config) { c.CAFile = in("other.crt") },
	} {
		c := c
		change(&c)
		strategytest.ErrorSays(t, want, strategytest.ErrorOf(count(t.Context(), c)), want)
	}
}

// certificate writes a key with its certificate, and the certificate alone, for localhost.
func certificate(t *testing.T, both, alone string) {
	t.Helper()
	key := strategytest.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der := strategytest.Value(x509.CreateCertificate(rand.Reader, c, c, key.Public(), key))
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	private := strategytest.Value(x509.MarshalPKCS8PrivateKey(key))
	text := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), public...)
	strategytest.Must(t, os.WriteFile(both, text, 0o600))
	strategytest.Must(t, os.WriteFile(alone, public, 0o600))
}
