package embedded

import (
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"dejavu/live/log"
)

// deletedAtOnce is how many batches one transaction of Trim deletes, so that commits do
// not wait long for it.
const deletedAtOnce = 512

// Own says which partitions are in use, 0 to count-1: a batch is deleted when all of them
// have trimmed it. Without Own nothing is.
func (l *Log) Own(count int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p := range count {
		if _, known := l.trimmed[p]; !known {
			l.trimmed[p] = 0
		}
	}
}

// Trim implements log.Log. The newest batch always stays, and with it the number of the
// next.
func (l *Log) Trim(ctx context.Context, partition int, before log.Offset) error {
	l.mu.Lock()
	l.trimmed[partition] = max(l.trimmed[partition], uint64(before)>>placeBits)
	first := ^uint64(0)
	for _, n := range l.trimmed {
		first = min(first, n)
	}
	first = min(first, l.filling.number-1)
	from := l.cut
	l.mu.Unlock()
	if first <= from {
		return nil
	}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := l.db.Update(func(tx *bbolt.Tx) (err error) {
			more, err = deleteSome(tx.Bucket(batches), first)
			return err
		})
		if err != nil {
			return fmt.Errorf("log %s: trim: %w", l.path, err)
		}
	}
	l.mu.Lock()
	l.cut = max(l.cut, first)
	l.mu.Unlock()
	return nil
}

// deleteSome deletes some batches before a number, never the last of all, and says
// whether there are more.
func deleteSome(bucket *bbolt.Bucket, before uint64) (more bool, err error) {
	last, _ := bucket.Cursor().Last()
	var keys [][]byte
	c := bucket.Cursor()
	for key, _ := c.First(); key != nil; key, _ = c.Next() {
		n, err := number(key)
		if err != nil {
			return false, err
		}
		if n >= before || string(key) == string(last) {
			break
		}
		if len(keys) == deletedAtOnce {
			more = true
			break
		}
		keys = append(keys, key)
	}
	for _, key := range keys {
		if err := bucket.Delete(key); err != nil {
			return false, err
		}
	}
	return more, nil
}
