package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"dejavu/internal/atomicfile"
	"dejavu/live/log"
)

// Read implements log.Log. It reads all blocks, also those that it hands no record over from, to check them.
func (l *Log) Read(ctx context.Context, from map[int]log.Offset, each log.Each) (map[int]log.Offset, error) {
	l.files.RLock()
	defer l.files.RUnlock()
	l.mu.Lock()
	segments, size, m := slices.Clone(l.segments), l.size, l.places
	l.mu.Unlock()
	next := map[int]log.Offset{}
	for p, at := range from {
		next[p] = max(at, log.Offset((m.Reached.Last+1)<<placeBits))
	}
	err := covers(segments[0], m, from)
	var before link
	for i := 0; i < len(segments) && err == nil; i++ {
		var s *segment
		if s, err = l.load(segments[i]); err != nil {
			break
		}
		if i > 0 && s.link != before {
			err = s.damaged("it follows block %d, and the segment before ends with %d", s.Last, before.Last)
			break
		}
		last := i == len(segments)-1
		if last {
			s.b = s.b[:min(len(s.b), int(size))]
		}
		err = l.readSegment(ctx, s, from, each)
		if before = s.link; err == nil && last && before != m.Reached {
			err = s.damaged("it ends here, want block %d", m.Reached.Last)
		}
	}
	if err != nil {
		return nil, l.explained(err)
	}
	return next, nil
}

func (l *Log) readSegment(ctx context.Context, s *segment, from map[int]log.Offset, each log.Each) error {
	for {
		records, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		err = readRecords(s.Last, records, func(p int, at log.Offset, record []byte) error {
			if p >= len(l.trimmed) {
				return fmt.Errorf("a record is of partition %d, want less than the %d of the configuration", p, len(l.trimmed))
			}
			if begin, asked := from[p]; asked && at >= begin {
				return each(p, at, record)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// covers reports why a log does not have all from some offsets on.
func covers(oldest uint64, m mark, from map[int]log.Offset) error {
	newest := m.Reached.Last
	for p, at := range from {
		switch n := uint64(at) >> placeBits; {
		case n < oldest && oldest != m.Before+1:
			return fmt.Errorf("%w: partition %d is to be read from block %d, the oldest is %d", log.ErrGone, p, n, oldest)
		case n > newest+1 || n == newest+1 && at&(1<<placeBits-1) != 0:
			return fmt.Errorf("%w: partition %d is to be read from block %d, the last is %d", log.ErrShort, p, n, newest)
		}
	}
	return nil
}

// Trim implements log.Log: a segment that all have trimmed is removed, but for the newest.
func (l *Log) Trim(ctx context.Context, partition int, before log.Offset) error {
	l.files.Lock()
	defer l.files.Unlock()
	l.mu.Lock()
	l.trimmed[partition] = max(l.trimmed[partition], uint64(before)>>placeBits)
	needed, segments := slices.Min(l.trimmed), slices.Clone(l.segments)
	l.mu.Unlock()
	for i := 1; i < len(segments) && segments[i] <= needed; i++ {
		err := ctx.Err()
		if err == nil {
			err = os.Remove(segmentPath(l.folder, segments[i-1]))
		}
		if err == nil {
			l.mu.Lock()
			l.segments = l.segments[1:]
			l.mu.Unlock()
			err = atomicfile.SyncDir(l.folder) // before the next one is removed: a power cut must not leave a gap
		}
		if err != nil {
			return fmt.Errorf("log %s: trim: %w", l.folder, err)
		}
	}
	return nil
}
