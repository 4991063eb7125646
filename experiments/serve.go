package main

import (
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
)

// collectEvery is how often Go's collector runs where nothing is allocated that
// would make it run sooner.
const collectEvery = 2 * time.Minute

// serve is the store under requests from many goroutines, with all readers of a
// part alive, and what the collector has to do meanwhile.
func serve(s *suite) (rows, timing []results.Row, err error) {
	return s.eachEntry(func(e catalogue.Entry, _ measure.Subject) (rows, timing []results.Row, err error) {
		if e.IsBeyond() {
			return nil, nil, nil // throughput is that of ten million readers
		}
		full, err := s.full(e)
		if err != nil {
			return nil, nil, err
		}
		users := int64(full.Cold.Users)
		for _, v := range full.Serving {
			for _, q := range []struct {
				quantity, unit string
				value          float64
			}{
				{results.QRequestsPerSecond, "", v.PerSecond()},
				{results.QFairness, results.Ratio, float64(v.Least) / float64(max(v.Most, 1))},
				{results.QCollections, "", float64(v.Collections)},
				{results.QPause, results.Nanoseconds, float64(v.Pause)},
				{results.QAllocated, results.Bytes, perUser(v.Allocated, v.Requests)},
			} {
				r := number(results.Serve, e.Name, q.quantity, q.unit, q.value)
				r.X, r.Count = results.Num(float64(v.Goroutines)), v.Requests
				timing = append(timing, r)
			}
			share := number(results.Serve, e.Name, results.QCollectShare, results.Ratio, v.CollectorShare())
			share.X, share.Count = results.Num(float64(v.Goroutines)), v.Collections
			share.Theory = results.Num(full.Collection.CPU / (collectEvery.Seconds() * float64(v.Goroutines)))
			timing = append(timing, share)
		}
		c := full.Collection
		cpu := number(results.Serve, e.Name, results.QForcedCPU, results.Nanoseconds, 1e9*c.CPU)
		pause := number(results.Serve, e.Name, results.QForcedPause, results.Nanoseconds, float64(c.Pause))
		for _, r := range []results.Row{cpu, pause} {
			r.X, r.Count = results.Num(float64(c.Goroutines)), int64(c.Times)
			timing = append(timing, r)
		}
		objects := number(results.Serve, e.Name, results.QObjectsPerUser, "", perUser(full.HeapObjects, users))
		objects.Count = users
		return nil, append(timing, objects), nil
	})
}
