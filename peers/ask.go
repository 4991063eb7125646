package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"dejavu/results"
	"dejavu/results/by"
	"dejavu/store"
	"dejavu/strategies"
)

// goSubjects lists the strategies built from libraries of Go, ours first of each kind.
func goSubjects() (all []*subject) {
	for _, k := range kinds {
		for _, l := range libraries() {
			if strings.Contains(l.kinds, k.name) {
				all = append(all, l.subject(k))
			}
		}
	}
	return all
}

func (l library) subject(k kind) *subject {
	sub := &subject{library: l.name, name: l.name + " " + k.name, kind: k, made: l.made(k.asked), static: l.static,
		again: l.again, random: l.random, warmUps: 1}
	if l.name == ours.name {
		sub.name = l.name + "/" + k.name
	}
	sub.theory = l.theory(sub.made)
	a := &answerer{library: l, kind: k}
	sub.ask = a.ask
	sub.weigh = func(n int, q question) ([]results.Row, error) { return a.weigh(sub.name, n, q.ids), nil }
	return sub
}

// An answerer answers questions in this process, as the programs of other languages do.
type answerer struct {
	library
	kind
	readers memories
	count   int
}

func (a *answerer) ask(q question) (answer [2]float64, err error) {
	var found []bool
	begin := time.Now()
	since := func() float64 { return float64(time.Since(begin)) }
	switch q.what {
	case "users":
		a.readers, a.count = a.library.users(a.kind, q.n), q.n
		a.show(a.readers, q.n, q.ids)
	case "ask":
		found = make([]bool, len(q.ids))
		begin = time.Now()
		for at := 0; at < len(q.ids); at += request {
			a.readers.Seen(at/request%a.count, q.ids[at:at+request], found[at:at+request])
		}
		answer[0] = since()
	case "record":
		user := a.library.users(a.kind, 1)
		begin = time.Now()
		for to := q.n; to <= len(q.ids); to += q.n {
			from := to - q.n
			if a.static { // it is built anew, from articles that somebody else must have kept
				from = max(0, to-items)
			}
			user.Record(0, q.ids[from:to])
		}
		answer[0] = since()
		found = make([]bool, newest)
		user.Seen(0, q.ids[len(q.ids)-newest:], found)
	case "rate":
		one := a.filter(a.asked)
		for _, key := range q.keys[:items] {
			one.add(key)
		}
		for i, key := range q.keys {
			switch has := one.has(key); {
			case i < items && !has:
				answer[1]++
			case i >= items && has:
				answer[0]++
			}
		}
		return answer, nil
	}
	answer[1] = float64(count(found))
	return answer, nil
}

func count(seen []bool) (n int) {
	for _, yes := range seen {
		if yes {
			n++
		}
	}
	return n
}

// show shows every user the articles after which a memory is fullest.
func (a *answerer) show(all memories, n int, ids []strategies.ID) {
	for u := range n {
		all.Record(u, ids[u*items%len(ids):][:a.shown])
	}
}

// stored are the memories of a strategy of ours in the suite's store, outside Go's heap.
type stored struct{ *store.Store[int] }

func (s stored) Seen(user int, candidates []strategies.ID, seen []bool) {
	s.Store.Seen(user, 0, candidates, seen[:0])
}
func (s stored) Record(user int, shown []strategies.ID) { s.Store.Record(user, 0, shown) }

// weigh makes the memories of n users, and returns the rows of what they occupy.
func (a *answerer) weigh(name string, n int, ids []strategies.ID) (rows []results.Row) {
	a.readers = nil
	before := heap()
	all, outside := a.library.users(a.kind, n), func() int64 { return 0 }
	if a.library.name == ours.name {
		s := must(store.New[int](store.Config{Unsalted: true, Strategy: a.ours, Users: n}))
		all, outside = stored{s}, func() int64 { return s.Stats().Slabs }
	}
	a.show(all, n, ids)
	after := heap()
	defer runtime.KeepAlive(all)
	each := func(quantity, unit string, v float64) {
		rows = append(rows, number(name, quantity, unit, max(0, v/float64(n)), by.Users.At(float64(n))))
	}
	each(results.QBytesPerUser, results.Bytes, float64(after.HeapAlloc)-float64(before.HeapAlloc)+float64(outside()))
	each(results.QObjectsPerUser, "", float64(after.HeapObjects)-float64(before.HeapObjects))
	each(results.QGoalPerUser, results.Bytes, float64(after.NextGC)+float64(outside()))
	return rows
}

// heap returns what is alive. The second collection sweeps what the first has found.
func heap() (m runtime.MemStats) {
	runtime.GC()
	debug.FreeOSMemory()
	runtime.ReadMemStats(&m)
	return m
}
