package logs

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"

	"dejavu/strategies"
	"dejavu/workload"
	"dejavu/workload/logs/format"
	"dejavu/workload/logs/order"
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
		return nil, fmt.Errorf("logs: users %d to %d, want some of the population's 0 to %d",
			from, to-1, population.Users()-1)
	}
	if start < 0 || start > format.LastTime-workload.Horizon {
		return nil, fmt.Errorf("logs: start %d, want 0 to %d", start, int64(format.LastTime-workload.Horizon))
	}
	return func(yield func([]Event) bool) {
		var waiting order.Heap[*visit]
		wait := func(v *visit) {
			var more bool
			if v.at, more = v.Next(); more {
				heap.Push(&waiting, v)
			}
		}
		for user := from; user < to; user++ {
			wait(&visit{Visitor: population.Visitor(user), user: user})
		}
		n := population.Config().Recalled
		r := recalled{make([]int32, n), make([]int, n), make([]strategies.ID, n), make([]bool, n)}
		var events []Event
		for number := uint64(0); len(waiting) > 0; {
			v := heap.Pop(&waiting).(*visit)
			r.recall(v, lets)
			events = events[:0]
			for i, seen := range r.seen {
				if !seen && len(events) < population.Config().PerRefresh {
					v.shown = append(v.shown, r.articles[i])
					events = append(events, Event{
						User: uint64(v.user), Article: r.ids[i], Time: start + int64(v.at), Request: number, Kind: Shown,
					})
				}
			}
			if len(events) > 0 {
				number++
				if !yield(events) {
					return
				}
			}
			wait(v)
		}
	}, nil
}

// A visit is a user, the time of the next refresh, and the articles shown before.
type visit struct {
	workload.Visitor
	user  int
	at    uint32
	shown []int32
}

// Compare is below 0 where v's next refresh comes before w's.
func (v *visit) Compare(w *visit) int {
	return cmp.Or(cmp.Compare(v.at, w.at), cmp.Compare(v.user, w.user))
}

// A recalled is the candidates of one request.
type recalled struct {
	articles []int32
	ages     []int
	ids      []strategies.ID
	seen     []bool
}

// recall finds candidates, and those that are not to be shown.
func (r *recalled) recall(v *visit, lets Lets) {
	v.Recall(v.shown, r.articles, r.ages, r.ids)
	for i := range r.seen {
		r.seen[i] = lets == nil && r.ages[i] > 0
	}
	if lets != nil {
		lets(v.user, v.at, r.ids, r.seen)
	}
}
