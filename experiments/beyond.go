package main

import (
	"dejavu/beyond/apbf"
	"dejavu/beyond/blocked"
	"dejavu/beyond/confirmed"
	"dejavu/beyond/counting"
	"dejavu/beyond/cuckoo"
	daylanes "dejavu/beyond/daily"
	"dejavu/beyond/layered"
	"dejavu/beyond/ring"
	"dejavu/beyond/rolling"
	"dejavu/beyond/scalable"
	"dejavu/beyond/sized"
	"dejavu/beyond/stable"
	"dejavu/chain"
	"dejavu/results"
)

const (
	// sharesBeyond is that one user in so many lives with each of these.
	sharesBeyond = 100

	// What a structure that keeps a window is sized for, so that bytes compare:
	// the paper's smallest window of four full links, at its ε.
	sizedWindow = 400
	sizedFPR    = paperEpsilon
)

// chainBest is the paper's chain with parameters of its own.
const chainBest = results.Beyond + "chain-best"

// beyond lists what the paper did not try: first what the sources name, then the
// structures of the literature.
var beyond = []entry{
	windowed("scalable", "stages, each larger than the one before (Almeida and others, 2007)", scalable.Sized, scalable.New),
	windowed("counting", "counters for bits, so that articles can be taken back (Fan and others, 2000)", counting.Sized, counting.New),
	{
		name: results.Beyond + "confirmed", about: "the newest 100 in an exact list, ahead of a chain that has the older ones", share: sharesBeyond,
		make:  func() (strategy, error) { return confirmedSized(sizedWindow, sizedFPR) },
		sized: confirmedSized, config: anyConfig(confirmedBest),
	},
	{
		name: results.Beyond + "sized", about: "a size for each class of readers: the class for 250 articles", share: sharesBeyond,
		make: func() (strategy, error) {
			family, err := sized.New(sized.Ladder)
			if err != nil {
				return nil, err
			}
			return family.Class(family.Of(250)), nil
		},
	},
	{
		name: results.Beyond + "daily", about: "thirty lanes, one for each day of a month", share: sharesBeyond, lives: results.Month,
		make: func() (strategy, error) { return daylanes.New(daylanes.Month) },
	},
	{
		name: results.Beyond + "layered", about: "a day, a week and all time in three filters, every article in all", share: sharesBeyond, lives: results.Month,
		make: func() (strategy, error) { return layered.New(layered.Month) },
	},
	{
		name: results.Beyond + "layered-moved", about: "a day, a week and all time, an article in one by its age", share: sharesBeyond, lives: results.Month,
		make: func() (strategy, error) { return layered.New(layered.MonthMoved) },
	},
	windowed("apbf", "age-partitioned Bloom filter (Shtul and others, 2020)", apbf.Sized, apbf.New),
	windowed("ring", "fingerprints of a few bits in a ring: an exact window", ring.Sized, ring.New),
	windowed("cuckoo", "a cuckoo filter with generations that expire (Fan and others, 2014)", cuckoo.Sized, cuckoo.New),
	windowed("stable", "cells that fade at random: no window is certain (Deng and Rafiei, 2006)", stable.Sized, stable.New),
	windowed("rolling", "two-bit generations in one array", rolling.Sized, rolling.New),
	windowed("blocked", "all bits of an article in one cache line (Putze and others, 2007)", blocked.Sized, blocked.New),
	windowed(packageOf(chainBest), "the shortest chain of any number of links", chain.Best, chain.New),
}

var confirmedSized = sizedBy(confirmedBest, confirmed.New)

// confirmedBest is a list of the newest 100 ahead of the shortest chain.
func confirmedBest(window int, fpr float64) (confirmed.Config, error) {
	const listed = 100
	return confirmed.Sized(window, fpr, listed, func(window int, fpr float64) (*chain.Chain, error) {
		c, err := chain.Best(window, fpr)
		if err != nil {
			return nil, err
		}
		return chain.New(c)
	})
}

// windowed is an entry of beyond that can be sized for a window and a rate.
func windowed[C any, S strategy](name, about string, size func(window int, fpr float64) (C, error), build func(C) (S, error)) entry {
	sized := sizedBy(size, build)
	return entry{
		name: results.Beyond + name, about: about, share: sharesBeyond, sized: sized, config: anyConfig(size),
		make: func() (strategy, error) { return sized(sizedWindow, sizedFPR) },
	}
}

// sizedBy joins a package's way to size a configuration with its constructor.
func sizedBy[C any, S strategy](size func(window int, fpr float64) (C, error), build func(C) (S, error)) func(int, float64) (strategy, error) {
	return func(window int, fpr float64) (strategy, error) {
		c, err := size(window, fpr)
		if err != nil {
			return nil, err
		}
		return build(c)
	}
}

// anyConfig is a package's way to size, whatever its configurations are.
func anyConfig[C any](size func(window int, fpr float64) (C, error)) func(int, float64) (any, error) {
	return func(window int, fpr float64) (any, error) { return size(window, fpr) }
}
