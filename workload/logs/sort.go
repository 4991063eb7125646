package logs

import (
	"bufio"
	"cmp"
	"encoding/binary"
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
	added   int64   // events
	given   int64
	file    *os.File
	size    int64
	runs    []*run // by their next events, the first one last
	request []Event
}

// A run is sorted events, of which next is the first.
type run struct {
	next Event
	rest []Event       // after next, in memory,
	in   *bufio.Reader // or in the file
	left int64         // bytes there
}

func order(a, b Event) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Nanos, b.Nanos), cmp.Compare(a.Request, b.Request))
}

// later compares runs by their next events: the latest is the first.
func later(a, b *run) int { return order(b.next, a.next) }

// add takes a request in.
func (s *sorter) add(request []Event) error {
	if len(s.run) > 0 && (len(s.run)+len(request))*eventBytes > s.memory {
		if err := s.spill(); err != nil {
			return fmt.Errorf("logs: sorting by time, after %d bytes in %s (TMPDIR names another directory): %w",
				s.size, os.TempDir(), err)
		}
	}
	for i, e := range request {
		e.Request = uint64(s.added) << 1
		if i == 0 {
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
	w, record := bufio.NewWriterSize(s.file, 1<<20), make([]byte, eventBytes)
	for _, e := range s.run {
		binary.LittleEndian.PutUint64(record, uint64(e.Time))
		binary.LittleEndian.PutUint64(record[8:], uint64(e.Nanos))
		binary.LittleEndian.PutUint64(record[16:], e.Request)
		binary.LittleEndian.PutUint64(record[24:], e.User)
		binary.LittleEndian.PutUint64(record[32:], uint64(e.Article))
		if _, err := w.Write(record); err != nil {
			return err
		}
	}
	n := int64(len(s.run)) * eventBytes
	s.runs = append(s.runs, &run{in: bufio.NewReaderSize(io.NewSectionReader(s.file, s.size, n), 1<<16), left: n})
	s.size, s.run = s.size+n, s.run[:0]
	return w.Flush()
}

// sort ends the adding.
func (s *sorter) sort() error {
	slices.SortFunc(s.run, order)
	s.runs = append(s.runs, &run{rest: s.run})
	all := s.runs
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
	switch {
	case len(r.rest) > 0:
		r.next, r.rest = r.rest[0], r.rest[1:]
	case r.left == 0:
		return nil
	default:
		var record [eventBytes]byte
		if _, err := io.ReadFull(r.in, record[:]); err != nil {
			return fmt.Errorf("logs: sorting by time: reading back: %w", err)
		}
		r.left -= eventBytes
		r.next = Event{
			Time: int64(binary.LittleEndian.Uint64(record[:])), Nanos: binary.LittleEndian.Uint32(record[8:]),
			Request: binary.LittleEndian.Uint64(record[16:]), User: binary.LittleEndian.Uint64(record[24:]),
			Article: strategies.ID(binary.LittleEndian.Uint64(record[32:])),
		}
	}
	at, _ := slices.BinarySearchFunc(s.runs, r, later)
	s.runs = slices.Insert(s.runs, at, r)
	return nil
}

// next returns the next request, valid until the next call, and none at the end.
func (s *sorter) next() ([]Event, error) {
	for s.request = s.request[:0]; len(s.runs) > 0; s.given++ {
		r := s.runs[len(s.runs)-1]
		if len(s.request) > 0 && r.next.Request&1 == 1 {
			break
		}
		s.request = append(s.request, r.next)
		s.runs = s.runs[:len(s.runs)-1]
		if err := s.insert(r); err != nil {
			return nil, err
		}
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
