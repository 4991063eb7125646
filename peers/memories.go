package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"dejavu/experiments/peers/standing"
	"dejavu/measure"
	collector "dejavu/measure/alive"
	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

const (
	serviceBytes = 4096                         // that a service allocates to read a request and to write the reply
	garbage      = serviceBytes + (8+1)*request // candidates and answers, too
	weighedShare = 10                           // a tenth of the users will do for bytes and objects alone
	// A heap without filters is collected every few megabytes, and one full of filters once its garbage is as large as
	// they are: so ours serve a second time (standing.Roomy), with garbage up to this share of the histories.
	roomyShare = 0.1
)

// serves says whether a subject's memories are kept while requests are served. The others are like one that
// is: the dual filter is two single ones, and the same filters may be asked in another way.
func (s subject) serves() bool {
	return s.ours || s.lib.Like == "" && (s.kind.Name != "dual" || s.lib.Name == library.All()[0].Name)
}

// memories makes the users' memories, one subject after the other, and says what they cost while they are alive.
func (s scale) memories() (rows []results.Row) {
	for _, sub := range append(subjects(), nothing) {
		of := s
		if !sub.serves() {
			of.users = max(1, s.users/weighedShare)
		}
		s.say("memory of " + sub.name)
		rows = append(rows, of.memory(sub)...)
		runtime.GC()
		debug.FreeOSMemory()
	}
	return rows
}

func (s scale) memory(sub subject) []results.Row {
	pool := numbers(7, 1<<17)
	before := heap()
	create := sub.create
	if sub.ours {
		create = func(users int) library.Users { return library.NewStored(sub.kind.Ours, users) }
	}
	users := create(s.users)
	defer runtime.KeepAlive(users)
	show(users, sub.kind.Shown, s.users)
	after := heap()
	onHeap := max(0, float64(after.HeapAlloc)-float64(before.HeapAlloc))
	bytes := onHeap
	if stored, ours := users.(library.Stored); ours { // most of it lies outside the heap
		stats := stored.Stats()
		bytes = float64(stats.Slabs + stats.Bookkeeping)
	}
	objects := max(0, float64(after.HeapObjects)-float64(before.HeapObjects))
	n, alive := float64(s.users), by.Users.At(float64(s.users))
	rows := live(sub.name, s.users, bytes, objects)
	if !sub.serves() {
		return rows
	}
	goal := float64(after.NextGC) + max(0, bytes-onHeap)
	rows = append(rows, number(sub.name, results.QGoalPerUser, results.Bytes, goal/n, alive))
	var pauses, collections []float64
	for range s.forced {
		pause, cpu := collect()
		pauses, collections = append(pauses, pause), append(collections, cpu)
	}
	extremes := func(quantity string, values []float64) {
		r := number(sub.name, quantity, results.Nanoseconds, median(values), alive).Among(int64(len(values)))
		r.Low, r.High = results.Num(slices.Min(values)), results.Num(slices.Max(values))
		rows = append(rows, r)
	}
	extremes(results.QForcedPause, pauses)
	extremes(results.QForcedCPU, collections)
	rows = append(rows, s.serve(users, pool, sub.lib.Static, sub.name)...)
	if sub.ours {
		old := debug.SetGCPercent(roomyPercent(roomyShare * bytes))
		rows = append(rows, s.serve(users, pool, false, sub.name+standing.Roomy)...)
		debug.SetGCPercent(old)
	}
	return rows
}

func live(name string, users int, bytes, objects float64) []results.Row {
	n, alive := float64(users), by.Users.At(float64(users))
	return []results.Row{
		number(name, results.QBytesPerUser, results.Bytes, bytes/n, alive),
		number(name, results.QObjectsPerUser, "", objects/n, alive),
	}
}

func roomyPercent(bytes float64) int {
	now := heap()
	return max(100, int(100*bytes/max(1, float64(now.NextGC)-float64(now.HeapAlloc))))
}

func show(users library.Users, shown, n int) {
	population, err := workload.NewFull(1, n)
	if err == nil {
		_, err = measure.Each(context.Background(), measure.Options{}, measure.Range{To: n}, func() (*int64, func(int)) {
			ids := make([]strategies.ID, shown)
			return new(int64), func(user int) {
				population.Reader(user).IDs(ids, 0)
				users.Record(user, ids)
			}
		})
	}
	if err != nil { // the flags were checked
		panic(fmt.Sprintf("peers: %v", err))
	}
}

// heap is what is alive. The second collection sweeps what the first has found.
func heap() (m runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}

// collect forces a collection: nanoseconds that it stopped the program, and that it cost on all processors.
func collect() (pause, cpu float64) {
	before := collector.Collected()
	runtime.GC()
	after := collector.Collected()
	return float64(after.Pause - before.Pause), 1e9 * (after.CPU - before.CPU)
}

// reply keeps the compiler from leaving out what a service allocates.
var reply []byte

// serve answers requests of random users, and records ten articles in one of four, as a service on one processor would;
// a static filter is built anew then, from articles that somebody else must have kept. A collection falls into a pass.
//
// The runtime counts processor time as of the last collection, so the collector's share is that of the requests before
// it; by request it follows from the program's own time by request, which a collection after the last one completes.
func (s scale) serve(users library.Users, pool []strategies.ID, static bool, name string) (rows []results.Row) {
	r := rand.New(rand.NewPCG(6, 1))
	now := heap()
	each := max(s.requests, int(float64(now.NextGC-now.HeapAlloc)/garbage))
	var nanos []float64 // of a request, on the clock, by pass
	before := collector.Collected()
	for range leastRounds { // passes: an interruption is one's
		begin := time.Now()
		for n := range each {
			at := r.IntN(len(pool) - items)
			answer(users, r.IntN(s.users), pool[at:at+items], n%4 == 0, static)
		}
		nanos = append(nanos, float64(time.Since(begin))/float64(each))
	}
	after := collector.Collected()
	runtime.GC()
	all, requests, alive := collector.Collected().User-before.User, leastRounds*each, by.Users.At(float64(s.users))
	gc, user, cycles := after.CPU-before.CPU, after.User-before.User, after.Times-before.Times
	if cycles > 0 && user > 0 { // with few requests to a large heap there may be no collection
		nanosEach := 1e9 * gc / user * all / float64(requests) // on all processors
		rows = append(rows,
			number(name, results.QCollectShare, results.Ratio, gc/(gc+user), alive).Among(cycles),
			number(name, results.QCollectNanos, results.Nanoseconds, nanosEach, alive).Among(int64(requests)))
	}
	took := results.Find(results.QRequestTime, alive)
	return append(rows, spread(name, took, results.Nanoseconds, nanos, int64(requests)))
}

// answer is a request: its first articles are candidates, whose first are recorded, or all where a filter is static.
func answer(users library.Users, user int, articles []strategies.ID, record, static bool) {
	candidates := append(make([]strategies.ID, 0, request), articles[:request]...)
	seen := make([]bool, request)
	reply = make([]byte, serviceBytes)
	users.Seen(user, candidates, seen)
	switch {
	case record && static:
		users.Record(user, articles)
	case record:
		users.Record(user, candidates[:update])
	}
	for i, s := range seen {
		if s {
			reply[i] = 1
		}
	}
}
