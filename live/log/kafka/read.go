package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/live/log"
)

// Read implements log.Log: it claims the partitions, and reads up to the claims. What it
// returns is what Append expects from then on.
func (l *Log) Read(ctx context.Context, from map[int]log.Offset, each log.Each) (map[int]log.Offset, error) {
	if err := l.check(ctx, from); err != nil {
		return nil, err
	}
	end, err := l.claim(ctx, from)
	if err != nil {
		return nil, err
	}
	left := map[int]bool{} // partitions of which something is to be read
	positions := map[int32]kgo.Offset{}
	for p, at := range from {
		if at < end[p] {
			left[p] = true
			positions[int32(p)] = kgo.NewOffset().At(int64(at))
		}
	}
	if len(left) > 0 {
		client, err := kgo.NewClient(append(l.o.client(),
			kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{l.o.Topic: positions}),
			kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		)...)
		if err != nil {
			return nil, fmt.Errorf("kafka: %w", err)
		}
		defer client.Close()
		for len(left) > 0 {
			fetches := client.PollFetches(ctx)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, e := range fetches.Errors() {
				return nil, fmt.Errorf("kafka: partition %d: %w", e.Partition, e.Err)
			}
			for records := fetches.RecordIter(); !records.Done(); {
				r := records.Next()
				p := int(r.Partition)
				if !left[p] || log.Offset(r.Offset) >= end[p] {
					continue
				}
				if record, valid := validRecord(r.Offset, r.Value); valid {
					if err := each(p, log.Offset(r.Offset), record); err != nil {
						return nil, fmt.Errorf("kafka: partition %d: offset %d: %w", p, r.Offset, err)
					}
				}
				if log.Offset(r.Offset) == end[p]-1 {
					delete(left, p)
				}
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	next := map[int]log.Offset{}
	for p, claimed := range end {
		next[p] = claimed + 1
		l.writes[p] = &writer{next: next[p]}
	}
	return next, nil
}

// claim is a record that stands nowhere that it expects to.
var claim = bytes.Repeat([]byte{0xff}, expectedBytes)

// claim puts one at the end of partitions, and returns where.
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

// validRecord is what stands behind the offset that a record was written for, if that is its own.
func validRecord(offset int64, value []byte) (record []byte, valid bool) {
	if len(value) < expectedBytes || int64(binary.LittleEndian.Uint64(value)) != offset {
		return nil, false
	}
	return value[expectedBytes:], true
}

// check reports what partitions cannot be read from where they are to be. It comes before
// the claim, so that a log that is too short does not grow by attempts.
func (l *Log) check(ctx context.Context, from map[int]log.Offset) error {
	starts, err := l.admin.ListStartOffsets(ctx, l.o.Topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return fmt.Errorf("kafka: topic %s: %w", l.o.Topic, err)
	}
	ends, err := l.admin.ListEndOffsets(ctx, l.o.Topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
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
