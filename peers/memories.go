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

	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/strategies"
	"dejavu/workload"
)

// The quantities of memory; x is the number of readers alive.
const (
	qBytes   = results.QBytesPerUser
	qGoal    = "memory goal per user" // up to where garbage may pile up before a collection, everything included
	qObjects = "heap objects per user"
	qPause   = "gc pause"              // all the time that a forced collection stops the program
	qCollect = "cpu of a collection"   // forced, on all processors
	qShare   = "gc cpu"                // share of the processors' time while serving; count is the collections
	qPer     = "gc ns per request"     // the same time, by request: a slow library does not make it look small
	qRequest = "ns per request served" // of a random reader, with what is allocated for it
)

var memoryQuantities = []string{qBytes, qGoal, qObjects, qPause, qCollect, qShare, qPer, qRequest}

// A heap that holds no filters is collected every four megabytes, as small as
// Go lets it be, and a heap full of filters once its garbage is as large as
// they are: so ours serve a second time, with a heap that may grow to a tenth
// of the histories, to be compared at something like equal memory.
const (
	roomy       = ", a tenth more heap" // behind the name of ours
	smallestGo  = 4 << 20               // at GOGC=100
	roomyFactor = 0.1
)

// serviceBytes is what a service allocates for a request beside candidates and
// answers, to read it and to write the reply.
const serviceBytes = 4096

// memories makes the readers' memories, one subject after the other, and says
// what they cost while they are alive. The dual filter's are ours and the first
// library's alone: it is two single filters.
func memories(s scale, say func(string)) (rows []results.Row) {
	first := library.All()[0].Name
	for _, sub := range append(subjects(), nothing) {
		if sub.lib.Like != "" || sub.kind.Name == "dual" && !sub.ours && sub.lib.Name != first {
			continue
		}
		say("memory of " + sub.name)
		rows = append(rows, memory(sub, s)...)
		runtime.GC()
		debug.FreeOSMemory()
	}
	return rows
}

func memory(sub subject, s scale) []results.Row {
	before := heap()
	var users library.Users
	var stored library.Stored
	if sub.ours {
		stored = library.NewStored(sub.kind.Ours, s.users)
		users = stored
	} else {
		users = sub.create(s.users)
	}
	read(users, sub.kind.Shown, s.users)
	after := heap()

	n := float64(s.users)
	bytes := float64(after.HeapAlloc) - float64(before.HeapAlloc)
	goal := float64(after.NextGC)
	if sub.ours {
		stats := stored.Stats()
		bytes = float64(stats.Slabs + stats.Bookkeeping)
		goal += bytes
	}
	rows := []results.Row{
		row(sub.name, n, qBytes, results.Bytes, max(0, bytes/n)),
		row(sub.name, n, qGoal, results.Bytes, goal/n),
		row(sub.name, n, qObjects, "", max(0, (float64(after.HeapObjects)-float64(before.HeapObjects))/n)),
	}
	var pauses, collections []float64
	for range s.forced {
		pause, cpu := collect()
		pauses, collections = append(pauses, pause), append(collections, cpu)
	}
	spread := func(quantity string, values []float64) {
		r := row(sub.name, n, quantity, results.Nanoseconds, median(values))
		r.Low, r.High = results.Num(slices.Min(values)), results.Num(slices.Max(values))
		r.Count = int64(len(values))
		rows = append(rows, r)
	}
	spread(qPause, pauses)
	spread(qCollect, collections)

	serving := func(name string) {
		served := serve(users, s, !sub.lib.Static)
		add := func(quantity, unit string, value float64, count int64) {
			r := row(name, n, quantity, unit, value)
			r.Count = count
			rows = append(rows, r)
		}
		if served.cycles > 0 { // with few requests to a large heap there may be none
			add(qShare, results.Ratio, served.share, served.cycles)
			add(qPer, results.Nanoseconds, served.gc, int64(s.requests))
		}
		add(qRequest, results.Nanoseconds, served.nanos, int64(s.requests))
	}
	serving(sub.name)
	if sub.ours {
		percent := max(100, 100*roomyFactor*bytes/smallestGo)
		old := debug.SetGCPercent(int(percent))
		serving(sub.name + roomy)
		debug.SetGCPercent(old)
	}
	runtime.KeepAlive(users)
	return rows
}

// read has every reader shown so many articles, on all processors.
func read(users library.Users, shown, n int) {
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

// served is what serving took.
type served struct {
	nanos  float64 // of a request, on the clock
	gc     float64 // the collector's part, on all processors
	share  float64 // of the processors' time that was used
	cycles int64   // collections
}

// serve answers requests of random readers, and records ten articles in one of
// four, as a service on one processor would. The runtime counts processor time
// as of the last collection, so the collector's share is that of the requests
// before it; what it comes to by request follows from the program's own time by
// request, which a collection after the last one completes.
func serve(users library.Users, s scale, record bool) served {
	r := rand.New(rand.NewPCG(6, 1))
	pool := numbers(7, 1<<17)
	runtime.GC()
	before := gcCPU()
	begin := time.Now()
	for n := range s.requests {
		user := r.IntN(s.users)
		at := r.IntN(len(pool) - request)
		candidates := append(make([]strategies.ID, 0, request), pool[at:at+request]...)
		seen := make([]bool, request)
		reply = make([]byte, serviceBytes)
		users.Seen(user, candidates, seen)
		if record && n%4 == 0 {
			users.Record(user, candidates[:update])
		}
		for i, s := range seen {
			if s {
				reply[i] = 1
			}
		}
	}
	elapsed := time.Since(begin)
	after := gcCPU()
	runtime.GC()
	all := gcCPU().user - before.user
	result := served{nanos: float64(elapsed) / float64(s.requests)}
	if gc, user := after.gc-before.gc, after.user-before.user; after.cycles > before.cycles && user > 0 {
		result.cycles = after.cycles - before.cycles
		result.share = gc / (gc + user)
		result.gc = 1e9 * gc / user * all / float64(s.requests)
	}
	return result
}
