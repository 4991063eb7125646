package main

import (
	"fmt"
	"strings"
	"sync"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/measure"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/single"
	"dejavu/strategies"
)

// An entry is a strategy as the experiments know it. To add one, add a line to
// the catalogue.
type entry struct {
	name  string // in result files, in lower case
	about string
	make  func() (strategy, error)

	// One user in so many lives with it: 1 for the paper's four. The readings
	// and sizes beside them are variants, and live with a twentieth.
	share int

	// One user in so many comes back to it for days of churn; 0 where nobody
	// asks. Histories of many lengths are the ones that change places.
	churn int

	// The experiment that it lives in, where that is not the full population: a
	// structure that forgets by the calendar, or is made for readers of a kind.
	lives string

	// How it is made for a window that it certainly keeps, and a false positive
	// rate that it has at worst, and the configuration that does so. Nil where it
	// can promise nothing of the kind.
	sized  func(window int, fpr float64) (strategy, error)
	config func(window int, fpr float64) (any, error)

	// What becomes of it when N goes from 500 to 1000: a longer strategy, and
	// whether that accepts the old histories. Nil where nobody asks.
	longer func() (s strategy, keeps bool, err error)
}

// A strategy with its theory: what every package of a strategy provides.
type strategy interface {
	strategies.Strategy
	strategies.Theory
}

var chainSized = sizedBy(chain.Sized, chain.New)

// catalogue lists the strategies: the paper's in the order of its Table 1, then
// what it did not try.
var catalogue = append(papers, beyond...)

// papers are the strategies of the paper, and other readings and sizes of them.
var papers = []entry{
	{
		name: "queue", about: "the IDs of the last 500 articles (§3)", share: 1,
		make: func() (strategy, error) { return queue.New(queue.Paper) },
		longer: func() (strategy, bool, error) {
			s, err := queue.New(queue.Config{Window: 1000})
			return s, true, err
		},
	},
	{
		name: "single", about: "one Bloom filter, never cleared (§5)", share: 1,
		make: func() (strategy, error) { return single.New(single.Paper) },
		longer: func() (strategy, bool, error) {
			g, err := bloom.PaperGeometry(1000, 0.02)
			if err != nil {
				return nil, false, err
			}
			s, err := single.New(single.Config{Capacity: 1000, Geometry: g})
			return s, false, err
		},
	},
	{
		name: "dual", about: "master and slave filter, the old master freed (§6)", share: 1,
		make: func() (strategy, error) { return dual.New(dual.Paper) },
		longer: func() (strategy, bool, error) {
			g, err := bloom.PaperGeometry(1000, 0.02)
			if err != nil {
				return nil, false, err
			}
			s, err := dual.New(dual.Config{Capacity: 1000, Threshold: 600, Geometry: g})
			return s, false, err
		},
	},
	{
		name: "chain", about: "five links of 100, the head queried too (§7)", share: 1, churn: 40,
		make: func() (strategy, error) { return chain.New(chain.Paper) },
		longer: func() (strategy, bool, error) {
			c := chain.Paper
			c.Links = 10
			s, err := chain.New(c)
			return s, true, err
		},
	},
	{
		name: "dual-blanked", about: "the dual filter, the old master kept and blanked", share: 40,
		make: func() (strategy, error) { return dual.New(dual.PaperBlanked) },
	},
	{
		name: "chain-literal", about: "the chain to the letter: the head is not queried", share: 40,
		make: func() (strategy, error) { return chain.New(chain.Literal) },
	},
	{
		name: "chain-sized", about: "a chain whose union meets 2 % for a window of 400", share: 40,
		make:  func() (strategy, error) { return chainSized(sizedWindow, sizedFPR) },
		sized: chainSized,
	},
}

// subject constructs an entry's strategy for measuring, once in a run.
func (s *suite) subject(e entry) (measure.Subject, error) {
	key := "subject-" + e.name
	if made, ok := s.made[key]; ok {
		return made.(measure.Subject), nil
	}
	made, err := e.make()
	if err != nil {
		return measure.Subject{}, fmt.Errorf("strategy %s: %w", e.name, err)
	}
	subject := measure.Subject{Name: e.name, Strategy: made, Theory: &remembering{Theory: made, fpr: map[int]float64{}}}
	s.made[key] = subject
	return subject, nil
}

// A remembering theory computes a rate once: several experiments ask for the same
// ones, and some take a millisecond.
type remembering struct {
	strategies.Theory
	mu  sync.Mutex
	fpr map[int]float64
}

// FPR is the theory's.
func (r *remembering) FPR(read int) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	rate, ok := r.fpr[read]
	if !ok {
		rate = r.Theory.FPR(read)
		r.fpr[read] = rate
	}
	return rate
}

// isBeyond reports whether the paper did not try it.
func (e entry) isBeyond() bool { return strings.HasPrefix(e.name, results.Beyond) }

// full lists the entries that live in the full population.
func fullEntries() (full []entry) {
	for _, e := range catalogue {
		if e.lives == "" {
			full = append(full, e)
		}
	}
	return full
}

// users is how many of a population's users live with the entry.
func (e entry) users(population int) int { return max(1, population/e.share) }

// returning is how many of them come back for days of churn.
func (e entry) returning(population int) int { return max(1, population/e.churn) }
