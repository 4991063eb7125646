package measure

import (
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// both is what a strategy's package provides.
type both interface {
	strategies.Strategy
	strategies.Theory
}

func named[S both](name string, s S) Subject { return Subject{Name: name, Strategy: s, Theory: s} }

// subjects are the paper's strategies in all readings.
func subjects() []Subject {
	return []Subject{
		named("queue", strategytest.Value(queue.New(queue.Paper))),
		named("single", strategytest.Value(single.New(single.Paper))),
		named("dual", strategytest.Value(dual.New(dual.Paper))),
		named("dual-blanked", strategytest.Value(dual.New(dual.PaperBlanked))),
		named("chain", strategytest.Value(chain.New(chain.Paper))),
		named("chain-literal", strategytest.Value(chain.New(chain.Literal))),
	}
}

// The strategies for N = 1000.
func newLongQueue() *queue.Queue { return strategytest.Value(queue.New(queue.Config{Window: 1000})) }

func newLongChain() *chain.Chain {
	c := chain.Paper
	c.Links = 10
	return strategytest.Value(chain.New(c))
}
