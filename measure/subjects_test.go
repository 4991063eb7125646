package measure

import (
	"testing"

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

func subject[S both](t *testing.T, name string, s S, err error) Subject {
	t.Helper()
	strategytest.Must(t, err)
	return Subject{Name: name, Strategy: s, Theory: s}
}

// subjects are the paper's strategies in all readings.
func subjects(t *testing.T) []Subject {
	q, err0 := queue.New(queue.Paper)
	s, err1 := single.New(single.Paper)
	d, err2 := dual.New(dual.Paper)
	b, err3 := dual.New(dual.PaperBlanked)
	c, err4 := chain.New(chain.Paper)
	l, err5 := chain.New(chain.Literal)
	return []Subject{
		subject(t, "queue", q, err0), subject(t, "single", s, err1), subject(t, "dual", d, err2),
		subject(t, "dual-blanked", b, err3), subject(t, "chain", c, err4), subject(t, "chain-literal", l, err5),
	}
}

// The strategies for N = 1000.
func newLongQueue() (*queue.Queue, error) { return queue.New(queue.Config{Window: 1000}) }

func newLongChain() (*chain.Chain, error) {
	c := chain.Paper
	c.Links = 10
	return chain.New(c)
}
