package order

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs/event"
)

// A run that cannot be read back is an error, and not an end.
func TestSorterOfATornFile(t *testing.T) {
	s := &Sorter{Memory: 60_000}
	defer s.Close()
	for i := range 100 {
		request := make([]event.Event, 1000) // more than a buffer holds
		request[0].Time = int64(100 - i)
		strategytest.Must(t, s.Add(request))
	}
	strategytest.Must(t, s.Sort())
	err := s.file.Truncate(s.size / 2)
	for n := 0; err == nil && n < 101; n++ {
		_, err = s.Next()
	}
	if err == nil || !strings.Contains(err.Error(), "reading back") {
		t.Errorf("got %v", err)
	}
}

// Requests come in the order of their times, and those of one time as they were added, from the memory
// and from files alike.
func TestSort(t *testing.T) {
	for _, memory := range []int{1, 500, 5000, 1 << 20} {
		s := &Sorter{Memory: memory}
		var want [][]event.Event
		for i := range 300 {
			e := event.Event{User: uint64(i % 5), Time: int64(i * 7 % 11), Nanos: uint32(i % 3)}
			request := make([]event.Event, 1+i%4)
			for j := range request {
				e.Article, e.Kind = strategies.ID(i*10+j), event.Kind(j)
				request[j] = e
			}
			want = append(want, request)
			strategytest.Must(t, s.Add(request))
		}
		slices.SortStableFunc(want, func(a, b []event.Event) int { return a[0].Moment().Compare(b[0].Moment()) })
		if err := s.Sort(); err != nil || s.Spilled() != (memory < 1<<20) || s.Given() != 0 {
			t.Fatal(err, s.Spilled(), s.Given())
		}
		for i, request := range want {
			got, err := s.Next()
			if err != nil || !slices.Equal(got, request) || s.Given() != float64(i+1)/300 {
				t.Fatalf("memory %d: request %d is %+v, %v, want %+v; given %v", memory, i, got, err, request, s.Given())
			}
		}
		if got, err := s.Next(); got != nil || err != nil {
			t.Errorf("after the last: %+v, %v", got, err)
		}
		if s.file != nil && runtime.GOOS != "windows" {
			if _, err := os.Stat(s.file.Name()); err == nil {
				t.Errorf("%s has a name", s.file.Name())
			}
		}
		s.Close()
	}
}
