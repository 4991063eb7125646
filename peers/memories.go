package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"dejavu/experiments/peers/standing"
	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// A heap that holds no filters is collected every few megabytes, and a heap full of filters once its garbage
// is as large as they are: so ours serve a second time (standing.Roomy), with garbage up to this share of the
// histories, to be compared at something like equal memory.
const roomyShare = 0.1

// What a service allocates for a request.
const (
	serviceBytes = 4096                         // to read it and to write the reply
	garbage      = serviceBytes + (8+1)*request // candidates and answers, too
)

// Passes over which a request's time is taken: an interruption is one pass's.
const passes = leastRounds

// Where only bytes and objects are asked for, a tenth of the users will do.
const weighedShare = 10

// serves says whether a subject's memories are kept while requests are served. The others are like one that
// is: the dual filter is two single ones, and the same filters may be asked in another way.
func (s subject) serves() bool {
	return s.ours || s.lib.Like == "" && (s.kind.Name != "dual" || s.lib.Name == library.All()[0].Name)
}

// allMemories makes the users' memories, one subject after the other, and says what they cost while they are alive.
func allMemories(s scale, say func(string)) (rows []results.Row) {
	for _, sub := range append(subjects(), nothing) {
		of := s
		if !sub.serves() {
			of.users = max(1, s.users/weighedShare)
		}
		say("memory of " + sub.name)
		rows = append(rows, memory(sub, of)...)
		runtime.GC()
		debug.FreeOSMemory()
	}
	return rows
}

func memory(sub subject, s scale) []results.Row {
	pool := numbers(7, 1<<17)
	before := heap()
	create := sub.create
	var stored library.Stored
	if sub.ours {
		stored = library.NewStored(sub.kind.Ours, s.users)
		create = func(int) library.Users { return stored }
	}
	users := create(s.users)
	show(users, sub.kind.Shown, s.users)
	after := heap()

	n, alive := float64(s.users), by.Users.At(float64(s.users))
	onHeap := max(0, float64(after.HeapAlloc)-float64(before.HeapAlloc))
	bytes := onHeap
	if sub.ours { // most of it lies outside the heap
		stats := stored.Stats()
		bytes = float64(stats.Slabs + stats.Bookkeeping)
	}
	objects := max(0, float64(after.HeapObjects)-float64(before.HeapObjects))
	rows := live(sub.name, s.users, bytes, objects)
	if !sub.serves() {
		runtime.KeepAlive(users)
		return rows
	}
	goal := float64(after.NextGC) + max(0, bytes-onHeap)
	rows = append(rows, number(sub.name, results.Find(results.QGoalPerUser, alive), results.Bytes, goal/n))
	var pauses, collections []float64
	for range s.forced {
		pause, cpu := collect()
		pauses, collections = append(pauses, pause), append(collections, cpu)
	}
	extremes := func(quantity string, values []float64) {
		r := number(sub.name, results.Find(quantity, alive), results.Nanoseconds, median(values))
		r.Low, r.High = results.Num(slices.Min(values)), results.Num(slices.Max(values))
		r.Count = int64(len(values))
		rows = append(rows, r)
	}
	extremes(results.QForcedPause, pauses)
	extremes(results.QForcedCPU, collections)

	rows = append(rows, serve(users, s, pool, sub.lib.Static, sub.name)...)
	if sub.ours {
		old := debug.SetGCPercent(roomyPercent(roomyShare * bytes))
		rows = append(rows, serve(users, s, pool, false, sub.name+standing.Roomy)...)
		debug.SetGCPercent(old)
	}
	runtime.KeepAlive(users)
	return rows
}

// live are the bytes and objects of users.
func live(name string, users int, bytes, objects float64) []results.Row {
	n, alive := float64(users), by.Users.At(float64(users))
	return []results.Row{
		number(name, results.Find(results.QBytesPerUser, alive), results.Bytes, bytes/n),
		number(name, results.Find(results.QObjectsPerUser, alive), "", objects/n),
	}
}

// roomyPercent is the GOGC with which so many bytes of garbage may pile up.
func roomyPercent(bytes float64) int {
	now := heap()
	return max(100, int(100*bytes/max(1, float64(now.NextGC)-float64(now.HeapAlloc))))
}

// show has every user shown so many articles, on all processors.
func show(users library.Users, shown, n int) {
	population, err := workload.NewFull(1, n)
	if err != nil { // the flags were checked
		panic(fmt.Sprintf("peers: %v", err))
	}
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wait.Go(func() {
			ids := make([]strategies.ID, shown)
			for user := w * n / workers; user < (w+1)*n/workers; user++ {
				population.Reader(user).IDs(ids, 0)
				users.Record(user, ids)
			}
		})
	}
	wait.Wait()
}

// heap is what is alive. The second collection sweeps what the first has found.
func heap() (m runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}

// collect forces a collection, and returns how long it stopped the program and
// what it cost on all processors, in nanoseconds.
func collect() (pause, cpu float64) {
	var before, after runtime.MemStats
	gc := gcCPU()
	runtime.ReadMemStats(&before)
	runtime.GC()
	runtime.ReadMemStats(&after)
	return float64(after.PauseTotalNs - before.PauseTotalNs), 1e9 * (gcCPU().gc - gc.gc)
}

// cpu is processor time since the start, in seconds, as of the last collection.
type cpu struct {
	gc, user float64
	cycles   int64
}

func gcCPU() cpu {
	samples := []metrics.Sample{
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/cpu/classes/user:cpu-seconds"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(samples)
	return cpu{samples[0].Value.Float64(), samples[1].Value.Float64(), int64(samples[2].Value.Uint64())}
}

// reply keeps the compiler from leaving out what a service allocates.
var reply []byte

// serve answers requests of random users, and records ten articles in one of four, as a service on one
// processor would; a static filter is built anew then, from articles that somebody else must have kept. A
// pass is so long that a collection falls into it.
//
// The runtime counts processor time as of the last collection, so the collector's share is that of the
// requests before it; what it comes to by request follows from the program's own time by request, which a
// collection after the last one completes.
func serve(users library.Users, s scale, pool []strategies.ID, static bool, name string) (rows []results.Row) {
	r := rand.New(rand.NewPCG(6, 1))
	now := heap()
	each := max(s.requests, int(float64(now.NextGC-now.HeapAlloc)/garbage))
	var nanos []float64 // of a request, on the clock, by pass
	before := gcCPU()
	for range passes {
		begin := time.Now()
		for n := range each {
			at := r.IntN(len(pool) - items)
			answer(users, r.IntN(s.users), pool[at:at+items], n%4 == 0, static)
		}
		nanos = append(nanos, float64(time.Since(begin))/float64(each))
	}
	after := gcCPU()
	runtime.GC()
	all, requests := gcCPU().user-before.user, passes*each
	find := func(quantity string) results.Query { return results.Find(quantity, by.Users.At(float64(s.users))) }
	gc, user, cycles := after.gc-before.gc, after.user-before.user, after.cycles-before.cycles
	if cycles > 0 && user > 0 { // with few requests to a large heap there may be no collection
		nanosEach := 1e9 * gc / user * all / float64(requests) // on all processors
		rows = append(rows,
			number(name, find(results.QCollectShare), results.Ratio, gc/(gc+user)).Among(cycles),
			number(name, find(results.QCollectNanos), results.Nanoseconds, nanosEach).Among(int64(requests)))
	}
	return append(rows, spread(name, find(results.QRequestTime), results.Nanoseconds, nanos, int64(requests)))
}

// answer is a request: the first articles are its candidates, and the first of
// these are recorded, or all where a filter is static.
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
