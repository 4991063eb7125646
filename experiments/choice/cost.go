package choice

import (
	"fmt"
	"math"
	"sync"

	"dejavu/chain"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/shared"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/single"
)

// Of a request.
const (
	candidates = 40
	lineBytes  = 64
)

// cost fills in what a request of 40 candidates takes. How many loads a structure
// beyond the paper makes depends on what it finds, and is not said.
func (o *Offer) cost(bytes int) {
	asked, ok := loopOf(o.config)
	if !ok {
		if e, err := catalogue.Find(o.Strategy); err == nil && e.Config != nil {
			if of, err := e.Config(catalogue.SizedWindow, catalogue.SizedFPR); err == nil && probesOf(of) == probesOf(o.config) {
				o.timedOn(e, bytes)
			}
		}
		return
	}
	lines := float64((bytes + lineBytes - 1) / lineBytes)
	if asked.lanes == 0 {
		// The candidates are entered in a table by their own bits, and the ring
		// runs past it, all of it.
		o.Loads, o.Lines = o.Capacity, int(lines)
	} else {
		// Two positions come of each product, and loads fall anywhere.
		o.Multiplications = candidates * ((asked.hashes + 1) / 2)
		o.Loads = candidates * asked.hashes
		missed := math.Pow(1-1/lines, float64(o.Loads))
		o.Lines = int(math.Round(lines * (1 - missed)))
	}
	for _, t := range timed() {
		if !t.alike(asked) {
			continue
		}
		if e, err := catalogue.Find(t.name); err == nil && o.timedOn(e, bytes) {
			return
		}
	}
}

// timedOn takes the time that an entry of the catalogue had in the reference
// run, and reports whether it may: a much longer history lies elsewhere in the
// caches, and takes the queue longer to run through.
func (o *Offer) timedOn(e catalogue.Entry, bytes int) bool {
	made, err := e.Make()
	if err != nil {
		return false
	}
	if of := made.Bytes(shared.HotShown); of > 2*bytes || bytes > 2*of {
		return false
	}
	row, ok := reference().cells.Find(results.Latency, e.Name, fmt.Sprint(candidates), results.QHotP50)
	if ok {
		o.Nanos, o.MeasuredOn = row.Value.Or(0), e.Name
	}
	return ok
}

// A loop of bloom.Query, as far as the number of lanes and of hashes decides which
// one answers. The queue's has neither.
type loop struct{ lanes, hashes int }

// loopOf is the loop that answers for a configuration of the paper's strategies.
func loopOf(config any) (l loop, ok bool) {
	switch c := config.(type) {
	case queue.Config:
		return loop{}, true
	case single.Config:
		return loop{1, c.Geometry.Hashes}, true
	case dual.Config:
		return loop{2, c.Geometry.Hashes}, true
	case chain.Config:
		return loop{c.Links, c.Geometry.Hashes}, true
	}
	return loop{}, false
}

// alike is whether the same loop answers: a filter is asked by one for any number of
// lanes that a 32-bit load covers, but not for one lane, and not for the paper's chain.
func (l loop) alike(other loop) bool {
	const word = 25
	paper, _ := loopOf(chain.Paper)
	general := func(l loop) bool { return l.lanes > 1 && l.lanes <= word && l != paper }
	return l == other || l.hashes == other.hashes && general(l) && general(other)
}

// A timedLoop is a strategy of the reference run, and the loop that it was timed by.
type timedLoop struct {
	name string
	loop
}

var timed = sync.OnceValue(func() (all []timedLoop) {
	add := func(name string, config any) {
		if l, ok := loopOf(config); ok {
			all = append(all, timedLoop{name, l})
		}
	}
	add("queue", queue.Paper)
	add("single", single.Paper)
	add("dual", dual.Paper)
	add("chain", chain.Paper)
	for _, e := range catalogue.All() {
		if e.SizeOf == "" {
			continue
		}
		if c, err := e.Config(catalogue.SizedWindow, catalogue.SizedFPR); err == nil {
			add(e.Name, c)
		}
	}
	return all
})

// reference is the committed run whose times are shown, empty where there is none.
var reference = sync.OnceValue(func() (r struct {
	cells   results.Cells
	machine string
},
) {
	if run, ok := results.Reference(results.DefaultUsers, results.DefaultSeed); ok {
		e := run.Manifest.Environment
		r.cells = results.NewCells(run.Timing)
		r.machine = fmt.Sprintf("%s, %d processors, %s, %s/%s", e.CPU, e.CPUs, e.Go, e.OS, e.Arch)
	}
	return r
})
