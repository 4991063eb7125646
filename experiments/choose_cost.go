package main

import (
	"fmt"
	"math"
	"sync"

	"dejavu/chain"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/single"
)

// Of a request.
const (
	askedCandidates = 40
	lineBytes       = 64
)

// cost fills in what a request of 40 candidates takes. How many loads a structure
// beyond the paper makes depends on what it finds, and is not said.
func (s *offer) cost(bytes int) {
	lanes := 0
	switch c := s.config.(type) {
	case queue.Config:
	case single.Config:
		lanes = 1
	case dual.Config:
		lanes = 2
	case chain.Config:
		lanes = c.Links
	default:
		if e, err := catalogue.Find(s.Strategy); err == nil && e.Config != nil {
			if of, err := e.Config(catalogue.SizedWindow, catalogue.SizedFPR); err == nil && probesOf(of) == probesOf(s.config) {
				s.timedOn(e, bytes)
			}
		}
		return
	}
	lines := float64((bytes + lineBytes - 1) / lineBytes)
	if lanes == 0 {
		// The candidates are entered in a table by their own bits, and the ring
		// runs past it, all of it.
		s.Loads, s.Lines = s.Capacity, int(lines)
	} else {
		// Two positions come of each product, and loads fall anywhere.
		s.Multiplications = askedCandidates * ((s.Hashes + 1) / 2)
		s.Loads = askedCandidates * s.Hashes
		missed := math.Pow(1-1/lines, float64(s.Loads))
		s.Lines = int(math.Round(lines * (1 - missed)))
	}
	for _, t := range timed() {
		if t.lanes != lanes && !(alike(t.lanes, t.hashes) && alike(lanes, s.Hashes)) || t.hashes != s.Hashes {
			continue
		}
		if e, err := catalogue.Find(t.name); err == nil && s.timedOn(e, bytes) {
			return
		}
	}
}

// timedOn takes the time that an entry of the catalogue had in the reference
// run, and reports whether it may: a much longer history lies elsewhere in the
// caches, and takes the queue longer to run through.
func (s *offer) timedOn(e catalogue.Entry, bytes int) bool {
	made, err := e.Make()
	if err != nil {
		return false
	}
	if of := made.Bytes(hotShown); of > 2*bytes || bytes > 2*of {
		return false
	}
	row, ok := timedRun().cells.find(results.Latency, e.Name, fmt.Sprint(askedCandidates), results.QHotP50)
	if ok {
		s.Nanos, s.MeasuredOn = row.Value.Or(0), e.Name
	}
	return ok
}

// A loop of bloom.Query, as far as the number of lanes and of hashes decides
// which one answers, and a strategy of the reference run that it answers for.
type loop struct {
	name          string
	lanes, hashes int
}

var timed = sync.OnceValue(func() []loop {
	loops := []loop{
		{"queue", 0, 0},
		{"single", 1, single.Paper.Geometry.Hashes},
		{"dual", 2, dual.Paper.Geometry.Hashes},
		{"chain", chain.Paper.Links, chain.Paper.Geometry.Hashes},
	}
	add := func(name string, c chain.Config, err error) {
		if err == nil {
			loops = append(loops, loop{name, c.Links, c.Geometry.Hashes})
		}
	}
	sized, err := chain.Sized(catalogue.SizedWindow, catalogue.SizedFPR)
	add("chain-sized", sized, err)
	best, err := chain.Best(catalogue.SizedWindow, catalogue.SizedFPR)
	add(catalogue.ChainBest, best, err)
	return loops
})

// alike is whether a filter is asked by the loop for any number of lanes that
// one 32-bit load covers: not for one, and not for the paper's chain.
func alike(lanes, hashes int) bool {
	const word = 25
	return lanes > 1 && lanes <= word && !(lanes == chain.Paper.Links && hashes == chain.Paper.Geometry.Hashes)
}

// timedRun is the committed run whose times are shown, empty where there is none.
var timedRun = sync.OnceValue(func() (r struct {
	cells   cells
	machine string
},
) {
	if reference, ok := results.Reference(defaultUsers, defaultSeed); ok {
		e := reference.Manifest.Environment
		r.cells = index(reference)
		r.machine = fmt.Sprintf("%s, %d processors, %s, %s/%s", e.CPU, e.CPUs, e.Go, e.OS, e.Arch)
	}
	return r
})
