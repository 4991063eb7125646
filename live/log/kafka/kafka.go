// Package kafka is a log in a Kafka topic, for a service of several instances. The topic's partitions are the
// service's; an instance that takes one over reads on where its snapshot ends.
//
// Two instances may both believe for a while that a partition is theirs. So every record begins with its expected
// offset. A record at another offset is void: its writer gets log.ErrConflict. A Read begins with a claim, a record
// that is always void. Queries write nothing; they are answered while no other instance can have the partition (Sole).
// docs/live-inside.md says why that is enough, and what the topic must be.
package kafka

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/live/log"
)

// Options configure a Log.
type Options struct {
	_          struct{}
	Brokers    []string
	Access     []kgo.Opt // how to log in
	Topic      string
	Partitions int           // that users are divided into, and the topic is made with
	Begun      bool          // the topic was made before, and may have more partitions since, where no user is
	Logger     *slog.Logger  // is told of those
	Timeout    time.Duration // after which an append that no broker confirmed has failed
	Kept       time.Duration // how long the topic must keep a record at least
	Group      string        // the consumer group whose members share the partitions (Join)
}

const expectedBytes = 8

// A Log is a Kafka topic.
type Log struct {
	o      Options
	client *kgo.Client
	admin  *kadm.Client
	mu     sync.Mutex
	writes map[int]*writer // replaced by every Read
	lease  lease

	Identity log.Identity // the topic's ID; zero if the brokers are older than 2.8, which give none
	Unknown  atomic.Int64 // partitions that the topic was given later
}

type writer struct {
	next   log.Offset // of the next record
	failed error      // nothing more is appended before a Read
}

