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
	"dejavu/results/by"
	"dejavu/single"
)

// Of a request.
const (
	candidates = 40
	lineBytes  = 64
)

// cost fills in what a request of 40 candidates takes. How many loads a structure
// beyond the paper makes depends on what it finds, and is not counted.
func (o *Offer) cost(bytes int) {
	asked := loopOf(o.Strategy, o.config)
	lines := float64((bytes + lineBytes - 1) / lineBytes)
	switch {
	case asked.beyond != "":
	case asked.lanes == 0:
		// The candidates are entered in a table by their own bits, and the ring runs past it, all of it.
		o.Loads, o.Lines = o.Capacity, int(lines)
	default:
		// Two positions come of each product, and loads fall anywhere.
		o.Multiplications = candidates * ((asked.hashes + 1) / 2)
		o.Loads = candidates * asked.hashes
		missed := math.Pow(1-1/lines, float64(o.Loads))
		o.Lines = int(math.Round(lines * (1 - missed)))
	}
	for _, t := range timed() {
		if t.alike(asked) && o.timedOn(t.Entry, bytes) {
			return
		}
	}
}

// hotMedian is the median time of a request to a history in the caches.
var hotMedian = results.Find(results.QRequestTime,
	by.Candidates.At(candidates), by.History.Is("hot"), by.Statistic.Is("p50")).In(results.Latency)

// timedOn takes the time that an entry of the catalogue had in the reference run, and reports whether it may:
// a much longer history lies elsewhere in the caches, and takes the queue longer to run through.
func (o *Offer) timedOn(e catalogue.Entry, bytes int) bool {
	made, err := e.Make()
	if err != nil {
		return false
	}
	if of := made.Bytes(shared.HotShown); of > 2*bytes || bytes > 2*of {
		return false
	}
	row, ok := reference().cells.One(hotMedian.Of(e.Name))
	if ok {
		o.Nanos, o.MeasuredOn = row.Value.Or(0), e.Name
	}
	return ok
}

// A loop is what answers a request, as far as this decides how long it takes: of the
// paper's filters the number of lanes and of hashes, by which bloom.Query chooses; of a
// structure beyond the paper its name and its probes. The queue's has none of these.
type loop struct {
	beyond        string
	lanes, hashes int
}

// loopOf is the loop that answers for a configuration of a strategy.
func loopOf(strategy string, config any) loop {
	switch c := config.(type) {
	case queue.Config:
		return loop{}
	case single.Config:
		return loop{"", 1, c.Geometry.Hashes}
	case dual.Config:
		return loop{"", 2, c.Geometry.Hashes}
	case chain.Config:
		return loop{"", c.Links, c.Geometry.Hashes}
	}
	return loop{strategy, 0, probesOf(config)}
}

// alike is whether the same loop answers: a filter is asked by one for any number of
// lanes that a 32-bit load covers, but not for one lane, and not for the paper's chain.
func (l loop) alike(other loop) bool {
	const word = 25
	paper := loopOf("", chain.Paper)
	general := func(l loop) bool { return l.lanes > 1 && l.lanes <= word && l != paper }
	return l == other || l.hashes == other.hashes && general(l) && general(other)
}

// A timedLoop is an entry of the reference run, and the loop that it was timed by.
type timedLoop struct {
	catalogue.Entry
	loop
}

// timed are the paper's strategies, and what is measured as it is sized.
var timed = sync.OnceValue(func() (all []timedLoop) {
	paper := map[string]any{"queue": queue.Paper, "single": single.Paper, "dual": dual.Paper, "chain": chain.Paper}
	for _, e := range catalogue.All() {
		config, ok := paper[e.Name]
		if !ok && e.Sized != nil {
			if c, err := e.Config(catalogue.SizedWindow, catalogue.SizedFPR); err == nil {
				config, ok = c, true
			}
		}
		if ok {
			all = append(all, timedLoop{e, loopOf(e.Name, config)})
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
