package main

import (
	"fmt"
	"math"
	"sync"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/results"
	"dejavu/single"
)

// Of a request.
const (
	askedCandidates = 40
	lineBytes       = 64
)

// cost fills in what a request of 40 candidates takes.
func (s *offer) cost(bytes int) {
	lines := float64((bytes + lineBytes - 1) / lineBytes)
	if s.kind.lanes == 0 {
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
	reference := timedRun()
	for _, t := range timed {
		if t.lanes != s.kind.lanes && !(alike(t.lanes, t.hashes) && alike(s.kind.lanes, s.Hashes)) || t.hashes != s.Hashes {
			continue
		}
		e, ok := entryNamed(t.name)
		if !ok {
			continue
		}
		made, err := e.make()
		if err != nil {
			continue
		}
		// A much longer history lies elsewhere in the caches, and takes the
		// queue longer to run through.
		if of := made.Bytes(hotShown); of > 2*bytes || bytes > 2*of {
			continue
		}
		if row, ok := reference.cells.find(results.Latency, t.name, fmt.Sprint(askedCandidates), results.QHotP50); ok {
			s.Nanos, s.MeasuredOn = row.Value.Or(0), t.name
			return
		}
	}
}

// timed are the strategies of the reference run, by what decides which of the
// loops of bloom.Query answers for them.
var timed = []struct {
	name          string
	lanes, hashes int
}{
	{"queue", 0, 0},
	{"single", 1, single.Paper.Geometry.Hashes},
	{"dual", 2, dual.Paper.Geometry.Hashes},
	{"chain", chain.Paper.Links, chain.Paper.Geometry.Hashes},
	{"chain-sized", chain.Paper.Links, sizedHashes()},
}

func sizedHashes() int {
	c, err := chain.Sized(400, 0.02)
	if err != nil {
		return -1 // as nobody has
	}
	return c.Geometry.Hashes
}

// alike is whether a filter is asked by the loop for any number of lanes that
// one 32-bit load covers: not for one, and not for the paper's chain.
func alike(lanes, hashes int) bool {
	const word = 25
	return lanes > 1 && lanes <= word && !(lanes == chain.Paper.Links && hashes == chain.Paper.Geometry.Hashes)
}

func entryNamed(name string) (entry, bool) {
	for _, e := range catalogue {
		if e.name == name {
			return e, true
		}
	}
	return entry{}, false
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

// geometryText is a configuration for people.
func (s *offer) geometryText() string {
	g := bloom.Geometry{Bits: s.Bits, Hashes: s.Hashes}
	switch {
	case s.made == nil:
		return "–"
	case s.kind.lanes == 0:
		return fmt.Sprintf("%d IDs", s.Capacity)
	case s.Links > 0:
		return fmt.Sprintf("%d × %d articles in %v", s.Links, s.Capacity, g)
	case s.Threshold > 0:
		return fmt.Sprintf("2 × %d articles in %v, from %d on", s.Capacity, g, s.Threshold)
	default:
		return fmt.Sprintf("%d articles in %v", s.Capacity, g)
	}
}