// Open connects, and makes the topic if there is none.
func Open(ctx context.Context, o Options) (*Log, error) {
	client, err := kgo.NewClient(append(o.client(),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.RecordDeliveryTimeout(o.Timeout),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchCompression(kgo.NoCompression()), // identifiers do not compress
	)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	l := &Log{o: o, client: client, admin: kadm.NewClient(client), writes: map[int]*writer{}}
	if err := l.prepare(ctx); err != nil {
		client.Close()
		return nil, err
	}
	return l, nil
}

func (o *Options) client() []kgo.Opt {
	opts := []kgo.Opt{kgo.SeedBrokers(o.Brokers...), kgo.MetadataMinAge(250 * time.Millisecond)}
	return append(opts, o.Access...)
}

// prepare makes the topic, or reports why the existing one cannot serve. It waits for brokers while it may.
func (l *Log) prepare(ctx context.Context) error {
	for last := error(nil); ; {
		partitions, err := l.make(ctx)
		if err == nil && (partitions == l.o.Partitions || l.o.Begun && partitions > l.o.Partitions) {
			l.more(partitions)
			return l.checkKept(ctx)
		}
		if err == nil {
			return fmt.Errorf("kafka: topic %s has %d partitions, want the %d of the configuration (partitions)",
				l.o.Topic, partitions, l.o.Partitions)
		}
		err = fmt.Errorf("kafka: topic %s: %w", l.o.Topic, err)
		said, ok := errors.AsType[*kerr.Error](err)
		if ok && !said.Retriable && said != kerr.TopicAlreadyExists || strings.Contains(err.Error(), "tls: ") {
			return err
		}
		if ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w, the last error: %w", ctx.Err(), cmp.Or(last, err))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// more reports partitions that were added to the topic later.
func (l *Log) more(partitions int) {
	if unknown := int64(partitions - l.o.Partitions); unknown > l.Unknown.Load() {
		l.Unknown.Store(unknown)
		l.o.Logger.Error("the topic has more partitions than the configuration: no user is in those, they are ignored",
			"topic", l.o.Topic, "partitions", partitions, "configured", l.o.Partitions)
	}
}

// make makes the topic if there is none. A right that the service needs and lacks is an error.
func (l *Log) make(ctx context.Context) (partitions int, err error) {
	topics, err := l.admin.ListTopics(kadm.WithAuthorizedOps(ctx), l.o.Topic)
	t := topics[l.o.Topic]
	if gone := errors.Is(t.Err, kerr.UnknownTopicOrPartition); gone && l.o.Begun {
		return 0, fmt.Errorf("%w: the snapshots are of it; restore it, or move the snapshots away to begin anew", t.Err)
	} else if gone {
		forever := "-1"
		_, err = l.admin.CreateTopic(ctx, int32(l.o.Partitions), -1, // the brokers' default of replicas
			map[string]*string{"retention.ms": &forever, "retention.bytes": &forever}, l.o.Topic)
	}
	if err = cmp.Or(err, t.Err); err != nil {
		return 0, err
	}
	for _, right := range []kadm.ACLOperation{kadm.OpRead, kadm.OpWrite, kadm.OpDelete} {
		if may := t.AuthorizedOperations; len(may) > 0 && !slices.Contains(may, right) { // old brokers do not say
			return 0, fmt.Errorf("no right to %v: %w", right, kerr.TopicAuthorizationFailed)
		}
	}
	if _, err = l.admin.DescribeGroups(ctx, l.o.Group); errors.Is(err, kerr.GroupAuthorizationFailed) {
		return 0, fmt.Errorf("group %s: %w", l.o.Group, kerr.GroupAuthorizationFailed)
	}
	l.Identity = log.Identity(t.ID)
	return len(t.Partitions), nil // where there is no such group yet, it may be joined
}

// checkKept reports a topic that may lose records before the snapshots have them. It warns if it may not look.
func (l *Log) checkKept(ctx context.Context) error {
	all, err := l.admin.DescribeTopicConfigs(ctx, l.o.Topic)
	if err == nil {
		_, err = all.On(l.o.Topic, func(topic *kadm.ResourceConfig) error { return topic.Err })
	}
	if err != nil {
		l.o.Logger.Warn("it is not known how long the topic keeps records", "topic", l.o.Topic, "error", err)
		return nil
	}
	kept := l.o.Kept.Milliseconds()
	wants := map[string]string{
		"cleanup.policy": "delete", "retention.bytes": "-1", "retention.ms": fmt.Sprintf("-1, or at least %d", kept),
	}
	for _, c := range all[0].Configs {
		want, value := wants[c.Key], c.MaybeValue()
		ms, err := strconv.ParseInt(value, 10, 64)
		long := c.Key == "retention.ms" && err == nil && ms >= kept
		if want != "" && !strings.HasPrefix(want, value) && !long {
			return fmt.Errorf("kafka: topic %s: %s is %s, want %s: the service deletes records when snapshots have them",
				l.o.Topic, c.Key, value, want)
		}
	}
	return nil
}

// Empty reports whether no record was ever written to the topic.
func (l *Log) Empty(ctx context.Context) (bool, error) {
	ends, err := l.admin.ListEndOffsets(ctx, l.o.Topic)
	if err := cmp.Or(err, ends.Error()); err != nil {
		return false, fmt.Errorf("kafka: topic %s: %w", l.o.Topic, err)
	}
	empty := true
	ends.Each(func(o kadm.ListedOffset) { empty = empty && o.Offset == 0 })
	return empty, nil
}

// Append implements log.Log.
func (l *Log) Append(partition int, record []byte) (log.Offset, *log.Ticket, error) {
	l.mu.Lock()
	w := l.writes[partition]
	if w == nil {
		w = &writer{failed: fmt.Errorf("kafka: partition %d was not read yet", partition)}
	}
	at, failed := w.next, w.failed
	w.next++
	l.mu.Unlock()
	if failed != nil {
		return 0, nil, failed
	}
	value := make([]byte, 0, expectedBytes+len(record))
	value = append(binary.LittleEndian.AppendUint64(value, uint64(at)), record...)
	ticket := log.NewTicket()
	l.client.Produce(context.Background(), &kgo.Record{Topic: l.o.Topic, Partition: int32(partition), Value: value},
		func(r *kgo.Record, err error) {
			if err == nil && r.Offset != int64(at) {
				err = fmt.Errorf("a record for offset %d has come to %d: %w", at, r.Offset, log.ErrConflict)
			}
			if err != nil {
				err = fmt.Errorf("kafka: partition %d: %w", partition, err)
				l.mu.Lock()
				w.failed = cmp.Or(w.failed, err)
				l.mu.Unlock()
			}
			ticket.Settle(err)
		})
	return at, ticket, nil
}

// Trim implements log.Log.
func (l *Log) Trim(ctx context.Context, partition int, before log.Offset) error {
	var offsets kadm.Offsets
	offsets.AddOffset(l.o.Topic, int32(partition), int64(before), -1)
	deleted, err := l.admin.DeleteRecords(ctx, offsets)
	if err := cmp.Or(err, deleted.Error()); err != nil {
		return fmt.Errorf("kafka: partition %d: trim to offset %d: %w", partition, before, err)
	}
	return nil
}

// Err implements log.Log: a record that Kafka does not take fails after Options.Timeout.
func (l *Log) Err() error { return nil }

// Close implements log.Log.
func (l *Log) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), l.o.Timeout)
	defer cancel()
	err := l.client.Flush(ctx)
	l.client.Close()
	return err
}

