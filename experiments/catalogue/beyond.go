package catalogue

import (
	"cmp"

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

// beyond lists what the paper did not try: first what the sources name, then the structures of the
// literature.
var beyond = []Entry{
	windowed("scalable", scalable.Sized, scalable.New,
		Entry{About: "stages, each larger than the one before (Almeida and others, 2007)"}),
	windowed("counting", counting.Sized, counting.New,
		Entry{About: "counters for bits, so that articles can be taken back (Fan and others, 2000)", Set: true}),
	windowed("confirmed", confirmedBest, confirmed.New,
		Entry{About: "the newest 100 in an exact list, ahead of a chain that has the older ones"}),
	{
		Name: results.Beyond + "sized", About: "a size for each class of users: the class for 250 articles",
		Share: sharesBeyond, Set: true,
		Make: func() (Strategy, error) {
			family, err := classes.New(classes.Ladder)
			if err != nil {
				return nil, err
			}
			return family.Class(family.Of(250)), nil
		},
	},
	made(Entry{
		Name: results.Beyond + "daily", About: "thirty lanes, one for each day of a month",
		Share: sharesBeyond, Lives: results.Month,
	}, daily.Month, daily.New),
	{
		Name: results.Beyond + "layered", About: "a day, a week and all time in three filters, every article in all",
		Share: sharesBeyond, Lives: results.Month,
		Make: func() (Strategy, error) { return layered.New(layered.Month) },
	},
	{
		Name: results.Beyond + "layered-moved", About: "a day, a week and all time, an article in one by its age",
		Share: sharesBeyond, Lives: results.Month,
		Make: func() (Strategy, error) { return layered.New(layered.MonthMoved) },
	},
	windowed("apbf", apbf.Sized, apbf.New,
		Entry{About: "age-partitioned Bloom filter (Shtul and others, 2020)"}),
	windowed("ring", ring.Sized, ring.New,
		Entry{About: "fingerprints of any range in a ring: an exact window", Set: true}),
	windowed("quotient", quotient.Sized, quotient.New, Entry{
		About: "fingerprints in order, their high bits in unary (Elias, 1974; Bender and others, 2012)", Set: true,
	}),
	windowed("swamp", swamp.Sized, swamp.New, Entry{
		About: "fingerprints in a cyclic buffer, and a table of how often each is there (Assaf and others, 2018)",
		Set:   true, Share: 1000, // it is slow
	}),
	windowed("cuckoo", cuckoo.Sized, cuckoo.New,
		Entry{About: "a cuckoo filter with generations that expire (Fan and others, 2014)", Set: true}),
	windowed("stable", stable.Sized, stable.New,
		Entry{About: "cells that fade at random: no window is certain (Deng and Rafiei, 2006)"}),
	windowed("rolling", rolling.Sized, rolling.New, Entry{About: "two-bit generations in one array", Set: true}),
	windowed("blocked", blocked.Sized, blocked.New,
		Entry{About: "all bits of an article in one cache line (Putze and others, 2007)", Set: true}),
	windowed("chain-best", chain.Best, chain.New,
		Entry{About: "the shortest chain of any number of links", SizeOf: "chain"}),
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

// windowed completes an entry of beyond that can be sized for a window and a rate.
func windowed[C any, S Strategy](
	name string, size func(window int, fpr float64) (C, error), build func(C) (S, error), e Entry,
) Entry {
	e.Name, e.Share = results.Beyond+name, cmp.Or(e.Share, sharesBeyond)
	return sizing(e, size, build)
}
