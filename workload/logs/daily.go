package logs

import (
	"container/heap"
	"fmt"
	"iter"

	"dejavu/strategies"
	"dejavu/workload"
)

// A Lets is a memory as a log sees it: it sets seen[i] where candidates[i] is
// not to be shown to the user at that time, in seconds since the log's
// beginning. Of the others the first PerRefresh (workload.DailyConfig) are shown, come out of
// Daily, and are for the memory to record before the next step.
type Lets func(user int, at uint32, candidates []strategies.ID, seen []bool)

// Forgetful is a memory of nothing: all is shown, and a fifth of it again. A
// memory that is put to its log is asked for repeats of every age.
func Forgetful(_ int, _ uint32, _ []strategies.ID, _ []bool) {}

// Daily is the two days of the users from, from+1 ... to-1 of a population as
// a log, which begins at start, in seconds since 1970: the requests of all
// users in the order of time, and within a second of users. User and
// Article are the population's own numbers and IDs, Kind is Shown, and a refresh
// that shows nothing is no request. Where lets is nil, the memory is perfect,
// and nothing is shown twice; any other decides for itself what comes again, as
// it does in measure.Daily without the rule of 24 hours.
//
// The slice is the caller's until the next step. Memory is 150 bytes a user,
// and 4 for each article shown.
func Daily(population workload.Daily, from, to int, start int64, lets Lets) (iter.Seq[[]Event], error) {
	if from < 0 || to > population.Users() || from >= to {
		return nil, fmt.Errorf("logs: users %d to %d, want some of the population's 0 to %d", from, to-1, population.Users()-1)
	}
	if start < 0 || start > lastTime-workload.Horizon {
		return nil, fmt.Errorf("logs: start %d, want 0 to %d", start, int64(lastTime-workload.Horizon))
	}
	return func(yield func([]Event) bool) {
		var waiting visits
		for user := from; user < to; user++ {
			v := &visit{Visitor: population.Visitor(user), user: user}
			if at, ok := v.Next(); ok {
				v.at = at
				waiting = append(waiting, v)
			}
		}
		heap.Init(&waiting)
		refresh := newRefresh(population.Config())
		for number := uint64(0); len(waiting) > 0; {
			v := waiting[0]
			events := refresh.show(v, lets)
			for i := range events {
				events[i].Time += start
				events[i].Request = number
			}
			if len(events) > 0 {
				number++
				if !yield(events) {
					return
				}
			}
			var ok bool
			if v.at, ok = v.Next(); ok {
				heap.Fix(&waiting, 0)
			} else {
				heap.Pop(&waiting)
			}
		}
	}, nil
}

// A visit is a user and the time of the next refresh.
type visit struct {
	workload.Visitor
	user  int
	at    uint32
	shown []int32
}

// A refresh is the scratch of one request.
type refresh struct {
	most     int
	articles []int32
	ages     []int
	ids      []strategies.ID
	seen     []bool
	events   []Event
}

func newRefresh(c workload.DailyConfig) *refresh {
	n := c.Recalled
	return &refresh{c.PerRefresh, make([]int32, n), make([]int, n), make([]strategies.ID, n), make([]bool, n), nil}
}

// show recalls and shows. Only what is shown is remembered.
func (r *refresh) show(v *visit, lets Lets) []Event {
	v.Recall(v.shown, r.articles, r.ages, r.ids)
	for i := range r.seen {
		r.seen[i] = lets == nil && r.ages[i] > 0
	}
	if lets != nil {
		lets(v.user, v.at, r.ids, r.seen)
	}
	r.events = r.events[:0]
	for i, seen := range r.seen {
		if !seen && len(r.events) < r.most {
			v.shown = append(v.shown, r.articles[i])
			r.events = append(r.events, Event{User: uint64(v.user), Article: r.ids[i], Time: int64(v.at), Kind: Shown})
		}
	}
	return r.events
}

// visits is a heap of users by the time of their next refresh.
type visits []*visit

func (v visits) Len() int { return len(v) }

func (v visits) Less(i, j int) bool {
	return v[i].at < v[j].at || v[i].at == v[j].at && v[i].user < v[j].user
}
func (v visits) Swap(i, j int) { v[i], v[j] = v[j], v[i] }
func (v *visits) Push(x any)   { *v = append(*v, x.(*visit)) }

func (v *visits) Pop() any {
	last := len(*v) - 1
	x := (*v)[last]
	(*v)[last] = nil
	*v = (*v)[:last]
	return x
}
