package library

import "dejavu/strategies"

// A Kind is one of the paper's strategies, ours and how a library makes it.
type Kind struct {
	Name  string
	Ours  strategies.Strategy
	Of    func(Library) func(users int) Users // nil where the library cannot
	Shown int                                 // articles after which a reader's memory is fullest
	Wears bool                                // whether it fills up, and must be emptied to go on
}

// Kinds are the single filter, the dual filter just before the slave takes
// over, and the chain.
var Kinds = []Kind{
	{"single", OurSingle, func(l Library) func(int) Users { return l.Singles }, capacity, true},
	{"dual", OurDual, func(l Library) func(int) Users { return l.Duals }, capacity - 1, false},
	{"chain", OurChain, func(l Library) func(int) Users { return l.Chains }, capacity, false},
}
