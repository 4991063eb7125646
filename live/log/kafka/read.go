package kafka

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"dejavu/live/log"
)

// Read implements log.Log. What it returns is what Append expects from then on.
func (l *Log) Read(ctx context.Context, from map[int]log.Offset, each func(int, log.Offset, []byte) error) (map[int]log.Offset, error) {
	begin, end, err := l.bounds(ctx, from)
	if err != nil {
		return nil, err
	}
	left := map[int]bool{} // partitions of which something is to be read
	positions := map[int32]kgo.Offset{}
	for p := range begin {
		if begin[p] < end[p] {
			left[p] = true
			positions[int32(p)] = kgo.NewOffset().At(int64(begin[p]))
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
	for p, next := range end {
		l.writes[p] = &writer{next: next}
	}
	return end, nil
}

// validRecord is what stands behind the offset that a record was written for, if that is
// its own.
func validRecord(offset int64, value []byte) (record []byte, valid bool) {
	if len(value) < expectedBytes || int64(binary.LittleEndian.Uint64(value)) != offset {
		return nil, false
	}
	return value[expectedBytes:], true
}

// bounds is from where to where partitions are to be read.
func (l *Log) bounds(ctx context.Context, from map[int]log.Offset) (begin, end map[int]log.Offset, err error) {
	begin, end = map[int]log.Offset{}, map[int]log.Offset{}
	starts, err := l.admin.ListStartOffsets(ctx, l.o.Topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("kafka: topic %s: %w", l.o.Topic, err)
	}
	ends, err := l.admin.ListEndOffsets(ctx, l.o.Topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("kafka: topic %s: %w", l.o.Topic, err)
	}
	for p, at := range from {
		start, known := starts.Lookup(l.o.Topic, int32(p))
		stop, also := ends.Lookup(l.o.Topic, int32(p))
		if !known || !also {
			return nil, nil, fmt.Errorf("kafka: topic %s has no partition %d", l.o.Topic, p)
		}
		switch {
		case at < log.Offset(start.Offset):
			return nil, nil, fmt.Errorf("kafka: %w: partition %d is to be read from offset %d, the oldest is %d", log.ErrGone, p, at, start.Offset)
		case at > log.Offset(stop.Offset):
			return nil, nil, fmt.Errorf("kafka: %w: partition %d is to be read from offset %d, the next is %d", log.ErrShort, p, at, stop.Offset)
		}
		begin[p], end[p] = at, log.Offset(stop.Offset)
	}
	return begin, end, nil
}
