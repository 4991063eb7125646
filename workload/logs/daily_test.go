package logs_test

import (
	"bytes"
	"slices"
	"testing"

	"dejavu/strategies"
	"dejavu/workload"
	"dejavu/workload/logs"
)

// The daily population as a log: every user's life is the one that the
// visitor lives alone, time never goes back, and the log reads back as written.
func TestDaily(t *testing.T) {
	const from, to, start = 100, 400, 1573776000
	population, err := workload.NewDaily(2016, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for name, lets := range map[string]logs.Lets{"perfect": nil, "forgetful": logs.Forgetful} {
		requests, err := logs.Daily(population, from, to, start, lets)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		w, err := logs.NewWriter(&text, logs.MIND, logs.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		lives := map[uint64][]logs.Event{}
		var all []logs.Event
		for r := range requests {
			if n := len(all); n > 0 && (r[0].Time < all[n-1].Time || r[0].Request != all[n-1].Request+1) {
				t.Fatalf("%s: %+v after %+v", name, r[0], all[n-1])
			}
			all = append(all, r...)
			lives[r[0].User] = append(lives[r[0].User], r...)
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		repeats := 0
		for user := from; user < to; user++ {
			want := alone(population, user, start, lets == nil)
			seen := map[strategies.ID]bool{}
			got := lives[uint64(user)]
			for i := range got {
				got[i].Request = 0
				if seen[got[i].Article] {
					repeats++
				}
				seen[got[i].Article] = true
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: reader %d was shown %d articles in the log, %d alone", name, user, len(got), len(want))
			}
		}
		// A fifth of the candidates: 0.2 of some 12000, less than 1 % away, but for
		// the first requests, which can repeat nothing.
		if share := float64(repeats) / float64(len(all)); lets == nil && repeats > 0 ||
			lets != nil && (share < 0.15 || share > 0.21) {
			t.Errorf("%s: %d repeats among %d", name, repeats, len(all))
		}
		got, _, err := read(t, text.String(), logs.Options{Numbered: true})
		if err != nil || !slices.Equal(got, all) {
			t.Errorf("%s: %d events written, %d read, error %v", name, len(all), len(got), err)
		}
	}
	for _, c := range [][3]int{{-1, 5, 0}, {0, 1001, 0}, {5, 5, 0}, {0, 5, -1}} {
		if _, err := logs.Daily(population, c[0], c[1], int64(c[2]), nil); err == nil {
			t.Errorf("Daily of %v: no error", c)
		}
	}
	const last = 253402300799 - workload.Horizon // the last start with which all times are of the years up to 9999
	for start, want := range map[int64]bool{0: true, last: true, last + 1: false} {
		if _, err := logs.Daily(population, 0, 1000, start, nil); (err == nil) != want {
			t.Errorf("Daily from %d on: %v", start, err)
		}
	}
}

// alone is one user's two days.
func alone(population workload.Daily, user int, start int64, perfect bool) (events []logs.Event) {
	v := population.Visitor(user)
	articles, ages, ids := make(
		[]int32,
		workload.Recalled,
	), make(
		[]int,
		workload.Recalled,
	), make(
		[]strategies.ID,
		workload.Recalled,
	)
	var shown []int32
	for at, ok := v.Next(); ok; at, ok = v.Next() {
		v.Recall(shown, articles, ages, ids)
		n := 0
		for i := range ids {
			if n < workload.PerRefresh && (ages[i] == 0 || !perfect) {
				n++
				shown = append(shown, articles[i])
				events = append(events, logs.Event{User: uint64(user), Article: ids[i], Time: start + int64(at)})
			}
		}
	}
	return events
}
