package logs

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"dejavu/strategies"
)

const (
	sortMemory = 128 << 20 // bytes of events that are sorted at once
	eventBytes = 40
)

// A sorter brings requests into the order of their times, and requests of one time into the order in which they came. It
// sorts runs of as many events as its memory holds, writes them to one temporary file, which the file system forgets
// when it is closed, and merges them. The last run stays in memory.
type sorter struct {
	memory  int
	run     []Event // Request is twice the number of the event, plus 1 at the beginning of a request
	added   uint64  // events
	given   uint64
	file    *os.File
	size    int64
	runs    []*run // by their next events, the first one last
	request []Event
}

// A run is sorted events, of which next is the first.
type run struct {
	next Event
	rest []Event   // after next, in memory,
	in   io.Reader // or in the file, or nil
}

func order(a, b Event) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Nanos, b.Nanos), cmp.Compare(a.Request, b.Request))
}

// add takes a request in.
func (s *sorter) add(request []Event) error {
	if len(s.run) > 0 && (len(s.run)+len(request))*eventBytes > s.memory {
		if err := s.spill(); err != nil {
			return fmt.Errorf("logs: sorting by time, after %d bytes in %s (TMPDIR names another directory): %w",
				s.size, os.TempDir(), err)
		}
	}
	for i, e := range request {
		if e.Request = s.added << 1; i == 0 {
			e.Request++
		}
		s.run = append(s.run, e)
		s.added++
	}
	return nil
}

// spill writes a run to the file.
func (s *sorter) spill() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "dejavu-sort-*"); err != nil {
			return err
		}
		os.Remove(s.file.Name()) // where a file that is open can be; elsewhere close does it
	}
	slices.SortFunc(s.run, order)
	w, b := bufio.NewWriterSize(s.file, 1<<20), make([]byte, 0, eventBytes)
	for _, e := range s.run {
		b = b[:0]
		for _, n := range []uint64{uint64(e.Time), uint64(e.Nanos), e.Request, e.User, uint64(e.Article)} {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	n := int64(len(s.run)) * eventBytes
	s.runs = append(s.runs, &run{in: bufio.NewReaderSize(io.NewSectionReader(s.file, s.size, n), 1<<16)})
	s.size, s.run = s.size+n, s.run[:0]
	return w.Flush()
}

// sort ends the adding.
func (s *sorter) sort() error {
	slices.SortFunc(s.run, order)
	all := append(s.runs, &run{rest: s.run})
	s.runs = nil
	for _, r := range all {
		if err := s.insert(r); err != nil {
			return err
		}
	}
	return nil
}

// insert moves a run to its next event, and puts it back among the others, if there is one.
func (s *sorter) insert(r *run) error {
	if len(r.rest) > 0 {
		r.next, r.rest = r.rest[0], r.rest[1:]
	} else if r.in != nil {
		var b [eventBytes]byte
		if _, err := io.ReadFull(r.in, b[:]); errors.Is(err, io.EOF) {
			return nil // next counts the events
		} else if err != nil {
			return fmt.Errorf("logs: sorting by time: reading back: %w", err)
		}
		n := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
		r.next = Event{
			Time: int64(n(0)), Nanos: uint32(n(1)), Request: n(2), User: n(3), Article: strategies.ID(n(4)),
		}
	} else {
		return nil
	}
	at, _ := slices.BinarySearchFunc(s.runs, r, func(a, b *run) int { return order(b.next, a.next) })
	s.runs = slices.Insert(s.runs, at, r)
	return nil
}

// next returns the next request, valid until the next call, and none at the end.
func (s *sorter) next() ([]Event, error) {
	for s.request = s.request[:0]; len(s.runs) > 0; s.given++ {
		r := s.runs[len(s.runs)-1]
		if len(s.request) > 0 && r.next.Request&1 == 1 {
			return s.request, nil
		}
		s.request = append(s.request, r.next)
		s.runs = s.runs[:len(s.runs)-1]
		if err := s.insert(r); err != nil {
			return nil, err
		}
	}
	if s.given < s.added {
		return nil, fmt.Errorf("logs: sorting by time: reading back: %w", io.ErrUnexpectedEOF)
	}
	return s.request, nil
}

func (s *sorter) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
	s.run, s.runs, s.request = nil, nil, nil
}
