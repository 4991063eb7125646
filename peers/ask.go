package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/peers/standing"
	collector "dejavu/measure/alive"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/store"
	"dejavu/strategies"
)

// goSubjects lists the strategies of Go's libraries, ours first of each kind. They read keys from files in a directory.
func goSubjects(dir string) (all []*subject) {
	for _, k := range kinds {
		for i, l := range libraries() {
			if !slices.Contains(l.kinds, k.name) {
				continue
			}
			made := l.made(k.asked)
			sub := &subject{
				name: standing.Name(l.name, k.name), library: l.name, kind: k,
				made: made, theory: l.theory(made), random: l.random, static: l.filter == nil, again: l.again, warmUps: 1,
			}
			if i == 0 {
				sub.name = standing.OurName(k.name)
			}
			a := &answerer{library: l, kind: k, dir: dir}
			sub.ask = a.ask
			sub.weigh = func(users int) ([]results.Row, error) { return a.weigh(sub.name, users), nil }
			all = append(all, sub)
		}
	}
	return all
}

// An answerer answers questions about a strategy of a Go library, as the programs of other languages do.
type answerer struct {
	library
	kind
	dir     string
	readers users
	count   int
}

func (a *answerer) keys(file string) (keys [][]byte, err error) {
	data, err := os.ReadFile(filepath.Join(a.dir, file))
	for len(data) > 0 {
		n := 1 + int(data[0])
		keys, data = append(keys, data[1:n]), data[n:]
	}
	return keys, err
}

// ids are the keys of eight bytes.
func ids(keys [][]byte, order binary.ByteOrder) (all []strategies.ID) {
	for _, key := range keys {
		if len(key) == 8 {
			all = append(all, strategies.ID(order.Uint64(key)))
		} else {
			all = append(all, strategies.XXHash(key))
		}
	}
	return all
}

func (a *answerer) ask(_ int, what string, n int, file string) (answer []float64, err error) {
	keys, err := a.keys(file)
	if err != nil {
		return nil, err
	}
	if what == "rates" {
		for own := range slices.Chunk(keys, 2*items) {
			hits, denied := a.rate(own[:items], own[items:])
			answer = append(answer, hits, denied)
		}
		return answer, nil
	}
	ids := ids(keys, binary.LittleEndian)
	seen := make([]bool, segment)
	switch what {
	case "users":
		a.readers, a.count = a.library.users(a.kind, n), n
		a.show(a.readers, n, ids)
	case "ask":
		found := 0
		for at := 0; at < len(ids); {
			begin := time.Now()
			for i := 0; i < segment; i, at = i+request, at+request {
				a.readers.Seen(at/request%a.count, ids[at:at+request], seen[i:i+request])
			}
			answer = append(answer, float64(time.Since(begin)))
			found += count(seen)
		}
		answer = append(answer, float64(found))
	case "record":
		user := a.library.users(a.kind, 1)
		for at := 0; at < len(ids); {
			begin := time.Now()
			for end := at + records; at < end; at += n {
				from := at
				if a.filter == nil { // it is built anew, of articles that somebody else must have kept
					from = max(0, at+n-items)
				}
				user.Record(0, ids[from:at+n])
			}
			answer = append(answer, float64(time.Since(begin)))
		}
		user.Seen(0, ids[len(ids)-newest:], seen[:newest])
		answer = append(answer, float64(count(seen[:newest])))
	}
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
func (a *answerer) show(all users, n int, ids []strategies.ID) {
	for u := range n {
		all.Record(u, ids[u*items%len(ids):][:a.shown])
	}
}

// rate makes a filter of keys, and counts which of the others it reports and which of its own it denies.
func (a *answerer) rate(own, others [][]byte) (hits, denied float64) {
	var has func(key []byte) bool
	if a.filter != nil {
		var add func(key []byte)
		add, has = a.filter(a.asked)
		for _, key := range own {
			add(key)
		}
	} else {
		user, seen := make(fuses, 1), make([]bool, 1)
		user.Record(0, ids(own, binary.BigEndian))
		has = func(key []byte) bool {
			user.Seen(0, ids([][]byte{key}, binary.BigEndian), seen)
			return seen[0]
		}
	}
	for i := range own {
		if !has(own[i]) {
			denied++
		}
		if has(others[i]) {
			hits++
		}
	}
	return hits, denied
}

// stored are the memories of a strategy of ours in the suite's store, outside Go's heap.
type stored struct{ *store.Store[int] }

func (s stored) Seen(user int, candidates []strategies.ID, seen []bool) {
	s.Store.Seen(user, 0, candidates, seen[:0])
}
func (s stored) Record(user int, shown []strategies.ID) { s.Store.Record(user, 0, shown) }

// weigh makes the memories of users, and returns what they and the collector cost while they are alive.
func (a *answerer) weigh(name string, n int) (rows []results.Row) {
	ids := ids(catalogue.Must(a.keys("articles")), binary.LittleEndian)
	a.readers = nil
	before := heap()
	all, outside := a.library.users(a.kind, n), func() int64 { return 0 }
	if a.library.name == standing.Ours {
		s := catalogue.Must(store.New[int](store.Config{Unsalted: true, Strategy: a.ours, Users: n}))
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
	var pauses, cpu []float64
	for range 7 {
		before := collector.Collected()
		runtime.GC()
		after := collector.Collected()
		pauses = append(pauses, float64(after.Pause-before.Pause))
		cpu = append(cpu, 1e9*(after.CPU-before.CPU))
	}
	for quantity, values := range map[string][]float64{results.QForcedPause: pauses, results.QForcedCPU: cpu} {
		r := number(name, quantity, results.Nanoseconds, median(values), by.Users.At(float64(n))).Among(int64(len(values)))
		r.Low, r.High = results.Num(slices.Min(values)), results.Num(slices.Max(values))
		rows = append(rows, r)
	}
	return rows
}

// heap is what is alive. The second collection sweeps what the first has found.
func heap() (m runtime.MemStats) {
	runtime.GC()
	debug.FreeOSMemory()
	runtime.ReadMemStats(&m)
	return m
}