// Read implements log.Log: it claims the partitions, and reads up to the claims. Append goes on from there.
func (l *Log) Read(ctx context.Context, from map[int]log.Offset, each log.Each) (map[int]log.Offset, error) {
	if err := l.check(ctx, from); err != nil {
		return nil, err
	}
	claims, err := l.claim(ctx, from)
	if err != nil {
		return nil, err
	}
	next, positions := map[int]log.Offset{}, map[int32]kgo.Offset{}
	for p, at := range from {
		next[p], positions[int32(p)] = claims[p]+1, kgo.NewOffset().At(int64(at))
	}
	client, err := kgo.NewClient(append(l.o.client(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{l.o.Topic: positions}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
	)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	defer client.Close()
	for len(claims) > 0 { // which are not read yet
		fetches := client.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, e := range fetches.Errors() {
			return nil, fmt.Errorf("kafka: partition %d: %w", e.Partition, e.Err)
		}
		for r := range fetches.RecordsAll() {
			p, at := int(r.Partition), log.Offset(r.Offset)
			claim, reading := claims[p]
			if !reading {
				continue
			}
			if record, valid := validRecord(r.Offset, r.Value); valid {
				if err := each(p, at, record); err != nil {
					return nil, fmt.Errorf("kafka: partition %d: offset %d: %w", p, at, err)
				}
			}
			if at == claim {
				delete(claims, p)
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for p, at := range next {
		l.writes[p] = &writer{next: at}
	}
	return next, nil
}

// claim is a record that is void at every offset.
var claim = bytes.Repeat([]byte{0xff}, expectedBytes)

func (l *Log) claim(ctx context.Context, partitions map[int]log.Offset) (map[int]log.Offset, error) {
	var claims []*kgo.Record
	for p := range partitions {
		claims = append(claims, &kgo.Record{Topic: l.o.Topic, Partition: int32(p), Value: claim})
	}
	at := map[int]log.Offset{}
	for _, r := range l.client.ProduceSync(ctx, claims...) {
		if r.Err != nil {
			return nil, fmt.Errorf("kafka: partition %d: %w", r.Record.Partition, r.Err)
		}
		at[int(r.Record.Partition)] = log.Offset(r.Record.Offset)
	}
	return at, nil
}

// validRecord returns the record in value if it was written for this offset.
func validRecord(offset int64, value []byte) (record []byte, valid bool) {
	if len(value) < expectedBytes || int64(binary.LittleEndian.Uint64(value)) != offset {
		return nil, false
	}
	return value[expectedBytes:], true
}

// check reports what cannot be read, before the claim: a log that is too short must not grow by attempts.
func (l *Log) check(ctx context.Context, from map[int]log.Offset) error {
	starts, err := l.admin.ListStartOffsets(ctx, l.o.Topic)
	ends, err2 := l.admin.ListEndOffsets(ctx, l.o.Topic)
	if err := cmp.Or(err, err2, starts.Error(), ends.Error()); err != nil {
		return fmt.Errorf("kafka: topic %s: %w", l.o.Topic, err)
	}
	for p, at := range from {
		start, known := starts.Lookup(l.o.Topic, int32(p))
		end, also := ends.Lookup(l.o.Topic, int32(p))
		switch {
		case !known || !also:
			return fmt.Errorf("kafka: topic %s has no partition %d", l.o.Topic, p)
		case at < log.Offset(start.Offset):
			return fmt.Errorf("kafka: %w: partition %d is to be read from offset %d, the oldest is %d",
				log.ErrGone, p, at, start.Offset)
		case at > log.Offset(end.Offset):
			return fmt.Errorf("kafka: %w: partition %d is to be read from offset %d, the next is %d",
				log.ErrShort, p, at, end.Offset)
		}
	}
	return nil
}
