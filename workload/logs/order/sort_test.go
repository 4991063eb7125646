package order

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"dejavu/strategies"
	"dejavu/workload/logs/event"
)

// A run that cannot be read back is an error, and not an end.
func TestSorterOfATornFile(t *testing.T) {
	s := NewSorter(60_000)
	defer s.Close()
	for i := range 100 {
		request := make([]event.Event, 1000) // more than a buffer holds
		request[0].Time = int64(100 - i)
		if err := s.Add(request); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sort(); err != nil {
		t.Fatal(err)
	}
	err := s.file.Truncate(s.size / 2)
	for n := 0; err == nil && n < 101; n++ {
		_, err = s.Next()
	}
	if err == nil || !strings.Contains(err.Error(), "reading back") {
		t.Errorf("got %v", err)
	}
}

// Packed, a request takes as much as the comment says.
func TestPackedBytes(t *testing.T) {
	s := NewSorter(1 << 20)
	if err := s.Add(make([]event.Event, 7)); err != nil || len(s.packed) != 24+7*9 {
		t.Errorf("7 events take %d bytes, %v", len(s.packed), err)
	}
	defer s.Close()
	for range 100_000 {
		if err := s.Add(make([]event.Event, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if n := cap(s.packed) + int(unsafe.Sizeof(placed{}))*cap(s.index); n > 1<<20 || s.file == nil ||
		unsafe.Sizeof(placed{}) != placedBytes {
		t.Errorf("%d bytes and %d places are %d bytes", cap(s.packed), cap(s.index), n)
	}
	full := NewSorter(1 << 20)
	request := []event.Event{
		{User: 3, Article: 4, Time: 5, Nanos: 6, Kind: event.Clicked}, {User: 3, Article: 7, Time: 5, Nanos: 6},
	}
	if err := full.Add(request); err != nil || full.Sort() != nil {
		t.Fatal(err)
	}
	if got, err := full.Next(); !slices.Equal(got, request) || err != nil {
		t.Errorf("%+v, %v, want %+v", got, err, request)
	}
}

// Requests come in the order of their times, and those of one time as they were added, from the memory
// and from files alike.
func TestSort(t *testing.T) {
	for _, memory := range []int{1, 500, 5000, 1 << 20} {
		s := NewSorter(memory)
		var want []event.Event
		for i := range 300 {
			e := event.Event{Time: int64(i * 7 % 11), Nanos: uint32(i % 3), Article: strategies.ID(i)}
			want = append(want, e)
			if err := s.Add([]event.Event{e}); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortStableFunc(want, func(a, b event.Event) int { return a.Moment().Compare(b.Moment()) })
		if err := s.Sort(); err != nil || s.Spilled() != (memory < 1<<20) || s.Given() != 0 {
			t.Fatal(err, s.Spilled(), s.Given())
		}
		for i, e := range want {
			got, err := s.Next()
			if err != nil || len(got) != 1 || got[0] != e || s.Given() != float64(i+1)/300 {
				t.Fatalf("memory %d: request %d is %+v, %v, want %+v; given %v", memory, i, got, err, e, s.Given())
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
