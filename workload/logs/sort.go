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

// sortMemory is how many bytes of requests are sorted at once. What a log has more is
// written to a temporary file, in sorted runs that are merged.
const sortMemory = 128 << 20

// A sorter brings requests into the order of their times, those of one time into the
// order in which they came.
//
// Requests lie packed one after the other, with an index that is sorted. Where they
// are more than the memory may hold, that is a run, appended to one file that the
// file system forgets when it is closed, also by a process that is killed. In the end runs
// are merged, each through a buffer: these share the memory that the sorting had.
type sorter struct {
	memory int // bytes of packed requests and their index
	packed []byte
	index  []placed
	at     int // the next of the index, where there are no runs

	file  *os.File
	size  int64
	runs  []*run // a heap by their next requests
	added int64  // requests
	given int64
	ready bool // all were added

	events []Event
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

// A run is one run being merged.
type run struct {
	from   int64 // in the file
	left   int64 // bytes to read
	in     *bufio.Reader
	next   placed // at is the number of the run
	record []byte
}

// A request is packed as its time, nanoseconds, number of events and user, and for each
// event the article and the kind.
const (
	packedHead  = 8 + 4 + 4 + 8
	packedEvent = 8 + 1
	placedBytes = 16
)

func newSorter(memory int) *sorter { return &sorter{memory: memory} }

// add takes a request in.
func (s *sorter) add(request []Event) error {
	n := packedHead + packedEvent*len(request)
	if len(s.index) > 0 && (len(s.packed)+n > s.memory/3*2 || len(s.index) >= s.memory/3/placedBytes) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.packed, s.index = room(s.packed, n, s.memory/3*2), room(s.index, 1, s.memory/3/placedBytes)
	first := &request[0]
	s.added++
	s.index = append(s.index, placed{first.Time, first.Nanos, uint32(len(s.packed))})
	b := s.packed
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

// room is the slice with room for n more, twice as much where it grows, and no more than
// so many if these do.
func room[T any](s []T, n, most int) []T {
	if len(s)+n <= cap(s) {
		return s
	}
	return append(make([]T, 0, max(min(2*cap(s)+1024, most), len(s)+n)), s...)
}

// recordAt is the packed request that begins there.
func recordAt(packed []byte, at uint32) []byte {
	n := binary.LittleEndian.Uint32(packed[at+12:])
	return packed[at:][:packedHead+packedEvent*int(n)]
}

// flush writes a run.
func (s *sorter) flush() error {
	slices.SortFunc(s.index, placed.compare)
	if err := s.write(); err != nil {
		dir := os.TempDir()
		return fmt.Errorf("logs: sorting by time, after %d bytes in %s (TMPDIR names another directory): %w", s.size, dir, err)
	}
	s.packed, s.index = s.packed[:0], s.index[:0]
	return nil
}

func (s *sorter) write() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "dejavu-sort-*"); err != nil {
			return err
		}
		os.Remove(s.file.Name()) // where a file that is open can be; elsewhere close does it
	}
	from := s.size
	w := bufio.NewWriterSize(s.file, 1<<20)
	for _, p := range s.index {
		n, err := w.Write(recordAt(s.packed, p.at))
		s.size += int64(n)
		if err != nil {
			return err
		}
	}
	s.runs = append(s.runs, &run{from: from, left: s.size - from})
	return w.Flush()
}

// sort ends the adding.
func (s *sorter) sort() error {
	s.ready = true
	if s.file == nil {
		slices.SortFunc(s.index, placed.compare)
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.packed, s.index = nil, nil
	buffer := min(max(s.memory/len(s.runs), 4<<10), 1<<20)
	for i, r := range s.runs {
		r.in = bufio.NewReaderSize(io.NewSectionReader(s.file, r.from, r.left), buffer)
		r.next.at = uint32(i)
		if _, err := r.read(); err != nil { // no run is empty
			return err
		}
	}
	for i := len(s.runs)/2 - 1; i >= 0; i-- {
		s.sink(i)
	}
	return nil
}

// read reads the run's next request, and is false at its end.
func (r *run) read() (bool, error) {
	if r.left == 0 {
		return false, nil
	}
	head, err := r.in.Peek(packedHead)
	if err == nil {
		r.next.time, r.next.nanos = int64(binary.LittleEndian.Uint64(head)), binary.LittleEndian.Uint32(head[8:])
		n := packedHead + packedEvent*int(binary.LittleEndian.Uint32(head[12:]))
		r.record = slices.Grow(r.record[:0], n)[:n]
		r.left -= int64(n)
		_, err = io.ReadFull(r.in, r.record)
	}
	if err != nil {
		return false, fmt.Errorf("logs: sorting by time: reading back: %w", err)
	}
	return true, nil
}

// sink moves a run down the heap to where it belongs.
func (s *sorter) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.runs); child++ {
			if s.runs[child].next.compare(s.runs[least].next) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		s.runs[i], s.runs[least] = s.runs[least], s.runs[i]
		i = least
	}
}

// next is the next request, valid until the next call, and nil at the end.
func (s *sorter) next() ([]Event, error) {
	if s.given == s.added {
		return nil, nil
	}
	s.given++
	if s.file == nil {
		s.at++
		return s.unpack(recordAt(s.packed, s.index[s.at-1].at)), nil
	}
	r := s.runs[0]
	request := s.unpack(r.record)
	more, err := r.read()
	if err != nil {
		return nil, err
	}
	if !more {
		last := len(s.runs) - 1
		s.runs[0] = s.runs[last]
		s.runs = s.runs[:last]
	}
	s.sink(0)
	return request, nil
}

func (s *sorter) unpack(record []byte) []Event {
	e := Event{
		Time: int64(binary.LittleEndian.Uint64(record)), Nanos: binary.LittleEndian.Uint32(record[8:]),
		User: binary.LittleEndian.Uint64(record[16:]), Request: uint64(s.given - 1),
	}
	s.events = s.events[:0]
	for rest := record[packedHead:]; len(rest) > 0; rest = rest[packedEvent:] {
		e.Article, e.Kind = strategies.ID(binary.LittleEndian.Uint64(rest)), Kind(rest[8])
		s.events = append(s.events, e)
	}
	return s.events
}

// close gives memory and file back.
func (s *sorter) close() {
	s.packed, s.index, s.runs = nil, nil, nil
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}
