package logs

import (
	"slices"

	"dejavu/strategies"
)

const (
	mostSorted   = 1 << 26                 // records that can be sorted: 1.6 GB
	runRecords   = 1 << 20                 // of these, at once
	pieceRecords = 1 << 12                 // records whose memory is freed at once
	lastSorted   = 1<<63/1_000_000_000 - 1 // the latest time of a record, in seconds since 1970
)

type record struct {
	at      uint64 // 2 * nanoseconds since 1970, + 1 for the first event of a request
	user    uint64
	article strategies.ID
}

// A sorter returns requests in the order of their times, and of addition if these are equal. It sorts runs of records
// and merges them.
type sorter struct {
	most    int          // records in a run
	run     []record     // being filled
	runs    [][][]record // sorted, in pieces that are freed once they are returned
	added   int          // events
	number  uint64       // of the next request
	request []Event
}

func (s *sorter) add(request []Event) {
	if len(s.run)+len(request) > s.most {
		s.sort()
	}
	first := uint64(1)
	for _, e := range request {
		s.run = append(s.run, record{(uint64(e.Time)*1e9+uint64(e.Nanos))<<1 | first, e.User, e.Article})
		first = 0
	}
}

// sort sorts the run by its times, 16 bits at a time, from the lowest to the highest.
func (s *sorter) sort() {
	from, to := s.run, make([]record, len(s.run))
	for shift := 1; shift < 64; shift += 16 {
		var next [1<<16 + 1]int // index of the next record with these 16 bits
		for _, r := range from {
			next[r.at>>shift&0xffff+1]++
		}
		for i := range 1 << 16 {
			next[i+1] += next[i]
		}
		for _, r := range from {
			at := &next[r.at>>shift&0xffff]
			to[*at] = r
			*at++
		}
		from, to = to, from
	}
	var run [][]record
	for piece := range slices.Chunk(from, pieceRecords) {
		run = append(run, slices.Clone(piece))
	}
	if run != nil {
		s.runs = append(s.runs, run)
	}
	s.run = s.run[:0]
}

// next returns the next request, valid until the next call, and empty at the end.
func (s *sorter) next() []Event {
	if s.request = s.request[:0]; len(s.runs) == 0 {
		return nil
	}
	first := 0
	for i, run := range s.runs {
		if run[0][0].at>>1 < s.runs[first][0][0].at>>1 {
			first = i
		}
	}
	run := s.runs[first]
	for len(run) > 0 && (len(s.request) == 0 || run[0][0].at&1 == 0) {
		r := run[0][0]
		at := r.at >> 1
		s.request = append(s.request, Event{r.user, r.article, int64(at / 1e9), s.number, uint32(at % 1e9)})
		if run[0] = run[0][1:]; len(run[0]) == 0 {
			run[0], run = nil, run[1:]
		}
	}
	if s.runs[first] = run; len(run) == 0 {
		s.runs = slices.Delete(s.runs, first, first+1)
	}
	s.number++
	return s.request
}
