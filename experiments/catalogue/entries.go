package catalogue

import (
	"dejavu/beyond/classes"
	"dejavu/beyond/confirmed"
	"dejavu/beyond/counting"
	"dejavu/beyond/daily"
	"dejavu/beyond/layered"
	"dejavu/beyond/matrix"
	"dejavu/beyond/ring"
	"dejavu/beyond/scalable"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/single"
)

// The size of structures that keep a window: the paper's smallest window of four full links, at its ε (§4).
const (
	SizedWindow = 400  // articles
	SizedFPR    = 0.02 // false positives of fresh articles, at worst
)

// statedFPR is the paper's rate of a single filter (§5). Table 1 states it also of one array of the dual filter and the
// chain, and nothing of the whole.
const statedFPR = 0.0156

var papers = []Entry{
	complete(Entry{
		Name: "queue", About: "the IDs of the last 500 articles (§3)", Share: 1,
		Stated: Stated{Payload: 4000, Total: 40e9, Window: 500},
		Longer: "queue:window=1000", Keeps: true,
	}, &queue.Paper, queue.Sized, queue.New),
	complete(Entry{
		Name: "single", About: "one Bloom filter, never cleared (§5)", Share: 1,
		Stated: Stated{Payload: 500, Total: 5e9, Window: 500, FPR: statedFPR},
		Longer: "single:capacity=1000,bits=8128,hashes=6", // 2 % by the paper's equations
	}, &single.Paper, single.Sized, single.New),
	complete(Entry{
		Name: "dual", About: "master and slave filter, the old master freed (§6)", Share: 1,
		Stated: Stated{Payload: 1000, Window: 200},
		Longer: "dual:capacity=1000,threshold=600,bits=8128,hashes=6",
	}, &dual.Paper, dual.Sized, dual.New),
	complete(Entry{
		Name: "chain", About: "five links of 100, the head queried too (§7)", Share: 1,
		Stated: Stated{Payload: 500, Window: 400},
		Longer: "chain:links=10", Keeps: true,
	}, &chain.Paper, nil, chain.New),
	complete(Entry{
		Name: "dual-blanked", About: "the dual filter, the old master kept and blanked", Share: 40,
	}, &dual.PaperBlanked, nil, dual.New),
	complete(Entry{
		Name: "chain-literal", About: "the chain by the literal reading: the head is not queried", Share: 40,
	}, &chain.Literal, nil, chain.New),
	complete(Entry{
		Name: "chain-eager", About: "the chain as §7 words it: when a link is full, the next is cleared", Share: 40,
	}, &chain.Eager, nil, chain.New),
	complete(Entry{
		Name: "chain-sized", About: "a chain whose union meets 2 % for a window of 400", Share: 40, SizeOf: "chain",
	}, nil, chain.Sized, chain.New),
}

// sharesBeyond is Entry.Share of the strategies beyond the paper.
const sharesBeyond = 100

// beyond lists strategies beyond the paper: first the sources', then structures of the literature.
var beyond = []Entry{
	windowed("scalable", scalable.Sized, scalable.New,
		Entry{About: "stages, each larger than the one before (Almeida and others, 2007)"}),
	windowed("counting", counting.Sized, counting.New,
		Entry{About: "counters for bits, so that articles can be taken back (Fan and others, 2000)"}),
	windowed("confirmed", confirmedBest, confirmed.New,
		Entry{About: "the newest 100 in an exact list, ahead of a chain that has the older ones", Study: true}),
	{
		Name: results.Beyond + "sized", About: "a size for each class of users: the class for 250 articles",
		Share: sharesBeyond, Study: true,
		Make: func() (Strategy, error) {
			family := Must(classes.New(classes.Ladder))
			return family.Class(family.Of(250)), nil
		},
	},
	complete(Entry{
		Name: results.Beyond + "daily", About: "thirty lanes, one for each day of a month",
		Share: sharesBeyond, Lives: results.Month,
	}, &daily.Month, nil, daily.New),
	{
		Name: results.Beyond + "layered", About: "a day, a week and all time in three filters, every article in all",
		Share: sharesBeyond, Lives: results.Month, Study: true,
		Make: func() (Strategy, error) { return layered.New(layered.Month) },
	},
	windowed("ring", ring.Sized, ring.New,
		Entry{About: "fingerprints of any range in a ring: an exact window"}),
	windowed("matrix", matrix.Sized, matrix.New, Entry{
		About: "a chain whose full links are solved as linear equations (Dietzfelbinger and Pagh, 2008)",
	}),
	windowed("chain-best", chain.Best, chain.New,
		Entry{About: "the shortest chain of any number of links", SizeOf: "chain"}),
}

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
	e.Name, e.Share = results.Beyond+name, sharesBeyond
	return complete(e, nil, size, build)
}

// complete adds to an entry its constructor, the configuration that is measured (nil: sized for SizedWindow and
// SizedFPR) and its sizing for a window and a rate (nil if it has none).
func complete[C any, S Strategy](
	e Entry, measured *C, size func(window int, fpr float64) (C, error), build func(C) (S, error),
) Entry {
	e.build = func(config any) (Strategy, error) { return build(*config.(*C)) }
	e.measured = func() any {
		if measured == nil {
			c := Must(size(SizedWindow, SizedFPR))
			return &c
		}
		c := *measured
		return &c
	}
	e.Make = func() (Strategy, error) { return e.build(e.measured()) }
	if size != nil {
		e.Config = func(window int, fpr float64) (any, error) { return size(window, fpr) }
		e.Sized = func(window int, fpr float64) (Strategy, error) {
			c, err := size(window, fpr)
			if err != nil {
				return nil, err
			}
			return build(c)
		}
	}
	return e
}
