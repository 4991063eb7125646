package pipeline

import (
	"cmp"
	"math"
	"slices"

	"dejavu/strategies"
	"dejavu/workload"
)

// plainly is the same in another way: one queue of the events of all users, sets of articles, and everything
// looked for in everything. Its memory is exact.
func plainly(population workload.Daily, users int, stream Stream, edge Edge) (shown, repeats, late, settled, again, faults int64, over [Bins][2]int64) {
	type reader struct {
		workload.Visitor
		log    []int32
		at     []uint32
		known  map[int32]bool
		flying int
		step   int
	}
	type event struct {
		at     uint64 // milliseconds
		kind   int    // landings before refreshes
		number int    // the order of what happens at once
		do     func()
	}
	var events []event
	number := 0
	push := func(at uint64, kind int, do func()) {
		number++
		e := event{at, kind, number, do}
		i, _ := slices.BinarySearchFunc(events, e, func(a, b event) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number))
		})
		events = slices.Insert(events, i, e)
	}
	config := population.Config()
	var refresh func(user int, r *reader, now uint32)
	next := func(user int, r *reader) {
		if at, ok := r.Next(); ok {
			push(1000*uint64(at), 1, func() { refresh(user, r, at) })
		}
	}
	refresh = func(user int, r *reader, now uint32) {
		articles, ages, ids := make([]int32, config.Recalled), make([]int, config.Recalled), make([]strategies.ID, config.Recalled)
		r.Recall(r.log, articles, ages, ids)
		var list []int32
		for i, article := range r.log {
			newest := edge.Articles == 0 || i >= len(r.log)-edge.Articles
			young := edge.Seconds == 0 || now < r.at[i]+edge.Seconds
			if edge != (Edge{}) && newest && young {
				list = append(list, article)
			}
		}
		var display []int32
		calm, before := r.flying == 0, slices.Clone(r.log)
		for _, article := range articles {
			if len(display) == config.PerRefresh || r.known[article] || slices.Contains(list, article) {
				continue
			}
			display = append(display, article)
			shown++
			bin := (int(now)-int(stream.Outage.From)+100*Bin)/Bin - 100 + Before
			inside := stream.Outage.Speed > 0 && bin >= 0 && bin < Bins
			if inside {
				over[bin][0]++
			}
			if calm {
				settled++
			}
			if i := slices.Index(before, article); i >= 0 {
				repeats++
				late++ // what is known is not shown
				if calm {
					again++
				}
				if inside {
					over[bin][1]++
				}
				if stream.Outage.Speed > 0 && 1000*uint64(r.at[i])+stream.Delay <= 1000*uint64(now) {
					faults++
				}
			}
		}
		delay := float64(stream.Delay)
		if stream.Exponential {
			delay = float64(population.Delays(user).Exponential(r.step, stream.Delay))
		}
		r.step++
		begin := 1000 * float64(now)
		if o := stream.Outage; o.Speed > 0 && now >= o.From && float64(now) < o.CaughtUp() {
			begin = math.Floor(1000*float64(o.To) + 1000*float64(now-o.From)/float64(o.Speed))
		}
		if len(display) > 0 {
			r.flying++
			push(uint64(begin+delay), 0, func() {
				r.flying--
				for _, article := range display {
					r.known[article] = true
				}
			})
		}
		for _, article := range display {
			r.log, r.at = append(r.log, article), append(r.at, now)
		}
		next(user, r)
	}
	for user := range users {
		next(user, &reader{Visitor: population.Visitor(user), known: map[int32]bool{}})
	}
	for len(events) > 0 {
		e := events[0]
		events = events[1:]
		e.do()
	}
	return shown, repeats, late, settled, again, faults, over
}
