package catalogue

import (
	"dejavu/beyond/apbf"
	"dejavu/beyond/blocked"
	"dejavu/beyond/classes"
	"dejavu/beyond/confirmed"
	"dejavu/beyond/counting"
	"dejavu/beyond/cuckoo"
	"dejavu/beyond/daily"
	"dejavu/beyond/layered"
	"dejavu/beyond/quotient"
	"dejavu/beyond/ring"
	"dejavu/beyond/rolling"
	"dejavu/beyond/scalable"
	"dejavu/beyond/stable"
	"dejavu/beyond/swamp"
	"dejavu/chain"
	"dejavu/results"
)

// sharesBeyond is that each of these is simulated for one user in so many.
const sharesBeyond = 100

// beyond lists what the paper did not try: first what the sources name, then the
// structures of the literature.
var beyond = []Entry{
	windowed("scalable", "stages, each larger than the one before (Almeida and others, 2007)", scalable.Sized, scalable.New),
	setOf(windowed("counting", "counters for bits, so that articles can be taken back (Fan and others, 2000)", counting.Sized, counting.New)),
	windowed("confirmed", "the newest 100 in an exact list, ahead of a chain that has the older ones", confirmedBest, confirmed.New),
	{
		Name: results.Beyond + "sized", About: "a size for each class of users: the class for 250 articles", Share: sharesBeyond, Set: true,
		Make: func() (Strategy, error) {
			family, err := classes.New(classes.Ladder)
			if err != nil {
				return nil, err
			}
			return family.Class(family.Of(250)), nil
		},
	},
	made(Entry{
		Name: results.Beyond + "daily", About: "thirty lanes, one for each day of a month", Share: sharesBeyond, Lives: results.Month,
	}, daily.Month, daily.New),
	{
		Name: results.Beyond + "layered", About: "a day, a week and all time in three filters, every article in all", Share: sharesBeyond, Lives: results.Month,
		Make: func() (Strategy, error) { return layered.New(layered.Month) },
	},
	{
		Name: results.Beyond + "layered-moved", About: "a day, a week and all time, an article in one by its age", Share: sharesBeyond, Lives: results.Month,
		Make: func() (Strategy, error) { return layered.New(layered.MonthMoved) },
	},
	windowed("apbf", "age-partitioned Bloom filter (Shtul and others, 2020)", apbf.Sized, apbf.New),
	setOf(windowed("ring", "fingerprints of any range in a ring: an exact window", ring.Sized, ring.New)),
	setOf(windowed("quotient", "fingerprints in order, their high bits in unary (Elias, 1974; Bender and others, 2012)", quotient.Sized, quotient.New)),
	oneIn(1000, setOf(windowed("swamp", "fingerprints in a cyclic buffer, and a table of how often each is there (Assaf and others, 2018)", swamp.Sized, swamp.New))),
	setOf(windowed("cuckoo", "a cuckoo filter with generations that expire (Fan and others, 2014)", cuckoo.Sized, cuckoo.New)),
	windowed("stable", "cells that fade at random: no window is certain (Deng and Rafiei, 2006)", stable.Sized, stable.New),
	setOf(windowed("rolling", "two-bit generations in one array", rolling.Sized, rolling.New)),
	setOf(windowed("blocked", "all bits of an article in one cache line (Putze and others, 2007)", blocked.Sized, blocked.New)),
	sizeOf("chain", windowed("chain-best", "the shortest chain of any number of links", chain.Best, chain.New)),
}

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

// setOf says of an entry that it keeps a set.
func setOf(e Entry) Entry {
	e.Set = true
	return e
}

// sizeOf says of an entry that it is another size of a strategy.
func sizeOf(name string, e Entry) Entry {
	e.SizeOf = name
	return e
}

// oneIn is an entry that is slow, for fewer users.
func oneIn(users int, e Entry) Entry {
	e.Share = users
	return e
}

// windowed is an entry of beyond that can be sized for a window and a rate.
func windowed[C any, S Strategy](name, about string, size func(window int, fpr float64) (C, error), build func(C) (S, error)) Entry {
	return sizing(Entry{Name: results.Beyond + name, About: about, Share: sharesBeyond}, size, build)
}
