// Package order brings requests into the order of their times.
package order

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"dejavu/strategies"
	"dejavu/workload/logs/event"
)

// Memory is how many bytes of requests a Sorter sorts at once, where nothing else is asked for.
const Memory = 128 << 20

// A Sorter brings requests into the order of their times, those of one time into the order in which they came.
//
// Requests lie packed one after the other, with an index that is sorted. Where they are more than the memory may hold,
// that is a run, appended to one file that the file system forgets when it is closed, also by a process that is killed.
// In the end runs are merged, each through a buffer: these share the memory that the sorting had.
type Sorter struct {
	Memory int // bytes of packed requests and their index
	packed []byte
	index  []placed
	file   *os.File
	size   int64
	runs   []*run // while they are merged by their next requests, the first one last
	added  int64  // requests
	given  int64
	events []event.Event
}

// A placed is a request's time, and where in packed it begins.
type placed struct {
	time  int64
	nanos uint32
	at    uint32
}

func (p placed) compare(q placed) int {
	return cmp.Or(cmp.Compare(p.time, q.time), cmp.Compare(p.nanos, q.nanos), cmp.Compare(p.at, q.at))
}

// A run is requests in the file, in the order of their times.
type run struct {
	from   int64 // in the file
	left   int64 // bytes to read
	in     *bufio.Reader
	next   placed // at is the number of the run
	record []byte // of the next request
}

// A request is packed as its time, nanoseconds, number of events and user, and for each event the article and the kind.
const (
	packedHead  = 8 + 4 + 4 + 8
	packedEvent = 8 + 1
	placedBytes = 16
)

// Add takes a request in.
func (s *Sorter) Add(request []event.Event) error {
	n := packedHead + packedEvent*len(request)
	if len(s.index) > 0 && (len(s.packed)+n > s.Memory/3*2 || len(s.index) >= s.Memory/3/placedBytes) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	first, b := &request[0], s.packed
	s.added++
	s.index = append(s.index, placed{first.Time, first.Nanos, uint32(len(b))})
	b = binary.LittleEndian.AppendUint64(b, uint64(first.Time))
	b = binary.LittleEndian.AppendUint32(b, first.Nanos)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(request)))
	b = binary.LittleEndian.AppendUint64(b, first.User)
	for i := range request {
		b = binary.LittleEndian.AppendUint64(b, uint64(request[i].Article))
		b = append(b, byte(request[i].Kind))
	}
	s.packed = b
	return nil
}

// packedLen is the length of the packed request that begins so.
func packedLen(packed []byte) int {
	return packedHead + packedEvent*int(binary.LittleEndian.Uint32(packed[12:]))
}

func (s *Sorter) flush() (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("logs: sorting by time, after %d bytes in %s (TMPDIR names another directory): %w",
				s.size, os.TempDir(), err)
		}
	}()
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "dejavu-sort-*"); err != nil {
			return err
		}
		os.Remove(s.file.Name()) // where a file that is open can be; elsewhere Close does it
	}
	slices.SortFunc(s.index, placed.compare)
	from := s.size
	w := bufio.NewWriterSize(s.file, 1<<20)
	for _, p := range s.index {
		record := s.packed[p.at:]
		n, err := w.Write(record[:packedLen(record)])
		s.size += int64(n)
		if err != nil {
			return err
		}
	}
	s.runs = append(s.runs, &run{from: from, left: s.size - from, next: placed{at: uint32(len(s.runs))}})
	s.packed, s.index = s.packed[:0], s.index[:0]
	return w.Flush()
}

// Sort ends the adding.
func (s *Sorter) Sort() error {
	if s.file == nil {
		slices.SortFunc(s.index, placed.compare)
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.packed, s.index = nil, nil
	buffer := min(max(s.Memory/len(s.runs), 4<<10), 1<<20)
	for _, r := range s.runs { // of which none is empty
		r.in = bufio.NewReaderSize(io.NewSectionReader(s.file, r.from, r.left), buffer)
		if _, err := r.read(); err != nil {
			return err
		}
	}
	slices.SortFunc(s.runs, later)
	return nil
}

// Next is the next request, valid until the next call, and none at the end.
func (s *Sorter) Next() ([]event.Event, error) {
	if s.given == s.added {
		return nil, nil
	}
	s.given++
	if s.file == nil {
		return s.unpack(s.packed[s.index[s.given-1].at:]), nil
	}
	end := len(s.runs) - 1
	r := s.runs[end]
	request := s.unpack(r.record)
	more, err := r.read()
	if err != nil {
		return nil, err
	}
	if s.runs = s.runs[:end]; more {
		at, _ := slices.BinarySearchFunc(s.runs, r, later)
		s.runs = slices.Insert(s.runs, at, r)
	}
	return request, nil
}

// Given is the share of the requests that were given.
func (s *Sorter) Given() float64 { return float64(s.given) / float64(max(s.added, 1)) }

// Spilled is whether requests lie in a file.
func (s *Sorter) Spilled() bool { return s.file != nil }

// Close gives memory and file back.
func (s *Sorter) Close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
	*s = Sorter{file: s.file, added: s.added, given: s.given}
}

// read reads the run's next request, and is false at its end.
func (r *run) read() (more bool, err error) {
	if r.left == 0 {
		return false, nil
	}
	head, err := r.in.Peek(packedHead)
	if err == nil {
		r.next.time, r.next.nanos = int64(binary.LittleEndian.Uint64(head)), binary.LittleEndian.Uint32(head[8:])
		n := packedLen(head)
		r.record = slices.Grow(r.record[:0], n)[:n]
		r.left -= int64(n)
		_, err = io.ReadFull(r.in, r.record)
	}
	if err != nil {
		return false, fmt.Errorf("logs: sorting by time: reading back: %w", err)
	}
	return true, nil
}

// unpack is the events of the packed request that begins so.
func (s *Sorter) unpack(packed []byte) []event.Event {
	e := event.Event{
		Time: int64(binary.LittleEndian.Uint64(packed)), Nanos: binary.LittleEndian.Uint32(packed[8:]),
		User: binary.LittleEndian.Uint64(packed[16:]),
	}
	s.events = s.events[:0]
	for rest := packed[packedHead:packedLen(packed)]; len(rest) > 0; rest = rest[packedEvent:] {
		e.Article, e.Kind = strategies.ID(binary.LittleEndian.Uint64(rest)), event.Kind(rest[8])
		s.events = append(s.events, e)
	}
	return s.events
}

// later compares runs by their next requests: the latest is the first.
func later(a, b *run) int { return b.next.compare(a.next) }
