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
	sub := &subject{
		library: l.name, name: l.name + " " + k.name, kind: k, made: l.made(k.asked), static: l.static,
		again: l.again, random: l.random, warmUps: 1,
	}
	if l.name == ours.name {
		sub.name = l.name + "/" + k.name
	}
	sub.theory = l.theory(sub.made)
	a := answerer{l, k}
	sub.ask = a.ask
	sub.weigh = func(q question) ([]results.Row, error) { return a.weigh(sub.name, q), nil }
	return sub
}

// An answerer answers questions in this process, as the programs of other languages do.
type answerer struct {
	library
	kind
}

func (a answerer) ask(q question) (answer, error) {
	ans := answer{seen: make([]bool, len(q.ids)+len(q.keys)-q.shown)}
	if q.keys != nil {
		one := a.filter(a.asked)
		for _, key := range q.keys[:q.shown] {
			one.add(key)
		}
		for i, key := range q.keys[q.shown:] {
			ans.seen[i] = one.has(key)
		}
		return ans, nil
	}
	users := a.library.users(a.kind, q.users)
	begin := time.Now()
	a.show(users, q)
	middle := time.Now()
	for at := 0; at < len(ans.seen); at += request {
		users.Seen(at/request%q.users, q.ids[q.shown+at:][:request], ans.seen[at:at+request])
	}
	ans.recorded, ans.asked = float64(middle.Sub(begin)), float64(time.Since(middle))
	return ans, nil
}

// show records the articles of a question.
func (a answerer) show(users memories, q question) {
	for u := range q.users {
		for at := 0; at < q.each; at += q.batch {
			to := (u*q.each+at)%q.shown + q.batch
			from := to - q.batch
			if a.static { // it is built anew, from articles that somebody else must have kept
				from = max(0, to-items)
			}
			users.Record(u, q.ids[from:to])
		}
	}
}

// stored are the memories of a strategy of ours in the suite's store, outside Go's heap.
type stored struct{ *store.Store[int] }

func (s stored) Seen(user int, candidates []strategies.ID, seen []bool) {
	s.Store.Seen(user, 0, candidates, seen[:0])
}
func (s stored) Record(user int, shown []strategies.ID) { s.Store.Record(user, 0, shown) }

// weigh makes the memories of a question's users, and returns the rows of what they occupy.
func (a answerer) weigh(name string, q question) (rows []results.Row) {
	before := heap()
	all, outside := a.library.users(a.kind, q.users), func() int64 { return 0 }
	if a.library.name == ours.name {
		s := must(store.New[int](store.Config{Unsalted: true, Strategy: a.ours, Users: q.users}))
		all, outside = stored{s}, func() int64 { return s.Stats().Slabs }
	}
	a.show(all, q)
	after := heap()
	defer runtime.KeepAlive(all)
	each := func(quantity, unit string, v float64) {
		n := float64(q.users)
		rows = append(rows, number(name, quantity, unit, max(0, v/n), by.Users.At(n)))
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
